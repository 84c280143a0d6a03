//! What the why panel says must be so: each condition and each commit for this call in this state.

#![allow(clippy::unwrap_used, reason = "a test that fails should fail loudly")]

use mmscope_figure::{Why, why};
use mmscope_lab::{Position, Scenario, Timeline};
use mmscope_mm::Change;

/// The panels of the last call, one for each kernel.
fn panels(kernels: &str, calls: &str) -> Vec<Why> {
    let text = format!("mmscope 1\nkernels {kernels}\n{calls}\n");
    let mut timeline = Timeline::new(Scenario::parse(&text).unwrap()).unwrap();
    let step = timeline.step_count();
    timeline.go(Position { step, micro: None });
    let frame = timeline.frame();
    (0..frame.lanes.len())
        .map(|lane| why(&frame, lane).unwrap())
        .collect()
}

fn anon(addr: &str, len: &str, more: &str) -> String {
    format!("mmap({addr}, {len}, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS{more}, -1, 0)\n")
}

#[test]
fn a_hint_that_is_taken_is_what_decided() {
    for (addr, flags, function) in [
        ("0x500000001000", "", "arch_get_unmapped_area_topdown()"),
        ("0x50001000", "|MAP_32BIT", "arch_get_unmapped_area()"),
    ] {
        for why in panels("6.7 6.12.0 6.12.y", &anon(addr, "4194304", flags)) {
            assert!(
                why.sentence
                    .starts_with(&format!("Placed at {addr}, as the hint asks")),
                "{why:?}"
            );
            assert_eq!((why.commit, why.not_taken), (None, None));
            assert_eq!(why.function, function);
            assert!(why.condition.unwrap().contains("find_vma(addr) = NULL"));
        }
    }
}

#[test]
fn a_hint_that_fits_without_padding_only_names_the_commit() {
    let calls =
        anon("0x500000400000", "4096", "|MAP_FIXED") + &anon("0x500000000000", "4194304", "");
    let panels = panels("6.12.0 6.12.y", &calls);
    assert_eq!(panels[1].commit, Some(Change::AlignNotWithHint));
    let other = panels[1].not_taken.as_deref().unwrap();
    assert!(
        other.starts_with("Without 249608ee4713 it would lie at 0x"),
        "{other}"
    );
    // What 6.12.y would do without it is what 6.12.0 did.
    let place = panels[0].sentence.split([' ', ',', ';']).nth(2).unwrap();
    assert!(other.contains(place), "{other} {place}");
}

#[test]
fn two_blocks_of_2_mib_differ_by_where_they_abut() {
    let calls = anon("NULL", "2097152", "").repeat(2);
    let panels = panels("6.7.0 6.8 6.12.y", &calls);
    assert!(
        panels[0]
            .sentence
            .contains("2 MiB stay free above the mapping"),
        "{}",
        panels[0].sentence
    );
    assert_eq!(panels[0].commit, Some(Change::AlignThp));
    let other = panels[0].not_taken.as_deref().unwrap();
    assert!(
        other.contains("With 96204e15310c, first in 6.8, it would lie at 0x7ffff7a00000"),
        "{other}"
    );
    for why in &panels[1..] {
        assert_eq!(why.commit, Some(Change::AlignAbuts));
        assert_eq!(
            why.condition.as_deref(),
            Some("found 0x7ffff7800000 on a boundary = true")
        );
        let other = why.not_taken.as_deref().unwrap();
        assert!(
            other.starts_with("Without 96204e15310c it would lie at 0x7ffff7800000"),
            "{other}"
        );
    }
}

#[test]
fn a_file_without_a_hook_names_its_commit() {
    let file = "set fs other\nmmap(NULL, 4194304, PROT_READ, MAP_PRIVATE, 3</tmp/x.so>, 0)\n";
    let panels = panels("6.8 6.10 6.13", file);
    assert_eq!(panels[0].commit, None);
    assert_eq!(panels[1].commit, Some(Change::AlignFiles));
    assert_eq!(panels[2].commit, Some(Change::AlignNotFiles));
}

#[test]
fn a_file_at_an_offset_lies_congruent_to_it() {
    let why = &panels(
        "6.12.y",
        "mmap(NULL, 5242880, PROT_READ, MAP_PRIVATE, 3</usr/lib/x.so>, 0x1000)",
    )[0];
    assert!(
        why.sentence
            .contains("congruent to its offset 0x1000 modulo 2 MiB"),
        "{}",
        why.sentence
    );
}

#[test]
fn the_join_of_untouched_new_and_touched_is_the_order_of_6_12() {
    let calls = anon("0x600000000000", "65536", "|MAP_FIXED")
        + &anon("0x600000020000", "65536", "|MAP_FIXED")
        + "touch(0x600000020000, 8)\n"
        + &anon("0x600000010000", "65536", "|MAP_FIXED");
    let panels = panels("6.6 6.12.y 6.16", &calls);
    let other = panels[0].not_taken.as_deref().unwrap();
    assert!(!other.contains("879bca0a2c4f"), "{other}");
    assert_eq!(panels[1].commit, Some(Change::PrevFirst));
    // 6.16 would join them with either of the two.
    assert_eq!((panels[2].commit, &panels[2].not_taken), (None, &None));
}

#[test]
fn a_refusal_names_the_function_of_its_call() {
    let mapped = anon("0x600000000000", "65536", "|MAP_FIXED");
    for (call, functions) in [
        (
            "munmap(0x600000000001, 4096)",
            ["__do_munmap()", "do_mas_munmap()", "do_vmi_munmap()"],
        ),
        (
            "munmap(0x600000000000, 0)",
            ["__do_munmap()", "do_mas_munmap()", "do_vmi_munmap()"],
        ),
        (
            "munmap(0xffffffffffff0000, 4096)",
            ["__do_munmap()", "do_mas_munmap()", "do_vmi_munmap()"],
        ),
        (
            "mprotect(0x600000000001, 4096, PROT_READ)",
            ["do_mprotect_pkey()"; 3],
        ),
        (
            "mmap(NULL, 0, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)",
            ["do_mmap()"; 3],
        ),
    ] {
        let found = panels("6.0 6.2 6.12.y", &format!("{mapped}{call}"));
        let found: Vec<&str> = found.iter().map(|why| why.function).collect();
        assert_eq!(found, functions, "{call}");
    }
    let limit =
        |calls: &str| panels("6.12.y", &format!("set max_map_count 2\n{calls}"))[0].function;
    let three = anon("0x600000000000", "65536", "|MAP_FIXED")
        + &anon("0x600000100000", "65536", "|MAP_FIXED")
        + &anon("0x600000200000", "65536", "|MAP_FIXED");
    assert_eq!(
        limit(&format!("{three}munmap(0x600000001000, 4096)")),
        "do_vmi_munmap()"
    );
    assert_eq!(
        limit(&format!("{three}mprotect(0x600000001000, 4096, PROT_READ)")),
        "split_vma()"
    );
    assert_eq!(
        limit(&format!("brk 0x555555559000\n{three}brk(0x555555580000)")),
        "do_brk_flags()"
    );
}

#[test]
fn mprotect_names_the_piece_that_changed() {
    let calls = anon("0x500000000000", "196608", "|MAP_FIXED")
        + "mprotect(0x500000010000, 65536, PROT_READ)\n"
        + "mprotect(0x500000010000, 65536, PROT_READ|PROT_WRITE)\n";
    for why in panels("6.6 6.12.y", &calls) {
        assert_eq!(
            why.sentence,
            "64 kB at 500000010000-500000020000: r--p becomes rw-p, and the whole mapping joined both neighbours: 192 kB in all."
        );
        assert_eq!((why.condition, why.commit), (None, None));
    }
    let why = &panels(
        "6.12.y",
        &format!("{calls}mprotect(0x500000000000, 0, PROT_READ)"),
    )[0];
    assert_eq!(why.sentence, "Length 0: nothing to do.");
    let why = &panels(
        "6.12.y",
        &format!("{calls}mprotect(0x500000020000, 131072, PROT_READ)"),
    )[0];
    assert!(
        why.sentence
            .contains("stays changed: 64 kB at 500000020000-500000030000: rw-p becomes r--p"),
        "{}",
        why.sentence
    );
}

#[test]
fn the_limit_that_refuses_is_the_one_named() {
    let calls = anon("0x700000000000", "16777216", "|MAP_FIXED")
        + "setrlimit(RLIMIT_AS, {rlim_cur=20971520, rlim_max=20971520})\n"
        + &anon("0x700000000000", "33554432", "|MAP_FIXED");
    for why in panels("6.6 6.12.0", &calls) {
        assert!(
            why.sentence
                .starts_with("Refused with ENOMEM: 32 MiB mapped would pass RLIMIT_AS, 20 MiB"),
            "{}",
            why.sentence
        );
    }
    let huge = &panels("6.12.0", &anon("NULL", "70368744177664", ""))[0];
    assert!(
        huge.sentence.contains("RAM and swap together"),
        "{}",
        huge.sentence
    );
}

#[test]
fn names_keep_their_small_letters() {
    for change in Change::ALL {
        let subject = mmscope_figure::say::ui::change_subject(*change);
        for name in ["Mmap_region", "Brk ", "Mprotect ", "Maps "] {
            assert!(!subject.starts_with(name), "{subject}");
        }
    }
}

#[test]
fn a_touch_says_what_it_changed_and_no_more() {
    let calls = anon("0x500000000000", "65536", "|MAP_FIXED") + "touch(0x500000000000, 8)\n";
    let first = &panels("6.12.y", &calls)[0];
    assert!(
        first.sentence.contains("anon_vma of its own"),
        "{}",
        first.sentence
    );
    let page = "a 4 kB page of its own; no huge page: transparent_hugepage/enabled does not allow";
    assert!(first.sentence.contains(page), "{}", first.sentence);
    let other = &panels("6.12.y", &format!("{calls}touch(0x500000001000, 8)"))[0];
    assert!(other.sentence.contains(page), "{}", other.sentence);
    let again = &panels("6.12.y", &format!("{calls}touch(0x500000000ff8, 8)"))[0];
    assert!(
        again.sentence.contains("No page fault"),
        "{}",
        again.sentence
    );
}

#[test]
fn a_hint_below_a_growing_mapping_names_its_guard_gap() {
    let calls = anon("0x7fff00000000", "65536", "|MAP_GROWSDOWN|MAP_FIXED")
        + &anon("0x7ffeffff0000", "65536", "");
    let why = &panels("6.12.y", &calls)[0];
    let hint = why
        .details
        .iter()
        .find(|detail| detail.text.starts_with("The hint asks for"))
        .unwrap();
    assert!(
        hint.text
            .contains("not free from 0x7ffefff00000 on, where the guard gap of"),
        "{}",
        hint.text
    );
    // A gap is told as far as the search may use it.
    let gap = why
        .details
        .iter()
        .find(|detail| detail.text.contains("fits, taken"))
        .unwrap();
    assert!(gap.text.contains("-7ffff7fff000 of"), "{}", gap.text);
}
