//! Truth values of predicates: one combination (a cube), and sets of combinations kept as one (a region).

/// The truth of each predicate: true, false or unknown; two bits each. Predicates beyond the end are
/// unknown and the last word is not zero: a cube is the same under every later precision.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Cube {
    words: Vec<u64>,
}

/// The low bit of each pair: whether the truth is known.
const KNOWN: u64 = 0x5555_5555_5555_5555;

impl Cube {
    /// Nothing is known.
    pub fn unknown() -> Self {
        Self::default()
    }

    /// The truth of the `i`-th predicate.
    pub fn get(&self, i: usize) -> Option<bool> {
        let bits = self.word(i / 32) >> (2 * (i % 32)) & 3;
        (bits & 1 == 1).then_some(bits & 2 != 0)
    }

    /// Sets the truth of the `i`-th predicate.
    pub fn set(&mut self, i: usize, truth: Option<bool>) {
        let shift = 2 * (i % 32);
        let bits = truth.map_or(0, |truth| 1 | u64::from(truth) << 1);
        if self.words.len() <= i / 32 {
            self.words.resize(i / 32 + 1, 0);
        }
        self.words[i / 32] = self.words[i / 32] & !(3 << shift) | bits << shift;
        self.trim();
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    fn word(&self, at: usize) -> u64 {
        self.words.get(at).copied().unwrap_or(0)
    }

    /// Whether every combination of `other` is one of this cube.
    fn covers(&self, other: &Self) -> bool {
        self.words.iter().enumerate().all(|(at, &mine)| {
            let known = mine & KNOWN;
            (mine ^ other.word(at)) & (known | known << 1) == 0
        })
    }

    /// The least cube that covers both.
    fn join(&mut self, other: &Self) {
        for (at, mine) in self.words.iter_mut().enumerate() {
            let differs = *mine ^ other.word(at);
            let keep = *mine & KNOWN & !differs & !(differs >> 1);
            *mine &= keep | keep << 1;
        }
        self.trim();
    }
}

/// A set of combinations: the disjunction of its cubes, of which there is at least one. They are sorted
/// and none covers another.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Region {
    cubes: Box<[Cube]>,
}

impl Region {
    /// The region of one cube.
    pub fn one(cube: Cube) -> Self {
        Self {
            cubes: Box::new([cube]),
        }
    }

    /// The region of some cubes over `n` predicates, if there are any; beyond `max` cubes, the least cube
    /// that covers them.
    pub fn of(mut cubes: Vec<Cube>, n: usize, max: usize) -> Option<Self> {
        if cubes.is_empty() {
            return None;
        }
        merge(&mut cubes, n);
        let region = Self {
            cubes: cubes.into(),
        };
        if region.cubes.len() > max.max(1) {
            return Some(Self::one(region.hull()));
        }
        Some(region)
    }

    /// The least cube that covers all of them.
    pub fn hull(&self) -> Cube {
        let (first, others) = self.cubes.split_first().expect("there is a cube");
        let mut hull = first.clone();
        for cube in others {
            hull.join(cube);
        }
        hull
    }

    /// Whether each cube of `other` is covered by one of this region.
    pub fn covers(&self, other: &Self) -> bool {
        let is_covered = |small: &Cube| self.cubes.iter().any(|cube| cube.covers(small));
        other.cubes.iter().all(is_covered)
    }

    /// Its cubes.
    pub fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    /// The region of one combination.
    pub fn of_truths(truths: &[bool]) -> Self {
        let mut cube = Cube::unknown();
        for (i, &truth) in truths.iter().enumerate() {
            cube.set(i, Some(truth));
        }
        Self::one(cube)
    }

    /// The region of some combinations of `n` predicates, in few cubes.
    pub fn of_combinations(combinations: &[Vec<bool>], n: usize) -> Option<Self> {
        let cubes = combinations
            .iter()
            .map(|truths| Self::of_truths(truths).hull());
        Self::of(cubes.collect(), n, usize::MAX)
    }

    /// The combinations of `n` predicates in it.
    pub fn combinations(&self, n: usize) -> Vec<Vec<bool>> {
        let mut found: Vec<Vec<bool>> = Vec::new();
        for cube in &self.cubes {
            let mut all = vec![Vec::with_capacity(n)];
            for i in 0..n {
                match cube.get(i) {
                    Some(truth) => all.iter_mut().for_each(|truths| truths.push(truth)),
                    None => {
                        let mut others = all.clone();
                        for truths in &mut all {
                            truths.push(false);
                        }
                        for truths in &mut others {
                            truths.push(true);
                        }
                        all.append(&mut others);
                    }
                }
            }
            found.append(&mut all);
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Makes two cubes that differ in the truth of one predicate into one, and drops what others cover.
fn merge(cubes: &mut Vec<Cube>, n: usize) {
    loop {
        cubes.sort_unstable();
        cubes.dedup();
        let before = cubes.len();
        for i in 0..n {
            let mut merged = Vec::new();
            for cube in &*cubes {
                if cube.get(i) != Some(false) {
                    continue;
                }
                let mut other = cube.clone();
                other.set(i, Some(true));
                if cubes.binary_search(&other).is_ok() {
                    other.set(i, None);
                    merged.push(other);
                }
            }
            if !merged.is_empty() {
                cubes.retain(|cube| !merged.iter().any(|wide| wide.covers(cube)));
                cubes.extend(merged);
                cubes.sort_unstable();
                cubes.dedup();
            }
        }
        let all = cubes.clone();
        cubes.retain(|cube| !all.iter().any(|wide| wide != cube && wide.covers(cube)));
        if cubes.len() == before {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One character for each predicate: `1`, `0` or `-`.
    fn cube(text: &str) -> Cube {
        let mut cube = Cube::unknown();
        for (i, c) in text.chars().enumerate() {
            cube.set(i, (c != '-').then_some(c == '1'));
        }
        cube
    }

    fn check(cubes: &[&str], max: usize, expected: &[&str]) {
        let n = cubes[0].len();
        let region = Region::of(cubes.iter().map(|text| cube(text)).collect(), n, max);
        let mut expected: Vec<Cube> = expected.iter().map(|text| cube(text)).collect();
        expected.sort_unstable();
        assert_eq!(region.expect("there are cubes").cubes(), expected);
    }

    #[test]
    fn cubes_that_differ_once_become_one() {
        check(&["10", "11", "00", "01"], 9, &["--"]);
        check(&["10", "01"], 9, &["10", "01"]);
        check(&["1-", "11", "10"], 9, &["1-"]);
        check(&["100", "101", "011"], 9, &["10-", "011"]);
    }

    #[test]
    fn cubes_of_different_precisions_compare() {
        let (mut short, mut long) = (Cube::unknown(), Cube::unknown());
        short.set(3, Some(true));
        long.set(3, Some(true));
        long.set(70, Some(false));
        assert_eq!((short.get(70), long.get(70)), (None, Some(false)));
        assert!(short.covers(&long) && !long.covers(&short));
        let mut joined = long.clone();
        joined.join(&short);
        assert_eq!(joined, short);
        long.set(70, None);
        assert_eq!(long, short);
    }

    #[test]
    fn too_many_cubes_become_their_hull() {
        check(&["101", "011"], 1, &["--1"]);
        check(&["1--", "-0-"], 1, &["---"]);
        check(&["101", "011"], 2, &["101", "011"]);
    }

    #[test]
    fn no_cubes_are_no_region() {
        assert_eq!(Region::of(Vec::new(), 3, 4), None);
        let nothing = Region::of(vec![Cube::unknown(), Cube::unknown()], 0, 4);
        assert_eq!(nothing, Some(Region::one(Cube::unknown())));
    }
}
