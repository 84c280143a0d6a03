//! Words of the picture of TLBs.

use mmscope_lab::streams::tlb::{
    Counts, CycleModel, Event, Index, PageSize, Replacement, SetCounts, StructureGeometry,
    StructureId,
};
use mmscope_lab::streams::{LaneRun, StreamsError};

use super::num;

/// The title before the first call.
pub const START: &str = "TLB before the first call";
/// A program without a walk.
pub const NO_WALK: &str = "The program says no walk. Add a line before its calls, such as: walk lockstep n=200000 size=1M stride=64";
/// A structure that no access of the walk came to.
pub const NOT_ASKED: &str = "No page of the walk is of its sizes.";
/// The list of TLBs.
pub const PRESETS: &str = "TLB";
/// One that is no preset.
pub const OWN: &str = "one\u{2019}s own";
/// Its text form.
pub const GEOMETRY: &str = "Geometry";
/// How to write it.
pub const GEOMETRY_HOW: &str = "First level/second level/walk caches; a structure is sizes:sets\u{d7}ways:index:replacement, as in 4K:16x4:plru,2M:8x4:plru/4K+2M:128x12:xor7:mru3plru4/32-4-2.";
/// The index of the second level.
pub const INDEX: &str = "L2 index";
/// Its ways.
pub const WAYS: &str = "L2 ways";
/// Its sets.
pub const SETS: &str = "L2 sets";
/// The pages of the walk.
pub const PAGES: &str = "Pages";
/// The pages that are mapped.
pub const PAGES_MAPPED: &str = "as mapped";
/// Only small ones.
pub const PAGES_SMALL: &str = "all 4 kB";
/// Only huge ones.
pub const PAGES_HUGE: &str = "all 2 MiB";
/// The slider over the accesses of the walk.
pub const ACCESS: &str = "Access";
/// To the first access.
pub const ACCESS_FIRST: &str = "Before the first access";
/// An access back.
pub const ACCESS_BACK: &str = "One access back";
/// An access on.
pub const ACCESS_ON: &str = "One access on";
/// To the last.
pub const ACCESS_LAST: &str = "All accesses";
/// Where the values of a preset come from.
pub const ORIGINS: &str = "Where these values come from";
/// The walk of a program that has none.
pub const USUAL: &str = "The program has no walk; this one is ours.";
/// The table of counts.
pub const COUNTS: &str = "Counted, and estimated in cycles";
/// Above the rows that are estimated.
pub const ESTIMATED: &str = "estimated";
/// Parameters of the cycle model.
pub const CYCLES_BASE: &str = "cycles of an access";
/// See above.
pub const CYCLES_OVERLAP: &str = "L2 hits at a time";
/// See above.
pub const CYCLES_WALKERS: &str = "walkers";
/// Back to the scenario's own.
pub const RESET: &str = "As the program has it";

/// Rows of the table of counts: names, and a value for each lane.
pub fn count_rows(all: &[Option<Counts>]) -> Vec<(&'static str, Vec<String>)> {
    let row = |of: &dyn Fn(&Counts) -> String| {
        let cell = |counts: &Option<Counts>| counts.as_ref().map(of).unwrap_or_default();
        all.iter().map(cell).collect()
    };
    let number = |of: fn(&Counts) -> u64| row(&|counts| num::grouped(of(counts)));
    vec![
        ("accesses", number(Counts::accesses)),
        ("L1 hits", number(|counts| counts.l1_hits)),
        ("L1 misses", number(Counts::l1_misses)),
        ("L2 hits", number(|counts| counts.l2_hits)),
        ("page walks", number(Counts::walks)),
        ("walk references", number(|counts| counts.walk_refs)),
        ("walks per 1000 accesses", row(&thousandths)),
    ]
}

/// Cycles of an access in each lane, and how much dearer than the first lane.
pub fn cycle_rows(model: &CycleModel, all: &[Option<Counts>]) -> Vec<(&'static str, Vec<String>)> {
    let first = all.first().copied().flatten();
    let cell = |of: &dyn Fn(&Counts) -> String| {
        let cell = |counts: &Option<Counts>| counts.as_ref().map(of).unwrap_or_default();
        all.iter().map(cell).collect()
    };
    let against = |counts: &Counts| match &first {
        Some(first) => format!("{:+.0} %", model.slowdown(counts, first) * 100.0),
        None => String::new(),
    };
    vec![
        (
            "cycles per access",
            cell(&|counts| format!("{:.2}", model.per_access(counts))),
        ),
        ("against A", cell(&against)),
    ]
}

/// How far a walk has come.
pub fn progress(done: u64, total: u64) -> String {
    format!("Access {} of {}", num::grouped(done), num::grouped(total))
}

/// In the legend.
pub const MISSES: &str = "misses of a set";
/// In the legend.
pub const HITS: &str = "hits of a set";
/// In the legend.
pub const TENANTS: &str = "an entry, in the colour of its mapping";
/// In the legend.
pub const LIT: &str = "holds pages of the chosen mapping";
/// Where the index is no choice of bits.
pub const REMAINDER: &str = "The set is a remainder: every bit takes part in it.";

/// The title after a call.
pub fn title(step: u32, call: &str) -> String {
    format!("TLB after call {step}: {call}")
}

/// What came of a walk so far: its streams, where they lie, what was counted.
pub fn walk(run: &LaneRun) -> Vec<String> {
    let streams = run.streams();
    let mappings = run.by_mapping().len() as u64;
    let mut starts: Vec<u64> = streams.iter().map(|stream| stream.range.start).collect();
    starts.sort_unstable();
    let mut apart: Vec<u64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    apart.sort_unstable();
    apart.dedup();
    let apart = match apart.as_slice() {
        [] => String::new(),
        [one] => format!(", {} kB apart", num::grouped(one >> 10)),
        [least, .., most] => format!(
            ", {} to {} kB apart",
            num::grouped(least >> 10),
            num::grouped(most >> 10)
        ),
    };
    let mut said = vec![format!(
        "{} in {}{apart}.",
        num::count(streams.len() as u64, "stream", "streams"),
        num::count(mappings, "mapping", "mappings"),
    )];
    said.push(counted(&run.counts()));
    if run.absent_pages() > 0 {
        said.push(format!(
            "{} of the streams not touched yet: they count as small pages.",
            num::count(run.absent_pages(), "page", "pages")
        ));
    }
    said
}

/// Counts in a sentence.
pub fn counted(counts: &Counts) -> String {
    format!(
        "{}: {}, {}; {} walks per 1000.",
        num::count(counts.accesses(), "access", "accesses"),
        num::count(counts.l1_misses(), "L1 miss", "L1 misses"),
        num::count(counts.walks(), "walk", "walks"),
        thousandths(counts)
    )
}

/// Walks per 1000 accesses, with three digits behind the point.
pub fn thousandths(counts: &Counts) -> String {
    let all = counts.accesses().max(1);
    let millionths = (counts.walks() * 1_000_000 + all / 2) / all;
    format!(
        "{}.{:03}",
        num::grouped(millionths / 1000),
        millionths % 1000
    )
}

/// A structure: its shape, index and replacement.
pub fn structure(id: StructureId, geometry: &StructureGeometry) -> String {
    let sizes: Vec<&str> = geometry.sizes.iter().map(PageSize::name).collect();
    let shape = if geometry.sets == 1 {
        format!("{} entries, fully associative", geometry.ways)
    } else {
        format!(
            "{} sets \u{d7} {} ways, {}",
            geometry.sets,
            geometry.ways,
            index(&geometry.index)
        )
    };
    format!(
        "{} {}: {shape}, {}",
        id.level,
        sizes.join("+"),
        replacement(geometry.replacement)
    )
}

/// An index in words.
pub fn index(index: &Index) -> String {
    match index {
        Index::Linear => "linear".to_owned(),
        Index::Xor { shift } => format!("XOR-{shift}"),
        Index::Fold { bits } => format!("folded by {bits} bits"),
        Index::Bits(bits) => {
            let bits: Vec<String> = bits.iter().map(u8::to_string).collect();
            format!("bits {}", bits.join(" "))
        }
        Index::Masks(masks) => format!("{} masks", masks.len()),
        Index::Mod => "remainder".to_owned(),
    }
}

/// Who leaves a full set.
pub fn replacement(replacement: Replacement) -> &'static str {
    match replacement {
        Replacement::Lru => "LRU",
        Replacement::Fifo => "FIFO",
        Replacement::Plru => "tree PLRU",
        Replacement::Mru3Plru4 => "(MRU+1)%3 PLRU4",
        Replacement::Random { .. } => "random",
    }
}

/// The set with most misses.
pub fn pressure(geometry: &StructureGeometry, set: u32, counts: &SetCounts) -> String {
    format!(
        "Most pressed is set {set}: {}.",
        set_counts(geometry, counts)
    )
}

/// Counts of a set.
pub fn set_counts(geometry: &StructureGeometry, counts: &SetCounts) -> String {
    format!(
        "{}, {}, {} from {} ways",
        num::count(counts.hits, "hit", "hits"),
        num::count(counts.misses, "miss", "misses"),
        num::count(counts.evictions(geometry.ways), "eviction", "evictions"),
        geometry.ways
    )
}

/// A set by its name.
pub fn set_name(id: StructureId, geometry: &StructureGeometry, set: u32) -> String {
    let sizes: Vec<&str> = geometry.sizes.iter().map(PageSize::name).collect();
    format!("{} {} set {set}", id.level, sizes.join("+"))
}

/// A set: its counts, and whose entries are in it.
pub fn set(
    id: StructureId,
    geometry: &StructureGeometry,
    set: u32,
    counts: &SetCounts,
    owners: &[Option<u32>],
) -> String {
    let mut text = format!(
        "{}: {}",
        set_name(id, geometry, set),
        set_counts(geometry, counts)
    );
    let owners: Vec<String> = owners.iter().flatten().map(u32::to_string).collect();
    if !owners.is_empty() {
        text.push_str(&format!("; entries of streams {}", owners.join(", ")));
    }
    text
}

/// Above the bit ruler.
pub fn ruler(id: StructureId, geometry: &StructureGeometry, size: PageSize) -> String {
    format!(
        "Address bits from {} up, of {} pages; framed are those that choose the set of {} ({})",
        size.shift(),
        size.name(),
        id.level,
        index(&geometry.index)
    )
}

/// A stream by its number.
pub fn stream(number: u32) -> String {
    format!("stream {number}")
}

/// Where it goes.
pub fn to_set(set: u32) -> String {
    format!("set {set}")
}

/// A bit of the index.
pub fn index_bit(bit: usize) -> String {
    format!("index {bit}")
}

/// What one access did, a sentence for each thing.
pub fn event(event: &Event) -> String {
    match event {
        Event::Access {
            address,
            page,
            stream,
        } => format!(
            "Stream {stream} uses {}, in a {} page.",
            num::address(*address),
            page.size.name()
        ),
        Event::Hit {
            structure,
            set,
            way,
        } => {
            format!("{} has it: set {set}, way {way}.", structure.level)
        }
        Event::Miss { structure, set } => {
            format!("{} looks into set {set}: it is not there.", structure.level)
        }
        Event::Walk { refs, from } => {
            let from = match from {
                Some(0) => ", from a PDE that the walk cache has",
                Some(1) => ", from a PDPTE that the walk cache has",
                Some(_) => ", from a PML4E that the walk cache has",
                None => ", from the top",
            };
            format!(
                "A page walk{from}: {} read.",
                num::count(u64::from(*refs), "entry", "entries")
            )
        }
        Event::Fill {
            structure,
            set,
            way,
            evicted,
        } => {
            let leaves = match evicted {
                Some(page) => format!("; the page at {} leaves", num::address(page.start())),
                None => String::new(),
            };
            format!(
                "{} takes it: set {set}, way {way}{leaves}.",
                structure.level
            )
        }
    }
}

/// Why there is no walk.
pub fn error(error: &StreamsError) -> String {
    match error {
        StreamsError::Tlb(error) => format!("This TLB can't be built: {error}."),
        StreamsError::Order(word) => format!(
            "\u{201c}{word}\u{201d} is no walk: lockstep, strided, random, stencil and list are."
        ),
        StreamsError::Word { word, expected } => {
            format!("In the walk, \u{201c}{word}\u{201d} does not read: expected {expected}.")
        }
        StreamsError::Missing(word) => format!("The walk needs {word}."),
        StreamsError::Pattern(error) => format!("The walk can't run: {error}."),
        StreamsError::OutOfGrid { bytes, .. } => format!(
            "The stencil leads out of its grid of {}.",
            num::size(*bytes)
        ),
        StreamsError::NoSuchLane => "There is no such lane.".to_owned(),
        StreamsError::NoStreams { bytes } => format!(
            "Nothing to walk through yet: no mmap so far has left {} mapped.",
            num::size(*bytes)
        ),
        StreamsError::NoSuchStream { stream, streams } => format!(
            "The walk names stream {stream}, and there are {}.",
            num::grouped(u64::from(*streams))
        ),
    }
}
