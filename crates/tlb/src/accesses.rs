//! The accesses of a pattern, one after the other or many at once.

use crate::page::Key;
use crate::pattern::{Axis, Pattern, Stencil};
use crate::xorshift;

/// One access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The address.
    pub address: u64,
    /// Which base it belongs to, from 0; the address's place in a list.
    pub stream: u32,
}

/// The accesses of a pattern that are still to come: made by [`Pattern::over`]. As an iterator it gives them one by one.
#[derive(Debug, Clone)]
pub struct Accesses {
    total: u64,
    done: u64,
    order: Order,
}

/// Where a pattern is.
#[derive(Debug, Clone)]
enum Order {
    Rounds(Rounds),
    Random {
        bases: Vec<u64>,
        slots: u64,
        elem: u64,
        state: u64,
    },
    List(Vec<u64>),
}

/// A pattern of rounds: in each the same distances from all bases that take part, and from round to round they move.
#[derive(Debug, Clone)]
struct Rounds {
    /// The bases that take part at the same time.
    bases: Vec<u64>,
    /// Distances from the origin, as two's complement.
    taps: Vec<u64>,
    /// Where the round is, from a base.
    origin: u64,
    /// How many of the round's accesses have been.
    within: usize,
    moves: Moves,
}

/// How the origin moves.
#[derive(Debug, Clone)]
enum Moves {
    Around {
        size: u64,
        stride: u64,
    },
    /// One base takes part at a time.
    Through {
        size: u64,
        stride: u64,
        start: u64,
        all: Vec<u64>,
        at: usize,
    },
    Grid {
        stencil: Box<Stencil>,
        at: [u32; 3],
    },
}

/// Addresses that are made at once, at the least, where rounds are short.
const AT_ONCE: usize = 64;
/// Where there are no rounds.
const BLOCK: u64 = 1024;

impl Accesses {
    /// Of a pattern that was checked.
    pub(crate) fn new(pattern: &Pattern, bases: &[u64]) -> Self {
        let rounds = |bases: &[u64], taps, origin, moves| {
            Order::Rounds(Rounds {
                bases: bases.to_vec(),
                taps,
                origin,
                within: 0,
                moves,
            })
        };
        let (total, order) = match *pattern {
            Pattern::Lockstep {
                n,
                size,
                stride,
                start,
            } => {
                let stride = stride % size;
                let moves = Moves::Around { size, stride };
                (n, rounds(bases, vec![0], start % size, moves))
            }
            Pattern::Strided {
                n,
                size,
                stride,
                start,
            } => {
                let moves = Moves::Through {
                    size,
                    stride,
                    start,
                    all: bases.to_vec(),
                    at: 0,
                };
                let first = bases.get(..1).unwrap_or_default();
                (n, rounds(first, vec![0], start, moves))
            }
            Pattern::Stencil(ref stencil) => {
                let at = [stencil.i.from, stencil.j.from, stencil.k.from];
                let taps: Vec<u64> = stencil
                    .tap_offsets()
                    .iter()
                    .map(|tap| *tap as u64)
                    .collect();
                let round = bases.len() as u64 * taps.len() as u64;
                let origin = stencil.offset(at[0], at[1], at[2]) as u64;
                let moves = Moves::Grid {
                    stencil: Box::new(stencil.clone()),
                    at,
                };
                (
                    stencil.points().saturating_mul(round),
                    rounds(bases, taps, origin, moves),
                )
            }
            Pattern::Random {
                n,
                size,
                elem,
                seed,
            } => {
                let order = Order::Random {
                    bases: bases.to_vec(),
                    slots: size / elem,
                    elem,
                    state: seed,
                };
                (n, order)
            }
            Pattern::List(ref addresses) => {
                (addresses.len() as u64, Order::List(addresses.clone()))
            }
        };
        Self {
            total,
            done: 0,
            order,
        }
    }

    /// All accesses of the pattern.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Those that have been.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Makes the next addresses, at most so many. Where they end with a whole round: how many of them that round is.
    pub(crate) fn fill(&mut self, into: &mut Vec<u64>, at_most: u64) -> Option<usize> {
        self.make(into, None, at_most)
    }

    /// The same, with the stream of each address. An address of a list is its own stream.
    pub(crate) fn fill_streams(
        &mut self,
        into: &mut Vec<u64>,
        streams: &mut Vec<u32>,
        at_most: u64,
    ) -> Option<usize> {
        streams.clear();
        self.make(into, Some(streams), at_most)
    }

    fn make(
        &mut self,
        into: &mut Vec<u64>,
        mut streams: Option<&mut Vec<u32>>,
        at_most: u64,
    ) -> Option<usize> {
        into.clear();
        let most = at_most.min(self.total - self.done);
        let numbers = self.done..self.done + most.min(BLOCK);
        let whole = match &mut self.order {
            Order::Rounds(rounds) => rounds.fill(into, streams, most),
            Order::Random {
                bases,
                slots,
                elem,
                state,
            } => {
                let count = bases.len() as u64;
                for at in numbers {
                    *state = xorshift(*state);
                    into.push(bases[(at % count) as usize] + *state % *slots * *elem);
                    if let Some(streams) = &mut streams {
                        streams.push((at % count) as u32);
                    }
                }
                None
            }
            Order::List(addresses) => {
                into.extend_from_slice(&addresses[numbers.start as usize..numbers.end as usize]);
                if let Some(streams) = streams {
                    streams.extend(numbers.map(|number| number as u32));
                }
                None
            }
        };
        self.done += into.len() as u64;
        whole
    }

    /// How many more rounds use the same pages as the whole round that was made last: its addresses and keys.
    pub(crate) fn same_ahead(&self, addresses: &[u64], keys: &[Key]) -> u64 {
        let Order::Rounds(rounds) = &self.order else {
            return 0;
        };
        let round = addresses.len() as u64;
        let (straight, step) = rounds.straight_ahead();
        let most = straight.min((self.total - self.done) / round);
        if most == 0 || step == 0 {
            return most;
        }
        let room = addresses.iter().zip(keys).map(|(address, key)| {
            let within = key.size().bytes() - 1;
            within - (address & within)
        });
        most.min(room.min().unwrap_or(0) / step)
    }

    /// Leaves rounds out that [`Self::same_ahead`] told of.
    pub(crate) fn skip(&mut self, count: u64) {
        if let Order::Rounds(rounds) = &mut self.order {
            rounds.skip(count);
            self.done += count * rounds.len() as u64;
        }
    }
}

impl Iterator for Accesses {
    type Item = Access;

    fn next(&mut self) -> Option<Access> {
        let (mut one, mut stream) = (Vec::with_capacity(1), Vec::with_capacity(1));
        self.fill_streams(&mut one, &mut stream, 1);
        Some(Access {
            address: *one.first()?,
            stream: *stream.first()?,
        })
    }
}

impl Rounds {
    fn len(&self) -> usize {
        self.bases.len() * self.taps.len()
    }

    fn fill(
        &mut self,
        into: &mut Vec<u64>,
        mut streams: Option<&mut Vec<u32>>,
        most: u64,
    ) -> Option<usize> {
        let len = self.len();
        // Whole rounds, if there is room for them.
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let wanted = (len * (AT_ONCE / len).max(1)).min(most);
        while into.len() < wanted {
            if self.within == len {
                self.advance();
            }
            let upto = len.min(self.within + wanted - into.len());
            if self.within == 0 && upto == len {
                for base in &self.bases {
                    let here = base.wrapping_add(self.origin);
                    into.extend(self.taps.iter().map(|tap| here.wrapping_add(*tap)));
                }
            } else {
                into.extend((self.within..upto).map(|at| self.address(at)));
            }
            if let Some(streams) = &mut streams {
                streams.extend((self.within..upto).map(|at| self.stream(at)));
            }
            self.within = upto;
        }
        (self.within == len && into.len() >= len).then_some(len)
    }

    fn address(&self, at: usize) -> u64 {
        let (base, tap) = (at / self.taps.len(), at % self.taps.len());
        self.bases[base]
            .wrapping_add(self.origin)
            .wrapping_add(self.taps[tap])
    }

    /// The stream of an access of this round.
    fn stream(&self, within: usize) -> u32 {
        match &self.moves {
            Moves::Through { at, .. } => *at as u32,
            _ => (within / self.taps.len()) as u32,
        }
    }

    /// How many rounds follow on the present one in equal steps, and how large the steps are.
    fn straight_ahead(&self) -> (u64, u64) {
        match &self.moves {
            Moves::Around { size, stride } | Moves::Through { size, stride, .. } => {
                let room = (size - 1 - self.origin).checked_div(*stride);
                (room.unwrap_or(u64::MAX), *stride)
            }
            Moves::Grid { stencil, at } => {
                let Axis { to, step, .. } = stencil.i;
                let rounds = u64::from((to - 1).saturating_sub(at[0]) / step);
                (rounds, u64::from(step) * u64::from(stencil.elem))
            }
        }
    }

    /// Goes straight ahead.
    fn skip(&mut self, count: u64) {
        let (_, step) = self.straight_ahead();
        self.origin += count * step;
        if let Moves::Grid { stencil, at } = &mut self.moves {
            at[0] += count as u32 * stencil.i.step;
        }
    }

    /// To the next round.
    fn advance(&mut self) {
        self.within = 0;
        match &mut self.moves {
            Moves::Around { size, stride } => {
                let room = *size - self.origin;
                self.origin = if *stride < room {
                    self.origin + *stride
                } else {
                    *stride - room
                };
            }
            Moves::Through {
                size,
                stride,
                start,
                all,
                at,
            } => {
                if *stride < *size - self.origin {
                    self.origin += *stride;
                } else {
                    self.origin = *start;
                    *at = (*at + 1) % all.len();
                    self.bases[0] = all[*at];
                }
            }
            Moves::Grid { stencil, at } => {
                let axes = [stencil.i, stencil.j, stencil.k];
                for (at, axis) in at.iter_mut().zip(axes) {
                    if axis.step < axis.to.saturating_sub(*at) {
                        *at += axis.step;
                        break;
                    }
                    *at = axis.from;
                }
                self.origin = stencil.offset(at[0], at[1], at[2]) as u64;
            }
        }
    }
}
