//! Sorting, for a program that a page loads: the standard library's sort is several kB for each type it is used with.

/// Sorts by a number; what has the same number keeps its order.
pub fn sorted_by_number<T>(items: Vec<T>, number: impl Fn(&T) -> u64) -> Vec<T> {
    let order = order(items.iter().map(number).collect());
    let mut slots: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order
        .into_iter()
        .filter_map(|at| slots[at as usize].take())
        .collect()
}

/// The places of the numbers, smallest number first.
fn order(numbers: Vec<u64>) -> Vec<u32> {
    let mut order: Vec<(u64, u32)> = numbers.into_iter().zip(0..).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_keep_their_order() {
        let items = vec![(2, 'a'), (1, 'b'), (2, 'c'), (0, 'd'), (1, 'e')];
        let sorted: String = sorted_by_number(items, |item| item.0)
            .into_iter()
            .map(|item| item.1)
            .collect();
        assert_eq!(sorted, "dbeac");
    }
}
