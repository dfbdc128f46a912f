//! What a number of times says about the time of a computation.
//!
//! Times have outliers in one direction, so the median counts, with a confidence interval by order statistics: of n sorted
//! times, the median of the distribution lies between two of them with a probability that the binomial distribution
//! gives (Conover, Practical Nonparametric Statistics, section 3.2). It assumes nothing about the distribution.

/// The middle of some times, and where the true median lies with 95% confidence, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Summary {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

impl Summary {
    /// Of at least one time. With fewer than six times the interval has less confidence: it is then all of them.
    pub fn of(times: &[f64]) -> Summary {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let median = f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2]);
        let (low, high) = ranks(n);
        Summary { median, low: sorted[low], high: sorted[high] }
    }

    /// Half the width of the interval relative to the median.
    pub fn uncertainty(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.median.max(f64::MIN_POSITIVE)
    }
}

/// The indices of the times that enclose the median with 95% confidence: the largest k such that fewer than k of n times
/// are below the median with a probability of at most 2.5%.
fn ranks(n: usize) -> (usize, usize) {
    // Beyond this the probabilities underflow, and the normal distribution is close enough.
    if n > 1000 {
        let k = ((n as f64 - 1.96 * (n as f64).sqrt()) / 2.0) as usize;
        return (k, n - 1 - k);
    }
    let mut probability = 0.5f64.powi(n as i32);
    let (mut below, mut k) = (0.0, 0);
    while below + probability <= 0.025 {
        below += probability;
        probability *= (n - k) as f64 / (k + 1) as f64;
        k += 1;
    }
    let k = k.saturating_sub(1);
    (k, n - 1 - k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_tables() {
        // Six times are the fewest that enclose the median with 95% confidence.
        assert_eq!(
            [1, 5, 6, 8, 9, 10, 20, 100].map(ranks),
            [(0, 0), (0, 4), (0, 5), (0, 7), (1, 7), (1, 8), (5, 14), (39, 60),]
        );
        // Both formulas agree where one takes over from the other.
        assert_eq!(ranks(1000), (468, 531));
        assert_eq!(ranks(1001), (469, 531));
    }

    #[test]
    fn outliers_do_not_matter() {
        let mut times = vec![1.0; 19];
        times.push(1000.0);
        assert_eq!(Summary::of(&times), Summary { median: 1.0, low: 1.0, high: 1.0 });
        assert_eq!(Summary::of(&[1.0, 3.0]), Summary { median: 2.0, low: 1.0, high: 3.0 });
    }
}
