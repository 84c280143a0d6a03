//! A long list in the order of its keys, for a program that a page loads: a `BTreeMap` is 8 kB of code for each pair of
//! types it is used with. For short lists there is [`Sorted`](crate::Sorted).

use std::borrow::Borrow;

/// A block that grows longer is cut in two: putting something in moves no more than this.
const MOST: usize = 256;

/// Values by key, each key once.
#[derive(Clone, Debug)]
pub(crate) struct Blocks<K, V> {
    /// In order, none of them empty.
    blocks: Vec<Vec<(K, V)>>,
    len: usize,
}

impl<K, V> Default for Blocks<K, V> {
    fn default() -> Blocks<K, V> {
        Blocks {
            blocks: Vec::new(),
            len: 0,
        }
    }
}

impl<K, V> Blocks<K, V> {
    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// All of them in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.blocks.iter().flatten()
    }

    /// The block of a key, and where in it the key is or would be.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> (usize, Result<usize, usize>)
    where
        K: Borrow<Q>,
    {
        let after = self
            .blocks
            .partition_point(|block| block[0].0.borrow() <= key);
        let block = after.saturating_sub(1);
        let found = match self.blocks.get(block) {
            Some(list) => list.binary_search_by(|(other, _)| other.borrow().cmp(key)),
            None => Err(0),
        };
        (block, found)
    }

    /// What a key stands for.
    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let (block, found) = self.find(key);
        found.ok().map(|at| &self.blocks[block][at].1)
    }

    /// The last one whose key is less.
    pub(crate) fn before<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&(K, V)>
    where
        K: Borrow<Q>,
    {
        let (block, found) = self.find(key);
        let (Ok(at) | Err(at)) = found;
        match at.checked_sub(1) {
            Some(at) => self.blocks[block].get(at),
            None => self.blocks.get(block.checked_sub(1)?)?.last(),
        }
    }

    /// Those from a key on, in order.
    pub(crate) fn from<Q: Ord + ?Sized>(&self, key: &Q) -> impl Iterator<Item = &(K, V)>
    where
        K: Borrow<Q>,
    {
        let (block, found) = self.find(key);
        let (Ok(at) | Err(at)) = found;
        let blocks = self.blocks.get(block..).unwrap_or_default();
        blocks.iter().flatten().skip(at)
    }

    /// Takes a value out.
    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (block, found) = self.find(key);
        let at = found.ok()?;
        let (_, value) = self.blocks[block].remove(at);
        if self.blocks[block].is_empty() {
            self.blocks.remove(block);
        }
        self.len -= 1;
        Some(value)
    }
}

impl<K: Ord, V> Blocks<K, V> {
    /// The value of a key; this one is put in if there is none.
    pub(crate) fn or_insert(&mut self, key: K, value: V) -> &mut V {
        let (mut block, found) = self.find(&key);
        let mut at = found.unwrap_or_else(|at| {
            if self.blocks.is_empty() {
                self.blocks.push(Vec::new());
            }
            self.blocks[block].insert(at, (key, value));
            self.len += 1;
            at
        });
        if self.blocks[block].len() > MOST {
            let rest = self.blocks[block].split_off(MOST / 2);
            self.blocks.insert(block + 1, rest);
            if at >= MOST / 2 {
                (block, at) = (block + 1, at - MOST / 2);
            }
        }
        &mut self.blocks[block][at].1
    }

    /// Puts a value in, in place of an earlier one.
    pub(crate) fn insert(&mut self, key: K, value: V)
    where
        V: Copy,
    {
        *self.or_insert(key, value) = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn check(blocks: &Blocks<u64, u64>, map: &BTreeMap<u64, u64>, key: u64) {
        let pair = |(key, value): (&u64, &u64)| (*key, *value);
        assert!(blocks.iter().copied().eq(map.iter().map(pair)));
        assert_eq!(blocks.len(), map.len());
        assert_eq!(blocks.get(&key), map.get(&key));
        assert_eq!(
            blocks.before(&key).copied(),
            map.range(..key).next_back().map(pair)
        );
        let from = map.range(key..).map(pair);
        assert!(blocks.from(&key).copied().eq(from));
        assert!(blocks.blocks.iter().all(|block| !block.is_empty()));
    }

    proptest! {
        #[test]
        fn is_a_map(steps in proptest::collection::vec((0u64..1500, any::<u64>(), 0u8..4), 0..3000)) {
            let (mut blocks, mut map) = (Blocks::default(), BTreeMap::new());
            for (at, (key, value, what)) in steps.into_iter().enumerate() {
                match what {
                    0 => assert_eq!(blocks.remove(&key), map.remove(&key)),
                    1 => assert_eq!(blocks.or_insert(key, value), map.entry(key).or_insert(value)),
                    _ => {
                        blocks.insert(key, value);
                        map.insert(key, value);
                    }
                }
                if at % 100 == 0 {
                    check(&blocks, &map, key);
                }
            }
            check(&blocks, &map, 750);
            // And all away again.
            for key in 0..1500 {
                assert_eq!(blocks.remove(&key), map.remove(&key));
            }
            check(&blocks, &map, 0);
        }
    }
}
