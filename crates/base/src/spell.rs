//! "Did you mean": the closest of some known names.

/// The candidate closest to `wrong`, if one is close enough to be worth offering.
pub fn closest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Every one-letter name is one edit away from every other.
    if wrong.chars().count() == 1 {
        return None;
    }
    let limit = (wrong.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .filter(|c| *c != wrong)
        .map(|c| (distance(wrong, c, limit + 1), c))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, c)| (*d, c.len(), *c))
        .map(|(_, c)| c)
}

/// Edits (insert, delete, replace, swap of neighbours) from `a` to `b`; anything above `cap` gives `cap`.
fn distance(a: &str, b: &str, cap: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) >= cap {
        return cap;
    }
    let mut older = vec![0; b.len() + 1];
    let mut old: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = old[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(old[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(older[j - 2] + 1);
            }
        }
        (older, old) = (old, row);
    }
    old[b.len()].min(cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_near_names_only() {
        let known = ["replicate", "reduce", "rotate", "iota"];
        assert_eq!(closest("repliacte", known), Some("replicate"));
        assert_eq!(closest("reduse", known), Some("reduce"));
        assert_eq!(closest("itoa", known), Some("iota"));
        assert_eq!(closest("banana", known), None);
    }
}
