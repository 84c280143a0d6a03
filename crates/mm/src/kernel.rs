//! Kernels as data: releases, and what a set of changes means for the rules.

use std::fmt;

use mmscope_maple::{
    Discard, Family, FullInsert, FullRange, NoGap, Rebuild, Requests, Rules, Search, SlotStore,
};

use crate::change::{Change, Changes};

/// A release that can be picked: a name for one set of changes.
#[derive(Debug, PartialEq, Eq)]
pub struct Release {
    /// Its id, which says which point release it stands for.
    pub id: &'static str,
    /// Other names people use for it.
    pub aliases: &'static [&'static str],
    /// What it contains.
    pub changes: Changes,
    /// Whether its own source was read; where it was not, its neighbours agree and it is taken to be like them.
    pub assumed: bool,
    /// Whether how it writes its maple tree was not read; its numbers of nodes are those of its neighbours then.
    pub tree_assumed: bool,
}

macro_rules! releases {
    ($($id:literal $([$($alias:literal),*])? $($assumed:ident)? : $($change:ident)* $(, only $($only:ident)*)?;)*) => {{
        const COUNT: usize = [$($id),*].len();
        // A static, so that what the page loads has the list once.
        static LIST: [Release; COUNT] = {
            let mut changes = Changes::NONE;
            [$({
                $(changes = changes.with(Change::$change);)*
                let here = changes$($(.with(Change::$only))*)?;
                Release { id: $id, aliases: &[$($($alias),*)?],
                    changes: here, assumed: releases!(@assumed $($assumed)?),
                    tree_assumed: releases!(@tree $($assumed)?) }
            }),*]
        };
        &LIST
    }};
    (@assumed) => { false };
    (@assumed assumed) => { true };
    (@assumed tree_assumed) => { false };
    (@tree) => { false };
    (@tree $assumed:ident) => { true };
}

impl Release {
    /// All releases, oldest first. Each line adds its changes to those of the line above; a point release that took
    /// a change before its successor (6.11.7, 6.12.y) stands where its set of changes stands in that order. What follows
    /// `only` was taken by that point release alone, out of order.
    pub const ALL: &'static [Release] = releases! {
        "6.0":;
        "6.1-rc1": MadvCollapse MapleTree MmapExpandsNeighbour BrkExpandsHeap AlignThp61;
        "6.1-rc6" ["6.1-rc"]: BrkPreallocates;
        "6.1": RevertAlignThp61 BrkChecksEnd;
        "6.2": NamesShmem;
        "6.3": MmTreeRcu MunmapStoresPlainly;
        "6.4":;
        "6.5":;
        "6.6": PreallocFits DetachByIndex SlotStoreSameCount GapLimits SmapsKsm SmapsProtNone;
        "6.7.0" ["6.7", "6.7.3"]: MprotectUnaccounts RemoveMaywrite HeapLabelOverlaps AlignThp;
        "6.8": AlignAbuts StackNoHuge Mthp;
        "6.9":;
        "6.10": AlignFiles Mseal;
        "6.11.0" ["6.11", "6.11.6"]: Droppable;
        "6.11.7" ["6.11.11"]: AlignMultiplesOnly;
        "6.12.0" ["6.12"]: PrevFirst FixedRestores SealsMetInTurn StoreTypes SplitUnmapsZeroes;
        "6.12.y" ["6.12.117"]: AlignNotWithHint, only KeptSourceApart;
        "6.13": AlignNotFiles MadvGuard HugeZeroWrite;
        "6.14": ReclaimTables;
        "6.15" assumed: GuardFiles;
        "6.16": FaultedJoinsUnfaulted MremapChecksParams MremapCountsLocked VacantHeight SpanningStops;
        "6.17": MremapChecksSource;
        "6.18": NodeSheaves ThpDisableFlag CollapseReadOnly;
        "6.19": MaybeGuard InheritedStayApart CollapsePassesEmpty;
        "7.0":;
        "7.1" tree_assumed: MremapCountsSplits;
        "7.2": MapleCopies;
        "7.3": AnonPgoff CollapseNothing KeptSourceApart;
    };

    /// The release nearest to what `uname -r` prints (`6.12.117+deb12-cloud-amd64`); `None` before 6.0 or if it is no
    /// version at all.
    ///
    /// Point releases took some changes before their successors (§1.1): 6.7.4, 6.11.7, 6.12.1 and later.
    pub fn nearest(uname: &str) -> Option<&'static Release> {
        let mut numbers = uname
            .split(['.', '-', '+', '_'])
            .map(|part| part.parse::<u32>().ok());
        let (major, minor) = (numbers.next()??, numbers.next()??);
        let patch = numbers.next().flatten().unwrap_or(0);
        if major < 6 {
            return None;
        }
        let id = match (major, minor, patch) {
            (6, 1, 0) if uname.contains("-rc1") => "6.1-rc1",
            (6, 1, 0) if uname.contains("-rc") => "6.1-rc6",
            (6, 7, 0..=3) => "6.7.0",
            (6, 7, _) => "6.8",
            (6, 11, 0..=6) => "6.11.0",
            (6, 11, _) => "6.11.7",
            (6, 12, 0) => "6.12.0",
            (6, 12, _) => "6.12.y",
            (6, 20.., _) => "7.0",
            (7, 4.., _) | (8.., ..) => "7.3",
            _ => return Self::find(&format!("{major}.{minor}")),
        };
        Self::find(id)
    }

    /// The release with this id or alias.
    pub fn find(name: &str) -> Option<&'static Release> {
        Self::ALL
            .iter()
            .find(|release| release.id == name || release.aliases.contains(&name))
    }
}

/// A kernel to run: a release, with single changes switched by hand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kernel {
    release: &'static Release,
    changes: Changes,
}

/// Why a kernel's name was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelError {
    /// No release has this name.
    UnknownRelease(String),
    /// No change has this id.
    UnknownChange(String),
}

impl Kernel {
    /// The release as it is.
    pub fn new(release: &'static Release) -> Kernel {
        Kernel {
            release,
            changes: release.changes,
        }
    }

    /// Reads a name: a release, then `-ID` for each change reverted and `+ID` for each one added
    /// (`6.14-d4148aeab412`).
    ///
    /// # Errors
    /// Names the part that is not known.
    pub fn parse(name: &str) -> Result<Kernel, KernelError> {
        let release = Release::ALL
            .iter()
            .flat_map(|release| {
                std::iter::once(&release.id)
                    .chain(release.aliases)
                    .map(move |id| (*id, release))
            })
            .filter(|(id, _)| {
                name.strip_prefix(*id).is_some_and(|rest| {
                    rest.is_empty() || (rest.starts_with(['+', '-']) && !rest.starts_with("-rc"))
                })
            })
            .max_by_key(|(id, _)| id.len());
        let Some((id, release)) = release else {
            return Err(KernelError::UnknownRelease(name.to_owned()));
        };
        let mut kernel = Kernel::new(release);
        let mut rest = &name[id.len()..];
        while !rest.is_empty() {
            let on = rest.starts_with('+');
            if !rest.starts_with(['+', '-']) {
                return Err(KernelError::UnknownChange(rest.to_owned()));
            }
            let change = Change::ALL
                .iter()
                .copied()
                .filter(|change| rest[1..].starts_with(change.id()))
                .max_by_key(|change| change.id().len());
            let Some(change) = change else {
                return Err(KernelError::UnknownChange(rest[1..].to_owned()));
            };
            kernel.set(change, on);
            rest = &rest[1 + change.id().len()..];
        }
        Ok(kernel)
    }

    /// The release it started from.
    pub fn release(&self) -> &'static Release {
        self.release
    }

    /// The changes it contains.
    pub fn changes(&self) -> Changes {
        self.changes
    }

    /// Whether it contains the change.
    pub fn has(&self, change: Change) -> bool {
        self.changes.has(change)
    }

    /// Switches one change.
    pub fn set(&mut self, change: Change, on: bool) {
        self.changes = if on {
            self.changes.with(change)
        } else {
            self.changes.without(change)
        };
    }

    /// The commit that made this kernel align anonymous memory, if one did and was not taken back.
    pub fn alignment(&self) -> Option<Change> {
        if self.has(Change::AlignThp) {
            Some(Change::AlignThp)
        } else if self.has(Change::AlignThp61) && !self.has(Change::RevertAlignThp61) {
            Some(Change::AlignThp61)
        } else {
            None
        }
    }

    /// How its maple tree writes; `None` if it has none.
    pub fn maple_rules(&self) -> Option<Rules> {
        if !self.has(Change::MapleTree) {
            return None;
        }
        let mut rules = Rules::V6_1;
        if self.has(Change::PreallocFits) {
            rules.requests = Requests::Estimated;
        }
        if self.has(Change::SlotStoreSameCount) {
            rules.slot_store = SlotStore::SameCount;
        }
        if self.has(Change::GapLimits) {
            rules.no_gap = NoGap::AnySlot;
            rules.search = Search::Plain;
        }
        if self.has(Change::StoreTypes) {
            rules.slot_store = SlotStore::SameCountInFullEnoughLeaf;
            rules.full_range = FullRange::ExactFit;
            rules.full_insert = FullInsert::Overwrites;
            rules.requests = Requests::ByStoreType;
        }
        if self.has(Change::VacantHeight) {
            rules.requests = Requests::ByHeights;
        }
        if self.has(Change::SpanningStops) {
            rules.rebuild = Rebuild::ToCommonNode;
        }
        if self.has(Change::NodeSheaves) {
            rules.discard = Discard::Rcu;
        }
        if self.has(Change::MapleCopies) {
            rules.family = Family::Copy;
            rules.slot_store = SlotStore::SameCountOrAppendToSmallRoot;
        }
        Some(rules)
    }
}

impl fmt::Display for Kernel {
    /// The name that [`Kernel::parse`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.release.id)?;
        for &change in Change::ALL {
            match (self.release.changes.has(change), self.has(change)) {
                (true, false) => write!(f, "-{change}")?,
                (false, true) => write!(f, "+{change}")?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelError::UnknownRelease(name) => write!(f, "no kernel is named “{name}”"),
            KernelError::UnknownChange(id) => write!(f, "no change is named “{id}”"),
        }
    }
}

impl std::error::Error for KernelError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_release() {
        for (uname, id) in [
            ("6.1.0-50-cloud-amd64", "6.1"),
            ("6.1.0-rc6", "6.1-rc6"),
            ("6.1.0-rc1", "6.1-rc1"),
            ("6.12.117+deb12-cloud-amd64", "6.12.y"),
            ("6.11.11", "6.11.7"),
            ("6.18.44", "6.18"),
            ("9.1.0", "7.3"),
        ] {
            assert_eq!(
                Release::nearest(uname).map(|release| release.id),
                Some(id),
                "{uname}"
            );
        }
        assert_eq!(Release::nearest("5.10.0-30-amd64"), None);
        assert_eq!(Release::nearest("Darwin"), None);
    }

    #[test]
    fn maple_rules_are_those_of_the_releases_that_were_read() {
        for (name, rules) in [
            ("6.0", None),
            ("6.1", Some(Rules::V6_1)),
            ("6.8", Some(Rules::V6_8)),
            ("6.12", Some(Rules::V6_12)),
            ("7.0", Some(Rules::V7_0)),
            ("7.1", Some(Rules::V7_0)),
            ("7.2", Some(Rules::V7_2)),
            ("7.3", Some(Rules::V7_3)),
        ] {
            assert_eq!(Kernel::parse(name).unwrap().maple_rules(), rules, "{name}");
        }
    }

    #[test]
    fn names_are_read_and_written() {
        for name in [
            "6.0",
            "6.1-rc6",
            "6.12.y",
            "6.14-d4148aeab412",
            "6.6+efa7df3e3bb5+96204e15310c",
        ] {
            assert_eq!(Kernel::parse(name).unwrap().to_string(), name);
        }
        assert_eq!(Kernel::parse("6.7").unwrap().to_string(), "6.7.0");
        assert_eq!(
            Kernel::parse("6.7").unwrap().alignment(),
            Some(Change::AlignThp)
        );
        assert_eq!(Kernel::parse("6.1").unwrap().alignment(), None);
        assert_eq!(
            Kernel::parse("5.10"),
            Err(KernelError::UnknownRelease("5.10".into()))
        );
        assert_eq!(
            Kernel::parse("6.14-abc"),
            Err(KernelError::UnknownChange("abc".into()))
        );
        // Changes begin with a sign each.
        for behind in ["é", "x249608ee4713"] {
            assert_eq!(
                Kernel::parse(&format!("6.14-d4148aeab412{behind}")),
                Err(KernelError::UnknownChange(behind.into()))
            );
        }
    }
}
