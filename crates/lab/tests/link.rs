//! Links: whole, short, and safe to read.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write;

use mmscope_lab::link::{Content, Link, LinkError, decode, encode};
use mmscope_lab::{Position, Scenario, Sorted, lessons};
use proptest::prelude::*;

fn view(pairs: &[(&str, &str)]) -> Sorted<String, String> {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

#[test]
fn a_lesson_is_a_short_link() {
    let link = Link {
        content: Content::Lesson("cactusbssn".into()),
        position: Some(Position {
            step: 25,
            micro: Some(3),
        }),
        view: view(&[
            ("zoom", "7ffff6c00000-7ffff7fff000"),
            ("select", "B 7ffff7800000"),
            ("theme", "dark"),
        ]),
    };
    let text = encode(&link);
    assert!(text.len() < 500, "{}", text.len());
    assert_eq!(decode(&text), Ok(link));
    // And so is the lesson's text itself, once something in it was changed.
    let scenario = Content::Scenario(lessons::all()[0].scenario.into());
    let text = encode(&Link {
        content: scenario,
        position: None,
        view: Sorted::new(),
    });
    assert!(text.len() < 1000, "{}", text.len());
}

#[test]
fn forty_calls_fit_in_2000_characters() {
    let mut text = lessons::all()[0]
        .scenario
        .split("repeat")
        .next()
        .unwrap()
        .to_owned();
    let mut at: u64 = 0x1357_9bdf;
    for call in 0..40 {
        at = at
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let len = (at >> 40) & !4095;
        match call % 4 {
            0 | 1 => {
                writeln!(text, "a{call} = mmap(NULL, {len}, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)")
            }
            2 => writeln!(text, "munmap(a{}+{:#x}, {len})", call - 1, at >> 52 << 12),
            _ => writeln!(text, "mprotect(a{}, {len}, PROT_READ)", call - 3),
        }
        .unwrap();
    }
    let scenario = Scenario::parse(&text).unwrap().to_string();
    let link = Link {
        content: Content::Scenario(scenario),
        position: None,
        view: Sorted::new(),
    };
    let text = encode(&link);
    assert!(text.len() < 2000, "{}", text.len());
    assert_eq!(decode(&text), Ok(link));
}

#[test]
fn other_versions_and_rubbish_are_told_apart() {
    assert_eq!(decode("v2.AAAA"), Err(LinkError::Newer { version: 2 }));
    assert_eq!(decode("#v12.?"), Err(LinkError::Newer { version: 12 }));
    assert_eq!(
        decode("v99999999999.x"),
        Err(LinkError::Newer { version: u32::MAX })
    );
    let whole = encode(&Link {
        content: Content::Lesson("x".into()),
        position: None,
        view: Sorted::new(),
    });
    for broken in [
        "",
        "#",
        "v1",
        "v1.",
        "v0.x",
        "v.x",
        "v+1.x",
        "x1.y",
        "v1.????",
        "v1.AAAA",
        "v1.é",
        &whole[..6],
    ] {
        assert_eq!(decode(broken), Err(LinkError::Broken), "{broken}");
    }
}

#[test]
fn a_link_that_unpacks_to_too_much_is_stopped() {
    let scenario = Content::Scenario("\n".repeat(17 << 20));
    let bomb = encode(&Link {
        content: scenario,
        position: None,
        view: Sorted::new(),
    });
    assert!(bomb.len() < 50_000);
    assert_eq!(decode(&bomb), Err(LinkError::TooLarge));
}

/// Links that were handed out must be read for ever: lines are only ever added here.
#[test]
fn links_of_the_past_are_read() {
    for line in include_str!("data/links_v1.txt").lines() {
        let (link, says) = line.split_once(' ').unwrap();
        let link = decode(link).unwrap();
        let content = match &link.content {
            Content::Lesson(id) => format!("lesson {id}"),
            Content::Scenario(text) => format!("scenario {}", Scenario::parse(text).unwrap().title),
        };
        assert_eq!(
            format!("{content}; {:?}; {:?}", link.position, link.view),
            says
        );
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        scenario in any::<Option<String>>(),
        place in any::<Option<(u32, Option<u32>)>>(),
        view in proptest::collection::btree_map("[a-z][a-z0-9._-]{0,8}", "[ -~]{0,20}", 0..6),
    ) {
        let content = match scenario {
            Some(text) => Content::Scenario(text),
            None => Content::Lesson("cactusbssn".into()),
        };
        let mut view = view;
        for word in ["at", "lesson", "scenario"] {
            view.remove(word);
        }
        let view = view.into_iter().map(|(key, value)| (key, value.trim_end().to_owned())).collect();
        let position = place.map(|(step, micro)| Position { step, micro });
        let link = Link { content, position, view };
        prop_assert_eq!(decode(&encode(&link)), Ok(link));
    }

    #[test]
    fn nothing_that_is_read_does_harm(text in any::<String>(), bytes in "[A-Za-z0-9_-]{0,400}") {
        let _ = decode(&text);
        let _ = decode(&format!("v1.{bytes}"));
    }
}
