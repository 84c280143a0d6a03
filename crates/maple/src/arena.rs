//! Slots with typed ids: the one door for writes.
//!
//! An [`Arena`] keeps its values in private storage. A value is changed only through
//! [`Arena::insert`], [`Arena::edit`] and [`Arena::remove`], and each of them shows a [`Witness`]
//! what stood there before. A journal kept by the witness is therefore complete, and
//! [`Arena::restore`], fed with it backwards, brings the old arena back.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::Index;
use std::rc::Rc;

/// The name of a slot in an [`Arena<T>`].
///
/// Ids are given out by the arena and are as stable as their slot: an id whose value was removed is
/// free, and is given out again for a later value.
pub struct Id<T> {
    /// The slot's number plus one, so that `Option<Id<T>>` is no larger than the id.
    raw: NonZeroU32,
    of: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    fn new(index: u32) -> Self {
        let raw = NonZeroU32::MIN.saturating_add(index);
        assert!(
            raw.get() - 1 == index,
            "an arena holds at most 2^32 - 1 slots"
        );
        Self {
            raw,
            of: PhantomData,
        }
    }

    /// An id to fill places with that are never read.
    pub(crate) fn filler() -> Self {
        Self::new(0)
    }

    /// The slot's number, counted from 0.
    pub fn index(self) -> u32 {
        self.raw.get() - 1
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Id<T> {}

impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl<T> Eq for Id<T> {}

impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.raw.cmp(&other.raw)
    }
}

impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}

impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.index())
    }
}

/// Sees every slot of an [`Arena<T>`] just before it changes.
pub trait Witness<T> {
    /// The slot `id` is about to change from `old`; `None` means that it was free, so this is an
    /// insert.
    fn before_edit(&mut self, id: Id<T>, old: Option<&T>);
}

/// Nobody looks: the calls compile away.
impl<T> Witness<T> for () {
    fn before_edit(&mut self, _: Id<T>, _: Option<&T>) {}
}

#[derive(Clone)]
enum Slot<T> {
    Used(T),
    /// Free, with the slot that was freed before it and is still free.
    Free(Option<Id<T>>),
}

/// Values of one type in numbered slots.
///
/// Storage is cut into chunks that clones share until one of them writes, so [`Clone`] costs one
/// counter per chunk and a checkpoint costs only what changes after it.
///
/// Free slots are reused last-freed-first. That is part of the contract: two arenas with the same
/// history give the same ids, and so does one that was rolled back with [`restore`](Self::restore)
/// and played again.
///
/// ```
/// use mmscope_maple::{Arena, Id, Witness};
///
/// #[derive(Default)]
/// struct Journal(Vec<(Id<&'static str>, Option<&'static str>)>);
///
/// impl Witness<&'static str> for Journal {
///     fn before_edit(&mut self, id: Id<&'static str>, old: Option<&&'static str>) {
///         self.0.push((id, old.copied()));
///     }
/// }
///
/// let mut arena = Arena::new();
/// let heap = arena.insert("heap", &mut ());
/// let before = arena.clone();
///
/// let mut journal = Journal::default();
/// *arena.edit(heap, &mut journal) = "[heap]";
/// let stack = arena.insert("[stack]", &mut journal);
/// arena.remove(heap, &mut journal);
/// assert_eq!(arena.len(), 1);
/// assert_eq!(arena[stack], "[stack]");
///
/// for (id, old) in journal.0.into_iter().rev() {
///     arena.restore(id, old);
/// }
/// assert_eq!(arena, before);
/// ```
///
/// `CHUNK` is how many slots make a chunk, a power of two: enough that a clone is cheap, few enough
/// that the first write after it is. For large values say less than 64.
pub struct Arena<T, const CHUNK: usize = 64> {
    chunks: Vec<Rc<[Slot<T>; CHUNK]>>,
    /// Slots ever used: those from here on are free and not on the free list.
    top: u32,
    /// The slot freed last.
    free: Option<Id<T>>,
    len: u32,
}

impl<T> Arena<T> {
    /// An arena with nothing in it, with chunks of 64 slots; [`Default`] gives one of any size.
    pub fn new() -> Self {
        Self::default()
    }
}

/// The chunk that a slot is in, and its place there.
#[inline]
fn place_of<const CHUNK: usize>(index: u32) -> (usize, usize) {
    const { assert!(CHUNK.is_power_of_two(), "a chunk holds a power of two") };
    (index as usize / CHUNK, index as usize % CHUNK)
}

impl<T, const CHUNK: usize> Arena<T, CHUNK> {
    /// How many slots are in use.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether no slot is in use.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The value in slot `id`, or `None` if the slot is free.
    pub fn get(&self, id: Id<T>) -> Option<&T> {
        match self.slot(id.index())? {
            Slot::Used(value) => Some(value),
            Slot::Free(_) => None,
        }
    }

    /// The id of the slot numbered `index`, if that slot is in use.
    pub fn id_at(&self, index: u32) -> Option<Id<T>> {
        match self.slot(index)? {
            Slot::Used(_) => Some(Id::new(index)),
            Slot::Free(_) => None,
        }
    }

    /// All slots in use, in id order.
    pub fn iter(&self) -> impl Iterator<Item = (Id<T>, &T)> {
        let slots = self.chunks.iter().flat_map(|chunk| chunk.iter());
        (0..self.top)
            .zip(slots)
            .filter_map(|(index, slot)| match slot {
                Slot::Used(value) => Some((Id::new(index), value)),
                Slot::Free(_) => None,
            })
    }

    fn slot(&self, index: u32) -> Option<&Slot<T>> {
        let (chunk, at) = place_of::<CHUNK>(index);
        Some(&self.chunks.get(chunk)?[at])
    }

    /// The slots on the free list, the one that is used next first. Slots at its far end that would
    /// have been next in order anyway are left out: whether such a slot was used once makes no
    /// difference to any future id.
    fn free_list(&self) -> (Vec<Id<T>>, u32) {
        let mut list = Vec::new();
        let mut next = self.free;
        while let Some(id) = next {
            list.push(id);
            next = match self.slot(id.index()) {
                Some(Slot::Free(next)) => *next,
                _ => None,
            };
        }
        let mut top = self.top;
        while list.last().is_some_and(|id| id.index() + 1 == top) {
            list.pop();
            top -= 1;
        }
        (list, top)
    }
}

impl<T: Clone, const CHUNK: usize> Arena<T, CHUNK> {
    /// Puts `value` into the slot freed last, or into a new one if none is free.
    ///
    /// # Panics
    ///
    /// If 2^32 - 1 slots are in use.
    pub fn insert(&mut self, value: T, witness: &mut impl Witness<T>) -> Id<T> {
        self.place(|| value, witness).0
    }

    /// Like [`insert`](Self::insert), for a value that is not complete yet. It is made by a call so
    /// that it is made where it will stand: as an argument it would be copied.
    #[inline]
    pub(crate) fn place(
        &mut self,
        value: impl FnOnce() -> T,
        witness: &mut impl Witness<T>,
    ) -> (Id<T>, &mut T) {
        let id = self.free.unwrap_or_else(|| Id::new(self.top));
        witness.before_edit(id, None);
        if id.index() == self.top {
            if place_of::<CHUNK>(self.top).1 == 0 {
                self.add_chunk();
            }
            self.top += 1;
        }
        self.len += 1;
        let slot = slot_mut(&mut self.chunks, id);
        let Slot::Free(next) = slot else {
            unreachable!("{id:?} was on the free list and in use");
        };
        self.free = *next;
        *slot = Slot::Used(value());
        match slot {
            Slot::Used(value) => (id, value),
            Slot::Free(_) => vacant(id),
        }
    }

    #[cold]
    #[inline(never)]
    fn add_chunk(&mut self) {
        let free = std::array::from_fn(|_| Slot::Free(None));
        self.chunks.push(Rc::new(free));
    }

    /// Takes the value out of slot `id`, which is free from then on.
    ///
    /// # Panics
    ///
    /// If the slot is free.
    pub fn remove(&mut self, id: Id<T>, witness: &mut impl Witness<T>) -> T {
        witness.before_edit(id, Some(&self[id]));
        self.release(id)
    }

    /// Like [`remove`](Self::remove), for a value that nobody needs any more.
    pub(crate) fn discard(&mut self, id: Id<T>, witness: &mut impl Witness<T>) {
        let next = self.free;
        let slot = self.slot_mut(id);
        match slot {
            Slot::Used(value) => witness.before_edit(id, Some(value)),
            Slot::Free(_) => vacant(id),
        }
        *slot = Slot::Free(next);
        self.free = Some(id);
        self.len -= 1;
    }

    /// The value in slot `id`, to be changed. There is no other way to change it.
    ///
    /// # Panics
    ///
    /// If the slot is free.
    pub fn edit(&mut self, id: Id<T>, witness: &mut impl Witness<T>) -> &mut T {
        match self.slot_mut(id) {
            Slot::Used(value) => {
                witness.before_edit(id, Some(value));
                value
            }
            Slot::Free(_) => vacant(id),
        }
    }

    /// Undoes one change, as a witness was told of it: slot `id` holds `old` again, or is free
    /// again if that is `None`.
    ///
    /// Undoing changes in exactly the reverse order also brings back the ids that later inserts
    /// will be given. In any other order the values are right, but a slot filled from the middle of
    /// the free list is searched for.
    ///
    /// # Panics
    ///
    /// If `old` is `None` and the slot is free already, or if the slot never existed: the journal
    /// is out of order.
    pub fn restore(&mut self, id: Id<T>, old: Option<T>) {
        assert!(
            id.index() < self.top,
            "nothing to restore: slot {id:?} was never used"
        );
        match (old, self.get(id).is_some()) {
            (Some(old), true) => *self.slot_mut(id) = Slot::Used(old),
            (Some(old), false) => {
                self.unlink(id);
                *self.slot_mut(id) = Slot::Used(old);
                self.len += 1;
            }
            (None, true) => {
                self.release(id);
            }
            (None, false) => panic!("nothing to restore: slot {id:?} is free already"),
        }
    }

    /// Puts a slot in use on top of the free list.
    fn release(&mut self, id: Id<T>) -> T {
        let next = self.free;
        match std::mem::replace(self.slot_mut(id), Slot::Free(next)) {
            Slot::Used(value) => {
                self.free = Some(id);
                self.len -= 1;
                value
            }
            Slot::Free(_) => vacant(id),
        }
    }

    /// Takes a free slot off the free list, of which it is the top if changes are undone in reverse
    /// order.
    fn unlink(&mut self, id: Id<T>) {
        let after = self.next_free(id);
        if self.free == Some(id) {
            self.free = after;
            return;
        }
        let mut before = self.free;
        while let Some(at) = before {
            before = self.next_free(at);
            if before == Some(id) {
                *self.slot_mut(at) = Slot::Free(after);
                return;
            }
        }
        unreachable!("{id:?} is free and not on the free list");
    }

    fn next_free(&self, id: Id<T>) -> Option<Id<T>> {
        match self.slot(id.index()) {
            Some(Slot::Free(next)) => *next,
            _ => None,
        }
    }

    /// The slot itself, its chunk copied first if a clone shares it.
    #[inline]
    fn slot_mut(&mut self, id: Id<T>) -> &mut Slot<T> {
        slot_mut(&mut self.chunks, id)
    }
}

/// See [`Arena::slot_mut`].
#[inline]
fn slot_mut<T: Clone, const CHUNK: usize>(
    chunks: &mut [Rc<[Slot<T>; CHUNK]>],
    id: Id<T>,
) -> &mut Slot<T> {
    let (chunk, at) = place_of::<CHUNK>(id.index());
    let chunk = &mut chunks[chunk];
    if Rc::get_mut(chunk).is_none() {
        unshare(chunk);
    }
    match Rc::get_mut(chunk) {
        Some(slots) => &mut slots[at],
        None => unreachable!("the chunk was copied"),
    }
}

/// Makes the chunk nobody else's.
#[cold]
#[inline(never)]
fn unshare<T: Clone>(chunk: &mut Rc<T>) {
    Rc::make_mut(chunk);
}

#[cold]
fn vacant<T>(id: Id<T>) -> ! {
    panic!("slot {id:?} of the arena is free");
}

impl<T, const CHUNK: usize> Index<Id<T>> for Arena<T, CHUNK> {
    type Output = T;

    /// # Panics
    ///
    /// If the slot is free; [`Arena::get`] asks first.
    fn index(&self, id: Id<T>) -> &T {
        match self.get(id) {
            Some(value) => value,
            None => vacant(id),
        }
    }
}

impl<T, const CHUNK: usize> Default for Arena<T, CHUNK> {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            top: 0,
            free: None,
            len: 0,
        }
    }
}

impl<T, const CHUNK: usize> Clone for Arena<T, CHUNK> {
    /// Shares all chunks: the cost is one counter for each.
    fn clone(&self) -> Self {
        Self {
            chunks: self.chunks.clone(),
            top: self.top,
            free: self.free,
            len: self.len,
        }
    }
}

impl<T: PartialEq, const CHUNK: usize> PartialEq for Arena<T, CHUNK> {
    /// The same values in the same slots, and the same ids to come.
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len
            && self.iter().eq(other.iter())
            && self.free_list() == other.free_list()
    }
}

impl<T: Eq, const CHUNK: usize> Eq for Arena<T, CHUNK> {}

impl<T: fmt::Debug, const CHUNK: usize> fmt::Debug for Arena<T, CHUNK> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slot_freed_last_is_used_first() {
        let mut arena = Arena::new();
        let ids: Vec<_> = (0..200).map(|n| arena.insert(n, &mut ())).collect();
        assert_eq!(
            ids.iter().map(|id| id.index()).collect::<Vec<_>>(),
            (0..200).collect::<Vec<_>>()
        );
        arena.remove(ids[7], &mut ());
        arena.remove(ids[130], &mut ());
        assert_eq!(arena.insert(0, &mut ()), ids[130]);
        assert_eq!(arena.insert(0, &mut ()), ids[7]);
        assert_eq!(arena.insert(0, &mut ()).index(), 200);
    }

    #[test]
    fn a_clone_is_another_arena() {
        let mut arena = Arena::new();
        let a = arena.insert(1, &mut ());
        let copy = arena.clone();
        *arena.edit(a, &mut ()) = 2;
        arena.insert(3, &mut ());
        assert_eq!((arena[a], copy[a]), (2, 1));
        assert_eq!((arena.len(), copy.len()), (2, 1));
    }

    #[test]
    fn an_insert_undone_is_as_if_never_made() {
        let mut arena = Arena::new();
        arena.insert(1, &mut ());
        let before = arena.clone();
        let b = arena.insert(2, &mut ());
        let c = arena.insert(3, &mut ());
        arena.restore(c, None);
        arena.restore(b, None);
        assert_eq!(arena, before);
        assert_eq!(arena.insert(2, &mut ()), b);
        assert_eq!(arena.insert(3, &mut ()), c);
        assert_eq!(arena.insert(4, &mut ()).index(), 3);
    }

    #[test]
    fn a_slot_restored_out_of_order_leaves_the_rest_of_the_free_list() {
        let mut arena = Arena::new();
        let ids: Vec<_> = (0..4).map(|n| arena.insert(n, &mut ())).collect();
        for id in &ids {
            arena.remove(*id, &mut ());
        }
        arena.restore(ids[2], Some(2));
        assert_eq!(arena.insert(9, &mut ()), ids[3]);
        assert_eq!(arena.insert(9, &mut ()), ids[1]);
        assert_eq!(arena.insert(9, &mut ()), ids[0]);
        assert_eq!(arena[ids[2]], 2);
    }

    #[test]
    fn an_id_is_as_small_as_its_number() {
        assert_eq!(size_of::<Option<Id<String>>>(), 4);
    }
}
