use mmscope_figure::imported;
use mmscope_lab::Position;
use mmscope_mm::Release;

use super::*;

fn place(session: &Session) -> (u32, Option<u32>) {
    let Position { step, micro } = session.shown.position;
    (step, micro)
}

fn results(session: &Session) -> Vec<String> {
    session
        .shown
        .lanes
        .iter()
        .map(|lane| lane.result.clone())
        .collect()
}

/// What a person would see, to be compared.
fn seen(session: &Session) -> String {
    format!("{:?}", session.shown)
}

/// Gives the session a text, and what the importer makes of it.
fn import(session: &Session, text: &str, maps: Option<&str>) -> Session {
    let session = session.reduce(Action::Import {
        text: text.to_owned(),
        maps: maps.map(str::to_owned),
    });
    let Some(asked) = session.asked.clone() else {
        return session;
    };
    assert!(session.reading);
    let answer = imported::import(&asked.text, asked.maps.as_deref(), &asked.kernels);
    let session = session.reduce(Action::Imported(asked, Some(answer.to_text())));
    assert!(!session.reading && session.asked.is_none());
    session
}

fn surveyed(mut session: Session) -> Session {
    while !session.surveyed.is_complete() {
        session = session.reduce(Action::Survey(1000));
    }
    session
}

#[test]
fn the_first_lesson_opens_at_its_first_call() {
    let session = Session::new();
    assert_eq!(place(&session), (1, None));
    assert_eq!(
        results(&session),
        ["0x7ffff794a000", "0x7ffff7800000", "0x7ffff794a000"]
    );
    assert!(!session.playing);
}

#[test]
fn three_calls_add_0_3_0_mappings() {
    let session = Session::new().reduce(Action::Step).reduce(Action::Step);
    assert_eq!(
        results(&session),
        ["0x7ffff703e000", "0x7ffff6c00000", "0x7ffff703e000"]
    );
    let added: Vec<&str> = session.shown.ledger.parts[0].rows[0]
        .lanes
        .iter()
        .map(|cell| cell.since.as_str())
        .collect();
    assert_eq!(added, ["0", "+3", "0"]);
}

#[test]
fn back_and_forward_show_the_same() {
    let at_three = Session::new().reduce(Action::Step).reduce(Action::Step);
    let away = at_three
        .reduce(Action::Last)
        .reduce(Action::First)
        .reduce(Action::MicroForward);
    assert_eq!(place(&away), (1, Some(1)));
    let again = away
        .reduce(Action::Step)
        .reduce(Action::Step)
        .reduce(Action::Step);
    assert_eq!(place(&again), (3, None));
    // The survey has come further, and nothing else differs.
    assert_eq!(seen(&surveyed(again)), seen(&surveyed(at_three)));
}

#[test]
fn a_link_leads_back() {
    let session = Session::new()
        .reduce(Action::SetKernel(
            1,
            Kernel::parse("6.14-d4148aeab412").unwrap(),
        ))
        .reduce(Action::RemoveLane(2))
        .reduce(Action::Go(Position {
            step: 7,
            micro: Some(3),
        }))
        .reduce(Action::Lens(Some(Range {
            start: 0x7fff_f000_0000,
            end: 0x7fff_f800_0000,
        })))
        .reduce(Action::Select(Some(Selection {
            lane: 1,
            addr: 0x7fff_f7dd_0000,
        })))
        .reduce(Action::Part(tree::Part::Tree))
        .reduce(Action::TreeLane(Some(1)))
        .reduce(Action::Press(Target::Node {
            lane: 1,
            level: 1,
            range: Range {
                start: 0x7fff_f7fa_6000,
                end: u64::MAX,
            },
            apart: false,
            open: true,
        }))
        .reduce(Action::Theme(Theme::Dark));
    let link = state::link(&session).unwrap();
    let again = Session::new().reduce(Action::Link(link.clone()));
    assert_eq!((again.part, &again.tree), (session.part, &session.tree));
    assert_eq!(
        seen(&surveyed(again.clone())),
        seen(&surveyed(session.clone()))
    );
    assert_eq!(
        (again.lens, again.selected, again.theme),
        (session.lens, session.selected, session.theme)
    );
    assert_eq!(again.lesson.map(|lesson| lesson.id), Some("cactusbssn"));
    assert_eq!(state::link(&again).unwrap(), link);
    assert!(link.len() < 200, "{link}");
}

#[test]
fn a_link_to_ones_own_program_leads_back() {
    let text = Session::new()
        .timeline()
        .scenario()
        .to_string()
        .replace("repeat 25", "repeat 4");
    let session = Session::new()
        .reduce(Action::Import { text, maps: None })
        .reduce(Action::Last);
    assert_eq!(place(&session), (4, None));
    assert!(session.lesson.is_none());
    let again = Session::new().reduce(Action::Link(state::link(&session).unwrap()));
    assert_eq!(seen(&again), seen(&session));
}

/// A session that went to the other build of the app, and what both would show and keep.
fn handed_over(session: &Session) -> Session {
    let again = handover::take(handover::give(session).to_vec()).unwrap();
    assert_eq!(
        seen(&surveyed(again.clone())),
        seen(&surveyed(session.clone()))
    );
    assert_eq!(handover::give(&again), handover::give(session));
    assert_eq!(
        (again.lens, again.selected, again.part, &again.tree),
        (session.lens, session.selected, session.part, &session.tree)
    );
    assert_eq!(
        (again.playing, again.pace, again.theme, again.single_keys),
        (
            session.playing,
            session.pace,
            session.theme,
            session.single_keys
        )
    );
    assert_eq!(again.notice, session.notice);
    assert_eq!(again.boxes(), session.boxes());
    assert_eq!(again.told, session.told);
    again
}

#[test]
fn another_build_goes_on_with_all_that_a_person_has() {
    handed_over(&Session::new());
    let asked = Session::new();
    let question = asked.told.question.is_some();
    let session = asked
        .reduce(if question {
            Action::Answer(7)
        } else {
            Action::NextStop
        })
        .reduce(Action::SetKernel(
            1,
            Kernel::parse("6.14-d4148aeab412").unwrap(),
        ))
        .reduce(Action::MicroForward)
        .reduce(Action::Lens(Some(Range {
            start: 0x7fff_f000_0000,
            end: 0x7fff_f800_0000,
        })))
        .reduce(Action::Select(Some(Selection {
            lane: 1,
            addr: 0x7fff_f7dd_0000,
        })))
        .reduce(Action::Part(tree::Part::Tree))
        .reduce(Action::TreeLane(Some(1)))
        .reduce(Action::Theme(Theme::Dark))
        .reduce(Action::SingleKeys(false))
        .reduce(Action::Pace(4))
        .reduce(Action::PlayPause)
        .reduce(Action::Typed(import::Boxes {
            text: "half a\nthought".to_owned(),
            maps: "maps".to_owned(),
        }));
    let again = handed_over(&session);
    assert_eq!(again.lesson.map(|lesson| lesson.id), Some("cactusbssn"));
    assert_eq!(again.said, session.said);
}

#[test]
fn another_build_goes_on_with_a_trace_and_its_report() {
    let session = import(&Session::new(), TRACE, Some(&lesson_maps()))
        .reduce(Action::CloseOverlay)
        .reduce(Action::Last);
    let again = handed_over(&session);
    assert!(again.report.is_some());
    assert_eq!(again.report, session.report);
}

#[test]
fn another_build_goes_on_with_a_program_too_long_for_a_link() {
    let mut text = "mmscope 1\nkernels 6.6 6.12\n".to_owned();
    text.push_str(&"brk(NULL)\n".repeat(30_000));
    let session = Session::new().reduce(Action::Import { text, maps: None });
    assert!(state::link(&session).is_none());
    assert_eq!(session.notice.clone().unwrap().keep, Some(Keep::Program));
    handed_over(&session.reduce(Action::Go(Position {
        step: 17_000,
        micro: None,
    })));
}

#[test]
fn another_build_goes_on_with_a_link_that_could_not_be_opened() {
    for link in ["v1.broken", "v9.AAAA"] {
        handed_over(&Session::new().reduce(Action::Link(link.to_owned())));
    }
    assert!(handover::take(Vec::new()).is_none());
    let mut texts = handover::give(&Session::new());
    texts[0].insert(0, '!');
    assert!(handover::take(texts.to_vec()).is_none());
}

#[test]
fn a_part_that_does_not_load_leaves_the_rest_as_it_is() {
    let session = Session::new().reduce(Action::Part(tree::Part::Tree));
    let again = session.reduce(Action::PartMissing);
    if tree::Part::Tree.is_here() {
        assert_eq!((again.part, &again.notice), (session.part, &None));
    } else {
        assert_eq!(again.part, tree::Part::Why);
        assert!(again.notice.is_some());
    }
}

#[test]
fn a_broken_link_is_kept() {
    for link in ["v1.broken", "v9.AAAA", "nonsense"] {
        let session = Session::new()
            .reduce(Action::Last)
            .reduce(Action::Link(link.to_owned()));
        let notice = session.notice.clone().unwrap();
        assert_eq!(notice.keep, Some(Keep::Link(link.to_owned())));
        assert!(!notice.text.is_empty());
        assert_eq!(place(&session), (1, None));
        assert!(session.reduce(Action::CloseNotice).notice.is_none());
    }
}

#[test]
fn bad_text_is_kept_with_what_is_wrong() {
    let text =
        "mmscope 1\nkernels 6.6\nmmap(NULL, 4096, PROT_REED, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n";
    let session = Session::new().reduce(Action::Import {
        text: text.to_owned(),
        maps: Some("x".to_owned()),
    });
    assert_eq!(session.overlay, Some(Overlay::Import));
    assert_eq!(
        (session.draft.text.as_str(), session.draft.maps.as_deref()),
        (text, Some("x"))
    );
    let problem = session.draft.problem.clone().unwrap();
    assert_eq!(problem.errors[0].0, 3, "{problem:?}");
    let session = import(&session, "what is this", None);
    assert_eq!(session.draft.text, "what is this");
    assert!(!session.draft.problem.clone().unwrap().errors.is_empty());
}

/// As strace prints three of the lesson's calls on Linux 6.18, with what stands around them.
const TRACE: &str = r#"execve("/srv/w/bin/cactus", ["/srv/w/bin/cactus"], 0x7fffffffe000 /* 12 vars */) = 0
brk(NULL)                               = 0x555555559000
mmap(NULL, 4743168, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff794a000
write(1, "x", 1)                        = 1
mmap(NULL, 4743168, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff74c4000
mmap(NULL, 4743168, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff703e000
exit_group(0)                           = ?
+++ exited with 0 +++
"#;

/// The layout that the lesson starts from.
fn lesson_maps() -> String {
    let text = Session::new().timeline().scenario().to_string();
    let (_, rest) = text.split_once("maps {\n").unwrap();
    rest.split_once("}\n").unwrap().0.to_owned()
}

#[test]
fn a_trace_is_compared_with_its_replay() {
    let session = import(&Session::new(), TRACE, Some(&lesson_maps()));
    assert!(
        session.draft.problem.is_none(),
        "{:?}",
        session.draft.problem
    );
    assert_eq!(session.overlay, Some(Overlay::Report));
    let report = session.report.clone().unwrap();
    assert!(
        report.told.skipped.iter().any(|line| line.line == 4),
        "{:?}",
        report.told.skipped
    );
    let compared = report.compared.clone().unwrap();
    assert!(compared.differences.is_empty(), "{compared:?}");
    assert_eq!(
        compared.lanes[0],
        ('A', "3 of 3 addresses equal".to_owned())
    );
    // The newest kernel that agrees stands first; the two old ones that differ from it follow.
    let kernels: Vec<String> = session
        .shown
        .lanes
        .iter()
        .map(|lane| lane.kernel.to_string())
        .collect();
    assert_eq!(kernels[1..], ["6.6", "6.7.0"]);
    assert!(compared.lanes[2].1.starts_with("0 of 3"), "{compared:?}");
    // Another kernel in the first lane, and the differences are listed with their reason.
    let old = session.reduce(Action::SetKernel(0, Kernel::parse("6.7").unwrap()));
    let compared = surveyed(old)
        .report
        .clone()
        .unwrap()
        .compared
        .clone()
        .unwrap();
    assert_eq!(compared.differences.len(), 3);
    assert_eq!(compared.differences[0].recorded, "0x7ffff794a000");
    assert_eq!(compared.differences[0].model, "0x7ffff7800000");
    assert!(!compared.differences[0].why.is_empty());
}

#[test]
fn marks_are_the_stops_and_the_first_divergence() {
    let session = surveyed(Session::new());
    assert_eq!(session.shown.divergence, Some(1));
    let steps: Vec<u32> = session.marks().iter().map(|mark| mark.step).collect();
    assert_eq!(steps, [0, 1, 2, 3, 25]);
    assert_eq!(place(&session.reduce(Action::MarkForward)), (2, None));
    assert_eq!(place(&session.reduce(Action::MarkBack)), (0, None));
    assert_eq!(place(&session.reduce(Action::NextStop)), (2, None));
    assert_eq!(session.stop(), Some(1));
}

#[test]
fn lanes_come_and_go_and_keep_the_place() {
    let newest = Kernel::new(Release::ALL.last().unwrap());
    let session = Session::new().reduce(Action::Go(Position {
        step: 5,
        micro: None,
    }));
    let session = session
        .reduce(Action::RemoveLane(0))
        .reduce(Action::AddLane)
        .reduce(Action::SetKernel(2, newest));
    assert_eq!(place(&session), (5, None));
    let kernels: Vec<String> = session
        .shown
        .lanes
        .iter()
        .map(|lane| lane.kernel.to_string())
        .collect();
    assert_eq!(
        kernels,
        ["6.7.0".to_owned(), "6.12.0".to_owned(), newest.to_string()]
    );
    // A fourth lane is not to be had, and the last one stays.
    assert_eq!(session.reduce(Action::AddLane).shown.lanes.len(), 3);
    let one = session
        .reduce(Action::RemoveLane(0))
        .reduce(Action::RemoveLane(0))
        .reduce(Action::RemoveLane(0));
    assert_eq!(one.shown.lanes.len(), 1);
}

#[test]
fn playing_stops_at_the_end() {
    let mut session = Session::new()
        .reduce(Action::Go(Position {
            step: 23,
            micro: None,
        }))
        .reduce(Action::PlayPause);
    for _ in 0..10 {
        session = session.reduce(Action::Tick);
    }
    assert_eq!((place(&session), session.playing), ((25, None), false));
    assert!(!session.reduce(Action::PlayPause).playing);
}

#[test]
fn the_lens_stays_inside_user_space() {
    let mut session = Session::new();
    for _ in 0..60 {
        session = session.reduce(Action::Zoom {
            closer: false,
            at: None,
        });
    }
    assert_eq!(
        session.lens,
        Some(Range {
            start: 0,
            end: TASK_SIZE
        })
    );
    for _ in 0..60 {
        session = session.reduce(Action::Zoom {
            closer: true,
            at: Some(TASK_SIZE),
        });
    }
    assert_eq!(
        session.lens,
        Some(Range {
            start: TASK_SIZE - LEAST_LENS,
            end: TASK_SIZE
        })
    );
    session = session.reduce(Action::Pan { up: true });
    assert_eq!(
        session.lens,
        Some(Range {
            start: TASK_SIZE - LEAST_LENS,
            end: TASK_SIZE
        })
    );
    assert_eq!(session.reduce(Action::Fit).lens, None);
}

#[test]
fn nothing_new_is_nothing_to_draw() {
    let session = Session::new();
    assert!(session == session.reduce(Action::CloseOverlay));
    assert!(session != session.reduce(Action::Step));
    let end = session.reduce(Action::Last);
    assert!(end == end.reduce(Action::Step));
}

#[test]
fn what_was_typed_is_kept_until_it_is_open() {
    let boxes = |text: &str| Boxes {
        text: text.to_owned(),
        maps: String::new(),
    };
    let good = "mmscope 1\nkernels 6.6\nbrk(NULL)\n";
    let typed = Session::new().reduce(Action::Typed(boxes("typed")));
    // A program that came another way.
    let session = import(&typed, good, None);
    assert!(session.draft.problem.is_none(), "{:?}", session.draft);
    assert_eq!(session.boxes(), boxes("typed"));
    let session = import(&session, "what is this", None);
    assert_eq!(session.boxes(), boxes("what is this"));
    let session = session.reduce(Action::PutBack);
    assert_eq!(session.boxes(), boxes("typed"));
    let session = import(&session.reduce(Action::Typed(boxes(good))), good, None);
    assert!(session.boxes().is_empty());
}

#[test]
fn maps_alone_are_a_start_without_calls() {
    let session = import(&Session::new(), &lesson_maps(), None);
    assert!(session.draft.problem.is_none(), "{:?}", session.draft);
    assert_eq!((session.shown.steps, place(&session)), (0, (0, None)));
    assert!(session.notice.is_some());
}

#[test]
fn wrapped_logs_say_so() {
    let line = "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff\n794a000\n";
    let text = format!("{TRACE}{}", line.repeat(4));
    let session = import(&Session::new(), &text, None);
    let report = session.report.clone().unwrap();
    assert!(report.told.unreadable.is_some(), "{report:?}");
}

#[test]
fn a_call_without_parentheses_is_told_of_them() {
    let text = "mmscope 1\nkernels 6.6\nmmap NULL 4096\ntouch a 4096\n";
    let session = Session::new().reduce(Action::Import {
        text: text.to_owned(),
        maps: None,
    });
    let problem = session.draft.problem.clone().unwrap();
    assert_eq!(problem.errors.len(), 2);
    for (line, sentence) in &problem.errors {
        assert!(sentence.contains("parentheses"), "{sentence}");
        assert_eq!(sentence.matches("Line").count(), 1, "{line}: {sentence}");
    }
}

#[test]
fn a_link_that_is_partly_unknown_says_so() {
    let mut link = mmscope_lab::link::decode(&state::link(&Session::new()).unwrap()).unwrap();
    link.view.insert("kernels".to_owned(), "9.9 7.2".to_owned());
    link.view.insert("sel".to_owned(), "8 0".to_owned());
    let link = mmscope_lab::link::encode(&link);
    let session = Session::new().reduce(Action::Link(link.clone()));
    let notice = session.notice.clone().unwrap();
    assert_eq!(notice.keep, Some(Keep::LinkPart(link)));
    assert!(notice.text.contains("9.9"), "{}", notice.text);
    let shown: Vec<String> = session
        .shown
        .lanes
        .iter()
        .map(|lane| lane.kernel.to_string())
        .collect();
    assert!(notice.text.contains(&shown.join(", ")), "{}", notice.text);
    assert_eq!(session.selected, None);
}

#[test]
fn an_answer_that_comes_too_late_changes_nothing() {
    let ask = |session: &Session| {
        let text = TRACE.to_owned();
        session.reduce(Action::Import { text, maps: None })
    };
    let answer = |session: &Session, asked: Rc<Asked>, text: Option<&str>| {
        session.reduce(Action::Imported(asked, text.map(str::to_owned)))
    };
    let first = ask(&Session::new());
    let asked = first.asked.clone().unwrap();
    // Another question, though about the same text, and a lesson that was opened in the meantime.
    let second = ask(&first);
    assert!(second != first);
    assert!(answer(&second, asked.clone(), Some("start\n")) == second);
    let lesson = first.reduce(Action::Lesson("cactusbssn"));
    assert!(!lesson.reading);
    assert!(answer(&lesson, asked.clone(), None) == lesson);
    // What could not be read is kept, whether the importer did not load or broke down.
    for failed in [None, Some(""), Some("start\nnonsense")] {
        let session = answer(&first, asked.clone(), failed);
        assert_eq!(session.overlay, Some(Overlay::Import));
        assert_eq!(session.boxes().text, TRACE);
        let problem = session.draft.problem.clone().unwrap();
        assert!(problem.expected.contains("is kept"), "{problem:?}");
        assert!(!session.reading);
    }
}

fn page_test(step: u32) -> Session {
    Session::new()
        .reduce(Action::Lesson("page_test"))
        .reduce(Action::Go(Position { step, micro: None }))
}

#[test]
fn a_prediction_is_asked_for_and_compared_with_what_was_counted() {
    let asked = page_test(4);
    let question = asked.told.question.clone().unwrap();
    assert!(question.contains("B 6.1"), "{question}");
    assert!(asked.told.spoken().contains(&question), "it is spoken");
    assert!(!seen(&asked).contains("127"), "{}", seen(&asked));
    assert!(!format!("{:?}", asked.told).contains("127"));
    let answered = asked.reduce(Action::Answer(119));
    assert_eq!(place(&answered), (19, None));
    let answer = answered.told.answer.clone().unwrap();
    assert_eq!(answer, "You said 119, counted were 127: 8 too few.");
    assert!(answered.told.spoken().contains(&answer));
    assert!(answered.told.question.is_none());
    // It belongs to this question only.
    let later = answered.reduce(Action::NextStop);
    assert!(later.told.answer.is_none());
    let again = asked.reduce(Action::Answer(127)).told.answer.clone();
    assert!(again.unwrap().ends_with("127: right."));
}

#[test]
fn a_question_may_be_skipped_and_ends_when_one_goes_on() {
    for action in [Action::NextStop, Action::Step, Action::MicroForward] {
        let after = page_test(4).reduce(action);
        assert!(after.told.question.is_none() && after.told.answer.is_none());
        // Where nothing is asked, nothing is answered.
        let answered = after.reduce(Action::Answer(1));
        assert_eq!(place(&answered), place(&after));
    }
    let back = page_test(4).reduce(Action::Step).reduce(Action::Back);
    assert!(back.told.question.is_some(), "it stands again");
}

#[test]
fn a_question_is_about_the_kernel_that_runs() {
    let session = page_test(4).reduce(Action::SetKernel(1, Kernel::parse("6.5").unwrap()));
    assert!(session.told.question.clone().unwrap().contains("B 6.5"));
    let answer = session.reduce(Action::Answer(121)).told.answer.clone();
    assert!(answer.unwrap().contains("counted were 121"));
    // 6.0 has no nodes: there is nothing to compare with.
    let session = page_test(4).reduce(Action::SetKernel(1, Kernel::parse("6.0").unwrap()));
    assert!(session.reduce(Action::Answer(1)).told.answer.is_none());
    let alone = page_test(4)
        .reduce(Action::RemoveLane(2))
        .reduce(Action::RemoveLane(1));
    assert!(alone.told.question.is_none());
}
