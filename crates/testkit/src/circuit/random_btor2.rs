//! Random small circuits in the BTOR2 format, with every operator.

use crate::Rng;
use rand::Rng as _;
use std::fmt::Write as _;

/// Sorts are written first, and these are their lines: vectors of width 1 to 4, then arrays of two and of four elements.
const ARRAYS: [(usize, usize); 2] = [(1, 2), (2, 1)];
const N_WIDTHS: usize = 4;

/// The text of a circuit with at most 6 bits of state and 3 of input.
pub fn random_btor2(rng: &mut Rng) -> String {
    let mut maker = Maker {
        text: String::new(),
        last: 0,
        nodes: Vec::new(),
        states: Vec::new(),
    };
    maker.sorts();
    maker.variables(rng);
    for _ in 0..rng.random_range(4..18) {
        maker.operation(rng);
    }
    maker.steps(rng);
    maker.properties(rng);
    maker.text
}

struct Maker {
    text: String,
    last: usize,
    /// Lines of values with the lines of their sorts.
    nodes: Vec<(usize, usize)>,
    states: Vec<(usize, usize)>,
}

impl Maker {
    fn line(&mut self, body: &str) -> usize {
        self.last += 1;
        let _ = writeln!(self.text, "{} {body}", self.last);
        self.last
    }

    fn sorts(&mut self) {
        for width in 1..=N_WIDTHS {
            self.line(&format!("sort bitvec {width}"));
        }
        for (index, element) in ARRAYS {
            self.line(&format!("sort array {index} {element}"));
        }
    }

    fn n_bits(sort: usize) -> usize {
        match sort.checked_sub(N_WIDTHS + 1) {
            None => sort,
            Some(array) => ARRAYS[array].1 << ARRAYS[array].0,
        }
    }

    fn variables(&mut self, rng: &mut Rng) {
        let mut left = [6, 3];
        for _ in 0..rng.random_range(1..6) {
            let is_input = rng.random_bool(0.35);
            let sort = rng.random_range(1..=N_WIDTHS + usize::from(!is_input) * ARRAYS.len());
            let left = &mut left[usize::from(is_input)];
            if Self::n_bits(sort) > *left {
                continue;
            }
            *left -= Self::n_bits(sort);
            // What a state starts with stands above it.
            let initial = (!is_input && rng.random_bool(0.75)).then(|| self.initial(sort, rng));
            let keyword = if is_input { "input" } else { "state" };
            let line = self.line(&format!("{keyword} {sort} v{}", self.last));
            self.nodes.push((line, sort));
            if !is_input {
                self.states.push((line, sort));
                if let Some(initial) = initial {
                    self.line(&format!("init {sort} {line} {initial}"));
                }
            }
        }
    }

    /// A first value: a constant, which is that of all elements of an array, or another state.
    fn initial(&mut self, sort: usize, rng: &mut Rng) -> String {
        let others = self.states.iter().filter(|state| state.1 == sort);
        let others: Vec<usize> = others.map(|state| state.0).collect();
        if !others.is_empty() && rng.random_bool(0.3) {
            return others[rng.random_range(0..others.len())].to_string();
        }
        let array = sort.checked_sub(N_WIDTHS + 1);
        let width = array.map_or(sort, |array| ARRAYS[array].1);
        self.constant(width, rng)
    }

    fn constant(&mut self, width: usize, rng: &mut Rng) -> String {
        let value = rng.random_range(0..1_u32 << width);
        let line = match rng.random_range(0..6) {
            0 => self.line(&format!("zero {width}")),
            1 => self.line(&format!("one {width}")),
            2 => self.line(&format!("ones {width}")),
            3 => self.line(&format!("const {width} {value:0width$b}")),
            4 => self.line(&format!("consth {width} {value:x}")),
            _ => {
                let value = i64::from(value);
                let half = 1 << (width - 1);
                let value = if value >= half {
                    value - 2 * half
                } else {
                    value
                };
                self.line(&format!("constd {width} {value}"))
            }
        };
        self.nodes.push((line, width));
        line.to_string()
    }

    /// A value of a sort, negated now and then; a constant if there is none.
    fn operand(&mut self, sort: usize, rng: &mut Rng) -> Option<String> {
        let known: Vec<usize> = self
            .nodes
            .iter()
            .filter(|node| node.1 == sort)
            .map(|node| node.0)
            .collect();
        if known.is_empty() {
            return (sort <= N_WIDTHS).then(|| self.constant(sort, rng));
        }
        let node = known[rng.random_range(0..known.len())];
        let is_negated = sort <= N_WIDTHS && rng.random_bool(0.2);
        Some(format!("{}{node}", if is_negated { "-" } else { "" }))
    }

    fn operation(&mut self, rng: &mut Rng) {
        const UNARY: [&str; 7] = ["not", "inc", "dec", "neg", "redand", "redor", "redxor"];
        const BINARY: [&str; 38] = [
            "iff", "implies", "eq", "neq", "ugt", "ugte", "ult", "ulte", "sgt", "sgte", "slt",
            "slte", "and", "nand", "nor", "or", "xnor", "xor", "sll", "srl", "sra", "rol", "ror",
            "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "smod", "uaddo", "saddo", "usubo",
            "ssubo", "umulo", "smulo", "sdivo",
        ];
        let width = rng.random_range(1..=N_WIDTHS);
        let made = match rng.random_range(0..10) {
            0 => {
                let name = UNARY[rng.random_range(0..UNARY.len())];
                let sort = if name.starts_with("red") { 1 } else { width };
                self.operand(width, rng)
                    .map(|arg| (sort, format!("{name} {sort} {arg}")))
            }
            1 => {
                let low = rng.random_range(0..width);
                let high = rng.random_range(low..width);
                let sort = high - low + 1;
                self.operand(width, rng)
                    .map(|arg| (sort, format!("slice {sort} {arg} {high} {low}")))
            }
            2 => {
                let sort = rng.random_range(width..=N_WIDTHS);
                let name = if rng.random_bool(0.5) { "sext" } else { "uext" };
                self.operand(width, rng)
                    .map(|arg| (sort, format!("{name} {sort} {arg} {}", sort - width)))
            }
            3 => {
                let low = rng.random_range(1..=N_WIDTHS);
                let sort = width + low;
                let args = (self.operand(width, rng), self.operand(low, rng));
                match args {
                    (Some(high), Some(low)) if sort <= N_WIDTHS => {
                        Some((sort, format!("concat {sort} {high} {low}")))
                    }
                    _ => None,
                }
            }
            4 => {
                let sort = rng.random_range(1..=N_WIDTHS + ARRAYS.len());
                let args = [1, sort, sort].map(|sort| self.operand(sort, rng));
                joined(args).map(|args| (sort, format!("ite {sort} {args}")))
            }
            5 => {
                let array = rng.random_range(0..ARRAYS.len());
                let (index, element) = ARRAYS[array];
                let own = N_WIDTHS + 1 + array;
                if rng.random_bool(0.5) {
                    let args = [own, index].map(|sort| self.operand(sort, rng));
                    joined(args).map(|args| (element, format!("read {element} {args}")))
                } else {
                    let args = [own, index, element].map(|sort| self.operand(sort, rng));
                    joined(args).map(|args| (own, format!("write {own} {args}")))
                }
            }
            6 => {
                let sort = N_WIDTHS + 1 + rng.random_range(0..ARRAYS.len());
                let name = if rng.random_bool(0.5) { "eq" } else { "neq" };
                let args = [sort, sort].map(|sort| self.operand(sort, rng));
                joined(args).map(|args| (1, format!("{name} 1 {args}")))
            }
            _ => {
                let name = BINARY[rng.random_range(0..BINARY.len())];
                let is_logic = ["iff", "implies"].contains(&name);
                let width = if is_logic { 1 } else { width };
                let is_test = BINARY[..12].contains(&name) || name.ends_with('o');
                let sort = if is_test { 1 } else { width };
                let args = [width, width].map(|sort| self.operand(sort, rng));
                joined(args).map(|args| (sort, format!("{name} {sort} {args}")))
            }
        };
        if let Some((sort, body)) = made {
            let line = self.line(&body);
            self.nodes.push((line, sort));
        }
    }

    /// Next states; of some states there is none.
    fn steps(&mut self, rng: &mut Rng) {
        let mut free = 2;
        for (state, sort) in self.states.clone() {
            if Self::n_bits(sort) <= free && rng.random_bool(0.2) {
                free -= Self::n_bits(sort);
                continue;
            }
            let next = self
                .operand(sort, rng)
                .expect("the state itself is a value");
            self.line(&format!("next {sort} {state} {next}"));
        }
    }

    fn properties(&mut self, rng: &mut Rng) {
        for keyword in ["bad", "constraint", "fair"] {
            let most = if keyword == "bad" { 3 } else { 2 };
            for _ in 0..rng.random_range(0..most) {
                let node = self.operand(1, rng).expect("a constant at least");
                self.line(&format!("{keyword} {node}"));
            }
        }
        for _ in 0..rng.random_range(0..3) {
            let n = rng.random_range(1..3);
            let nodes = (0..n).map(|_| self.operand(1, rng).expect("a constant at least"));
            let nodes: Vec<String> = nodes.collect();
            self.line(&format!("justice {n} {}", nodes.join(" ")));
        }
    }
}

fn joined<const N: usize>(args: [Option<String>; N]) -> Option<String> {
    let args: Option<Vec<String>> = args.into_iter().collect();
    args.map(|args| args.join(" "))
}
