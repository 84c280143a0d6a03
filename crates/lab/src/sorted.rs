//! A short list in the order of its keys, for a program that a page loads: a `BTreeMap` is about 5 kB for each pair of
//! types it is used with. Putting something into the middle moves all behind it, so this is for lists that stay short
//! or grow at their end.

use std::fmt;

/// Values by key, each key once.
#[derive(Clone, PartialEq, Eq)]
pub struct Sorted<K, V>(Vec<(K, V)>);

impl<K: Ord, V> Sorted<K, V> {
    /// An empty list.
    pub const fn new() -> Sorted<K, V> {
        Sorted(Vec::new())
    }

    /// Where the key is, or where it would be.
    fn find(&self, key: &K) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.cmp(key))
    }

    /// What a key stands for.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.find(key).ok().map(|at| &self.0[at].1)
    }

    /// Whether there is a value for a key.
    pub fn contains(&self, key: &K) -> bool {
        self.find(key).is_ok()
    }

    /// Puts a value in, in place of an earlier one.
    pub fn insert(&mut self, key: K, value: V) {
        match self.find(&key) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (key, value)),
        }
    }

    /// The value of a key, put in if there is none.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        let at = self.find(&key).unwrap_or_else(|at| {
            self.0.insert(at, (key, V::default()));
            at
        });
        &mut self.0[at].1
    }

    /// Takes a value out.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let at = self.find(key).ok()?;
        Some(self.0.remove(at).1)
    }

    /// All of them in order.
    pub fn as_slice(&self) -> &[(K, V)] {
        &self.0
    }

    /// All of them in order.
    pub fn into_vec(self) -> Vec<(K, V)> {
        self.0
    }
}

impl<K: Ord, V> Default for Sorted<K, V> {
    fn default() -> Sorted<K, V> {
        Sorted::new()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Sorted<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Sorted<K, V> {
        let mut sorted = Sorted::new();
        for (key, value) in pairs {
            sorted.insert(key, value);
        }
        sorted
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Sorted<K, V> {
    /// As a map.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.0.iter().map(|(key, value)| (key, value));
        f.debug_map().entries(pairs).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_map() {
        let mut sorted: Sorted<u32, &str> = [(5, "e"), (1, "a"), (3, "b"), (3, "c")]
            .into_iter()
            .collect();
        assert_eq!(sorted.as_slice(), [(1, "a"), (3, "c"), (5, "e")]);
        assert_eq!(format!("{sorted:?}"), r#"{1: "a", 3: "c", 5: "e"}"#);
        assert_eq!(sorted.get(&3), Some(&"c"));
        assert_eq!(sorted.remove(&3), Some("c"));
        assert_eq!(sorted.remove(&3), None);
        assert!(!sorted.contains(&3));
        *sorted.or_default(4) = "d";
        *sorted.or_default(1) = "z";
        assert_eq!(sorted.into_vec(), [(1, "z"), (4, "d"), (5, "e")]);
    }
}
