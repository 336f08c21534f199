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

/// How far a number matters: the largest constants that it is compared with, as bounds from below and from above.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Limit {
    pub lower: Option<i64>,
    pub upper: Option<i64>,
}

impl Limit {
    /// The number is compared with nothing.
    pub const NOTHING: Self = Self {
        lower: None,
        upper: None,
    };

    /// The number is compared with a constant.
    pub fn at(constant: i64) -> Self {
        Self {
            lower: Some(constant),
            upper: Some(constant),
        }
    }

    /// As far as one of two matters.
    pub fn max(self, other: Self) -> Self {
        Self {
            lower: self.lower.max(other.lower),
            upper: self.upper.max(other.upper),
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
    /// timed automata", 2006. It gives finitely many matrices, and every path between them is one of the real system, also
    /// every infinite one (Li, "Checking timed Büchi automata emptiness using LU-abstractions", 2009).
    pub fn forget_above(&mut self, limits: &[Limit]) {
        let n = self.n;
        let least: Vec<Option<i64>> = (0..n)
            .map(|i| self.bound(0, i).get().map(|(value, _)| -value))
            .collect();
        let mut has_changed = false;
        for i in 0..n {
            for j in (0..n).filter(|&j| j != i) {
                let own = self.bound(i, j);
                let Some((value, _)) = own.get() else {
                    continue;
                };
                let is_high = i != 0 && Some(value).max(least[i]) > limits[i].lower;
                let new = if is_high {
                    Bound::NONE
                } else if j == 0 || least[j] <= limits[j].upper {
                    own
                } else if i != 0 {
                    Bound::NONE
                } else {
                    let limit = limits[j].upper;
                    limit.map_or(Bound::NONE, |limit| own.max(Bound::below(-limit)))
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
    use lariat_testkit::{Rng, rng};
    use rand::Rng as _;

    /// A number, the one that it is compared with, the bound, and whether it may be reached.
    type Demand = (usize, usize, i64, bool);

    /// All points of a small grid, in quarters, that satisfy some demands `number - minus ≤ value` (or `<`).
    fn points(n: usize, demands: &[Demand]) -> Vec<Vec<i64>> {
        let mut points = vec![vec![0]];
        for _ in 1..n {
            let longer = points
                .iter()
                .flat_map(|point| (0..24).map(move |value| [&point[..], &[value]].concat()));
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

    /// Demands keep the points that satisfy them, and no others; forgetting keeps all.
    #[test]
    fn a_matrix_has_the_solutions_of_its_demands() {
        let mut random = rng(1);
        for _ in 0..300 {
            let n = random.random_range(0..6);
            let demands: Vec<Demand> = (0..n).map(|_| demand(&mut random)).collect();
            let mut matrix = Matrix::anything(3);
            let is_possible = demands.iter().all(|&(number, minus, value, is_reached)| {
                let bound = if is_reached {
                    Bound::at_most(value)
                } else {
                    Bound::below(value)
                };
                matrix.demand(number, minus, bound)
            });
            let expected = points(3, &demands);
            if !is_possible {
                assert!(expected.is_empty(), "{demands:?}");
                continue;
            }
            for point in points(3, &[]) {
                let is_in = expected.contains(&point);
                assert_eq!(satisfies(&matrix, &point), is_in, "{demands:?}: {point:?}");
            }
            let mut coarser = matrix.clone();
            coarser.forget_above(&[Limit::at(0), Limit::at(2), Limit::NOTHING]);
            assert!(coarser.includes(&matrix), "{demands:?}");
        }
    }

    /// A difference of two different numbers.
    fn demand(random: &mut Rng) -> Demand {
        let number = random.random_range(0..3);
        let minus = (number + random.random_range(1..3)) % 3;
        (number, minus, random.random_range(-4..5), random.random())
    }

    /// What is above its limit is forgotten, and nothing else.
    #[test]
    fn numbers_below_their_limits_keep_their_values() {
        for (value, limit) in (0..5).flat_map(|x| (0..5).map(move |limit| (x, limit))) {
            let mut matrix = Matrix::anything(2);
            assert!(matrix.demand(1, 0, Bound::at_most(value)));
            assert!(matrix.demand(0, 1, Bound::at_most(-value)));
            matrix.forget_above(&[Limit::at(0), Limit::at(limit)]);
            let expected = if value > limit {
                (Bound::NONE, Bound::below(-limit))
            } else {
                (Bound::at_most(value), Bound::at_most(-value))
            };
            assert_eq!((matrix.bound(1, 0), matrix.bound(0, 1)), expected);
        }
    }

    #[test]
    fn only_bounds_that_are_asked_for_are_kept() {
        let mut matrix = Matrix::anything(2);
        assert!(matrix.demand(1, 0, Bound::at_most(3)));
        assert!(matrix.demand(0, 1, Bound::at_most(-1)));
        let asked = |lower, upper| {
            let mut coarser = matrix.clone();
            coarser.forget_above(&[Limit::at(0), Limit { lower, upper }]);
            (coarser.bound(1, 0), coarser.bound(0, 1))
        };
        // Whether it is at least 5 needs the greatest value, whether it is at most 5 the least.
        assert_eq!(asked(Some(5), None), (Bound::at_most(3), Bound::NONE));
        assert_eq!(asked(None, Some(5)), (Bound::NONE, Bound::at_most(-1)));
        assert_eq!(asked(None, Some(0)), (Bound::NONE, Bound::below(0)));
    }

    #[test]
    fn differences_stay_when_a_number_is_left_out_or_shifted() {
        let mut matrix = Matrix::anything(3);
        assert!(matrix.demand(1, 0, Bound::at_most(3)));
        assert!(matrix.demand(2, 1, Bound::below(4)));
        let chosen = matrix.chosen(&[Some((0, 0)), Some((2, 1)), None, Some((0, 5))]);
        assert_eq!(chosen.bound(1, 0), Bound::below(8));
        assert_eq!(chosen.bound(2, 0), Bound::NONE);
        assert_eq!(
            (chosen.bound(3, 0), chosen.bound(0, 3)),
            (Bound::at_most(5), Bound::at_most(-5))
        );
    }
}
