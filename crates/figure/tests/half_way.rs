//! Every decision of a program that maps, cuts, joins and unmaps can be shown as it stood.

#![allow(clippy::unwrap_used, reason = "a test that fails should fail loudly")]

use mmscope_figure::address_space::{Orientation, View, draw};
use mmscope_figure::{ledger, maple_tree, say, table, text, why};
use mmscope_lab::{Scenario, Timeline};
use mmscope_mm::Range;

/// Holes are punched, protections are changed and back, a heap grows and shrinks, and holes are filled again: splits,
/// merges of every form, and leaves of the tree that fill up and run empty.
fn program() -> String {
    let mut text = "mmscope 1\nkernels 6.0 6.1 6.18\n\
        a = mmap(NULL, 1048576, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n\
        h = brk(0)\nbrk(h+65536)\n"
        .to_owned();
    for page in (1..64).step_by(3) {
        let at = page * 4096;
        text.push_str(&format!("munmap(a+{at}, 4096)\n"));
        text.push_str(&format!("mprotect(a+{}, 4096, PROT_READ)\n", at + 4096));
    }
    for page in (1..64).step_by(3) {
        let at = page * 4096;
        text.push_str(&format!(
            "mprotect(a+{}, 4096, PROT_READ|PROT_WRITE)\n",
            at + 4096
        ));
        text.push_str(&format!(
            "mmap(a+{at}, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_FIXED, -1, 0)\n"
        ));
    }
    text.push_str(
        "madvise(a+65536, 131072, MADV_HUGEPAGE)\nmadvise(a, 1048576, MADV_DONTNEED)\n\
        madvise(a+8192, 8192, MADV_GUARD_INSTALL)\nmlock(a+262144, 8192)\nmunlock(a, 1048576)\n\
        s = mmap(NULL, 65536, PROT_READ|PROT_WRITE, MAP_SHARED|MAP_ANONYMOUS, -1, 0)\n\
        t = mremap(s, 0, 65536, MREMAP_MAYMOVE)\nmremap(s, 65536, 8192, 0)\n\
        u = mremap(a, 8192, 3145728, MREMAP_MAYMOVE)\nmremap(u, 3145728, 3145728, MREMAP_MAYMOVE|MREMAP_DONTUNMAP)\n\
        mremap(a+131072, 65536, 65536, MREMAP_MAYMOVE|MREMAP_FIXED, 0x10000000)\nmunmap(t, 65536)\n",
    );
    text.push_str("brk(h+8192)\nbrk(h+131072)\nmunmap(a, 1048576)\n");
    text
}

#[test]
fn every_decision_can_be_shown() {
    let mut timeline = Timeline::new(Scenario::parse(&program()).unwrap()).unwrap();
    let mut view = View::new(900);
    view.orientation = Orientation::Horizontal;
    let trees = maple_tree::TreeView::new(900);
    let mut shown = 0;
    loop {
        let before = timeline.position();
        timeline.micro_forward();
        if timeline.position() == before {
            break;
        }
        let frame = timeline.frame();
        assert!(!draw(&frame, &view).scene.shapes.is_empty());
        assert!(!maple_tree::draw(&frame, &trees).shapes.is_empty());
        assert!(!say::spoken(&frame).is_empty());
        assert!(!ledger::table(&frame).parts.is_empty());
        assert!(!text::print(&frame, None, 80).is_empty());
        for lane in 0..3 {
            assert!(!why(&frame, lane).unwrap().sentence.is_empty());
            let all = Range {
                start: 0,
                end: 1 << 47,
            };
            assert!(table::lane(&frame, lane, all, 100).is_some());
        }
        shown += 1;
    }
    assert!(shown > 1000, "{shown}");
}
