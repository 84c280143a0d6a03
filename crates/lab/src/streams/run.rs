//! A walk in one lane, as it is at the playhead.

use std::ops::Range;

use mmscope_mm::page::{PAGE_SIZE, PMD_SIZE};
use mmscope_mm::{Machine, Page, Pmd, Range as Addresses, VmaId};
use mmscope_tlb::{Accesses, Counts, Event, Level, Pages, Pattern, Shares, StreamCounts, Tlb};

use super::{Order, PageChoice, Streams, StreamsError};
use crate::timeline::Timeline;

/// One array that the task walks through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The call that mapped it, counted from 1.
    pub step: u32,
    /// The bytes that the walk uses.
    pub range: Addresses,
    /// The mapping that its first byte is in now. Arrays side by side may share one.
    pub vma: VmaId,
}

/// What the streams of one mapping came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MappingCounts {
    /// The mapping.
    pub vma: VmaId,
    /// Streams in it.
    pub streams: u32,
    /// Their counts.
    pub counts: StreamCounts,
}

/// A walk through the streams of one lane: as much of it as was asked for so far.
#[derive(Clone, Debug)]
pub struct LaneRun {
    streams: Vec<Stream>,
    pages: Pages,
    absent_pages: u64,
    accesses: Accesses,
    tlb: Tlb,
    shares: Shares,
    /// The stream of each address, where the walk is a list.
    listed: Option<Vec<u32>>,
}

impl Streams {
    /// Sets a walk up in a lane, over what is mapped at the playhead. Nothing is run yet.
    ///
    /// # Errors
    /// If nothing is mapped that could be a stream, or the pattern can't run over what is.
    pub fn in_lane(&self, timeline: &Timeline, lane: usize) -> Result<LaneRun, StreamsError> {
        let frame = timeline.frame();
        let machine = frame
            .lanes
            .get(lane)
            .ok_or(StreamsError::NoSuchLane)?
            .machine;
        // Half-way through a call its result is not there yet.
        let position = timeline.position();
        let done = position.step - u32::from(position.micro.is_some());
        let bytes = self.walk.bytes();
        if let Order::Pattern(Pattern::Stencil(stencil)) = &self.walk.order
            && let Some(reach) = stencil.reach()
            && (reach.0 < 0 || reach.1 >= i128::from(bytes))
        {
            return Err(StreamsError::OutOfGrid { reach, bytes });
        }
        let streams: Vec<Stream> = timeline
            .mapped_in_lane(lane, done, self.walk.over.as_deref())
            .into_iter()
            .filter(|(_, range)| range.end - range.start >= bytes.max(1))
            .filter_map(|(step, range)| stream(machine, step, range.start, bytes))
            .collect();
        if streams.is_empty() {
            return Err(StreamsError::NoStreams { bytes });
        }
        let (pages, absent_pages) = match self.pages {
            PageChoice::AsMapped => pages(machine, &streams),
            PageChoice::Small => (Pages::small(), 0),
            PageChoice::Huge => (whole_blocks(&streams), 0),
        };
        let bases: Vec<u64> = streams.iter().map(|stream| stream.range.start).collect();
        let (pattern, listed) = match &self.walk.order {
            Order::Pattern(pattern) => (pattern.clone(), None),
            Order::List(places) => {
                let addresses = places.iter().map(|(stream, offset)| {
                    let base = bases.get(*stream as usize);
                    base.map(|base| base + offset)
                        .ok_or(StreamsError::NoSuchStream {
                            stream: *stream,
                            streams: bases.len() as u32,
                        })
                });
                let list = Pattern::List(addresses.collect::<Result<_, _>>()?);
                let of = places.iter().map(|(stream, _)| *stream);
                (list, Some(of.collect()))
            }
        };
        let tlb = Tlb::new(&self.geometry)
            .map_err(|error| StreamsError::Tlb(mmscope_tlb::TextError::Geometry(error)))?;
        Ok(LaneRun {
            accesses: pattern.over(&bases).map_err(StreamsError::Pattern)?,
            shares: Shares::new(&tlb, streams.len()),
            tlb,
            streams,
            pages,
            absent_pages,
            listed,
        })
    }
}

impl LaneRun {
    /// Runs the next accesses, at most so many, and returns how many there were; 0 is the end.
    pub fn run(&mut self, at_most: u64) -> u64 {
        match &self.listed {
            None => self
                .tlb
                .run_shared(&mut self.accesses, &self.pages, at_most, &mut self.shares),
            Some(_) => self.step(at_most, &mut |_| {}),
        }
    }

    /// Runs the next accesses one by one, at most so many, and tells each thing that happens.
    pub fn step(&mut self, at_most: u64, tell: &mut dyn FnMut(Event)) -> u64 {
        let listed = self.listed.as_deref();
        let stream = |number: u32| match listed {
            Some(listed) => listed.get(number as usize).copied().unwrap_or(number),
            None => number,
        };
        self.tlb.watch_shared(
            &mut self.accesses,
            &self.pages,
            at_most,
            &mut self.shares,
            &stream,
            tell,
        )
    }

    /// Accesses that have been.
    pub fn done(&self) -> u64 {
        self.accesses.done()
    }

    /// Accesses of the whole walk.
    pub fn total(&self) -> u64 {
        self.accesses.total()
    }

    /// The streams, in the order in which they were mapped.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    /// The sizes of pages: huge where the lane's page tables have a huge page.
    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    /// Pages of 4 KiB among the streams' bytes that are not there yet. A first access would fault them in, as small ones or as parts of
    /// huge ones; here they count as small.
    pub fn absent_pages(&self) -> u64 {
        self.absent_pages
    }

    /// The TLB as it is now: counts by set, and who is in it.
    pub fn tlb(&self) -> &Tlb {
        &self.tlb
    }

    /// Counts so far.
    pub fn counts(&self) -> Counts {
        self.tlb.counts()
    }

    /// Counts by stream, and who had to leave for whom; of the first [`mmscope_tlb::MOST_STREAMS`] streams.
    pub fn shares(&self) -> &Shares {
        &self.shares
    }

    /// Counts by mapping, in the order of their first streams.
    pub fn by_mapping(&self) -> Vec<MappingCounts> {
        let mut mappings: Vec<MappingCounts> = Vec::new();
        for (stream, counts) in self.streams.iter().zip(self.shares.streams()) {
            let known = mappings.iter_mut().find(|known| known.vma == stream.vma);
            match known {
                Some(known) => {
                    known.streams += 1;
                    known.counts.accesses += counts.accesses;
                    known.counts.l2_hits += counts.l2_hits;
                    known.counts.walks += counts.walks;
                    known.counts.walk_refs += counts.walk_refs;
                }
                None => mappings.push(MappingCounts {
                    vma: stream.vma,
                    streams: 1,
                    counts: *counts,
                }),
            }
        }
        mappings
    }

    /// How many entries that one mapping's streams had brought in had to leave a level for those of another.
    pub fn evictions(&self, level: Level, came: VmaId, left: VmaId) -> u64 {
        let of = |vma: VmaId| {
            let streams = self.streams.iter().enumerate();
            streams
                .filter(move |(_, stream)| stream.vma == vma)
                .map(|(number, _)| number)
        };
        of(came)
            .flat_map(|came| of(left).map(move |left| (came, left)))
            .map(|(came, left)| self.shares.evictions(level, came, left))
            .sum()
    }
}

/// The stream that begins at an address, if all its bytes are mapped.
fn stream(machine: &Machine, step: u32, start: u64, bytes: u64) -> Option<Stream> {
    let range = Addresses {
        start,
        end: start.checked_add(bytes.max(1))?,
    };
    let vma = machine.vma_at(start)?;
    let mut at = start;
    for (_, vma) in machine.vmas(range) {
        if vma.start > at {
            return None;
        }
        at = vma.end;
    }
    (at >= range.end).then_some(Stream { step, range, vma })
}

/// Huge in every block that a stream touches.
fn whole_blocks(streams: &[Stream]) -> Pages {
    let mut blocks: Vec<Range<u64>> = Vec::new();
    for Stream { range, .. } in streams {
        let first = range.start / PMD_SIZE * PMD_SIZE;
        let blocks_of = (first..range.end).step_by(PMD_SIZE as usize);
        blocks.extend(blocks_of.map(|block| block..block + PMD_SIZE));
    }
    blocks.sort_unstable_by_key(|block| block.start);
    blocks.dedup();
    Pages::with_huge(blocks).unwrap_or_default()
}

/// Huge where a block of a stream has a huge page; and how many small pages of the streams are not there.
fn pages(machine: &Machine, streams: &[Stream]) -> (Pages, u64) {
    let mut blocks: Vec<Range<u64>> = Vec::new();
    let mut absent = 0;
    for Stream { range, .. } in streams {
        let mut block = range.start / PMD_SIZE * PMD_SIZE;
        while block < range.end {
            if matches!(machine.pmd(block), Some(Pmd::Huge | Pmd::HugeZero)) {
                blocks.push(block..block + PMD_SIZE);
            }
            block += PMD_SIZE;
        }
        let whole = Addresses {
            start: range.start / PAGE_SIZE * PAGE_SIZE,
            end: range.end.next_multiple_of(PAGE_SIZE),
        };
        let there: u64 = machine
            .ptes(whole)
            .filter(|(_, pte)| pte.page != Page::Guard)
            .map(|(run, _)| run.len() / PAGE_SIZE)
            .sum();
        absent += whole.len() / PAGE_SIZE - there;
    }
    // Two streams may share a block.
    blocks.sort_unstable_by_key(|block| block.start);
    blocks.dedup();
    // Whole blocks that share nothing: nothing to refuse.
    (Pages::with_huge(blocks).unwrap_or_default(), absent)
}
