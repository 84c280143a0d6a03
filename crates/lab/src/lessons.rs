//! The gallery: scenarios that show something, with places to stop at.

use crate::frame::Position;

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
}

/// All lessons; the first is the one that is shown first.
pub fn all() -> &'static [Lesson] {
    LESSONS
}

/// The lesson of this id.
pub fn find(id: &str) -> Option<&'static Lesson> {
    LESSONS.iter().find(|lesson| lesson.id == id)
}

const LESSONS: &[Lesson] = &[Lesson {
    id: "cactusbssn",
    scenario: include_str!("lessons/cactusbssn.txt"),
    position: Position {
        step: 1,
        micro: None,
    },
    stops: &[
        Stop {
            step: 0,
            says: "cactusbssn.start",
        },
        Stop {
            step: 1,
            says: "cactusbssn.first",
        },
        Stop {
            step: 2,
            says: "cactusbssn.second",
        },
        Stop {
            step: 3,
            says: "cactusbssn.third",
        },
        Stop {
            step: 25,
            says: "cactusbssn.all",
        },
    ],
}];
