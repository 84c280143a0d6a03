//! What a write does to the tree, step by step: a leaf that fills up and is split, by the rules of three releases.
//!
//! `cargo run -p mmscope-maple --example watch`

use mmscope_maple::{MaState, MapleTree, Observer, Rules, WriteEvent};

/// Keeps the steps of a write.
struct Steps(Vec<WriteEvent<u32>>);

impl Observer<u32> for Steps {
    fn write(&mut self, step: WriteEvent<u32>) {
        self.0.push(step);
    }
}

fn main() {
    for (name, rules) in [
        ("6.1", Rules::V6_1),
        ("6.12", Rules::V6_12),
        ("7.3", Rules::V7_3),
    ] {
        let mut tree = MapleTree::with_rules(rules);
        tree.set_rcu(true);
        let mut entry = 0;
        // Ranges with holes between them, until one does not fit into the leaf.
        let steps = loop {
            let first = u64::from(entry) * 0x2000;
            let mut steps = Steps(Vec::new());
            let mut mas = MaState::new(first, first + 0xfff);
            mas.store(&mut tree, Some(entry), &mut steps);
            entry += 1;
            if tree.height() > 1 {
                break steps.0;
            }
        };
        println!("by the rules of {name}, range {entry} splits the leaf:");
        for step in steps {
            println!("  {step:?}");
        }
    }
}
