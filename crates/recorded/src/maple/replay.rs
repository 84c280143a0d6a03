//! A tree, and what its operations came to.

use std::collections::BTreeSet;
use std::fmt::Write;

use mmscope_maple::{
    InsertError, MaState, MapleTree, NoArea, NodeId, Observer, Rules, StoreType, Stored, WriteEvent,
};

use super::op::{Entry, Op};
use super::text::Fnv;

/// What an operation answered, in the words of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// The `ret` of a line, as JSON.
    pub(super) ret: Option<serde_json::Value>,
    pub(super) err: Option<u64>,
    pub(super) kind: Option<&'static str>,
    pub(super) pre: Option<u32>,
    /// Nodes allocated, given back, freed.
    pub(super) nodes: [u32; 3],
    /// Nodes that are new in the tree.
    pub(super) new: BTreeSet<NodeId<Entry>>,
}

#[derive(Default)]
struct Watch {
    done: Option<Stored>,
    new: BTreeSet<NodeId<Entry>>,
}

impl Observer<Entry> for Watch {
    fn write(&mut self, step: WriteEvent<Entry>) {
        match step {
            WriteEvent::Done(stored) => self.done = Some(stored),
            WriteEvent::Filled { node } => {
                self.new.insert(node);
            }
            _ => {}
        }
    }
}

pub(super) fn kind_name(kind: StoreType) -> &'static str {
    match kind {
        StoreType::StoreRoot => "store_root",
        StoreType::NewRoot => "new_root",
        StoreType::ExactFit => "exact_fit",
        StoreType::SlotStore => "slot_store",
        StoreType::Append => "append",
        StoreType::NodeStore => "node_store",
        StoreType::SplitStore => "split_store",
        StoreType::Rebalance => "rebalance",
        StoreType::SpanningStore => "spanning_store",
    }
}

/// A tree under test.
pub(super) struct Replay {
    pub(super) tree: MapleTree<Entry>,
    /// The hash of all answers so far.
    pub(super) answers: Fnv,
    /// Sums of nodes allocated, given back, freed.
    pub(super) totals: [u64; 3],
}

impl Replay {
    /// An empty tree with the flags of a recording.
    pub(super) fn new(rules: Rules, flags: u64) -> Self {
        let mut tree = MapleTree::with_rules(rules).with_root_entries(Entry::fits_root);
        if flags & 1 == 0 {
            tree = tree.without_gaps();
        }
        tree.set_rcu(flags & 2 != 0);
        Self {
            tree,
            answers: Fnv::new(),
            totals: [0; 3],
        }
    }

    pub(super) fn run(&mut self, op: Op) -> Answer {
        let mut watch = Watch::default();
        let mut answer = Answer::default();
        let hex = |index: u64| format!("{index:x}");
        let tree = &mut self.tree;
        match op {
            Op::Store(a, b, v) => {
                MaState::new(a, b).store(tree, Some(v), &mut watch);
            }
            Op::StorePreallocated(a, b, v) => {
                let mut mas = MaState::new(a, b);
                let pre = mas.preallocate(tree, Some(v));
                answer.pre = Some(pre.nodes);
                mas.store_prealloc(tree, Some(v), pre, &mut watch);
            }
            Op::Insert(a, b, v) => {
                let inserted = MaState::new(a, b).insert(tree, v, &mut watch);
                if let Err(InsertError::Exists { .. }) = inserted {
                    answer.err = Some(17);
                }
                let text = if inserted.is_ok() { "ok;" } else { "e17;" };
                let _ = self.answers.write_str(text);
            }
            Op::Clear(a, b) => {
                MaState::new(a, b).store(tree, None, &mut watch);
            }
            Op::Erase(a) => {
                let old = MaState::new(a, a).erase(tree, &mut watch);
                answer.ret = Some(value(old));
                let _ = write!(self.answers, "{};", shown(old));
            }
            Op::Lowest(min, max, size) | Op::Highest(min, max, size) => {
                let mut mas = MaState::new(0, 0);
                let found = match op {
                    Op::Lowest(..) => mas.empty_area(tree, min, max, size, &mut ()),
                    _ => mas.empty_area_rev(tree, min, max, size, &mut ()),
                };
                match found {
                    Ok(()) => {
                        answer.ret = Some([hex(mas.index), hex(mas.last)].to_vec().into());
                        let _ = write!(self.answers, "{:x}-{:x};", mas.index, mas.last);
                    }
                    Err(none) => {
                        let errno = match none {
                            NoArea::Invalid => 22,
                            NoArea::Busy => 16,
                        };
                        answer.err = Some(errno);
                        let _ = write!(self.answers, "e{errno};");
                    }
                }
            }
            Op::Walk(a) => {
                let mut mas = MaState::new(a, a);
                let entry = mas.walk(tree);
                answer.ret = Some(serde_json::json!([
                    value(entry),
                    hex(mas.index),
                    hex(mas.last)
                ]));
                let _ = write!(
                    self.answers,
                    "{}:{:x}-{:x};",
                    shown(entry),
                    mas.index,
                    mas.last
                );
            }
            Op::Find(a, limit) | Op::FindBack(a, limit) => {
                let mut mas = MaState::new(a, a);
                let found = match op {
                    Op::Find(..) => mas.find(tree, limit),
                    _ => mas.find_rev(tree, limit),
                };
                answer.ret = Some(match found {
                    Some(_) => serde_json::json!([value(found), hex(mas.index), hex(mas.last)]),
                    None => vec![null()].into(),
                });
                let _ = match found {
                    Some(entry) => {
                        write!(self.answers, "{entry}:{:x}-{:x};", mas.index, mas.last)
                    }
                    None => self.answers.write_str("-;"),
                };
            }
            Op::Rcu(on) => tree.set_rcu(on),
            Op::Dup => {
                let (mut copy, nodes) = tree.dup();
                answer.ret = Some(nodes.into());
                let freed = copy.destroy(&mut ());
                answer.nodes = [nodes, 0, freed];
            }
            Op::Preallocate(a, b, v) => {
                let mut mas = MaState::new(a, b);
                answer.give_back(mas.preallocate(tree, v), &mut mas);
            }
            Op::PreallocateAt(a, b, v) => {
                let mut mas = MaState::new(a, a);
                mas.walk(tree);
                (mas.index, mas.last) = (a, b);
                answer.give_back(mas.preallocate(tree, v), &mut mas);
            }
            Op::End => {}
        }
        if let Some(stored) = watch.done {
            answer.kind = Some(kind_name(stored.kind));
            answer.nodes = [stored.asked, stored.returned, stored.freed];
        }
        answer.new = watch.new;
        for (total, nodes) in self.totals.iter_mut().zip(answer.nodes) {
            *total += u64::from(nodes);
        }
        answer
    }
}

impl Answer {
    fn give_back(&mut self, pre: mmscope_maple::Preallocated, mas: &mut MaState) {
        self.pre = Some(pre.nodes);
        self.kind = Some(kind_name(pre.kind));
        self.nodes = [pre.nodes, mas.destroy(pre), 0];
    }
}

fn null() -> serde_json::Value {
    serde_json::Value::Null
}

/// An entry as a recording writes it.
pub(super) fn value(entry: Option<Entry>) -> serde_json::Value {
    match entry {
        None => null(),
        Some(entry) if entry.odd => entry.to_string().into(),
        Some(entry) => entry.number.into(),
    }
}

fn shown(entry: Option<Entry>) -> String {
    entry.map_or("-".to_owned(), |entry| entry.to_string())
}
