//! Words of the app's controls, panels and help.

use mmscope_mm::{Change, Kernel, Release};

use super::num;

/// The name of the program.
pub const APP: &str = "mmscope";
/// What a figure is, for those who hear the page.
pub const FIGURE: &str = "mmscope: Linux memory management at work";

/// Closes a window.
pub const CLOSE: &str = "Close";
/// Copies a text.
pub const COPY: &str = "Copy";
/// A text was copied.
pub const COPIED: &str = "Copied.";
/// The browser refused to copy.
pub const COPY_BY_HAND: &str =
    "The browser does not let this page copy. The text is selected: copy it with Ctrl+C.";

/// The picture and its tools.
pub const ADDRESS_SPACE: &str = "Address space";
/// The why-panel.
pub const WHY: &str = "Why";
/// The ledger.
pub const LEDGER: &str = "Ledger";
/// The list of calls.
pub const CALLS: &str = "Calls";
/// The timeline.
pub const TIMELINE: &str = "Timeline";
/// The tools in the bar.
pub const TOOLS: &str = "Tools";
/// The kernels in the bar.
pub const KERNELS: &str = "Kernels";
/// The lesson, and the list to pick one.
pub const LESSON: &str = "Lesson";
/// The table that says the same as a picture.
pub const AS_TABLE: &str = "Table";
/// What to do with the picture.
pub const LENS: &str = "Lens";
/// Instead of a call, before the first.
pub const BEFORE_FIRST: &str = "before the first call";
/// What stands below the picture until something is pointed at.
pub const POINT_AT: &str = "Point at a mapping or a gap, or walk through them with Tab and the up and down keys, to read what it is.";

/// Back to the start.
pub const FIRST: &str = "To the start";
/// One call back.
pub const BACK: &str = "Step back";
/// One call forward.
pub const STEP: &str = "Step";
/// To the end.
pub const LAST: &str = "To the end";
/// One decision back.
pub const MICRO_BACK: &str = "One decision back";
/// One decision forward.
pub const MICRO_FORWARD: &str = "One decision forward";
/// The mark before.
pub const MARK_BACK: &str = "Previous mark";
/// The next mark.
pub const MARK_FORWARD: &str = "Next mark";
/// Runs by itself.
pub const PLAY: &str = "Play";
/// Stops running.
pub const PAUSE: &str = "Pause";
/// How fast.
pub const SPEED: &str = "Speed";
/// The buttons that play.
pub const PLAYBACK: &str = "Playback";
/// The buttons that step.
pub const TRANSPORT: &str = "Steps";
/// The buttons that step through decisions.
pub const DECISIONS: &str = "Decisions";
/// The buttons that go to marks.
pub const MARKS: &str = "Marks";
/// The slider over all calls.
pub const SCRUBBER: &str = "Call";
/// Nearer.
pub const ZOOM_IN: &str = "Zoom in";
/// Farther.
pub const ZOOM_OUT: &str = "Zoom out";
/// The lens follows the change again.
pub const FIT: &str = "Follow the change";
/// To lower addresses.
pub const PAN_DOWN: &str = "To lower addresses";
/// To higher addresses.
pub const PAN_UP: &str = "To higher addresses";

/// Opens a scenario or a trace.
pub const OPEN: &str = "Open\u{2026}";
/// Shares the state.
pub const SHARE: &str = "Link\u{2026}";
/// Help.
pub const HELP: &str = "Help";
/// Follows the system's colours.
pub const THEME_AUTO: &str = "Colours: as the system";
/// Light colours.
pub const THEME_LIGHT: &str = "Colours: light";
/// Dark colours.
pub const THEME_DARK: &str = "Colours: dark";
/// Another kernel beside the others.
pub const ADD_LANE: &str = "Add a kernel";
/// Takes a kernel away.
pub const REMOVE_LANE: &str = "Remove this lane";
/// A program without a title.
pub const OWN_PROGRAM: &str = "Your program";
/// Gives an answer to the question of the lesson.
pub const ANSWER: &str = "Check";
/// Goes on without one.
pub const SKIP: &str = "Skip";
/// To the next stop of the lesson.
pub const NEXT_STOP: &str = "Next stop";
/// The row before all calls.
pub const START: &str = "start";
/// The mark of the first divergence in the list of calls.
pub const DIVERGES: &str = "\u{2260}";
/// What it means.
pub const FIRST_DIVERGENCE: &str = "The lanes differ for the first time";

/// What the ledger counts, and from when.
pub const LEDGER_NOTE: &str = "counted; in grey: since the start; of nodes, by this call";

/// On narrow screens: the table goes on.
pub const SCROLL_HINT: &str = "The table scrolls sideways \u{2192}";

/// The tracks below the slider, for those who hear the page.
pub const TRACKS: &str = "Number of mappings after each call, a track for each lane; ticks for merges, splits, faults and errors";
/// The name of the mark at the first divergence.
pub const DIVERGENCE_MARK: &str = "first difference";

/// The button that lists all decisions.
pub fn all_decisions(count: u32) -> String {
    format!(
        "All {}",
        num::count(u64::from(count), "decision", "decisions")
    )
}

/// Decisions that are not listed.
pub fn left_out(count: usize) -> String {
    format!(
        "\u{2026} {} not listed \u{2026}",
        num::count(count as u64, "decision", "decisions")
    )
}

/// A commit as kernel people write it: id, what it did, since when.
pub fn commit_words(change: Change) -> String {
    format!(
        "{}, in {}: {}",
        change.id(),
        change.first_in(),
        change.subject()
    )
}

/// `Stop 2 of 5`.
pub fn stop_of(stop: usize, stops: usize) -> String {
    format!("Stop {stop} of {stops}")
}

/// `Call 3 of 25`.
pub fn call_of(step: u32, steps: u32) -> String {
    match step {
        0 => format!("Start of {}", calls_count(steps)),
        _ => format!(
            "Call {} of {}",
            num::grouped(u64::from(step)),
            num::grouped(u64::from(steps))
        ),
    }
}

/// `25 calls`.
pub fn calls_count(steps: u32) -> String {
    num::count(u64::from(steps), "call", "calls")
}

/// `4 of 9 decisions`.
pub fn decision_of(micro: Option<u32>, of: u32) -> String {
    match micro {
        Some(micro) => format!(
            "{micro} of {}",
            num::count(u64::from(of), "decision", "decisions")
        ),
        None => num::count(u64::from(of), "decision", "decisions"),
    }
}

/// `2 calls a second`; `pace` is a power of two.
pub fn pace(pace: i8) -> String {
    match u32::try_from(pace) {
        Ok(power) => num::count(1 << power.min(31), "call a second", "calls a second"),
        Err(_) => format!(
            "a call every {}",
            num::count(
                1 << u32::from(pace.unsigned_abs()).min(31),
                "second",
                "seconds"
            )
        ),
    }
}

/// The name of the list of kernels.
pub fn kernel_of(letter: char) -> String {
    format!("Kernel of lane {letter}")
}

/// The name of the button for single changes.
pub fn changes_of(letter: char) -> String {
    format!("Single changes of lane {letter}")
}

/// A release in the list: its id, the other names it goes by, and a mark where its source was not read.
pub fn release(release: &Release) -> String {
    if release.assumed {
        format!("{} (assumed)", release.id)
    } else {
        release.id.to_owned()
    }
}

/// What was switched by hand: `+2 −1`.
pub fn switched(kernel: Kernel) -> String {
    let (own, now) = (kernel.release().changes, kernel.changes());
    let added = Change::ALL
        .iter()
        .filter(|change| now.has(**change) && !own.has(**change))
        .count();
    let removed = Change::ALL
        .iter()
        .filter(|change| own.has(**change) && !now.has(**change))
        .count();
    match (added, removed) {
        (0, removed) => format!("\u{2212}{removed}"),
        (added, 0) => format!("+{added}"),
        (added, removed) => format!("+{added} \u{2212}{removed}"),
    }
}

/// The window with a kernel's changes.
pub fn kernel_title(letter: char, kernel: Kernel) -> String {
    format!("Lane {letter}: Linux {kernel}")
}
/// What the window is for.
pub const KERNEL_ABOUT: &str = "A kernel is a release and the changes it contains. Each can be switched by hand: \
                                what would 6.14 do without d4148aeab412?";
/// Undoes the switches.
pub const KERNEL_RESET: &str = "As released";
/// A release that was not read.
pub const KERNEL_ASSUMED: &str =
    "The source of this release was not read: it is taken to be like its neighbours.";
/// What a change did, as a sentence.
pub fn change_subject(change: Change) -> String {
    super::sentence(change.subject())
}
/// Since when it is there.
pub fn change_first(change: Change) -> String {
    format!("since {}", change.first_in())
}

/// The footer's first words.
pub fn version(version: &str) -> String {
    format!("mmscope {version}")
}
/// What the hashes in the footer are.
pub const STATE: &str = "state";

/// The window that opens a text.
pub const IMPORT: &str = "Open a trace or a scenario";
/// What can be opened.
pub const IMPORT_ABOUT: &str = "Paste or drop the output of strace (strace -f -e trace=memory), an mmscope scenario or a link. \
                                Drop /proc/PID/maps, saved right after exec, beside a trace to start from that layout. \
                                Everything stays in this browser.";
/// The box for the text.
pub const IMPORT_TEXT: &str = "Trace, scenario or link";
/// The box for the maps.
pub const IMPORT_MAPS: &str = "Start layout: /proc/PID/maps (may be empty)";
/// Picks files.
pub const IMPORT_FILES: &str = "Choose files";
/// Opens the text.
pub const IMPORT_GO: &str = "Open";
/// Nothing to open.
pub const IMPORT_EMPTY: &str = "There is nothing here yet: paste a trace, a scenario or a link.";
/// What a scenario is.
pub const EXPECTED_SCENARIO: &str = "A scenario begins with the line \u{201c}mmscope 1\u{201d}; then kernels, settings, maps and calls follow.";
/// What a trace is.
pub const EXPECTED_TRACE: &str = "A trace has lines as strace prints them: mmap(NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f\u{2026}";
/// A start that can be.
pub const EXPECTED_START: &str = "The start layout must be one that a process can have: whole pages, in order, below the end of user space.";
/// The heading of the list of errors.
pub const IMPORT_PROBLEMS: &str = "This could not be opened";
/// More errors than are listed.
pub fn more_errors(more: usize) -> String {
    format!("and {more} more")
}
/// What is dropped does not push out what was typed.
pub const IMPORT_PUT_BACK: &str = "Put back what was here before";
/// While a large text is read.
pub const READING_TEXT: &str = "Reading\u{2026}";
/// The importer did not load.
pub const IMPORTER_MISSING: &str = "The part of mmscope that reads traces did not load. Is the network gone? Your text is kept: try again.";
/// The importer broke down.
pub const IMPORTER_FAILED: &str = "mmscope made a mistake while it read this. Your text is kept.";
/// A file or text that is too large.
pub fn too_large(most_mb: u32) -> String {
    format!(
        "This is larger than {most_mb} MB and was not read. Keep only the memory calls (strace -e trace=memory) or the part in question."
    )
}
/// A maps file that cannot be read.
pub const EXPECTED_MAPS: &str =
    "This looks like /proc/PID/maps, but not all of its lines can be read.";
/// Mappings without calls are shown.
pub const MAPS_ALONE: &str = "These are the mappings of a process at one moment: there is no call to step through. \
                              Open a trace of the same process together with this file to replay it from here.";
/// The title of mappings without calls.
pub const MAPS_TITLE: &str = "Mappings of a process";
/// Many lines of a trace are no lines of strace's.
pub fn unreadable(lines: usize) -> String {
    format!(
        "{} could not be read: was the log wrapped or cut?",
        num::count(lines as u64, "line", "lines")
    )
}

/// The window about an imported trace.
pub const REPORT: &str = "Imported trace";
/// Shows it.
pub const REPORT_SHOW: &str = "Report";
/// `27 of 29 addresses equal`.
pub fn addresses_equal(equal: u32, compared: u32) -> String {
    format!(
        "{} of {} equal",
        num::grouped(u64::from(equal)),
        num::count(u64::from(compared), "address", "addresses")
    )
}
/// The comparison is not over.
pub const REPORT_RUNNING: &str = "The replay is still running: the comparison follows.";
/// What was assumed.
pub const REPORT_NOTES: &str = "What was assumed";
/// The list of differing calls.
pub const REPORT_DIFFERENCES: &str = "Calls with another result in lane A";
/// The list of skipped lines.
pub const REPORT_SKIPPED: &str = "Lines that were skipped";
/// Nothing was skipped.
pub const REPORT_NOTHING_SKIPPED: &str = "No line was skipped.";
/// Goes to a call.
pub fn go_to_call(step: u32) -> String {
    format!("Go to call {}", num::grouped(u64::from(step)))
}
/// A column.
pub const COLUMN_CALL: &str = "call";
/// A column.
pub const COLUMN_RECORDED: &str = "recorded";
/// A column.
pub const COLUMN_MODEL: &str = "model";
/// A column.
pub const COLUMN_WHY: &str = "why";
/// A column.
pub const COLUMN_LINE: &str = "line";
/// A column.
pub const COLUMN_TEXT: &str = "text";

/// The window with the link.
pub const SHARE_TITLE: &str = "Link to this state";
/// What it holds.
pub const SHARE_ABOUT: &str = "The program, the kernels, the step and the view are in the link itself. Nothing is stored on a server.";
/// The box with the link.
pub const SHARE_LINK: &str = "Link";
/// The box with the scenario.
pub const SHARE_SCENARIO: &str = "The same as a scenario, to be saved as a file";
/// Too long for a link.
pub const SHARE_TOO_LONG: &str =
    "This program is too long for a link. Save the scenario as a file instead.";

/// The window that goes to a call.
pub const GOTO: &str = "Go to call";
/// `of 25 calls`
pub fn of_calls(steps: u32) -> String {
    format!("of {}", calls_count(steps))
}
/// Its button.
pub const GO: &str = "Go";

/// A link that could not be opened is kept.
pub const NOTICE_KEPT: &str = "The first lesson is shown instead. The link is kept here:";
/// A part of a link could not be read: the link is kept.
pub const NOTICE_PART: &str = "Everything else of it is shown. The link is kept here:";
/// Kernels of a link that are not known.
pub fn link_kernels(problems: &[String], shown: &str) -> String {
    format!(
        "A link from a newer mmscope? {} Shown instead: {shown}.",
        problems.join(" ")
    )
}
/// More kernels in a link than there may be lanes.
pub fn link_many_kernels(given: usize, most: u32) -> String {
    format!("The link names {given} kernels; at most {most} can run side by side.")
}
/// Something else in a link that could not be read.
pub fn link_part(name: &str, value: &str) -> String {
    format!("A link from a newer mmscope? Its {name} \u{201c}{value}\u{201d} can\u{2019}t be read.")
}
/// What a link holds.
pub const LINK_LENS: &str = "part of the address space";
/// What a link holds.
pub const LINK_SELECTED: &str = "chosen mapping";
/// The part of the page under the address space, in a link.
pub const LINK_PART: &str = "part of the page";
/// TLB, place in the walk and chosen set, in a link.
pub const LINK_TLB: &str = "view of the TLBs";
/// Opened and closed nodes of the maple trees, in a link.
pub const LINK_TREE: &str = "view of the maple trees";
/// What a link holds.
pub const LINK_THEME: &str = "colours";
/// A program that does not fit into a link.
pub const NOTICE_TOO_LONG: &str = "This program is too long for a link, so the address can\u{2019}t lead back to it. It stays in this tab, \
                                   also after a reload if the browser allows it; save it as a file to keep it.";
/// Saves a program.
pub const SAVE_FILE: &str = "Save as a file";
/// Copies a program.
pub const COPY_TEXT: &str = "Copy as text\u{2026}";
/// The address asks for what a tab had kept.
pub const NOTICE_NOT_KEPT: &str = "The program of this address was too long for a link and was kept in another tab only. The first lesson is shown instead.";
/// The box with it.
pub const NOTICE_LINK: &str = "Link that could not be opened";
/// No such lesson.
pub fn unknown_lesson(id: &str) -> String {
    format!("The link asks for the lesson \u{201c}{id}\u{201d}, which this version does not have.")
}

/// A panic.
pub const CRASHED: &str = "mmscope made a mistake and stopped";
/// What to do.
pub const CRASHED_WHY: &str = "This is an error in the program, not in what you did. The link below leads back to where you were.";
/// The link.
pub const CRASHED_LINK: &str = "Open this state again";

/// What stands under the address space.
pub const PARTS: &str = "Below the address space";
/// Why, ledger and calls.
pub const PART_WHY: &str = "Why and cost";
/// The maple trees.
pub const PART_TREE: &str = "Maple tree";
/// The part that shows the page tables.
pub const PART_PAGES: &str = "Page tables";
/// The part that shows /proc/PID/maps.
pub const PART_MAPS: &str = "maps";
/// The part that shows a walk through a TLB.
pub const PART_TLB: &str = "TLB";
/// The list of its lines.
pub const MAPS_LINES: &str = "Lines of /proc/PID/maps of all lanes, by address";
/// How to read it.
pub const MAPS_HOW: &str = "A line stands once for all lanes that have it; marked is what differs. + new, ~ changed, \u{2212} gone with this call.";
/// To the lines before.
pub const MAPS_PREVIOUS: &str = "Lines before";
/// To the lines after.
pub const MAPS_NEXT: &str = "Lines after";
/// What is copied.
pub const MAPS_COPIES: &str = "Copy";
/// No line at all.
pub const MAPS_EMPTY: &str = "Nothing is mapped.";
/// The table of smaps.
pub const SMAPS: &str = "smaps";
/// No mapping is looked at.
pub const SMAPS_NONE: &str = "Choose a line to see what smaps says of the mapping.";
/// Where a lane has no mapping there.
pub const SMAPS_NOT_MAPPED: &str = "nothing is mapped there";
/// While a part of the page is loaded that the first lesson does not need.
pub const PART_LOADING: &str = "Loading this part\u{2026}";
/// It could not be loaded.
pub const PART_MISSING: &str =
    "This part of mmscope did not load. Is the network gone? All else goes on: try again later.";
/// The lanes whose trees are drawn.
pub const TREE_LANES: &str = "Trees of";
/// The trees of all lanes.
pub const TREE_ALL: &str = "All";

/// The list of keys.
pub const KEYS: &str = "Keys";
/// When they work.
pub const KEYS_ABOUT: &str =
    "Keys work while the focus is inside the figure, by their place on the keyboard.";
/// Switches them off.
pub const KEYS_ON: &str = "Single keys do something";
/// Keys, and what they do.
pub const KEY_LIST: &[(&str, &str)] = &[
    ("\u{2192}  \u{2190}", "one call forward, back"),
    (
        "Shift \u{2192}  Shift \u{2190}",
        "one decision forward, back: the state as it stands half-way through the call",
    ),
    ("Home  End", "to the start, to the end"),
    (
        "[  ]",
        "previous, next mark: stops of the lesson and the first divergence",
    ),
    ("G", "go to a call"),
    (
        "+  \u{2212}  0",
        "zoom in, out, the whole address space; Ctrl and the wheel do it under the pointer",
    ),
    (",  .", "move the lens to lower, higher addresses"),
    ("F", "let the lens follow the change again"),
    ("1 … 5", "why and cost, maple tree, page tables, maps, TLB"),
    ("Space", "play, pause"),
    ("O", "open a trace or a scenario"),
    ("?", "this help"),
    ("Esc", "close a window"),
];
/// How to read the picture.
pub const READING: &str = "Reading the picture";
/// Hints.
pub const READING_LIST: &[&str] = &[
    "Above, the whole address space: large holes are folded away, with their size printed. The frame is the lens.",
    "Below, the same addresses of each kernel, one under the other, on one scale. Thin lines are 2 MiB apart.",
    "A little flag marks a mapping that starts on a 2 MiB boundary. The thick edge is what the shown call changed.",
    "A gap is free space between two mappings: a later request that fits may go there, and neighbours cannot merge across it.",
    "The why-panel has the decision in a sentence, the condition with its numbers, the kernel\u{2019}s function and the commit.",
];
/// What the model is.
pub const MODEL: &str = "What this is";
/// Its limits.
pub const MODEL_ABOUT: &str = "A model of the kernel\u{2019}s own rules, compared with recordings of real kernels. It counts; it \
                               never measures time. A call that is not modelled yet does nothing and says so.";

/// The button that copies maps or smaps of a lane.
pub fn copy_file(file: &str, letter: char) -> String {
    format!("{file} of {letter}")
}

/// What became of a line of maps, for those who hear it.
pub fn became(became: crate::maps::Became) -> &'static str {
    use crate::maps::Became;
    match became {
        Became::Same => " ",
        Became::New => " new: ",
        Became::Changed => " changed: ",
        Became::Gone => " gone: ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paces_are_in_words() {
        assert_eq!(pace(0), "1 call a second");
        assert_eq!(pace(6), "64 calls a second");
        assert_eq!(pace(-1), "a call every 2 seconds");
    }

    #[test]
    fn switches_are_counted() {
        assert_eq!(
            switched(Kernel::parse("6.14-d4148aeab412").unwrap()),
            "\u{2212}1"
        );
        assert_eq!(
            switched(Kernel::parse("6.6+efa7df3e3bb5+96204e15310c").unwrap()),
            "+2"
        );
    }
}
