//! What differs from release to release, each difference a value of its own.

/// How a release's tree writes: one field for each difference, none of them a version number.
///
/// The constants are the releases that were looked at. Reading is the same in all of them, but for
/// [`Search`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Where nodes that are too full or too empty are cut.
    pub family: Family,
    /// How far up a rebalance or a spanning store rebuilds. [`Family::BigNode`] only: the other
    /// family always stops where it can.
    pub rebuild: Rebuild,
    /// When a store may move boundaries in place.
    pub slot_store: SlotStore,
    /// What an entry or NULL over the whole index space is that fits the only slot of a leaf.
    pub full_range: FullRange,
    /// What `mas_insert` makes of a write over the whole index space of a one-leaf tree.
    pub full_insert: FullInsert,
    /// How many nodes are asked for before and in a store.
    pub requests: Requests,
    /// Where nodes go that leave a tree which is not in RCU mode.
    pub discard: Discard,
    /// How an inner node without any gap is marked.
    pub no_gap: NoGap,
    /// Which limits a gap search takes.
    pub search: Search,
}

/// The two ways to cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Up to 7.0: gathers nodes into one oversized node (`struct maple_big_node`) and cuts that. A
    /// sibling that helps is filled to all but one slot.
    BigNode,
    /// From 7.2: copies straight across from the old nodes to the new ones. Siblings share evenly.
    Copy,
}

/// How far up `mas_spanning_rebalance` rebuilds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rebuild {
    /// To the root.
    ToRoot,
    /// To the first node that holds both ends and keeps enough children.
    ToCommonNode,
}

/// When a store moves boundaries in place: `mas_wr_slot_store`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotStore {
    /// 6.1: one boundary exactly, in a leaf with a slot or two to spare.
    OneBoundary,
    /// 6.8: the number of slots stays, and without RCU mode any, else one boundary.
    SameCount,
    /// 6.12: as 6.8, but not in a leaf with less than the minimum, which only a root can be.
    SameCountInFullEnoughLeaf,
    /// 7.3: as 6.12, and without RCU mode a small root may also be appended to.
    SameCountOrAppendToSmallRoot,
}

/// Which comes first when a write covers the whole index space and fits the only slot exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FullRange {
    /// 6.1, 6.8: the tree gets a new root, and none for NULL.
    NewRoot,
    /// From 6.12: the slot is written in place, so that a leaf with a single NULL can remain.
    ExactFit,
}

/// What `mas_insert` makes of a write over the whole index space of a one-leaf tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FullInsert {
    /// 6.1, 6.8: refuses it like any other if something is stored.
    Refuses,
    /// From 6.12: replaces all there is.
    Overwrites,
}

/// How many nodes are asked for: `mas_preallocate` and `mas_store_gfp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Requests {
    /// 6.1: preallocation takes the worst case whatever the write; a store without it asks when the
    /// nodes are needed.
    Worst,
    /// 6.8: preallocation looks where the write falls; a store without it asks when the nodes are
    /// needed.
    Estimated,
    /// 6.12: both by the store type and the tree's height.
    ByStoreType,
    /// From 7.0: both by the store type and how far up the walk saw a node with room.
    ByHeights,
}

/// Where nodes go that leave a tree which is not in RCU mode. In RCU mode all wait for a grace
/// period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Discard {
    /// Up to 6.12: on the write's own pile, which is given back at its end.
    Reuse,
    /// From 7.0: through RCU all the same, except for nodes that the write covers whole.
    Rcu,
}

/// How an inner node is marked that has no gap at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoGap {
    /// 6.1: by a slot number that does not exist, 15.
    Marked,
    /// Later: by a slot like any other, whose gap is 0.
    AnySlot,
}

/// Which limits a gap search takes: `mas_empty_area`, `mas_empty_area_rev`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Search {
    /// 6.1: `EINVAL` for `min >= max`, also if they are equal; `EBUSY` for a size that is larger
    /// than the limits allow, and in a tree without nodes a block that reaches over a limit.
    Strict,
    /// Later: `EINVAL` for `min > max`, a size of 0, or one larger than the limits allow.
    Plain,
}

impl Rules {
    /// Linux 6.1.192.
    pub const V6_1: Self = Self {
        family: Family::BigNode,
        rebuild: Rebuild::ToRoot,
        slot_store: SlotStore::OneBoundary,
        full_range: FullRange::NewRoot,
        full_insert: FullInsert::Refuses,
        requests: Requests::Worst,
        discard: Discard::Reuse,
        no_gap: NoGap::Marked,
        search: Search::Strict,
    };

    /// Linux 6.8.12.
    pub const V6_8: Self = Self {
        slot_store: SlotStore::SameCount,
        requests: Requests::Estimated,
        no_gap: NoGap::AnySlot,
        search: Search::Plain,
        ..Self::V6_1
    };

    /// Linux 6.12.117.
    pub const V6_12: Self = Self {
        slot_store: SlotStore::SameCountInFullEnoughLeaf,
        full_range: FullRange::ExactFit,
        full_insert: FullInsert::Overwrites,
        requests: Requests::ByStoreType,
        ..Self::V6_8
    };

    /// Linux 7.0.14.
    pub const V7_0: Self = Self {
        rebuild: Rebuild::ToCommonNode,
        requests: Requests::ByHeights,
        discard: Discard::Rcu,
        ..Self::V6_12
    };

    /// Linux 7.2.13.
    pub const V7_2: Self = Self::V7_3;

    /// Linux 7.3.4.
    pub const V7_3: Self = Self {
        family: Family::Copy,
        slot_store: SlotStore::SameCountOrAppendToSmallRoot,
        ..Self::V7_0
    };
}

impl Default for Rules {
    /// Those of 6.12, a long-term kernel.
    fn default() -> Self {
        Self::V6_12
    }
}
