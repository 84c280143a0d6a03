//! What the lessons say at their stops, as a reader gets it.

#![allow(clippy::unwrap_used, reason = "a test that fails should fail loudly")]

use expect_test::{Expect, expect};
use mmscope_figure::{ledger, lesson, say, text, why};
use mmscope_lab::{Position, Scenario, Timeline, lessons};

fn at(step: u32, micro: Option<u32>) -> Timeline {
    let lesson = lessons::find("cactusbssn").unwrap();
    let mut timeline = Timeline::new(Scenario::parse(lesson.scenario).unwrap()).unwrap();
    timeline.go(Position { step, micro });
    timeline
}

fn reasons(step: u32) -> String {
    reasons_in(&at(step, None))
}

fn reasons_in(timeline: &Timeline) -> String {
    let frame = timeline.frame();
    let mut out = String::new();
    for lane in 0..frame.lanes.len() {
        let why = why(&frame, lane).unwrap();
        out.push_str(&format!("{}: {}\n", frame.lanes[lane].letter, why.sentence));
        for (name, part) in [("condition", why.condition), ("not taken", why.not_taken)] {
            if let Some(part) = part {
                out.push_str(&format!("   {name}: {part}\n"));
            }
        }
        out.push_str(&format!(
            "   {} {}\n",
            why.function,
            why.commit.map_or(String::new(), say::kernel::change)
        ));
    }
    out
}

fn details(step: u32, lane: usize) -> String {
    let timeline = at(step, None);
    let why = why(&timeline.frame(), lane).unwrap();
    why.details
        .iter()
        .map(|detail| {
            format!(
                "{} {:?} {} [{}]\n",
                detail.micro, detail.tone, detail.text, detail.function
            )
        })
        .collect()
}

fn check(actual: &str, expect: Expect) {
    expect.assert_eq(actual);
}

#[test]
fn reasons_of_the_first_call() {
    check(
        &reasons(1),
        expect![[r#"
            A: Placed at 0x7ffff794a000, at the upper end of the highest gap that fits; joined the mapping above, 4644 kB in all.
               condition: no condition on the length in this kernel
               not taken: Without 0ba09b173387 it would lie at 0x7ffff7800000, on a 2 MiB boundary. With efa7df3e3bb5, first in 6.7, it would lie at 0x7ffff7800000, on a 2 MiB boundary.
               get_unmapped_area() 0ba09b173387 takes the alignment of f35b5d7d676e back
            B: Placed at 0x7ffff7800000, on a 2 MiB boundary; not merged: 1320 kB free above it.
               condition: len 0x486000 >= PMD_SIZE 0x200000 = true
               not taken: Without efa7df3e3bb5 it would lie at 0x7ffff794a000. With d4148aeab412, first in 6.12 (6.11.7), it would lie at 0x7ffff794a000.
               get_unmapped_area() efa7df3e3bb5 anonymous mappings of 2 MiB and more start on a 2 MiB boundary
            C: Placed at 0x7ffff794a000, at the upper end of the highest gap that fits; joined the mapping above, 4644 kB in all.
               condition: IS_ALIGNED(0x486000, 0x200000) = false: 536 kB over
               not taken: Without d4148aeab412 it would lie at 0x7ffff7800000, on a 2 MiB boundary.
               __get_unmapped_area() d4148aeab412 only lengths that are a multiple of 2 MiB are aligned
        "#]],
    );
}

#[test]
fn reasons_of_the_second_call() {
    check(
        &reasons(2),
        expect![[r#"
            A: Placed at 0x7ffff74c4000, at the upper end of the highest gap that fits; joined the mapping above, 9276 kB in all.
               condition: no condition on the length in this kernel
               not taken: Without 0ba09b173387 it would lie at 0x7ffff7400000, on a 2 MiB boundary. With efa7df3e3bb5, first in 6.7, it would lie at 0x7ffff7400000, on a 2 MiB boundary.
               get_unmapped_area() 0ba09b173387 takes the alignment of f35b5d7d676e back
            B: Placed at 0x7ffff7200000, on a 2 MiB boundary; not merged: 1512 kB free above it.
               condition: len 0x486000 >= PMD_SIZE 0x200000 = true
               not taken: Without efa7df3e3bb5 it would lie at 0x7ffff737a000. With d4148aeab412, first in 6.12 (6.11.7), it would lie at 0x7ffff737a000.
               get_unmapped_area() efa7df3e3bb5 anonymous mappings of 2 MiB and more start on a 2 MiB boundary
            C: Placed at 0x7ffff74c4000, at the upper end of the highest gap that fits; joined the mapping above, 9276 kB in all.
               condition: IS_ALIGNED(0x486000, 0x200000) = false: 536 kB over
               not taken: Without d4148aeab412 it would lie at 0x7ffff7400000, on a 2 MiB boundary.
               __get_unmapped_area() d4148aeab412 only lengths that are a multiple of 2 MiB are aligned
        "#]],
    );
}

#[test]
fn every_decision_of_an_aligned_call() {
    check(
        &details(2, 1),
        expect![[r#"
            1 Yes 4632 kB is 2 MiB or more: a place aligned to 2 MiB is looked for. [get_unmapped_area()]
            2 Step Search for the highest gap of 6680 kB, 2 MiB of padding included, between 0x10000 and 0x7ffff7fff000. [vm_unmapped_area()]
            3 No Between 0x7ffff7fa6000 and 0xffffffffffffffff the largest gap has 16 EiB, but not within the limits: passed over. [mas_empty_area_rev()]
            4 Step Between 0x10000 and 0x7ffff7fa6000 the largest gap has 85.3 TiB: enough for 6680 kB, looked at more closely. [mas_empty_area_rev()]
            5 No Gap 7ffff7c86000-7ffff7dd0000 of 1320 kB: too small for 6680 kB. [mas_empty_area_rev()]
            6 Yes Gap 555555559000-7ffff7800000 of 42.7 TiB: 6680 kB fits, taken. [mas_empty_area_rev()]
            7 Yes Found 0x7ffff717a000, 2 MiB of padding included. [vm_unmapped_area()]
            8 Yes 0x7ffff717a000 is moved up by 536 kB to the boundary 0x7ffff7200000; what is above it stays free. [__thp_get_unmapped_area()]
            9 Yes Placed at 0x7ffff7200000, 4632 kB: where the search with alignment found room. [get_unmapped_area()]
            10 No 7ffff7200000-7ffff7686000: not joined, 1512 kB free above it. [can_vma_merge_before()]
            11 No 7ffff7200000-7ffff7686000: not joined, 42.7 TiB free below it. [can_vma_merge_after()]
            12 Step A store over 7ffff7200000-7ffff7686000: wr_node_store, the leaf is written anew. 1 node asked for. [mas_wr_store_entry()]
            13 Step A new node 6, maple_leaf_64 with 16 slots, is filled. It is not in the tree yet. [mas_pop_node()]
            14 Step Node 6 is put into the tree: slot 0 of node 1 points to it. [mas_put_in_tree()]
            15 Step Node 4 is out of the tree and dead: freed after a grace period. [mte_set_node_dead()]
            16 Step The maple tree asks for 1 node for a new mapping: 1 used, 0 given back. [mmap_region()]
            17 Yes A new mapping: 7ffff7200000-7ffff7686000, 4632 kB. [mmap_region()]
        "#]],
    );
}

#[test]
fn the_step_in_a_sentence() {
    check(
        &say::spoken(&at(0, None).frame()),
        expect![
            "Start, before call 1 of 25. A 6.6: 22 mappings, 44 kB of gaps. B 6.7.0: 22 mappings, 44 kB of gaps. C 6.12.0: 22 mappings, 44 kB of gaps."
        ],
    );
    check(
        &say::spoken(&at(2, None).frame()),
        expect![
            "Call 2 of 25: mmap(NULL, 4743168, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0). A 6.6: 0x7ffff74c4000, joined the mapping above. B 6.7.0: 0x7ffff7200000, new mapping. C 6.12.0: 0x7ffff74c4000, joined the mapping above. B lies 2832 kB below A. A has 22 mappings and 44 kB of gaps, B has 24 and 2876 kB."
        ],
    );
    check(
        &say::spoken(&at(2, Some(3)).frame()),
        expect![
            "Call 2 of 25, decision 3: mmap(NULL, 4743168, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0). A 6.6: Between 0x7ffff7fc2000 and 0xffffffffffffffff the largest gap has 16 EiB, but not within the limits: passed over. B 6.7.0: Between 0x7ffff7fa6000 and 0xffffffffffffffff the largest gap has 16 EiB, but not within the limits: passed over. C 6.12.0: Between 0x7ffff7fc2000 and 0xffffffffffffffff the largest gap has 16 EiB, but not within the limits: passed over."
        ],
    );
}

fn table_of(timeline: &Timeline) -> String {
    let table = ledger::table(&timeline.frame());
    let mut out = table.columns.join(" | ");
    for part in table.parts {
        let notes: Vec<&str> = part.notes.iter().map(|(note, _)| *note).collect();
        out.push_str(&format!("\n{}: {}", part.name, notes.join(" | ")));
        for row in part.rows {
            let lanes: Vec<String> = row
                .lanes
                .iter()
                .map(|cell| format!("{} ({})", cell.now, cell.since))
                .collect();
            out.push_str(&format!(
                "\n{} | {} | {}",
                row.name,
                lanes.join(" | "),
                row.differences.join(" | ")
            ));
        }
    }
    out
}

#[test]
fn the_ledger_side_by_side() {
    check(
        &table_of(&at(25, None)),
        expect![[r#"
             | A 6.6 | B 6.7.0 | C 6.12.0 | B − A | C − A
            address space:  |  | 
            mappings | 22 (0) | 47 (+25) | 22 (0) | +25 | 0
            mapped | 118 144 kB (+115 800 kB) | 118 144 kB (+115 800 kB) | 118 144 kB (+115 800 kB) | 0 | 0
            gaps | 1 (0) | 26 (+25) | 1 (0) | +25 | 0
            in gaps | 44 kB (0) | 37 652 kB (+37 608 kB) | 44 kB (0) | +37 608 kB | 0
            errors | 0 (0) | 0 (0) | 0 (0) | 0 | 0
            maple nodes:  |  | 
            asked for | 0 (0) | 57 (+1) | 0 (0) | +57 | 0
            used | 0 (0) | 41 (+1) | 0 (0) | +41 | 0
            given back | 0 (0) | 16 (0) | 0 (0) | +16 | 0
            freed | 0 (0) | 37 (+1) | 0 (0) | +37 | 0"#]],
    );
}

#[test]
fn the_picture_as_text() {
    check(
        &text::print(&at(2, None).frame(), None, 80),
        expect![[r#"
            Call 2 of 25: mmap(NULL, 4743168, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)

            0x7ffff6fff000                                                    0x7ffff7fff000
            A 6.6: 0x7ffff74c4000, joined the mapping above.
            |.......................[AAAAAAAAAAAAAAAA 9276 kB AAAAAAAAAAAAAAAAA]F[FFFFF]FAF|
                                    ^^^^^^^^^^^^^^^^^^^^^^
              A: anonymous memory, 9276 kB, 7ffff74c4000-7ffff7dd3000, rw-p, grown by this call.
              A: 15 mappings and 1 gap in 7ffff7dd3000-7ffff7fff000, 2224 kB, too small to be told apart here.

            B 6.7.0: 0x7ffff7200000, new mapping.
            |..........[AAAAA 4632 kB AAAAAA].......[AAAAA 4632 kB AAAAAA]......F[FFFFF]FAF|
                       ^^^^^^^^^^^^^^^^^^^^^^
              B: anonymous memory, 4632 kB, 7ffff7200000-7ffff7686000, rw-p, starts on a 2 MiB boundary, new.
              B: gap of 1512 kB, 7ffff7686000-7ffff7800000, left free by 2 MiB alignment in this call.
              B: anonymous memory, 4632 kB, 7ffff7800000-7ffff7c86000, rw-p, starts on a 2 MiB boundary.
              B: 16 mappings and 2 gaps in 7ffff7c86000-7ffff7fff000, 3556 kB, too small to be told apart here.

            C 6.12.0: 0x7ffff74c4000, joined the mapping above.
            |.......................[AAAAAAAAAAAAAAAA 9276 kB AAAAAAAAAAAAAAAAA]F[FFFFF]FAF|
                                    ^^^^^^^^^^^^^^^^^^^^^^
              C: anonymous memory, 9276 kB, 7ffff74c4000-7ffff7dd3000, rw-p, grown by this call.
              C: 15 mappings and 1 gap in 7ffff7dd3000-7ffff7fff000, 2224 kB, too small to be told apart here.

            A anonymous  F file  H heap  S stack  V kernel's own  / no access  # several  . free  ~ folded
            ^ mapped by this call  x removed  ~ below a strip: changed
        "#]],
    );
}

fn page_test(step: u32, kernels: &str) -> Timeline {
    let lesson = lessons::find("page_test").unwrap();
    let mut scenario = Scenario::parse(lesson.scenario).unwrap();
    if !kernels.is_empty() {
        scenario.kernels = kernels
            .split(' ')
            .map(|name| mmscope_mm::Kernel::parse(name).unwrap())
            .collect();
    }
    let mut timeline = Timeline::new(scenario).unwrap();
    timeline.go(Position { step, micro: None });
    timeline
}

fn told(timeline: &Timeline) -> String {
    let lesson = lessons::find("page_test").unwrap();
    let step = timeline.position().step;
    let stop = lesson
        .stops
        .iter()
        .rposition(|stop| stop.step <= step)
        .unwrap();
    let told = lesson::told(timeline, lesson, stop, Some(100));
    let mut out = String::new();
    for line in told.question.into_iter().chain(told.answer) {
        out.push_str(&format!("{line}\n"));
    }
    for (label, text) in told.facts {
        out.push_str(&format!("{label}: {text}\n"));
    }
    out
}

#[test]
fn reasons_of_a_shrink_and_a_growth() {
    check(
        &reasons_in(&page_test(3, "")),
        expect![[r#"
            A: 15 maple tree nodes asked for: 1 used, 14 given back. 1 mapping in 555555649000-555555659000 taken away. The break moves down from 0x555555659000 to 0x555555649000: the heap shrinks by 64 kB.
               not taken: With vma_iter_clear_gfp, first in 6.3, it would ask for 8 nodes instead of 15. With e961d19ef57b, first in 6.6, it would ask for 3 nodes instead of 15.
               brk() 
            B: 15 maple tree nodes asked for: 1 used, 14 given back. 1 mapping in 555555649000-555555659000 taken away. The break moves down from 0x555555659000 to 0x555555649000: the heap shrinks by 64 kB.
               not taken: With vma_iter_clear_gfp, first in 6.3, it would ask for 8 nodes instead of 15. With e961d19ef57b, first in 6.6, it would ask for 3 nodes instead of 15.
               brk() 
            C: 2 maple tree nodes asked for: 2 used, 0 given back. 1 mapping in 555555649000-555555659000 taken away. The break moves down from 0x555555659000 to 0x555555649000: the heap shrinks by 64 kB.
               not taken: Without munmap_sidetree it would ask for 3 nodes instead of 2. Without e961d19ef57b it would ask for 8 nodes instead of 2.
               brk() munmap_sidetree munmap lists what it removes from index 0: one mapping needs no node
        "#]],
    );
    check(
        &reasons_in(&page_test(4, "")),
        expect![[r#"
            A: No maple tree node asked for. Joined the mapping below: the mapping is now 555555559000-55555564a000, 964 kB. The break moves up from 0x555555649000 to 0x55555564a000: the heap grows by 4 kB.
               not taken: With 28c5609fb236, first in 6.1, it would ask for 7 nodes instead of 0.
               do_brk_flags() 
            B: 7 maple tree nodes asked for: 0 used, 7 given back. Joined the mapping below: the mapping is now 555555559000-55555564a000, 964 kB. The break moves up from 0x555555649000 to 0x55555564a000: the heap grows by 4 kB.
               condition: 1 + 3 * height 2 = 7
               not taken: Without 28c5609fb236 it would ask for 0 nodes instead of 7. With e961d19ef57b, first in 6.6, it would ask for 0 nodes instead of 7.
               mas_preallocate() 28c5609fb236 brk asks for maple tree nodes before it grows the heap
            C: No maple tree node asked for. Joined the mapping below: the mapping is now 555555559000-55555564a000, 964 kB. The break moves up from 0x555555649000 to 0x55555564a000: the heap grows by 4 kB.
               not taken: Without e961d19ef57b it would ask for 7 nodes instead of 0.
               do_brk_flags() e961d19ef57b preallocation asks for what the store needs, no longer for the worst case
        "#]],
    );
    check(
        &reasons_in(&page_test(4, "6.0 6.5 7.1")),
        expect![[r#"
            A: Red-black tree: no maple tree nodes. Joined the mapping below: the mapping is now 555555559000-55555564a000, 964 kB. The break moves up from 0x555555649000 to 0x55555564a000: the heap grows by 4 kB.
               do_brk_flags() 
            B: 7 maple tree nodes asked for: 0 used, 7 given back. Joined the mapping below: the mapping is now 555555559000-55555564a000, 964 kB. The break moves up from 0x555555649000 to 0x55555564a000: the heap grows by 4 kB.
               condition: 1 + 3 * height 2 = 7
               not taken: Without 28c5609fb236 it would ask for 0 nodes instead of 7. With e961d19ef57b, first in 6.6, it would ask for 0 nodes instead of 7.
               mas_preallocate() 28c5609fb236 brk asks for maple tree nodes before it grows the heap
            C: No maple tree node asked for (assumed). Joined the mapping below: the mapping is now 555555559000-55555564a000, 964 kB. The break moves up from 0x555555649000 to 0x55555564a000: the heap grows by 4 kB.
               do_brk_flags() 
        "#]],
    );
    check(
        &say::spoken(&page_test(4, "").frame()),
        expect![
            "Call 4 of 150: top = brk(top+0x1000). The same in all lanes: 0x55555564a000, joined the mapping below. Maple tree nodes asked for: A 0, B 7, C 0."
        ],
    );
}

#[test]
fn what_the_stops_of_page_test_count_and_ask() {
    for (step, expected) in [
        (3, expect![[r#""#]]),
        (
            4,
            expect![[r#"
                How many nodes will B 6.1 ask for in the whole round: a shrink by 64 kB and sixteen growths by 4 kB?
            "#]],
        ),
        (
            19,
            expect![[r#"
                You said 100, counted were 127: 27 too few.
                Counted here: nodes asked for in calls 3 to 19: A 15 · B 127 · C 2.
            "#]],
        ),
        (
            36,
            expect![[r#"
                Counted here: nodes asked for in calls 20 to 36: A 15 · B 127 · C 2.
            "#]],
        ),
        (
            53,
            expect![[r#"
                As published: 763 812 operations a second before, 676 600 with 28c5609fb236 (−11.4 %), 734 060 with the reduction series, v2 (−3.9 %): Yin Fengwei, mail of 2023-06-15. The first report had −10.8 %: kernel test robot, <202305061457.ac15990c-yujie.liu@intel.com>.
                Counted here: nodes asked for in call 53: A 0 · B 7 · C 0.
                Estimated: time of a growth: A 1309 ns · B 1477 ns · C 1362 ns. 1309 ns + 24 ns for each node asked for + 53 ns for finding out how many (the reduction series, in 6.6): calibrated by the published numbers, so it agrees with them by construction.
            "#]],
        ),
        (
            133,
            expect![[r#"
                How many nodes will B 6.1 ask for in the whole round: a shrink by 64 kB and sixteen growths by 4 kB?
            "#]],
        ),
        (
            150,
            expect![[r#"
                You said 100, counted were 181: 81 too few.
                Counted here: nodes asked for in calls 134 to 150: A 21 · B 181 · C 2.
            "#]],
        ),
    ] {
        expected.assert_eq(&told(&page_test(step, "")));
    }
    assert!(told(&page_test(19, "7.1 6.1 6.6")).contains("A\u{a0}2 (assumed) \u{b7}"));
    check(
        &told(&page_test(53, "6.0 6.5 7.3")),
        expect![[r#"
            As published: 763 812 operations a second before, 676 600 with 28c5609fb236 (−11.4 %), 734 060 with the reduction series, v2 (−3.9 %): Yin Fengwei, mail of 2023-06-15. The first report had −10.8 %: kernel test robot, <202305061457.ac15990c-yujie.liu@intel.com>.
            Counted here: nodes asked for in call 53: A – · B 7 · C 0.
            Estimated: time of a growth: A – · B 1477 ns · C –. 1309 ns + 24 ns for each node asked for + 53 ns for finding out how many (the reduction series, in 6.6): calibrated by the published numbers, so it agrees with them by construction.
        "#]],
    );
}

#[test]
fn nodes_in_the_ledger() {
    check(
        &table_of(&page_test(3, "")),
        expect![[r#"
             | A 6.1-rc1 | B 6.1 | C 6.6 | B − A | C − A
            address space:  |  | 
            mappings | 23 (+1) | 23 (+1) | 23 (+1) | 0 | 0
            mapped | 3304 kB (+960 kB) | 3304 kB (+960 kB) | 3304 kB (+960 kB) | 0 | 0
            gaps | 1 (0) | 1 (0) | 1 (0) | 0 | 0
            in gaps | 44 kB (0) | 44 kB (0) | 44 kB (0) | 0 | 0
            errors | 0 (0) | 0 (0) | 0 (0) | 0 | 0
            maple nodes:  |  | 
            asked for | 20 (+15) | 20 (+15) | 7 (+2) | 0 | −13
            used | 4 (+1) | 4 (+1) | 5 (+2) | 0 | +1
            given back | 19 (+14) | 19 (+14) | 2 (0) | 0 | −17
            freed | 1 (+1) | 1 (+1) | 5 (+2) | 0 | +4"#]],
    );
    check(
        &table_of(&page_test(4, "7.1 6.0 6.5")),
        expect![[r#"
             | A 7.1 | B 6.0 | C 6.5 | B − A | C − A
            address space:  |  | 
            mappings | 23 (+1) | 23 (+1) | 23 (+1) | 0 | 0
            mapped | 3308 kB (+964 kB) | 3308 kB (+964 kB) | 3308 kB (+964 kB) | 0 | 0
            gaps | 1 (0) | 1 (0) | 1 (0) | 0 | 0
            in gaps | 44 kB (0) | 44 kB (0) | 44 kB (0) | 0 | 0
            errors | 0 (0) | 0 (0) | 0 (0) | 0 | 0
            maple nodes: assumed | rb-tree | 
            asked for | 7 (0) | – () | 21 (+7) | – | +14
            used | 5 (0) | – () | 6 (0) | – | +1
            given back | 2 (0) | – () | 15 (+7) | – | +13
            freed | 5 (0) | – () | 6 (0) | – | +1"#]],
    );
}
