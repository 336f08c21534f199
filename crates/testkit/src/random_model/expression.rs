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

/// Names that expressions may be made of for a while.
#[derive(Clone, Default)]
pub struct Names {
    pub bools: Vec<String>,
    pub ints: Vec<String>,
    pub enums: Vec<(String, usize)>,
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

    /// Adds enumerations `E0…` of two to four literals, some of the same names, and their variables: `e0…`, and
    /// sometimes `f0…`.
    pub fn add_enums(&mut self) {
        for i in 0..self.gen_.variables {
            let most = self.rng.random_range(2..5);
            self.add_enum(most);
            self.enums.push((format!("e{i}"), i));
            if self.chance(4) {
                self.enums.push((format!("f{i}"), i));
            }
        }
    }

    /// Adds an enumeration; returns its number.
    fn add_enum(&mut self, n: usize) -> usize {
        let i = self.literals.len();
        let literals = (0..n).map(|l| format!("E{i}.l{l}")).collect();
        self.literals.push(literals);
        i
    }

    /// Makes names of idle variables, in one of three models: they are written and decide what is written to them, and
    /// nothing else. A property need not see them.
    pub fn idle(&mut self, has_enums: bool) -> Option<Names> {
        if !self.chance(3) {
            return None;
        }
        let mut names = Names {
            bools: vec!["x0".into()],
            ints: vec!["x1".into()],
            ..Names::default()
        };
        if has_enums {
            // More literals than anybody mentions.
            names.enums.push(("x2".into(), self.add_enum(5)));
        }
        Some(names)
    }

    /// The names that declared values may read before anything is declared: in one of three models a Boolean `s0`
    /// without a value of its own, which nothing else reads.
    pub fn source(&mut self) -> Names {
        let bools = if self.chance(3) {
            vec!["s0".into()]
        } else {
            Vec::new()
        };
        Names {
            bools,
            ..Names::default()
        }
    }

    /// A declared value for a Boolean variable.
    pub fn declared_bool(&mut self, declared: &Names) -> String {
        match declared.bools.first() {
            Some(first) if self.chance(2) => first.clone(),
            _ => self.over(declared, |exprs| exprs.bool(1)),
        }
    }

    /// Draws something over other names.
    pub fn exchange(&mut self, names: &mut Names) {
        std::mem::swap(&mut self.bools, &mut names.bools);
        std::mem::swap(&mut self.ints, &mut names.ints);
        std::mem::swap(&mut self.enums, &mut names.enums);
        std::mem::swap(&mut self.arrays, &mut names.arrays);
    }

    /// Draws something over the names that are declared so far: a declared value.
    pub fn over<T>(&mut self, declared: &Names, draw: impl FnOnce(&mut Self) -> T) -> T {
        let mut names = declared.clone();
        self.exchange(&mut names);
        let drawn = draw(self);
        self.exchange(&mut names);
        drawn
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
                _ if self.bools.is_empty() => self.pick(&["true", "false"]).to_owned(),
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
        format!("({var} {op} {})", self.enum_value(n))
    }

    /// A literal of an enumeration, or sometimes a variable.
    pub fn enum_value(&mut self, n: usize) -> String {
        let alike = self.enums.iter().filter(|(_, of)| *of == n);
        let alike: Vec<String> = alike.map(|(name, _)| name.clone()).collect();
        if alike.is_empty() || !self.chance(5) {
            return self.literal(n);
        }
        self.pick(&alike)
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
