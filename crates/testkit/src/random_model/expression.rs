//! Random expressions as text, in the spelling of any of the languages.

use super::ModelGen;
use crate::Rng;
use rand::Rng as _;

/// How a language spells its operators.
pub struct Words {
    pub and: &'static str,
    pub or: &'static str,
    pub not: &'static str,
    pub implies: &'static str,
    pub iff: &'static str,
    pub eq: &'static str,
    pub ne: &'static str,
    pub div: &'static str,
    pub modulo: &'static str,
    /// Between an array and its index; CFA wants the array in brackets.
    pub array: fn(&str) -> String,
}

/// XSTS.
pub const XSTS: Words = Words {
    and: "&&",
    or: "||",
    not: "!",
    implies: "=>",
    iff: "iff",
    eq: "==",
    ne: "!=",
    div: "/",
    modulo: "%",
    array: str::to_owned,
};

/// CFA and STS.
pub const THETA: Words = Words {
    and: "and",
    or: "or",
    not: "not ",
    implies: "imply",
    iff: "iff",
    eq: "=",
    ne: "/=",
    div: "div",
    modulo: "mod",
    array: |name| format!("({name})"),
};

/// GCL.
pub const GCL: Words = Words {
    implies: "=>",
    ne: "!=",
    array: str::to_owned,
    ..THETA
};

/// How many values a bounded integer has.
pub const N_VALUES: i64 = 4;
/// How many elements of an array are used.
pub const N_ELEMENTS: i64 = 3;

/// The names that expressions are made of, and the dice.
pub struct Exprs<'a> {
    pub words: &'static Words,
    pub gen_: ModelGen,
    pub rng: &'a mut Rng,
    pub bools: Vec<String>,
    pub ints: Vec<String>,
    /// Variables with the number of their enumeration.
    pub enums: Vec<(String, usize)>,
    /// The literals of each enumeration, with the type's name.
    pub literals: Vec<Vec<String>>,
    pub arrays: Vec<String>,
}

impl<'a> Exprs<'a> {
    /// Names `b0…`, `i0…`, `e0…`, `a0` as [`ModelGen::variables`] says.
    pub fn new(words: &'static Words, gen_: ModelGen, rng: &'a mut Rng) -> Self {
        let names = |prefix: &str| {
            (0..gen_.variables)
                .map(|i| format!("{prefix}{i}"))
                .collect()
        };
        Self {
            words,
            gen_,
            rng,
            bools: names("b"),
            ints: names("i"),
            enums: Vec::new(),
            literals: Vec::new(),
            arrays: Vec::new(),
        }
    }

    /// Adds enumerations `E0…` of two to four literals, some of the same names, and their variables.
    pub fn add_enums(&mut self) {
        for i in 0..self.gen_.variables {
            let n = self.rng.random_range(2..5);
            let literals = (0..n).map(|l| format!("E{i}.l{l}")).collect();
            self.literals.push(literals);
            self.enums.push((format!("e{i}"), i));
        }
    }

    /// The `n`-th enumeration's literals without its name.
    pub fn bare_literals(&self, n: usize) -> String {
        let bare = |full: &String| full.rsplit('.').next().unwrap_or_default().to_owned();
        let bare: Vec<String> = self.literals[n].iter().map(bare).collect();
        bare.join(", ")
    }

    pub fn chance(&mut self, one_in: u32) -> bool {
        self.rng.random_range(0..one_in) == 0
    }

    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.rng.random_range(0..items.len())].clone()
    }

    /// A literal of an enumeration.
    pub fn literal(&mut self, n: usize) -> String {
        let literals = self.literals[n].clone();
        self.pick(&literals)
    }

    /// A Boolean expression.
    pub fn bool(&mut self, depth: usize) -> String {
        let w = self.words;
        if depth == 0 {
            return match self.rng.random_range(0..6) {
                0 => ["true", "false"][self.rng.random_range(0..2)].to_owned(),
                1 if !self.ints.is_empty() => {
                    let (x, n) = (self.int(0), self.small());
                    format!("({x} {} {n})", w.eq)
                }
                2 if !self.enums.is_empty() => self.enum_equation(),
                _ => {
                    let bools = self.bools.clone();
                    self.pick(&bools)
                }
            };
        }
        let d = depth - 1;
        match self.rng.random_range(0..11) {
            0 | 1 => format!("({} {} {})", self.bool(d), w.and, self.bool(d)),
            2 | 3 => format!("({} {} {})", self.bool(d), w.or, self.bool(d)),
            4 => format!("({}({}))", w.not, self.bool(d)),
            5 => format!("({} {} {})", self.bool(d), w.implies, self.bool(d)),
            6 => format!("({} {} {})", self.bool(d), w.iff, self.bool(d)),
            7 | 8 if !self.ints.is_empty() => {
                let op = self.pick(&["<", "<=", ">", ">=", w.eq, w.ne]);
                format!("({} {op} {})", self.int(d), self.int(d))
            }
            9 if !self.enums.is_empty() => self.enum_equation(),
            _ => self.bool(d),
        }
    }

    fn enum_equation(&mut self) -> String {
        let enums = self.enums.clone();
        let (var, n) = self.pick(&enums);
        let op = self.pick(&[self.words.eq, self.words.ne]);
        format!("({var} {op} {})", self.literal(n))
    }

    /// A small literal, or in wild models sometimes a huge one.
    pub fn small(&mut self) -> String {
        if self.gen_.wild && self.chance(8) {
            return self
                .pick(&["9223372036854775807", "18446744073709551616", "1000000007"])
                .to_owned();
        }
        self.rng.random_range(0..N_VALUES).to_string()
    }

    /// An integer expression.
    pub fn int(&mut self, depth: usize) -> String {
        let w = self.words;
        if depth == 0 || self.ints.is_empty() {
            if self.ints.is_empty() || self.chance(3) {
                return self.small();
            }
            let ints = self.ints.clone();
            return self.pick(&ints);
        }
        let d = depth - 1;
        match self.rng.random_range(0..9) {
            0 | 1 => format!("({} + {})", self.int(d), self.int(d)),
            2 => format!("({} - {})", self.int(d), self.int(d)),
            3 => format!("({} * {})", self.small(), self.int(d)),
            4 => format!("({} {} {})", self.int(d), w.modulo, self.small()),
            5 => format!("({} {} {})", self.int(d), w.div, self.small()),
            6 => format!(
                "(if {} then {} else {})",
                self.bool(d),
                self.int(d),
                self.int(d)
            ),
            7 if !self.arrays.is_empty() => {
                let arrays = self.arrays.clone();
                let array = (w.array)(&self.pick(&arrays));
                format!("{array}[{}]", self.index())
            }
            _ => self.int(d),
        }
    }

    /// An index into an array.
    pub fn index(&mut self) -> String {
        let index = self.int(1);
        format!("({index} {} {N_ELEMENTS})", self.words.modulo)
    }

    /// An integer expression whose value may be assigned: between 0 and [`N_VALUES`], unless wild.
    pub fn bounded_int(&mut self, depth: usize) -> String {
        let value = self.int(depth);
        if self.gen_.wild && !self.chance(3) {
            value
        } else {
            format!("({value} {} {N_VALUES})", self.words.modulo)
        }
    }
}
