//! A simulator of BTOR2 texts, by the format's description and nothing else: machine integers, line by line.
#![expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "bits are read with and without a sign"
)]

use super::oracle::{NaiveCircuit, Step};
use std::collections::BTreeMap;

/// A circuit as its text lists it. Only right texts of small widths are read.
#[derive(Debug)]
pub struct NaiveBtor2 {
    lines: Vec<Vec<String>>,
    sorts: BTreeMap<i64, Sort>,
    states: Vec<(i64, Sort)>,
    inputs: Vec<(i64, Sort)>,
    next: BTreeMap<i64, i64>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Sort {
    Bits(u32),
    Array(u32, u32),
}

impl Sort {
    fn n_bits(self) -> u32 {
        match self {
            Self::Bits(width) => width,
            Self::Array(index, element) => element << index,
        }
    }
}

/// A value: an array is the list of its elements, packed like everything else.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Val {
    sort: Sort,
    bits: u64,
}

impl NaiveBtor2 {
    /// Reads a text.
    pub fn read(text: &str) -> Self {
        let words = |line: &str| {
            let line = line.split(';').next().unwrap_or_default();
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let lines: Vec<Vec<String>> = text.lines().map(words).filter(|l| !l.is_empty()).collect();
        let mut circuit = Self {
            lines: Vec::new(),
            sorts: BTreeMap::new(),
            states: Vec::new(),
            inputs: Vec::new(),
            next: BTreeMap::new(),
        };
        for line in &lines {
            let (id, at) = (number(&line[0]), |place: usize| number(&line[place]));
            match line[1].as_str() {
                "sort" if line[2] == "bitvec" => {
                    circuit.sorts.insert(id, Sort::Bits(at(3) as u32));
                }
                "sort" => {
                    let (index, element) = (circuit.sorts[&at(3)], circuit.sorts[&at(4)]);
                    let array = Sort::Array(index.n_bits(), element.n_bits());
                    circuit.sorts.insert(id, array);
                }
                "state" => circuit.states.push((id, circuit.sorts[&at(2)])),
                "input" => circuit.inputs.push((id, circuit.sorts[&at(2)])),
                "next" => {
                    circuit.next.insert(at(3), at(4));
                }
                _ => {}
            }
        }
        circuit.lines = lines;
        circuit
    }

    fn free(&self) -> impl Iterator<Item = &(i64, Sort)> {
        let states = self.states.iter();
        states.filter(|(id, _)| !self.next.contains_key(id))
    }

    /// The values of all nodes.
    fn values(&self, state: u64, input: u64) -> BTreeMap<i64, Val> {
        let mut values = BTreeMap::new();
        for (list, mut bits) in [(&self.states, state), (&self.inputs, input)] {
            for &(id, sort) in list {
                values.insert(id, take(&mut bits, sort));
            }
        }
        for line in &self.lines {
            let (id, keyword) = (number(&line[0]), line[1].as_str());
            let skipped = [
                "sort",
                "state",
                "input",
                "init",
                "next",
                "bad",
                "constraint",
                "fair",
                "justice",
                "output",
            ];
            if skipped.contains(&keyword) {
                continue;
            }
            let sort = self.sorts[&number(&line[2])];
            let value = match keyword {
                "zero" => 0,
                "one" => 1,
                "ones" => u64::MAX,
                "const" => u64::from_str_radix(&line[3], 2).expect("binary digits"),
                "constd" => number(&line[3]) as u64,
                "consth" => u64::from_str_radix(&line[3], 16).expect("hexadecimal digits"),
                "sext" => signed(value_at(&values, &line[3])) as u64,
                "uext" => value_at(&values, &line[3]).bits,
                "slice" => value_at(&values, &line[3]).bits >> number(&line[5]),
                _ => {
                    let args = line[3..].iter().take(arity(keyword));
                    let args: Vec<Val> = args.map(|arg| value_at(&values, arg)).collect();
                    apply(keyword, &args)
                }
            };
            values.insert(id, cut(value, sort));
        }
        values
    }
}

fn number(text: &str) -> i64 {
    text.parse().expect("a number")
}

fn take(bits: &mut u64, sort: Sort) -> Val {
    let value = cut(*bits, sort);
    *bits >>= sort.n_bits();
    value
}

fn cut(bits: u64, sort: Sort) -> Val {
    let bits = bits & ((1 << sort.n_bits()) - 1);
    Val { sort, bits }
}

fn value_at(values: &BTreeMap<i64, Val>, word: &str) -> Val {
    let id = number(word);
    let value = values[&id.abs()];
    if id < 0 {
        cut(!value.bits, value.sort)
    } else {
        value
    }
}

fn signed(value: Val) -> i64 {
    let width = value.sort.n_bits();
    let sign = 1_i64 << (width - 1);
    let bits = value.bits as i64;
    if bits & sign == 0 {
        bits
    } else {
        bits - 2 * sign
    }
}

fn arity(keyword: &str) -> usize {
    match keyword {
        "not" | "inc" | "dec" | "neg" | "redand" | "redor" | "redxor" => 1,
        "ite" | "write" => 3,
        _ => 2,
    }
}

/// The result, before it is cut to its width.
fn apply(keyword: &str, args: &[Val]) -> u64 {
    let width = args[0].sort.n_bits();
    let all = (1_u64 << width) - 1;
    let a = args[0].bits;
    let b = args.get(1).map_or(0, |arg| arg.bits);
    let (sa, sb) = (signed(args[0]), args.get(1).map_or(0, |&arg| signed(arg)));
    let fits = |exact: i64| exact >= -(1 << (width - 1)) && exact < 1 << (width - 1);
    let rotated = |by: u64| {
        let by = by % u64::from(width);
        (a << by | a >> (u64::from(width) - by)) & all
    };
    match keyword {
        "not" => !a,
        "inc" => a.wrapping_add(1),
        "dec" => a.wrapping_sub(1),
        "neg" => a.wrapping_neg(),
        "redand" => u64::from(a == all),
        "redor" => u64::from(a != 0),
        "redxor" => u64::from(a.count_ones() % 2 == 1),
        "iff" | "eq" => u64::from(a == b),
        "neq" => u64::from(a != b),
        "implies" => u64::from(a == 0 || b == 1),
        "ugt" => u64::from(a > b),
        "ugte" => u64::from(a >= b),
        "ult" => u64::from(a < b),
        "ulte" => u64::from(a <= b),
        "sgt" => u64::from(sa > sb),
        "sgte" => u64::from(sa >= sb),
        "slt" => u64::from(sa < sb),
        "slte" => u64::from(sa <= sb),
        "and" => a & b,
        "nand" => !(a & b),
        "nor" => !(a | b),
        "or" => a | b,
        "xnor" => !(a ^ b),
        "xor" => a ^ b,
        "sll" if b >= u64::from(width) => 0,
        "sll" => a << b,
        "srl" if b >= u64::from(width) => 0,
        "srl" => a >> b,
        "sra" => (sa >> b.min(62)) as u64,
        "rol" => rotated(b),
        "ror" => rotated(u64::from(width) - b % u64::from(width)),
        "add" => a.wrapping_add(b),
        "sub" => a.wrapping_sub(b),
        "mul" => a.wrapping_mul(b),
        "udiv" => a.checked_div(b).unwrap_or(u64::MAX),
        "urem" => a.checked_rem(b).unwrap_or(a),
        "sdiv" if sb == 0 => {
            if sa < 0 {
                1
            } else {
                u64::MAX
            }
        }
        "sdiv" => (sa / sb) as u64,
        "srem" if sb == 0 => a,
        "srem" => (sa % sb) as u64,
        "smod" if sb == 0 => a,
        "smod" => ((sa % sb + sb) % sb) as u64,
        "uaddo" => u64::from(a + b > all),
        "usubo" => u64::from(a < b),
        "umulo" => u64::from(a * b > all),
        "saddo" => u64::from(!fits(sa + sb)),
        "ssubo" => u64::from(!fits(sa - sb)),
        "smulo" => u64::from(!fits(sa * sb)),
        "sdivo" => u64::from(sb != 0 && !fits(sa / sb)),
        "concat" => a << args[1].sort.n_bits() | b,
        "ite" => {
            if a == 1 {
                b
            } else {
                args[2].bits
            }
        }
        "read" | "write" => {
            let Sort::Array(_, element) = args[0].sort else {
                panic!("{keyword} of a bit-vector");
            };
            let at = b * u64::from(element);
            let ones = (1_u64 << element) - 1;
            match keyword {
                "read" => a >> at & ones,
                _ => a & !(ones << at) | args[2].bits << at,
            }
        }
        other => panic!("the simulator has no {other}"),
    }
}

impl NaiveBtor2 {
    /// The first state and the inputs of each step that the frames of a witness give. Values that are not given are 0.
    /// The next value of a state without next state is an input of the step before.
    pub(super) fn frames(&self, lines: &[&str]) -> Result<(u64, Vec<u64>), String> {
        let n_steps = lines.iter().filter(|line| line.starts_with('@')).count();
        let mut first = 0;
        let mut inputs = vec![0_u64; n_steps];
        let (mut kind, mut step) = (' ', 0_usize);
        let n_input_bits: u32 = self.inputs.iter().map(|(_, sort)| sort.n_bits()).sum();
        for line in lines {
            if let Some(number) = line.strip_prefix(['#', '@']) {
                kind = line.chars().next().unwrap_or(' ');
                step = number.parse().map_err(|_| format!("no step: {line}"))?;
                continue;
            }
            let words: Vec<&str> = line.split(' ').collect();
            let position = number(words[0]) as usize;
            let list = if kind == '#' {
                &self.states
            } else {
                &self.inputs
            };
            let binary = |text: &str| u64::from_str_radix(text, 2).expect("binary digits");
            let (id, sort) = list[position];
            let bits = match (sort, &words[1..]) {
                (Sort::Bits(_), [value, ..]) => binary(value),
                (Sort::Array(_, element), [index, value, ..]) => {
                    binary(value) << (binary(index.trim_matches(['[', ']'])) * u64::from(element))
                }
                _ => return Err(format!("no value: {line}")),
            };
            let start = |list: &[(i64, Sort)]| -> u32 {
                let before = list.iter().take_while(|other| other.0 != id);
                before.map(|(_, sort)| sort.n_bits()).sum()
            };
            match (kind, step) {
                ('#', 0) => first |= bits << start(&self.states),
                ('#', step) => {
                    let free: Vec<(i64, Sort)> = self.free().copied().collect();
                    inputs[step - 1] |= bits << (n_input_bits + start(&free));
                }
                (_, step) => inputs[step] |= bits << start(&self.inputs),
            }
        }
        Ok((first, inputs))
    }
}

impl NaiveCircuit for NaiveBtor2 {
    /// All states in which every `init` is met; inputs play no part in them.
    fn initial(&self) -> Vec<u64> {
        let n_bits: u32 = self.states.iter().map(|(_, sort)| sort.n_bits()).sum();
        let is_met = |state: &u64| {
            let values = self.values(*state, 0);
            let mut inits = self.lines.iter().filter(|line| line[1] == "init");
            inits.all(|line| {
                let own = values[&number(&line[3])];
                let given = value_at(&values, &line[4]);
                match (own.sort, given.sort) {
                    (Sort::Array(index, element), Sort::Bits(_)) => (0..1 << index)
                        .all(|at| own.bits >> (at * element) & ((1 << element) - 1) == given.bits),
                    _ => own == given,
                }
            })
        };
        (0..1 << n_bits).filter(is_met).collect()
    }

    fn n_inputs(&self) -> u64 {
        let all = self.inputs.iter().chain(self.free());
        1 << all.map(|(_, sort)| sort.n_bits()).sum::<u32>()
    }

    fn step(&self, state: u64, input: u64) -> Step {
        let values = self.values(state, input);
        let n_input_bits: u32 = self.inputs.iter().map(|(_, sort)| sort.n_bits()).sum();
        let mut free = input >> n_input_bits;
        let (mut next, mut at) = (0, 0);
        for &(id, sort) in &self.states {
            let bits = match self.next.get(&id) {
                Some(node) => value_at(&values, &node.to_string()).bits,
                None => take(&mut free, sort).bits,
            };
            next |= bits << at;
            at += sort.n_bits();
        }
        let of = |keyword: &str| -> Vec<bool> {
            let lines = self.lines.iter().filter(|line| line[1] == keyword);
            lines
                .map(|line| value_at(&values, &line[2]).bits == 1)
                .collect()
        };
        let justice = self.lines.iter().filter(|line| line[1] == "justice");
        let justice = justice.map(|line| {
            let nodes = line[3..].iter().take(number(&line[2]) as usize);
            nodes
                .map(|node| value_at(&values, node).bits == 1)
                .collect()
        });
        Step {
            next,
            allowed: of("constraint").iter().all(|&met| met),
            bad: of("bad"),
            justice: justice.collect(),
            fair: of("fair"),
        }
    }
}
