//! The texts of lessons, by the keys that lessons name.

/// What a lesson says at one of its stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The key.
    pub key: &'static str,
    /// A few words.
    pub title: &'static str,
    /// What is to be seen, a sentence or two in each paragraph.
    pub text: &'static [&'static str],
}

/// What a lesson is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The lesson's id.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it is about, in a sentence or two.
    pub text: &'static str,
}

/// What the stop with this key says.
pub fn stop(key: &str) -> Option<&'static Stop> {
    STOPS.iter().find(|stop| stop.key == key)
}

/// What a lesson is about.
pub fn about(id: &str) -> Option<&'static About> {
    ABOUT.iter().find(|about| about.id == id)
}

const ABOUT: &[About] = &[About {
    id: "cactusbssn",
    title: "cactusBSSN: where 4632 kB go",
    text: "A benchmark asks for array after array of 4632 kB. Linux 6.7 began to start each of them on a 2 MiB \
           boundary; 6.12 does so only for lengths that are a multiple of 2 MiB.",
}];

const STOPS: &[Stop] = &[
    Stop {
        key: "cactusbssn.start",
        title: "Before the first array",
        text: &[
            "The libraries end at mmap_base. New mappings go below them, from the top down.",
            "The kernels start from the same layout.",
        ],
    },
    Stop {
        key: "cactusbssn.first",
        title: "The first array parts the kernels",
        text: &[
            "Linux 6.6 and 6.12 put the array at the upper end of the highest gap that fits, right below what is there, and it \
             joins that mapping.",
            "Linux 6.7 searches for 2 MiB more than it needs and moves the result up to a boundary. What is left above the \
             array stays free.",
            "The length decides: 4632 kB is more than 2 MiB, but 536 kB over a multiple of it.",
        ],
    },
    Stop {
        key: "cactusbssn.second",
        title: "The second array joins the first, or not",
        text: &[
            "On Linux 6.6 and 6.12 the arrays touch and have the same attributes: they are one mapping.",
            "On Linux 6.7, 1512 kB lie between them. Ranges that do not touch can\u{2019}t merge, so each array is a mapping.",
        ],
    },
    Stop {
        key: "cactusbssn.third",
        title: "A pattern: every start on a boundary",
        text: &[
            "Packed arrays start 4632 kB apart; on Linux 6.7 they start 6144 kB apart, which is three times 2 MiB.",
            "So on Linux 6.7 the same place in each array has the same low 21 address bits.",
        ],
    },
    Stop {
        key: "cactusbssn.all",
        title: "Twenty-five arrays",
        text: &[
            "Packed, the arrays are one mapping that grew with every call. On Linux 6.7 they are 25 mappings with a gap of \
             1512 kB above each but the first.",
            "Measured by the reporter, not by this model: runs up to 600 % slower.",
            "Hypothesis from the thread, not proven here: about 20 streams at such distances fall into the same sets of \
             the TLB and push each other out. The number of huge pages is not what it suspects.",
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lesson_has_its_texts() {
        for lesson in mmscope_lab::lessons::all() {
            assert!(about(lesson.id).is_some(), "{}", lesson.id);
            for each in lesson.stops {
                assert!(stop(each.says).is_some(), "{}", each.says);
            }
        }
    }
}
