//! The known word that an unknown one was probably meant to be.

/// The candidate with the fewest edits, if it is near enough to be meant.
pub(crate) fn nearest(
    word: &str,
    candidates: impl IntoIterator<Item = &'static str>,
) -> Option<&'static str> {
    let word: Vec<char> = word.chars().take(40).collect();
    candidates
        .into_iter()
        .map(|candidate| (edits(&word, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= candidate.len() / 3 + 1)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

fn edits(word: &[char], candidate: &str) -> usize {
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (i, c) in candidate.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, w) in word.iter().enumerate() {
            let substituted = diagonal + usize::from(!w.eq_ignore_ascii_case(&c));
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[word.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognized_and_another_word_is_not() {
        let known = ["thp", "overcommit", "max_map_count"];
        assert_eq!(nearest("max_mapcount", known), Some("max_map_count"));
        assert_eq!(nearest("THP", known), Some("thp"));
        assert_eq!(nearest("cheese", known), None);
        assert_eq!(nearest("", known), None);
    }
}
