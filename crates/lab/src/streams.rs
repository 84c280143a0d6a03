//! Streams over mappings: a task walks through the arrays it has mapped, where they really lie in each lane and in the
//! pages that the lane's page tables show, and a TLB counts.
//!
//! A scenario says which TLB and which walk, in two lines; both hold wherever the playhead is, over what is mapped there:
//!
//! | line | meaning |
//! |---|---|
//! | `tlb skylake`, `tlb 4K:16x4:lru/4K:128x8:lru/32-4-2` | a preset by name, or a geometry; without the line, `ivybridge_ep` |
//! | `walk lockstep n=N size=BYTES stride=BYTES [start=BYTES]` | all streams at one offset, then the next |
//! | `walk strided n=N size=BYTES stride=BYTES [start=BYTES]` | one stream to its end, then the next |
//! | `walk random n=N size=BYTES elem=BYTES [seed=N]` | elements at random; without a seed, the scenario's |
//! | `walk stencil i=FROM..BELOW[:STEP] j=… k=… [grid=84x84x84] [elem=8] [header=16] [taps=X.Y.Z,…]` | neighbours in a grid; 13 taps if none are named |
//! | `walk list 0:0x10 1:4096 …` | offsets in streams by their number |
//! | … `over=NAME` | the streams are the results of mmaps by this name; else those of all mmaps that are long enough |
//!
//! A stream is left out once its first bytes, as many as the walk uses, are not all mapped any more. Memory without a page yet counts as
//! small pages: [`LaneRun::absent_pages`] tells how much of it there is.

mod run;
mod text;

use mmscope_tlb::{Geometry, Pattern, PatternError, Preset, TextError};

use crate::scenario::Scenario;

pub use mmscope_tlb as tlb;
pub use run::{LaneRun, MappingCounts, Stream};

/// The TLB where a scenario does not say: that of the report which the cactusBSSN lesson is about.
pub const USUAL_TLB: &str = "ivybridge_ep";
/// The walk where a scenario has none.
pub const USUAL_WALK: &str = "lockstep n=100000 size=1M stride=64";

/// Which pages a walk meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PageChoice {
    /// Those that the lane's page tables have.
    #[default]
    AsMapped,
    /// 4 KiB everywhere.
    Small,
    /// 2 MiB everywhere.
    Huge,
}

/// A TLB and a walk.
#[derive(Clone, Debug, PartialEq)]
pub struct Streams {
    /// The TLB.
    pub geometry: Geometry,
    /// The preset that it is, if it is one.
    pub preset: Option<Preset>,
    /// The walk.
    pub walk: Walk,
    /// The pages that it meets.
    pub pages: PageChoice,
}

/// A walk through streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The order.
    pub order: Order,
    /// The name of the results that are the streams; all that are long enough if there is none.
    pub over: Option<String>,
}

/// The order of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// A pattern over the streams' starts; never a list.
    Pattern(Pattern),
    /// Streams by their number, and offsets in them.
    List(Vec<(u32, u64)>),
}

/// Why there is no walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamsError {
    /// The TLB is no preset, and does not read as a geometry.
    Tlb(TextError),
    /// The walk's first word is none that is known.
    Order(String),
    /// A word does not read.
    Word {
        /// The word.
        word: String,
        /// What was expected.
        expected: &'static str,
    },
    /// The walk needs this word, and has it not.
    Missing(&'static str),
    /// The pattern can't run.
    Pattern(PatternError),
    /// A stencil's taps lead out of its grid.
    OutOfGrid {
        /// The lowest and the highest byte that it uses, from the stream's start.
        reach: (i128, i128),
        /// Bytes of the grid and what is in front of it.
        bytes: u64,
    },
    /// There is no such lane.
    NoSuchLane,
    /// Nothing is mapped that could be a stream.
    NoStreams {
        /// Bytes that a stream has to have.
        bytes: u64,
    },
    /// A list counts streams that are not there.
    NoSuchStream {
        /// The number in the list.
        stream: u32,
        /// How many there are.
        streams: u32,
    },
}

impl std::fmt::Display for StreamsError {
    /// For logs and tests: the sentence for people is made elsewhere.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for StreamsError {}

impl Streams {
    /// The TLB and the walk of a scenario; `None` if it has no walk.
    ///
    /// # Errors
    /// What of the two lines does not read.
    pub fn of(scenario: &Scenario) -> Result<Option<Streams>, StreamsError> {
        let Some(walk) = &scenario.streams.walk else {
            return Ok(None);
        };
        Streams::with(scenario, walk, None).map(Some)
    }

    /// The walk of a scenario, or the usual one, through another TLB than its own if one is given.
    ///
    /// # Errors
    /// What does not read.
    pub fn through(scenario: &Scenario, tlb: Option<&str>) -> Result<Streams, StreamsError> {
        let walk = scenario.streams.walk.as_deref().unwrap_or(USUAL_WALK);
        Streams::with(scenario, walk, tlb)
    }

    fn with(scenario: &Scenario, walk: &str, tlb: Option<&str>) -> Result<Streams, StreamsError> {
        let tlb = tlb.or(scenario.streams.tlb.as_deref()).unwrap_or(USUAL_TLB);
        let preset = Preset::named(tlb);
        let geometry = match &preset {
            Some(preset) => preset.geometry.clone(),
            None => tlb.parse().map_err(StreamsError::Tlb)?,
        };
        Ok(Streams {
            geometry,
            preset,
            walk: text::read(walk, scenario.seed)?,
            pages: PageChoice::AsMapped,
        })
    }
}

impl Walk {
    /// Bytes from its start that a stream has to have.
    pub fn bytes(&self) -> u64 {
        match &self.order {
            Order::Pattern(pattern) => pattern.bytes(),
            Order::List(places) => places
                .iter()
                .map(|(_, offset)| offset.saturating_add(1))
                .max()
                .unwrap_or(0),
        }
    }
}
