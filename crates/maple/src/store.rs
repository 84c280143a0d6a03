//! Writing: one range at a time: `mas_wr_store_entry`.

use crate::accounting::settled;
use crate::accounting::{Start, Tally};
use crate::store_type::Walk;
use crate::{InsertError, MapleTree, Observer, StoreType, Stored, WriteEvent};

impl<E: Copy + Eq> MapleTree<E> {
    /// Stores over `index..=last`. The nodes asked for before are `preallocated`, or are asked for
    /// now. Returns the range stored over, for NULL grown over the NULL at both sides, and what it
    /// took.
    pub(crate) fn store_span(
        &mut self,
        (index, last): (u64, u64),
        entry: Option<E>,
        preallocated: Option<u32>,
        start: Start,
        obs: &mut impl Observer<E>,
    ) -> ((u64, u64), Stored) {
        let mut wr = Walk::new(self, index, last, entry);
        self.walk_to_store(&mut wr);
        let asked = preallocated.unwrap_or_else(|| self.request(&wr, (index, last), start));
        let stored = self.carry_out(&mut wr, asked, obs);
        ((wr.index, wr.last), stored)
    }

    /// Stores over `index..=last` if nothing is stored there: `mas_insert`, with its corner in
    /// [`FullInsert`](crate::FullInsert).
    pub(crate) fn insert_span(
        &mut self,
        (index, last): (u64, u64),
        entry: E,
        start: Start,
        obs: &mut impl Observer<E>,
    ) -> Result<Stored, InsertError<E>> {
        let mut wr = Walk::new(self, index, last, Some(entry));
        self.walk_to_store(&mut wr);
        let taken = self.range(index..=last).next();
        let exact = !matches!(
            self.rules().requests,
            crate::Requests::Worst | crate::Requests::Estimated
        );
        let overwrites = wr.kind == StoreType::NewRoot
            && self.rules().full_insert == crate::FullInsert::Overwrites;
        match taken {
            Some((range, entry)) if !overwrites => {
                // The nodes are asked for before it shows that something is in the way.
                let direct = self.height() == 0;
                let asked = if exact && !direct {
                    self.request(&wr, (index, last), start)
                } else {
                    0
                };
                obs.write(WriteEvent::Decided {
                    kind: wr.kind,
                    first: wr.index,
                    last: wr.last,
                    asked,
                });
                obs.write(WriteEvent::Done(Stored {
                    kind: wr.kind,
                    asked,
                    used: 0,
                    returned: asked,
                    freed: 0,
                }));
                let (first, last) = range.into_inner();
                Err(InsertError::Exists { entry, first, last })
            }
            _ => {
                let asked = self.request(&wr, (index, last), start);
                Ok(self.carry_out(&mut wr, asked, obs))
            }
        }
    }

    /// Stores what was walked to and decided; its range is taken to the final size.
    pub(crate) fn carry_out(
        &mut self,
        wr: &mut Walk<E>,
        asked: u32,
        obs: &mut impl Observer<E>,
    ) -> Stored {
        obs.write(WriteEvent::Decided {
            kind: wr.kind,
            first: wr.index,
            last: wr.last,
            asked,
        });
        if !matches!(
            wr.kind,
            StoreType::StoreRoot | StoreType::NewRoot | StoreType::SpanningStore
        ) {
            self.count_in_leaf(wr);
        }
        let stored = match wr.kind {
            StoreType::ExactFit => {
                self.exact_fit(wr, obs);
                settled(wr, asked, 0, 0)
            }
            StoreType::SlotStore | StoreType::Append => {
                self.write_in_place(wr, obs);
                settled(wr, asked, 0, 0)
            }
            StoreType::NodeStore if !self.in_rcu() => {
                self.write_in_place(wr, obs);
                settled(wr, asked, 0, 0)
            }
            StoreType::NodeStore => {
                self.node_store(wr, obs);
                settled(wr, asked, 1, 1)
            }
            _ => {
                let tally = self.restructure(wr, obs);
                self.settle(wr, asked, tally.used, &tally.dead)
            }
        };
        obs.write(WriteEvent::Done(stored));
        stored
    }

    /// Counts what a store within a leaf changes in the number of entries.
    #[inline]
    fn count_in_leaf(&mut self, wr: &Walk<E>) {
        let leaf = self.node(wr.trail.end()).leaf();
        let mut before = u64::from(wr.content.is_some());
        for slot in wr.offset..wr.offset_end {
            before += u64::from(leaf.slots[slot + 1].is_some());
        }
        let mut after = u64::from(wr.entry.is_some());
        after += u64::from(wr.r_min < wr.index && wr.content.is_some());
        after += u64::from(wr.last < wr.end_piv && leaf.slots[wr.offset_end].is_some());
        self.count_entries(before, after);
    }

    /// What changes more than a leaf.
    fn restructure(&mut self, wr: &mut Walk<E>, obs: &mut impl Observer<E>) -> Tally<E> {
        match wr.kind {
            StoreType::StoreRoot => self.store_root(wr, obs),
            StoreType::NewRoot => self.new_root(wr.entry, obs),
            StoreType::SplitStore => self.split(wr, obs),
            StoreType::Rebalance => self.rebalance(wr, obs),
            StoreType::SpanningStore => self.spanning_store(wr, obs),
            StoreType::ExactFit
            | StoreType::SlotStore
            | StoreType::Append
            | StoreType::NodeStore => unreachable!("{:?} changes a leaf only", wr.kind),
        }
    }
}
