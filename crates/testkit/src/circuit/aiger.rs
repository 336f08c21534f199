//! A simulator of AIGER texts, by the format's description and nothing else.

use super::oracle::{NaiveCircuit, Step};

/// A circuit as its text lists it. Only right texts are read.
#[derive(Debug)]
pub struct NaiveAiger {
    largest: usize,
    inputs: Vec<usize>,
    latches: Vec<[usize; 3]>,
    /// The outputs.
    pub outputs: Vec<usize>,
    /// The bad states.
    pub bad: Vec<usize>,
    constraints: Vec<usize>,
    /// The justice properties.
    pub justice: Vec<Vec<usize>>,
    fair: Vec<usize>,
    gates: Vec<[usize; 3]>,
}

impl NaiveAiger {
    /// Reads a text of the form `aag`.
    pub fn read(text: &str) -> Self {
        let mut lines = text.lines().map(|line| {
            let numbers = line.split(' ').map(str::parse::<usize>);
            numbers.filter_map(Result::ok).collect::<Vec<_>>()
        });
        let mut header = lines.next().expect("there is a header");
        header.resize(9, 0);
        let mut take = |n: usize| lines.by_ref().take(n).collect::<Vec<_>>();
        let firsts = |rows: Vec<Vec<usize>>| rows.into_iter().map(|row| row[0]).collect::<Vec<_>>();
        let inputs = firsts(take(header[1]));
        let latches = take(header[2]);
        let latches = latches.into_iter();
        let latches = latches.map(|row| [row[0], row[1], row.get(2).copied().unwrap_or(0)]);
        let latches = latches.collect();
        let outputs = firsts(take(header[3]));
        let bad = firsts(take(header[5]));
        let constraints = firsts(take(header[6]));
        let sizes = firsts(take(header[7]));
        let justice = sizes.into_iter().map(|size| firsts(take(size))).collect();
        let fair = firsts(take(header[8]));
        let gates = take(header[4]).into_iter();
        let gates = gates.map(|row| [row[0], row[1], row[2]]).collect();
        Self {
            largest: header[0],
            inputs,
            latches,
            outputs,
            bad,
            constraints,
            justice,
            fair,
            gates,
        }
    }

    /// The values of all literals; gates are computed again and again until each has its value.
    fn values(&self, state: u64, input: u64) -> Vec<bool> {
        let mut known: Vec<Option<bool>> = vec![None; 2 * self.largest + 2];
        let set = |known: &mut Vec<Option<bool>>, lit: usize, value: bool| {
            known[lit] = Some(value);
            known[lit ^ 1] = Some(!value);
        };
        set(&mut known, 0, false);
        for (i, &lit) in self.inputs.iter().enumerate() {
            set(&mut known, lit, input >> i & 1 == 1);
        }
        for (i, latch) in self.latches.iter().enumerate() {
            set(&mut known, latch[0], state >> i & 1 == 1);
        }
        for _ in 0..=self.gates.len() {
            for &[output, left, right] in &self.gates {
                if let (Some(left), Some(right)) = (known[left], known[right]) {
                    set(&mut known, output, left && right);
                }
            }
        }
        known.into_iter().map(Option::unwrap_or_default).collect()
    }
}

impl NaiveCircuit for NaiveAiger {
    fn initial(&self) -> Vec<u64> {
        let mut states = vec![0];
        for (i, &[own, _, reset]) in self.latches.iter().enumerate() {
            let with = |value: u64| states.iter().map(move |state| state | value << i);
            states = match reset {
                reset if reset == own => with(0).chain(with(1)).collect(),
                reset => with(reset as u64).collect(),
            };
        }
        states
    }

    fn n_inputs(&self) -> u64 {
        1 << self.inputs.len()
    }

    fn step(&self, state: u64, input: u64) -> Step {
        let values = self.values(state, input);
        let of = |lits: &[usize]| lits.iter().map(|&lit| values[lit]).collect::<Vec<_>>();
        let next = self.latches.iter().enumerate();
        let next = next.fold(0, |next, (i, latch)| {
            next | u64::from(values[latch[1]]) << i
        });
        let is_old = self.bad.is_empty() && self.justice.is_empty();
        Step {
            next,
            allowed: of(&self.constraints).iter().all(|&met| met),
            bad: of(if is_old { &self.outputs } else { &self.bad }),
            justice: self.justice.iter().map(|lits| of(lits)).collect(),
            fair: of(&self.fair),
        }
    }
}
