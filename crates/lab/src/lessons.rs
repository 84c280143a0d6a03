//! The gallery: scenarios that show something, with places to stop at.

use mmscope_mm::{Change, Kernel};

use crate::frame::Position;
use crate::published::{self, Published};
use crate::timeline::Timeline;

/// A scenario that shows something.
#[derive(Debug, PartialEq, Eq)]
pub struct Lesson {
    /// What links and files call it.
    pub id: &'static str,
    /// Its scenario's text.
    pub scenario: &'static str,
    /// Where it opens.
    pub position: Position,
    /// Places where there is something to say.
    pub stops: &'static [Stop],
}

/// A place with something to say.
#[derive(Debug, PartialEq, Eq)]
pub struct Stop {
    /// Calls done.
    pub step: u32,
    /// Names the sentence, which stands in the catalogue.
    pub says: &'static str,
    /// What was counted on the way here, told for each lane.
    pub count: Option<Count>,
    /// What a learner may predict before going on; the next stop answers it.
    pub question: Option<Question>,
    /// Measurements of others to be told here.
    pub published: Option<&'static Published>,
}

/// A question whose answer is counted, never written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// Names the sentence, which stands in the catalogue.
    pub asks: &'static str,
    /// About which lane, from 0.
    pub lane: usize,
    /// What is counted in it. It ends where the next stop is.
    pub count: Count,
}

/// What some calls cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// What is counted.
    pub what: Counted,
    /// Calls done before them.
    pub from: u32,
    /// Calls done after them.
    pub to: u32,
}

/// A number of the ledger that grows from call to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Nodes of the maple tree asked for.
    NodesAsked,
}

impl Counted {
    /// Whether a kernel has such a thing.
    pub fn exists(self, kernel: Kernel) -> bool {
        match self {
            Counted::NodesAsked => kernel.has(Change::MapleTree),
        }
    }
}

impl Count {
    /// The number in a lane; `None` where the survey has not been, or where this kernel has no such thing.
    pub fn of(&self, timeline: &Timeline, lane: usize) -> Option<u64> {
        let at = |step| match self.what {
            Counted::NodesAsked => Some(timeline.ledger(lane, step)?.nodes?.asked),
        };
        Some(at(self.to)? - at(self.from)?)
    }
}

/// A stop with a sentence and nothing else.
const fn stop(step: u32, says: &'static str) -> Stop {
    Stop {
        step,
        says,
        count: None,
        question: None,
        published: None,
    }
}

/// The nodes asked for by calls `from + 1` to `to`.
const fn nodes(from: u32, to: u32) -> Count {
    Count {
        what: Counted::NodesAsked,
        from,
        to,
    }
}

/// All lessons; the first is the one that is shown first.
pub fn all() -> &'static [Lesson] {
    LESSONS
}

/// The lesson of this id.
pub fn find(id: &str) -> Option<&'static Lesson> {
    LESSONS.iter().find(|lesson| lesson.id == id)
}

const LESSONS: &[Lesson] = &[
    Lesson {
        id: "cactusbssn",
        scenario: include_str!("lessons/cactusbssn.txt"),
        position: Position {
            step: 1,
            micro: None,
        },
        stops: &[
            stop(0, "cactusbssn.start"),
            stop(1, "cactusbssn.first"),
            stop(2, "cactusbssn.second"),
            stop(3, "cactusbssn.third"),
            stop(25, "cactusbssn.all"),
        ],
    },
    Lesson {
        id: "page_test",
        scenario: include_str!("lessons/page_test.txt"),
        position: Position {
            step: 0,
            micro: None,
        },
        stops: &[
            stop(0, "page_test.start"),
            stop(3, "page_test.shrink"),
            Stop {
                question: Some(Question {
                    asks: "page_test.round",
                    lane: 1,
                    count: nodes(2, 19),
                }),
                ..stop(4, "page_test.grow")
            },
            Stop {
                count: Some(nodes(2, 19)),
                ..stop(19, "page_test.round")
            },
            Stop {
                count: Some(nodes(19, 36)),
                ..stop(36, "page_test.why")
            },
            Stop {
                count: Some(nodes(52, 53)),
                published: Some(&published::PAGE_TEST),
                ..stop(53, "page_test.published")
            },
            Stop {
                question: Some(Question {
                    asks: "page_test.round",
                    lane: 1,
                    count: nodes(133, 150),
                }),
                ..stop(133, "page_test.level")
            },
            Stop {
                count: Some(nodes(133, 150)),
                ..stop(150, "page_test.end")
            },
        ],
    },
];
