//! The cursor, with the names and habits of the kernel's `struct ma_state`.

use crate::accounting::Start;
use crate::store_type::Walk;
use crate::{InsertError, MapleTree, NoArea, Observer, Preallocated, Span, Stored};

/// A cursor over a [`MapleTree`]: the kernel's `struct ma_state`, with the calls that the mm makes.
///
/// It holds a range, [`index`](Self::index) to [`last`](Self::last): the range to store over, or
/// the range that was found last. It does not borrow the tree, and holds no node: each call goes
/// down from the root, so a cursor never goes stale.
///
/// A search that comes to its limit returns `None` and leaves the cursor on the last range it
/// looked at, and the cursor remembers which way it was going: [`prev`](Self::prev) after a
/// [`next`](Self::next) that found nothing looks at the range it stands on first.
///
/// ```
/// use mmscope_maple::{MaState, MapleTree};
///
/// let mut tree = MapleTree::new();
/// MaState::new(0x1000, 0x2fff).store(&mut tree, Some('a'), &mut ());
/// MaState::new(0x5000, 0x5fff).store(&mut tree, Some('b'), &mut ());
///
/// let mut mas = MaState::new(0x2000, 0x2000);
/// assert_eq!(mas.find(&tree, u64::MAX), Some('a'));
/// assert_eq!((mas.index, mas.last), (0x1000, 0x2fff));
/// assert_eq!(mas.find(&tree, u64::MAX), Some('b'));
/// assert_eq!(mas.find(&tree, u64::MAX), None);
///
/// mas.set(0);
/// mas.empty_area_rev(&tree, 0x1000, 0x7fff, 0x2000, &mut ()).unwrap();
/// assert_eq!((mas.index, mas.last), (0x6000, 0x7fff));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaState {
    /// The first index of the range.
    pub index: u64,
    /// The last index of the range.
    pub last: u64,
    status: Status,
}

/// `enum maple_status`, without those values that are about nodes and errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Nothing looked up yet: a search begins at `index`, which counts.
    Start,
    /// On a range of the tree.
    Active,
    /// Set aside by its user: a search goes on after, or before, the range.
    Pause,
    /// Came to the upper limit.
    Overflow,
    /// Came to the lower limit.
    Underflow,
}

/// A store that nodes were allocated for: see [`MaState::prepare`].
#[must_use]
pub struct Ready<'a, E> {
    mas: &'a mut MaState,
    tree: &'a mut MapleTree<E>,
    wr: Walk<E>,
    nodes: u32,
}

impl<E: Copy + Eq> Ready<'_, E> {
    /// How many nodes were asked for, and what the store will be.
    pub fn preallocated(&self) -> Preallocated {
        Preallocated {
            nodes: self.nodes,
            kind: self.wr.kind,
        }
    }

    /// Stores, and gives back what is left of the nodes: `mas_store_prealloc`.
    pub fn store(mut self, obs: &mut impl Observer<E>) -> Stored {
        let stored = self.tree.carry_out(&mut self.wr, self.nodes, obs);
        (self.mas.index, self.mas.last) = (self.wr.index, self.wr.last);
        self.mas.status = Status::Active;
        stored
    }

    /// Gives all nodes back, and says how many: `mas_destroy`.
    pub fn destroy(self) -> u32 {
        self.mas.status = Status::Start;
        self.nodes
    }
}

impl MaState {
    /// A cursor that has not looked at the tree yet: `MA_STATE`.
    pub fn new(index: u64, last: u64) -> Self {
        Self {
            index,
            last,
            status: Status::Start,
        }
    }

    /// Starts over at `index`: `mas_set`.
    pub fn set(&mut self, index: u64) {
        *self = Self::new(index, index);
    }

    /// Starts over with a range: `mas_set_range`.
    ///
    /// Writing to `index` and `last` changes the range without starting over, as `__mas_set_range`
    /// does.
    pub fn set_range(&mut self, index: u64, last: u64) {
        *self = Self::new(index, last);
    }

    /// Starts over with the range it has: `mas_reset`.
    pub fn reset(&mut self) {
        self.status = Status::Start;
    }

    /// Sets the cursor aside: the next search goes on behind the range, whatever becomes of that
    /// range: `mas_pause`.
    pub fn pause(&mut self) {
        self.status = Status::Pause;
    }

    /// The entry at `index`; the cursor takes on its range, also that of NULL: `mas_walk`.
    pub fn walk<E: Copy>(&mut self, tree: &MapleTree<E>) -> Option<E> {
        self.status = Status::Active;
        self.stand_on(tree.range_at(self.index))
    }

    /// The entry at `index`, or else the next one that starts at `max` at the latest; called again,
    /// the one after that: `mas_find`.
    pub fn find<E: Copy>(&mut self, tree: &MapleTree<E>, max: u64) -> Option<E> {
        match self.status {
            Status::Start if self.index > max => return None,
            Status::Start => {}
            Status::Active | Status::Pause | Status::Overflow if self.last >= max => return None,
            Status::Pause => {
                self.last += 1;
                self.index = self.last;
            }
            Status::Underflow if self.index >= max => {
                self.status = Status::Overflow;
                return None;
            }
            Status::Active | Status::Overflow | Status::Underflow => {}
        }
        let look_here = self.status != Status::Active;
        if look_here && let Some(entry) = self.walk(tree) {
            return Some(entry);
        }
        let entry = self.next_slot(tree, max, false);
        self.status = Status::Active;
        entry
    }

    /// The entry at `index`, or else the one before it that ends at `min` at the earliest; called
    /// again, the one before that: `mas_find_rev`.
    pub fn find_rev<E: Copy>(&mut self, tree: &MapleTree<E>, min: u64) -> Option<E> {
        match self.status {
            Status::Start if self.index < min => return None,
            Status::Start => {}
            Status::Pause | Status::Overflow | Status::Underflow if self.index <= min => {
                self.status = Status::Underflow;
                return None;
            }
            Status::Pause => {
                self.index -= 1;
                self.last = self.index;
                self.status = Status::Start;
            }
            Status::Active | Status::Overflow | Status::Underflow => {}
        }
        let look_here = self.status == Status::Start;
        if look_here && let Some(entry) = self.walk(tree) {
            return Some(entry);
        }
        self.prev_slot(tree, min, false)
    }

    /// The next entry that starts at `max` at the latest, past NULL, never the one at `index`:
    /// `mas_next`.
    pub fn next<E: Copy>(&mut self, tree: &MapleTree<E>, max: u64) -> Option<E> {
        self.go_next(tree, max, false)
    }

    /// The next range, be it an entry's or NULL: `mas_next_range`.
    ///
    /// `None` means NULL or that the limit is reached; only in the first case did the cursor move.
    pub fn next_range<E: Copy>(&mut self, tree: &MapleTree<E>, max: u64) -> Option<E> {
        self.go_next(tree, max, true)
    }

    /// The entry before that ends at `min` at the earliest, past NULL, never the one at `index`:
    /// `mas_prev`.
    pub fn prev<E: Copy>(&mut self, tree: &MapleTree<E>, min: u64) -> Option<E> {
        self.go_prev(tree, min, false)
    }

    /// The range before, be it an entry's or NULL: `mas_prev_range`.
    ///
    /// `None` means NULL or that the limit is reached; only in the first case did the cursor move.
    pub fn prev_range<E: Copy>(&mut self, tree: &MapleTree<E>, min: u64) -> Option<E> {
        self.go_prev(tree, min, true)
    }

    /// Finds the lowest free block of `size` indices within `min..=max` and takes on its range:
    /// `mas_empty_area`.
    ///
    /// # Errors
    ///
    /// [`NoArea::Invalid`] for `min > max`, a size of 0, or one larger than the limits allow;
    /// [`NoArea::Busy`] if nothing fits. The cursor is left as it was.
    pub fn empty_area<E: Copy>(
        &mut self,
        tree: &MapleTree<E>,
        min: u64,
        max: u64,
        size: u64,
        obs: &mut impl Observer<E>,
    ) -> Result<(), NoArea> {
        let first = tree.search_low(min, max, size, obs)?;
        *self = Self {
            index: first,
            last: first.wrapping_add(size - 1),
            status: Status::Active,
        };
        Ok(())
    }

    /// Finds the highest free block of `size` indices within `min..=max` and takes on its range:
    /// `mas_empty_area_rev`.
    ///
    /// The block lies at the top of its hole, or of what the limits leave of it.
    ///
    /// # Errors
    ///
    /// As for [`empty_area`](Self::empty_area).
    pub fn empty_area_rev<E: Copy>(
        &mut self,
        tree: &MapleTree<E>,
        min: u64,
        max: u64,
        size: u64,
        obs: &mut impl Observer<E>,
    ) -> Result<(), NoArea> {
        let last = tree.search_high(min, max, size, obs)?;
        *self = Self {
            index: last.wrapping_sub(size - 1),
            last,
            status: Status::Active,
        };
        Ok(())
    }

    /// How many nodes the kernel asks for before a store of `entry` over the cursor's range:
    /// `mas_preallocate`.
    ///
    /// A cursor that stands in a leaf already may ask for more than one that starts over: see
    /// [`Requests::ByHeights`](crate::Requests::ByHeights). Nothing is allocated here; what is not
    /// used is given back by the store, or by [`destroy`](Self::destroy).
    ///
    /// # Panics
    ///
    /// If `index > last`.
    pub fn preallocate<E: Copy + Eq>(&self, tree: &MapleTree<E>, entry: Option<E>) -> Preallocated {
        tree.preallocation(self.index, self.last, entry, self.start())
    }

    /// [`preallocate`](Self::preallocate) and a store to come in one: the tree is held until then, so
    /// that what was found out about the store still holds, and need not be found out again.
    ///
    /// ```
    /// use mmscope_maple::{MaState, MapleTree};
    ///
    /// let mut tree = MapleTree::new();
    /// let mut mas = MaState::new(0x1000, 0x1fff);
    /// let ready = mas.prepare(&mut tree, Some('a'));
    /// assert_eq!(ready.preallocated().nodes, 1);
    /// let stored = ready.store(&mut ());
    /// assert_eq!((stored.used, stored.returned), (1, 0));
    /// assert_eq!(tree.get(0x1234), Some('a'));
    /// ```
    ///
    /// # Panics
    ///
    /// If `index > last`.
    pub fn prepare<'a, E: Copy + Eq>(
        &'a mut self,
        tree: &'a mut MapleTree<E>,
        entry: Option<E>,
    ) -> Ready<'a, E> {
        let mut wr = Walk::new(tree, self.index, self.last, entry);
        tree.walk_to_store(&mut wr);
        let nodes = tree.preallocation_for(&wr, (self.index, self.last), self.start());
        Ready {
            mas: self,
            tree,
            wr,
            nodes,
        }
    }

    /// Gives back preallocated nodes that no store came for, and says how many: `mas_destroy`.
    pub fn destroy(&mut self, preallocated: Preallocated) -> u32 {
        self.status = Status::Start;
        preallocated.nodes
    }

    /// Stores `entry`, or NULL, over the cursor's range, whatever was there, and asks for the nodes
    /// itself: `mas_store_gfp`. Says what it took.
    ///
    /// Entries that reach over an end of the range keep what lies outside. After a store of NULL
    /// the cursor has the range of the whole hole.
    ///
    /// # Panics
    ///
    /// If `index > last`.
    pub fn store<E: Copy + Eq>(
        &mut self,
        tree: &mut MapleTree<E>,
        entry: Option<E>,
        obs: &mut impl Observer<E>,
    ) -> Stored {
        let range = (self.index, self.last);
        self.stored(tree.store_span(range, entry, None, self.start(), obs))
    }

    /// The same with nodes that were asked for before: `mas_store_prealloc`. What is left of them
    /// is given back.
    ///
    /// # Panics
    ///
    /// If `index > last`.
    pub fn store_prealloc<E: Copy + Eq>(
        &mut self,
        tree: &mut MapleTree<E>,
        entry: Option<E>,
        preallocated: Preallocated,
        obs: &mut impl Observer<E>,
    ) -> Stored {
        let range = (self.index, self.last);
        let nodes = Some(preallocated.nodes);
        self.stored(tree.store_span(range, entry, nodes, self.start(), obs))
    }

    /// Stores `entry` over the cursor's range if nothing is stored there: `mas_insert`.
    ///
    /// # Errors
    ///
    /// [`InsertError::Exists`] with the lowest entry in the way. By
    /// [`FullInsert::Overwrites`](crate::FullInsert::Overwrites) there is a case in which the kernel
    /// overwrites it, and so does this.
    ///
    /// # Panics
    ///
    /// If `index > last`.
    pub fn insert<E: Copy + Eq>(
        &mut self,
        tree: &mut MapleTree<E>,
        entry: E,
        obs: &mut impl Observer<E>,
    ) -> Result<Stored, InsertError<E>> {
        let stored = tree.insert_span((self.index, self.last), entry, self.start(), obs)?;
        self.status = Status::Active;
        Ok(stored)
    }

    /// Takes the entry at `index` out of the tree, over its whole range, and returns it:
    /// `mas_erase`.
    pub fn erase<E: Copy + Eq>(
        &mut self,
        tree: &mut MapleTree<E>,
        obs: &mut impl Observer<E>,
    ) -> Option<E> {
        let entry = self.walk(tree)?;
        // The kernel starts over too, so that clearing the end of a leaf is seen to span.
        self.reset();
        self.store(tree, None, obs);
        Some(entry)
    }

    fn stored(&mut self, (range, stored): ((u64, u64), Stored)) -> Stored {
        (self.index, self.last) = range;
        self.status = Status::Active;
        stored
    }

    /// Where the walk of a store starts.
    fn start(&self) -> Start {
        match self.status {
            Status::Active => Start::Leaf,
            _ => Start::Root,
        }
    }

    fn stand_on<E>(&mut self, span: Span<E>) -> Option<E> {
        self.index = span.first;
        self.last = span.last;
        span.entry
    }

    fn go_next<E: Copy>(&mut self, tree: &MapleTree<E>, max: u64, empty: bool) -> Option<E> {
        if self.last >= max {
            self.status = Status::Overflow;
            return None;
        }
        match self.status {
            Status::Start | Status::Pause => {
                self.walk(tree);
            }
            Status::Underflow => {
                if let Some(entry) = self.walk(tree) {
                    return Some(entry);
                }
            }
            Status::Active | Status::Overflow => self.status = Status::Active,
        }
        self.next_slot(tree, max, empty)
    }

    fn go_prev<E: Copy>(&mut self, tree: &MapleTree<E>, min: u64, empty: bool) -> Option<E> {
        if self.index <= min {
            self.status = Status::Underflow;
            return None;
        }
        match self.status {
            Status::Start | Status::Pause => {
                self.walk(tree);
            }
            Status::Overflow => {
                if let Some(entry) = self.walk(tree) {
                    return Some(entry);
                }
            }
            Status::Active | Status::Underflow => self.status = Status::Active,
        }
        self.prev_slot(tree, min, empty)
    }

    /// One range on, and past a NULL one unless `empty`: `mas_next_slot`.
    fn next_slot<E: Copy>(&mut self, tree: &MapleTree<E>, max: u64, empty: bool) -> Option<E> {
        let come = tree.range_after(self.last, max, empty);
        self.arrive(come, Status::Overflow)
    }

    /// One range back, and past a NULL one unless `empty`: `mas_prev_slot`.
    fn prev_slot<E: Copy>(&mut self, tree: &MapleTree<E>, min: u64, empty: bool) -> Option<E> {
        let come = tree.range_before(self.index, min, empty);
        self.arrive(come, Status::Underflow)
    }

    fn arrive<E>(&mut self, (at, found): (Option<Span<E>>, bool), limit: Status) -> Option<E> {
        self.status = if found { Status::Active } else { limit };
        let entry = at.and_then(|span| self.stand_on(span));
        entry.filter(|_| found)
    }
}
