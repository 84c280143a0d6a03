//! What a scenario's task does: calls, some of them in repeat blocks.

use mmscope_mm::{Call, Mremap, Outcome};

use crate::blocks::Blocks;

/// A program is at most this many steps long, repeats counted.
pub const MAX_STEPS: u32 = 1_000_000;
/// Repeat blocks may stand in each other this deep.
pub const MAX_DEPTH: u32 = 16;

/// The line of the text that something came from, 1-based; 0 for none.
///
/// Equal to any other: where a call was written is no part of what it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct SourceLine(pub u32);

impl PartialEq for SourceLine {
    fn eq(&self, _: &SourceLine) -> bool {
        true
    }
}

impl Eq for SourceLine {}

/// One call of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallLine {
    /// Comment lines right before it, without `#`.
    pub comments: Vec<String>,
    /// The comment behind it on its line.
    pub remark: Option<String>,
    /// Where it was written.
    pub line: SourceLine,
    /// The name its result goes by.
    pub name: Option<String>,
    /// The earlier result that its address counts from; the call then holds the distance, wrapping.
    pub relative_to: Option<String>,
    /// The same for the new address of an mremap.
    pub new_relative_to: Option<String>,
    /// The call.
    pub call: Call,
    /// What it returned where it was recorded.
    pub recorded: Option<Outcome>,
}

impl CallLine {
    /// A call without name, comment or record.
    pub fn new(call: Call) -> CallLine {
        CallLine {
            comments: Vec::new(),
            remark: None,
            line: SourceLine::default(),
            name: None,
            relative_to: None,
            new_relative_to: None,
            call,
            recorded: None,
        }
    }

    /// The call with its addresses counted from what the named calls returned. A name stands for `MAP_FAILED` where
    /// `returned` knows no address.
    pub fn resolved(&self, returned: impl Fn(&str) -> Option<u64>) -> Call {
        let mut call = self.call;
        if let Some(name) = &self.relative_to {
            call = counted_from(call, returned(name).unwrap_or(MAP_FAILED));
        }
        if let Some(name) = &self.new_relative_to {
            call = target_counted_from(call, returned(name).unwrap_or(MAP_FAILED));
        }
        call
    }
}

/// The call with its address counted from `base`.
pub(crate) fn counted_from(mut call: Call, base: u64) -> Call {
    if let Some(addr) = call.addr_mut() {
        *addr = addr.wrapping_add(base);
    }
    call
}

/// An mremap with its new address counted from `base`.
pub(crate) fn target_counted_from(mut call: Call, base: u64) -> Call {
    if let Call::Mremap(Mremap { new_addr, .. }) = &mut call {
        *new_addr = new_addr.wrapping_add(base);
    }
    call
}

/// What an address is that a failed call was to return: `MAP_FAILED`.
pub(crate) const MAP_FAILED: u64 = u64::MAX;

/// A block that is run several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// Comment lines right before it, without `#`.
    pub comments: Vec<String>,
    /// Comment lines before its closing brace.
    pub closing_comments: Vec<String>,
    /// How often.
    pub times: u32,
    /// What.
    pub body: Vec<Item>,
}

/// A line or a block of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A call.
    Call(CallLine),
    /// A block.
    Repeat(Repeat),
}

/// What a task does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// In order.
    pub items: Vec<Item>,
}

impl Program {
    /// A program of plain calls.
    pub fn of_calls(calls: impl IntoIterator<Item = CallLine>) -> Program {
        Program {
            items: calls.into_iter().map(Item::Call).collect(),
        }
    }

    /// Steps with all repeats unrolled; may be more than [`MAX_STEPS`].
    pub fn steps(&self) -> u64 {
        count(&self.items)
    }

    /// Its calls in the order of the text, each once.
    pub fn calls(&self) -> Vec<&CallLine> {
        let mut calls = Vec::new();
        collect(&self.items, &mut calls);
        calls
    }
}

fn count(items: &[Item]) -> u64 {
    items.iter().fold(0, |sum: u64, item| {
        sum.saturating_add(match item {
            Item::Call(_) => 1,
            Item::Repeat(repeat) => u64::from(repeat.times).saturating_mul(count(&repeat.body)),
        })
    })
}

fn collect<'a>(items: &'a [Item], calls: &mut Vec<&'a CallLine>) {
    for item in items {
        match item {
            Item::Call(call) => calls.push(call),
            Item::Repeat(repeat) => collect(&repeat.body, calls),
        }
    }
}

/// No step defines the name.
pub(crate) const UNDEFINED: u32 = u32::MAX;

/// A program with its repeats unrolled: for each step the call, and the step that defined the name it uses.
#[derive(Clone, Debug)]
pub(crate) struct Flat {
    calls: Vec<CallLine>,
    order: Vec<u32>,
    definitions: Vec<u32>,
    /// The same for the new addresses that mremaps count, by step.
    targets: Vec<(u32, u32)>,
}

impl Flat {
    /// Unrolls; steps past [`MAX_STEPS`] are left out (the parser refuses such programs).
    pub(crate) fn new(program: &Program) -> Flat {
        let calls: Vec<CallLine> = program.calls().into_iter().cloned().collect();
        let mut numbers = Blocks::default();
        let mut number = |name: &Option<String>| {
            name.as_ref().map(|name| {
                let next = numbers.len();
                *numbers.or_insert(name.clone(), next as u32)
            })
        };
        let names: Vec<_> = calls
            .iter()
            .map(|call| {
                (
                    number(&call.name),
                    number(&call.relative_to),
                    number(&call.new_relative_to),
                )
            })
            .collect();
        let known = numbers.len();
        let mut flat = Flat {
            calls,
            order: Vec::new(),
            definitions: Vec::new(),
            targets: Vec::new(),
        };
        flat.order
            .reserve(program.steps().min(u64::from(MAX_STEPS)) as usize);
        let mut unroll = Unroll {
            names: &names,
            last: vec![UNDEFINED; known],
            flat: &mut flat,
        };
        unroll.items(&program.items, 0);
        flat
    }

    pub(crate) fn len(&self) -> u32 {
        self.order.len() as u32
    }

    /// The call of step `index`, counted from 0.
    pub(crate) fn call(&self, index: u32) -> &CallLine {
        &self.calls[self.order[index as usize] as usize]
    }

    /// The step whose result the call's address counts from, counted from 0.
    pub(crate) fn definition(&self, index: u32) -> Option<u32> {
        match self.definitions[index as usize] {
            UNDEFINED => None,
            step => Some(step),
        }
    }

    /// The step whose result the new address of an mremap counts from.
    pub(crate) fn target(&self, index: u32) -> Option<u32> {
        let at = self.targets.binary_search_by_key(&index, |target| target.0);
        at.ok().map(|at| self.targets[at].1)
    }
}

struct Unroll<'a> {
    names: &'a [(Option<u32>, Option<u32>, Option<u32>)],
    last: Vec<u32>,
    flat: &'a mut Flat,
}

impl Unroll<'_> {
    /// Appends the items, whose first call has number `first`; gives the number after their last call.
    fn items(&mut self, items: &[Item], first: u32) -> u32 {
        let mut number = first;
        for item in items {
            match item {
                Item::Call(_) => {
                    self.call(number);
                    number += 1;
                }
                Item::Repeat(repeat) => {
                    let after = number + count_calls(&repeat.body);
                    if count(&repeat.body) > 0 {
                        for _ in 0..repeat.times {
                            if self.flat.len() >= MAX_STEPS {
                                break;
                            }
                            self.items(&repeat.body, number);
                        }
                    }
                    number = after;
                }
            }
        }
        number
    }

    fn call(&mut self, number: u32) {
        let step = self.flat.len();
        if step >= MAX_STEPS {
            return;
        }
        let (name, relative_to, target) = self.names[number as usize];
        self.flat.order.push(number);
        self.flat
            .definitions
            .push(relative_to.map_or(UNDEFINED, |name| self.last[name as usize]));
        if let Some(target) = target {
            self.flat.targets.push((step, self.last[target as usize]));
        }
        if let Some(name) = name {
            self.last[name as usize] = step;
        }
    }
}

fn count_calls(items: &[Item]) -> u32 {
    items
        .iter()
        .map(|item| match item {
            Item::Call(_) => 1,
            Item::Repeat(repeat) => count_calls(&repeat.body),
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Item {
        let mut call = CallLine::new(Call::Brk { addr: 0 });
        call.name = Some(name.into());
        Item::Call(call)
    }

    fn using(name: &str) -> Item {
        let mut call = CallLine::new(Call::Munmap { addr: 0, len: 4096 });
        call.relative_to = Some(name.into());
        Item::Call(call)
    }

    fn repeat(times: u32, body: Vec<Item>) -> Item {
        Item::Repeat(Repeat {
            comments: vec![],
            closing_comments: vec![],
            times,
            body,
        })
    }

    #[test]
    fn a_name_means_the_latest_result() {
        let program = Program {
            items: vec![
                named("a"),
                repeat(2, vec![using("a"), named("a"), using("a")]),
                using("a"),
            ],
        };
        let flat = Flat::new(&program);
        let definitions: Vec<_> = (0..flat.len()).map(|i| flat.definition(i)).collect();
        let at = Some;
        assert_eq!(
            definitions,
            [None, at(0), None, at(2), at(2), None, at(5), at(5)]
        );
    }

    #[test]
    fn unrolling_stops_at_the_limit() {
        let deep = (0..8).fold(vec![named("a")], |body, _| vec![repeat(1000, body)]);
        let program = Program { items: deep };
        assert_eq!(program.steps(), u64::MAX);
        assert_eq!(Flat::new(&program).len(), MAX_STEPS);
    }

    #[test]
    fn an_empty_block_costs_nothing() {
        let program = Program {
            items: vec![repeat(u32::MAX, vec![repeat(u32::MAX, vec![])])],
        };
        assert_eq!(program.steps(), 0);
        assert_eq!(Flat::new(&program).len(), 0);
    }
}
