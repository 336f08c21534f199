//! Difference bound matrices: for each two of some numbers, a bound on their difference (Dill, "Timing assumptions and
//! verification of finite-state concurrent systems", 1989).
//!
//! Invariant: the bounds are as tight as they follow from each other. So leaving out a number means leaving out its
//! bounds, and one matrix has fewer solutions than another exactly if each of its bounds is as tight.

/// An upper bound on a difference: twice the bound, plus one if it may be reached. So tighter bounds are smaller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Bound(i64);

impl Bound {
    /// There is no bound.
    pub const NONE: Self = Self(i64::MAX);
    /// At most 0.
    pub const ZERO: Self = Self(1);

    /// At most a value.
    pub fn at_most(value: i64) -> Self {
        Self(value * 2 + 1)
    }

    /// Less than a value.
    pub fn below(value: i64) -> Self {
        Self(value * 2)
    }

    /// The value, if there is a bound, and whether it may be reached.
    pub fn get(self) -> Option<(i64, bool)> {
        (self != Self::NONE).then_some((self.0 >> 1, self.0 & 1 == 1))
    }

    /// The bound on a sum. One that cannot be told is left out, or made wider.
    fn plus(self, other: Self) -> Self {
        if self == Self::NONE || other == Self::NONE {
            return Self::NONE;
        }
        let both_reached = self.0 & other.0 & 1;
        match (self.0 & !1).checked_add(other.0 & !1) {
            Some(sum) => Self(sum | both_reached),
            None if self.0 > 0 => Self::NONE,
            None => Self(i64::MIN | 1),
        }
    }
}

/// Bounds on the differences of `n` numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Matrix {
    n: usize,
    bounds: Box<[Bound]>,
}

impl Matrix {
    /// The numbers are any.
    pub fn anything(n: usize) -> Self {
        let mut matrix = Self {
            n,
            bounds: vec![Bound::NONE; n * n].into(),
        };
        for i in 0..n {
            matrix.bounds[i * n + i] = Bound::ZERO;
        }
        matrix
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.n
    }

    /// The bound on a number minus another.
    pub fn bound(&self, number: usize, minus: usize) -> Bound {
        self.bounds[number * self.n + minus]
    }

    /// The matrix with further numbers, which are any, so that there are `n`.
    pub fn extended(&self, n: usize) -> Self {
        let mut matrix = Self::anything(n);
        for (i, row) in self.bounds.chunks(self.n).enumerate() {
            matrix.bounds[i * n..i * n + self.n].copy_from_slice(row);
        }
        matrix
    }

    /// Demands a bound on a number minus another; says whether there are still solutions.
    pub fn demand(&mut self, number: usize, minus: usize, bound: Bound) -> bool {
        if self.bound(number, minus) <= bound {
            return true;
        }
        if bound.plus(self.bound(minus, number)) < Bound::ZERO {
            return false;
        }
        for from in 0..self.n {
            let there = self.bound(from, number).plus(bound);
            if there == Bound::NONE {
                continue;
            }
            for to in 0..self.n {
                let through = there.plus(self.bound(minus, to));
                let own = &mut self.bounds[from * self.n + to];
                *own = through.min(*own);
            }
        }
        true
    }

    /// The matrix of some of the numbers, each with a constant added; those that are not told are any.
    pub fn chosen(&self, numbers: &[Option<(usize, i64)>]) -> Self {
        let n = numbers.len();
        let mut matrix = Self::anything(n);
        for (i, own) in numbers.iter().enumerate() {
            for (j, other) in numbers.iter().enumerate() {
                if let (Some((own, more)), Some((other, less))) = (*own, *other)
                    && i != j
                {
                    let shift = Bound::at_most(more - less);
                    matrix.bounds[i * n + j] = self.bound(own, other).plus(shift);
                }
            }
        }
        matrix
    }

    /// Leaves out what cannot matter for comparisons of the numbers with constants up to `limits`; the first number is zero.
    ///
    /// A number above its limit is as good as any other above it, and so are its differences from the others: the
    /// abstraction `Extra⁺` of Behrmann, Bouyer, Larsen and Pelánek, "Lower and upper bounds in zone-based abstractions of
    /// timed automata", 2006. It gives finitely many matrices, and every path between them is one of the real system.
    pub fn forget_above(&mut self, limits: &[Option<i64>]) {
        let n = self.n;
        let value = |bound: Bound| bound.get().map(|(value, _)| value);
        let above: Vec<bool> = (0..n)
            .map(|i| match (i, limits[i]) {
                (0, _) => false,
                (_, None) => true,
                (_, Some(limit)) => value(self.bound(0, i)).is_some_and(|least| -least > limit),
            })
            .collect();
        let mut has_changed = false;
        for i in 0..n {
            for j in (0..n).filter(|&j| j != i) {
                let own = self.bound(i, j);
                let is_high = |limit: i64| value(own).is_some_and(|value| value > limit);
                let new = match (limits[i], limits[j]) {
                    _ if above[i] || above[j] && i != 0 => Bound::NONE,
                    (Some(limit), _) if i != 0 && is_high(limit) => Bound::NONE,
                    (_, Some(limit)) if above[j] => own.max(Bound::below(-limit)),
                    (_, None) if j != 0 => Bound::NONE,
                    _ => own,
                };
                has_changed |= new != own;
                self.bounds[i * n + j] = new;
            }
        }
        if has_changed {
            self.tighten();
        }
    }

    /// Makes all bounds as tight as they follow from each other; there are solutions.
    fn tighten(&mut self) {
        for through in 0..self.n {
            for from in 0..self.n {
                let there = self.bound(from, through);
                if there == Bound::NONE {
                    continue;
                }
                for to in 0..self.n {
                    let around = there.plus(self.bound(through, to));
                    let own = &mut self.bounds[from * self.n + to];
                    *own = around.min(*own);
                }
            }
        }
    }

    /// Whether all solutions of another matrix are solutions of this one.
    pub fn includes(&self, other: &Self) -> bool {
        let pairs = self.bounds.iter().zip(&other.bounds);
        self.n == other.n && pairs.into_iter().all(|(own, other)| own >= other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All points of a small grid, in quarters, that satisfy some demands `number - minus ≤ value` (or `<`).
    fn points(n: usize, demands: &[(usize, usize, i64, bool)]) -> Vec<Vec<i64>> {
        let mut points = vec![vec![0]];
        for _ in 1..n {
            let longer = points.iter().flat_map(|point| {
                (0..24).map(move |value| [&point[..], &[value]].concat())
            });
            points = longer.collect();
        }
        points.retain(|point| {
            demands.iter().all(|&(number, minus, value, is_reached)| {
                let difference = point[number] - point[minus];
                difference < 4 * value || is_reached && difference == 4 * value
            })
        });
        points
    }

    fn satisfies(matrix: &Matrix, point: &[i64]) -> bool {
        (0..matrix.len()).all(|i| {
            (0..matrix.len()).all(|j| match matrix.bound(i, j).get() {
                None => true,
                Some((value, true)) => point[i] - point[j] <= 4 * value,
                Some((value, false)) => point[i] - point[j] < 4 * value,
            })
        })
    }

    fn demands() -> impl Strategy<Value = Vec<(usize, usize, i64, bool)>> {
        let one = (0usize..3, 0usize..3, -4i64..5, any::<bool>());
        proptest::collection::vec(one, 0..6)
    }

    proptest! {
        /// Demands keep the points that satisfy them, and no others; forgetting keeps all.
        #[test]
        fn a_matrix_has_the_solutions_of_its_demands(demands in demands()) {
            let mut matrix = Matrix::anything(3);
            let is_possible = demands.iter().all(|&(number, minus, value, is_reached)| {
                let bound = if is_reached { Bound::at_most(value) } else { Bound::below(value) };
                number != minus && matrix.demand(number, minus, bound)
                    || number == minus && (value > 0 || value == 0 && is_reached)
            });
            let expected = points(3, &demands);
            if !is_possible {
                prop_assert!(expected.is_empty());
                return Ok(());
            }
            for point in points(3, &[]) {
                prop_assert_eq!(satisfies(&matrix, &point), expected.contains(&point));
            }
            let mut coarser = matrix.clone();
            coarser.forget_above(&[Some(0), Some(2), None]);
            prop_assert!(coarser.includes(&matrix));
        }

        /// What is above its limit is forgotten, and nothing else: points that the limits tell apart stay apart.
        #[test]
        fn numbers_below_their_limits_keep_their_values(x in 0i64..5, y in 0i64..5, limit in 0i64..5) {
            let mut matrix = Matrix::anything(3);
            for (i, value) in [(1, x), (2, y)] {
                prop_assert!(matrix.demand(i, 0, Bound::at_most(value)));
                prop_assert!(matrix.demand(0, i, Bound::at_most(-value)));
            }
            matrix.forget_above(&[Some(0), Some(limit), Some(limit)]);
            for (i, value) in [(1, x), (2, y)] {
                let expected = if value > limit { Bound::NONE } else { Bound::at_most(value) };
                prop_assert_eq!(matrix.bound(i, 0), expected);
                let least = if value > limit { Bound::below(-limit) } else { Bound::at_most(-value) };
                prop_assert_eq!(matrix.bound(0, i), least);
            }
        }
    }

    #[test]
    fn differences_stay_when_a_number_is_left_out_or_shifted() {
        let mut matrix = Matrix::anything(3);
        assert!(matrix.demand(1, 0, Bound::at_most(3)));
        assert!(matrix.demand(2, 1, Bound::below(4)));
        let chosen = matrix.chosen(&[Some((0, 0)), Some((2, 1)), None, Some((0, 5))]);
        assert_eq!(chosen.bound(1, 0), Bound::below(8));
        assert_eq!(chosen.bound(2, 0), Bound::NONE);
        assert_eq!((chosen.bound(3, 0), chosen.bound(0, 3)), (Bound::at_most(5), Bound::at_most(-5)));
    }
}
