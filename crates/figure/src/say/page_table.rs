//! Words of the picture of page tables.

use mmscope_lab::LaneFrame;
use mmscope_mm::page::{PAGE_SIZE, PMD_SIZE};
use mmscope_mm::{HugeBlock, NotHuge, Page, Pmd, Pte, Range, VmaId};

use super::{limit, num, picture};
use crate::kind::{self, Kind};
use crate::page_table::{Blocks, Pages, inside};

/// The title before the first call.
pub const START: &str = "Page tables before the first call";
/// Nothing is chosen, and the call was about no address.
pub const NOTHING_CHOSEN: &str =
    "The call was about no address. Choose a mapping in the address space above.";

/// In the legend.
pub const HUGE: &str = "huge page";
/// In the legend.
pub const HUGE_ZERO: &str = "huge zero page";
/// In the legend.
pub const TABLE: &str = "page table, with the number of its pages";
/// In the legend.
pub const WRITTEN: &str = "page of its own, written";
/// In the legend.
pub const ZEROS: &str = "page of its own, all zeros";
/// In the legend.
pub const ZERO_PAGE: &str = "shared zero page";
/// In the legend.
pub const FILE: &str = "page of a file or of shared memory";
/// In the legend.
pub const GUARD: &str = "guard marker";
/// In the legend.
pub const FORKED: &str = "shared with a child";
/// In the legend.
pub const LAZYFREE: &str = "given up by MADV_FREE";
/// In the legend.
pub const FOLIO: &str = "pages of one folio";
/// In the legend.
pub const NONE: &str = "no page";

/// The title after a call.
pub fn title(step: u32, call: &str) -> String {
    format!("Page tables after call {step}: {call}")
}

/// A lane in words.
pub(crate) fn lane(lane: &LaneFrame, said: &str) -> String {
    format!("{} ({}): {said}", lane.letter, lane.kernel)
}

/// Nothing is mapped where one looks.
pub fn not_mapped(addr: u64) -> String {
    format!("Nothing is mapped at {}.", num::address(addr))
}

/// A mapping and its blocks, in a few sentences.
pub(crate) fn mapping(lane: &LaneFrame, id: VmaId) -> Vec<String> {
    let machine = lane.machine;
    let vma = machine.vma(id);
    let range = Range {
        start: vma.start,
        end: vma.end,
    };
    let all = Blocks::of(machine, range);
    let first_whole = range.start.next_multiple_of(PMD_SIZE);
    let last_whole = range.end / PMD_SIZE * PMD_SIZE;
    let whole = last_whole.saturating_sub(first_whole) / PMD_SIZE;
    let mut parts = Vec::new();
    for (count, one, many) in [
        (all.huge, "huge page", "huge pages"),
        (all.zero, "huge zero page", "huge zero pages"),
        (all.tables, "page table", "page tables"),
        (all.all - all.huge - all.zero - all.tables, "empty", "empty"),
    ] {
        if count > 0 {
            parts.push(num::count(count, one, many));
        }
    }
    let smaps = machine.smaps(id);
    let name = match kind::short_name(machine, id) {
        "" => picture::kind(Kind::of(machine, id)),
        name => name,
    };
    vec![
        format!(
            "{}, {}, {}",
            num::range(range),
            name,
            num::size(range.len())
        ),
        format!(
            "{}: {}; {} in the mapping as a whole.",
            blocks(all.all),
            parts.join(", "),
            if whole == 1 {
                "1 lies".to_owned()
            } else {
                format!("{} lie", num::grouped(whole))
            }
        ),
        format!(
            "Rss {} kB, AnonHugePages {} kB, THPeligible {}",
            num::grouped(smaps.rss),
            num::grouped(smaps.anon_huge),
            u8::from(smaps.thp_eligible)
        ),
    ]
}

/// So many blocks.
pub fn blocks(count: u64) -> String {
    num::count(count, "block of 2 MiB", "blocks of 2 MiB")
}

/// What a PMD entry holds.
pub fn pmd(pmd: Option<Pmd>) -> &'static str {
    match pmd {
        None => "empty",
        Some(Pmd::Table) => "page table",
        Some(Pmd::HugeZero) => "huge zero page",
        Some(Pmd::Huge) => "huge page",
    }
}

/// On the cell of a block.
pub(crate) fn cell(block: &HugeBlock) -> String {
    match block.pmd {
        None => "\u{2013}".to_owned(),
        Some(Pmd::Table) => block.present.to_string(),
        Some(Pmd::HugeZero) => "2M 0".to_owned(),
        Some(Pmd::Huge) => "2M".to_owned(),
    }
}

/// A block as a sentence.
pub(crate) fn block(mapping: Range, block: &HugeBlock) -> String {
    block_lines(mapping, block).join(" ")
}

/// A block: what it is, and what keeps it from being a huge page.
pub(crate) fn block_lines(mapping: Range, block: &HugeBlock) -> Vec<String> {
    let part = inside(mapping, block.range);
    let what = match block.pmd {
        Some(Pmd::Table) => format!(
            "a page table with {}",
            num::count(block.present, "page", "pages")
        ),
        other => pmd(other).to_owned(),
    };
    let of = if part == block.range {
        String::new()
    } else {
        format!(", of which {} lie in the mapping", num::size(part.len()))
    };
    let first = format!("Block {}{of}: {what}.", num::address(block.range.start));
    match missing(mapping, block) {
        Some(why) => vec![first, why],
        None => vec![first],
    }
}

fn missing(mapping: Range, block: &HugeBlock) -> Option<String> {
    let Some(why) = block.missing else {
        let free = block.pmd.is_none();
        return free.then(|| "A write to it would map a huge page.".to_owned());
    };
    let what = match why {
        NotHuge::CutByBorder => {
            let mut cuts = Vec::new();
            if mapping.start > block.range.start {
                let by = num::size(mapping.start - block.range.start);
                cuts.push(format!("begins {by} into it"));
            }
            if mapping.end < block.range.end {
                let by = num::size(block.range.end - mapping.end);
                cuts.push(format!("ends {by} before it does"));
            }
            format!("the mapping {}", cuts.join(" and "))
        }
        other => limit::not_huge(other).to_owned(),
    };
    Some(format!("No huge page, for {what}."))
}

/// Several blocks that share a cell.
pub(crate) fn many(range: Range, counts: &Blocks) -> String {
    format!(
        "{}, {}: {}, {}, {}",
        num::range(range),
        blocks(counts.all),
        num::count(counts.huge, "huge page", "huge pages"),
        num::count(counts.zero, "huge zero page", "huge zero pages"),
        num::count(counts.tables, "page table", "page tables"),
    )
}

/// On a block that one PMD entry maps.
pub fn whole(pmd: Option<Pmd>) -> &'static str {
    match pmd {
        Some(Pmd::Huge) => "one PMD entry maps all 512 pages",
        _ => "one PMD entry shows the huge zero page",
    }
}

/// Pages of a row, by what they show.
pub(crate) fn row(range: Range, pages: &Pages) -> String {
    let mut parts = Vec::new();
    for (count, what) in [
        (pages.written, "written"),
        (pages.zeros, "of its own with zeros"),
        (pages.zero_page, "the zero page"),
        (pages.file, "of a file"),
        (pages.guard, "guard markers"),
        (pages.none, "without a page"),
        (pages.forked, "shared with a child"),
        (pages.lazyfree, "given up"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    format!("{}: {}", num::range(range), parts.join(", "))
}

/// So many pages.
pub(crate) fn pages_in_run(run: Range) -> String {
    num::count(run.len() / PAGE_SIZE, "page", "pages")
}

/// What a page shows.
pub(crate) fn page(pte: Pte) -> String {
    let mut text = match (pte.page, pte.written) {
        (Page::Anon, true) => WRITTEN,
        (Page::Anon, false) => ZEROS,
        (Page::Zero, _) => ZERO_PAGE,
        (Page::File, _) => FILE,
        (Page::Guard, _) => GUARD,
    }
    .to_owned();
    if pte.page == Page::Anon && pte.order > 0 {
        text.push_str(&format!(
            ", in a folio of {}",
            num::size(PAGE_SIZE << pte.order)
        ));
    }
    for (is, what) in [(pte.forked, FORKED), (pte.lazyfree, LAZYFREE)] {
        if is {
            text.push_str(", ");
            text.push_str(what);
        }
    }
    text
}

/// How far into the block a row begins.
pub(crate) fn offset(bytes: u64) -> String {
    match bytes {
        0 => "+0".to_owned(),
        _ => format!("+{}k", bytes >> 10),
    }
}
