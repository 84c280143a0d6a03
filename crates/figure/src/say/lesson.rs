//! The texts of lessons, by the keys that lessons name, and the words for what they count and ask.

use mmscope_lab::lessons::{Count, Counted};
use mmscope_lab::published::{BASE_NS, FIT_NS, NODE_NS, Published};
use mmscope_mm::Kernel;

use super::{ledger, num};

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

/// The label of numbers that the model counted.
pub const COUNTED: &str = "Counted here";
/// The label of measurements of others.
pub const PUBLISHED: &str = "As published";
/// The label of estimates.
pub const ESTIMATED: &str = "Estimated";

/// The question with this key, about this lane.
pub fn question(key: &str, letter: char, kernel: Kernel) -> Option<String> {
    let asks = match key {
        "page_test.round" => {
            "ask for in the whole round: a shrink by 64 kB and sixteen growths by 4 kB?"
        }
        _ => return None,
    };
    Some(format!("How many nodes will {letter} {kernel} {asks}"))
}

/// What became of an answer.
pub fn answer(said: u64, counted: u64) -> String {
    let judged = match said.cmp(&counted) {
        std::cmp::Ordering::Equal => "right".to_owned(),
        std::cmp::Ordering::Less => format!("{} too few", num::grouped(counted - said)),
        std::cmp::Ordering::Greater => format!("{} too many", num::grouped(said - counted)),
    };
    format!(
        "You said {}, counted were {}: {judged}.",
        num::grouped(said),
        num::grouped(counted)
    )
}

/// A number for each lane; a dash where there is none.
fn lanes(lanes: &[(Kernel, Option<u64>)], unit: &str) -> String {
    let mut text = String::new();
    for (letter, (kernel, number)) in ('A'..).zip(lanes) {
        if !text.is_empty() {
            text.push_str(" \u{b7} ");
        }
        let assumed = super::kernel::tree_assumed(*kernel);
        match number {
            Some(number) => text.push_str(&format!(
                "{letter}\u{a0}{}{unit}{assumed}",
                num::grouped(*number)
            )),
            None => text.push_str(&format!("{letter}\u{a0}{}", ledger::NONE)),
        }
    }
    text
}

/// What was counted over some calls.
pub fn count(count: Count, numbers: &[(Kernel, Option<u64>)]) -> String {
    let what = match count.what {
        Counted::NodesAsked => "nodes asked for",
    };
    let calls = match count.to - count.from {
        1 => format!("in call {}", count.to),
        _ => format!("in calls {} to {}", count.from + 1, count.to),
    };
    format!("{what} {calls}: {}.", lanes(numbers, ""))
}

/// Tenths of a percent, with the sign.
fn percent(tenths: i16) -> String {
    let tenths = tenths.unsigned_abs();
    format!("\u{2212}{}.{}\u{a0}%", tenths / 10, tenths % 10)
}

/// Measurements of others, with their source.
pub fn published(published: &Published) -> String {
    let mut text = String::new();
    for point in published.points {
        let ops = num::grouped(point.ops.into());
        text.push_str(&match point.with {
            None => format!("{ops} operations a second before"),
            Some(with) => format!(", {ops} with {with} ({})", percent(point.change)),
        });
    }
    format!(
        "{text}: {}, mail of {}. The first report had {}: {}.",
        published.by,
        published.date,
        percent(published.headline),
        published.headline_by
    )
}

/// The estimated time of an operation in each lane, with what it is calibrated by.
pub fn estimate(times: &[(Kernel, Option<u64>)]) -> String {
    format!(
        "time of a growth: {}. {BASE_NS} ns + {NODE_NS} ns for each node asked for + {FIT_NS} ns for finding out how many (the reduction series, in 6.6): \
         calibrated by the published numbers, so it agrees with them by construction.",
        lanes(times, "\u{a0}ns")
    )
}

const ABOUT: &[About] = &[
    About {
        id: "cactusbssn",
        title: "cactusBSSN: where 4632 kB go",
        text: "A benchmark asks for array after array of 4632 kB. Linux 6.7 began to start each of them on a 2 MiB \
           boundary; 6.12 does so only for lengths that are a multiple of 2 MiB.",
    },
    About {
        id: "page_test",
        title: "page_test: nodes asked for in vain",
        text: "A benchmark moves the break up and down. Linux 6.1 began to ask for maple tree nodes before each growth of the \
               heap, by the worst case; 6.6 asks for what the write needs.",
    },
];

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
    Stop {
        key: "page_test.start",
        title: "What AIM9\u{2019}s page_test does",
        text: &[
            "sbrk(1 MiB) once, then round after round: one sbrk(\u{2212}64 KiB), sixteen sbrk(4 KiB).",
            "Since Linux 6.1 a maple tree holds the mappings, and each call writes it. The ledger counts the nodes that it asks for.",
        ],
    },
    Stop {
        key: "page_test.shrink",
        title: "A shrink is two writes and a list",
        text: &[
            "The heap is cut at the new break, and what is above it taken away; the list of what to take away is a tree too.",
            "Linux 6.1-rc1 and 6.1 ask before each write for the worst case, 1 + 3h nodes in a tree of h levels, and \
             for one for the list. Linux 6.6 asks for what the writes need.",
        ],
    },
    Stop {
        key: "page_test.grow",
        title: "The first growth needs no node",
        text: &[
            "The end of the heap moves in its leaf, in place. From 28c5609fb236 to Linux 6.5, brk asks for nodes before \
             that, by the worst case, and gives them all back.",
            "This tree has two levels.",
        ],
    },
    Stop {
        key: "page_test.round",
        title: "A round",
        text: &[
            "Linux 6.1 asks for 1 + 3h nodes for each of sixteen growths that use none, on top of its shrink.",
            "The work on the heap is the same in all three kernels.",
        ],
    },
    Stop {
        key: "page_test.why",
        title: "From the worst case to what is needed",
        text: &[
            "28c5609fb236 has brk ask before it grows the heap. mas_preallocate() could not tell what a write needs: \
             1 + 3h is enough for any.",
            "In Linux 6.6 a series of 16 patches (e961d19ef57b and others) looks first where the write falls: moving the \
             end of the heap needs nothing.",
        ],
    },
    Stop {
        key: "page_test.published",
        title: "What it cost in time",
        text: &[
            "mmscope counts and measures no time. These are others\u{2019} measurements, beside one growth counted here.",
        ],
    },
    Stop {
        key: "page_test.level",
        title: "Eighty mappings more: a third level",
        text: &[
            "They lie far from the heap, with holes between them, and the tree has one level more. The next round is the same as before.",
        ],
    },
    Stop {
        key: "page_test.end",
        title: "The same round in a higher tree",
        text: &[
            "The worst case grows with the tree, by 3 nodes for each growth. What a program maps elsewhere makes its heap dearer.",
            "Linux 6.6 still asks only for what it writes.",
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
                if let Some(question) = each.question {
                    let kernel = Kernel::parse("6.6").unwrap();
                    assert!(super::question(question.asks, 'A', kernel).is_some());
                }
            }
        }
    }
}
