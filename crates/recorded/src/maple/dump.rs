//! Recorded nodes, and which of the model's nodes each of them is.

use std::collections::{BTreeMap, BTreeSet};

use mmscope_maple::{Kind, MapleTree, NodeId, Root, Slot};
use serde_json::Value;

use super::op::Entry;
use super::replay::value;

/// The recorded tree, known by full lists of nodes and lists of changes.
#[derive(Default)]
pub(super) struct Dump {
    nodes: BTreeMap<u64, Value>,
    /// The model's node for a recorded one, as of the last comparison.
    same: BTreeMap<u64, NodeId<Entry>>,
}

impl Dump {
    /// Takes on what a line says of the nodes; says whether it does.
    pub(super) fn read(&mut self, line: &Value) -> Result<bool, String> {
        if line.get("root").is_none() {
            return Ok(false);
        }
        if let Some(all) = line.get("nodes").and_then(Value::as_array) {
            self.nodes.clear();
            self.add(all)?;
        }
        if let Some(changed) = line.get("chg").and_then(Value::as_array) {
            self.add(changed)?;
        }
        if let Some(gone) = line.get("rm").and_then(Value::as_array) {
            for id in gone {
                self.nodes.remove(&id.as_u64().ok_or("an id is no number")?);
            }
        }
        Ok(true)
    }

    fn add(&mut self, nodes: &[Value]) -> Result<(), String> {
        for node in nodes {
            let id = node["id"].as_u64().ok_or("a node has no id")?;
            self.nodes.insert(id, node.clone());
        }
        Ok(())
    }

    /// Compares the model's tree with the recorded one node for node, and which nodes stayed if
    /// `identity` counts; `new` are the model's new nodes.
    pub(super) fn compare(
        &mut self,
        root: &Value,
        tree: &MapleTree<Entry>,
        identity: bool,
        new: &BTreeSet<NodeId<Entry>>,
    ) -> Result<(), String> {
        let known = std::mem::take(&mut self.same);
        match (root, tree.root()) {
            (Value::Null, Root::Empty) => {}
            (Value::Object(direct), Root::Direct(entry)) => {
                let wanted = direct.get("direct");
                let found = value(Some(entry));
                if wanted != Some(&found) {
                    return Err(format!("the root holds {found}, recorded {wanted:?}"));
                }
            }
            (Value::Number(recorded), Root::Node { id, .. }) => {
                let recorded = recorded.as_u64().ok_or("the root's id is no number")?;
                self.compare_node(recorded, tree, id, 0, u64::MAX)?;
            }
            (recorded, model) => return Err(format!("root {model:?}, recorded {recorded}")),
        }
        if self.same.len() != self.nodes.len() {
            return Err(format!(
                "{} nodes reached, {} recorded",
                self.same.len(),
                self.nodes.len()
            ));
        }
        for (recorded, model) in self.same.iter().filter(|_| identity) {
            match known.get(recorded) {
                Some(before) if before != model => {
                    return Err(format!(
                        "recorded node {recorded} stays, the model's was {before:?} and is {model:?}"
                    ));
                }
                None if !new.contains(model) => {
                    return Err(format!(
                        "recorded node {recorded} is new, the model's {model:?} is not"
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn compare_node(
        &mut self,
        recorded: u64,
        tree: &MapleTree<Entry>,
        id: NodeId<Entry>,
        min: u64,
        max: u64,
    ) -> Result<(), String> {
        self.same.insert(recorded, id);
        let wanted = self
            .nodes
            .get(&recorded)
            .cloned()
            .ok_or(format!("node {recorded} was never shown"))?;
        let node = tree.node(id);
        let kind = match node.kind() {
            Kind::Leaf64 => "leaf64",
            Kind::Arange64 => "arange64",
            Kind::Range64 => "range64",
        };
        let ranges: Vec<_> = (0..=node.end())
            .map(|slot| node.slot_range(slot, min, max))
            .collect();
        let pivots: Vec<Value> = ranges
            .iter()
            .map(|range| format!("{:x}", range.1).into())
            .collect();
        let differs = |what: &str, model: &Value, recorded_value: &Value| {
            Err(format!(
                "node {recorded}: {what} {model}, recorded {recorded_value}"
            ))
        };
        for (what, key, model) in [
            ("kind", "k", Value::from(kind)),
            ("first index", "mn", format!("{min:x}").into()),
            ("pivots", "p", pivots.into()),
        ] {
            if wanted[key] != model {
                return differs(what, &model, &wanted[key]);
            }
        }
        if !node.gaps().is_empty() {
            let gaps: Vec<Value> = node.gaps()[..=node.end()]
                .iter()
                .map(|gap| format!("{gap:x}").into())
                .collect();
            if wanted["g"] != Value::from(gaps.clone()) {
                return differs("gaps", &gaps.into(), &wanted["g"]);
            }
            let mark = Value::from(node.largest_gap_slot());
            if wanted["mg"] != mark {
                return differs("largest gap", &mark, &wanted["mg"]);
            }
        }
        let slots = wanted["s"].as_array().ok_or("a node has no slots")?;
        if slots.len() != node.end() + 1 {
            return Err(format!("node {recorded}: {} slots", node.end() + 1));
        }
        for ((slot, recorded_slot), range) in node.slots().zip(slots).zip(ranges) {
            let found = match slot {
                Slot::Null => Value::Null,
                Slot::Entry(entry) => value(Some(entry)),
                Slot::Node(child) => {
                    let recorded_child = recorded_slot.as_u64().ok_or("a child is no id")?;
                    self.compare_node(recorded_child, tree, child, range.0, range.1)?;
                    continue;
                }
            };
            if found != *recorded_slot {
                return differs("slot", &found, recorded_slot);
            }
        }
        Ok(())
    }
}
