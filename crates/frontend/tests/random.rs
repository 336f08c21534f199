//! Random models: what is read, printed and read again is the same. The seed of a failure is printed.
#![allow(clippy::format_push_string, reason = "a test need not be fast")]

mod common;

use common::{load, round_trip};
use lariat_system::Language;
use lariat_testkit::{Rng, rng};
use rand::Rng as _;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Bool,
    Int,
    Rat,
    Bv,
    Enum,
    Array,
}

/// Writes random expressions in the spelling of a language.
struct Writer {
    rng: Rng,
    language: Language,
    /// Whether variables may have primes.
    primes: bool,
}

impl Writer {
    fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn is_theta(&self) -> bool {
        matches!(self.language, Language::Cfa | Language::Sts)
    }

    fn sorts(&self) -> &'static [Sort] {
        match self.language {
            Language::Xsts | Language::Gcl => &[Sort::Bool, Sort::Int, Sort::Enum, Sort::Array],
            Language::Cfa => &[Sort::Bool, Sort::Int, Sort::Rat, Sort::Bv, Sort::Array],
            Language::Sts => &[Sort::Bool, Sort::Int, Sort::Rat, Sort::Array],
            other => panic!("random models of {other:?} are made elsewhere"),
        }
    }

    fn variable(&mut self, sort: Sort) -> String {
        let name = match sort {
            Sort::Bool => self.pick(&["p", "q"]),
            Sort::Int => self.pick(&["x", "y", "z"]),
            Sort::Rat => self.pick(&["r", "s"]),
            Sort::Bv => self.pick(&["v", "w"]),
            Sort::Enum => self.pick(&["c", "d"]),
            Sort::Array => self.pick(&["a", "b"]),
        };
        let prime = if self.primes && self.below(2) == 0 {
            "'"
        } else {
            ""
        };
        format!("{name}{prime}")
    }

    fn leaf(&mut self, sort: Sort) -> String {
        if self.below(3) > 0 {
            return self.variable(sort);
        }
        match sort {
            Sort::Bool => self.pick(&["true", "false"]).into(),
            Sort::Int => self
                .pick(&["0", "1", "2", "7", "(-3)", "99999999999999999999"])
                .into(),
            Sort::Rat => self.pick(&["1%2", "(-7%3)", "2%1", "0%5", "3"]).into(),
            Sort::Bv => self.pick(&["4'd5", "4'b0110", "4'xf", "4'd0"]).into(),
            Sort::Enum => self.pick(&["A", "T.B", "C"]).into(),
            Sort::Array => self
                .pick(&["[0 <- 1, default <- 2]", "[3 <- x, 1 <- y, default <- 0]"])
                .into(),
        }
    }

    fn expression(&mut self, sort: Sort, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(sort);
        }
        let d = depth - 1;
        if self.below(8) == 0 {
            let (c, t, e) = (
                self.expression(Sort::Bool, d),
                self.expression(sort, d),
                self.expression(sort, d),
            );
            return format!("(if {c} then {t} else {e})");
        }
        let text = match sort {
            Sort::Bool => return self.condition(d),
            Sort::Int => match self.below(9) {
                0 => format!("-{}", self.expression(Sort::Int, d)),
                1 => {
                    let (a, i) = (
                        self.expression(Sort::Array, d),
                        self.expression(Sort::Int, d),
                    );
                    format!("{a}[{i}]")
                }
                2 if self.language == Language::Cfa => {
                    format!("bv2nat({})", self.expression(Sort::Bv, d))
                }
                3 if self.is_theta() => format!("to_int({})", self.expression(Sort::Rat, d)),
                _ => {
                    let words: &[&str] = match self.language {
                        Language::Xsts => &["+", "-", "*", "/", "%", "rem"],
                        _ => &["+", "-", "*", "div", "mod", "rem", "/"],
                    };
                    let op = self.pick(words);
                    let (a, b) = (self.expression(Sort::Int, d), self.expression(Sort::Int, d));
                    format!("{a} {op} {b}")
                }
            },
            Sort::Rat => match self.below(5) {
                0 => format!("-{}", self.expression(Sort::Rat, d)),
                1 => format!("to_rat({})", self.expression(Sort::Int, d)),
                _ => {
                    let op = self.pick(&["+", "-", "*", "/"]);
                    let (a, b) = (self.expression(Sort::Rat, d), self.expression(Sort::Rat, d));
                    format!("to_rat(x) * 0%1 + {a} {op} {b}")
                }
            },
            Sort::Bv => match self.below(7) {
                0 => format!(
                    "{} {}",
                    self.pick(&["bvneg", "bvnot", "bvpos"]),
                    self.expression(Sort::Bv, d)
                ),
                1 => format!("nat2bv[4]({})", self.expression(Sort::Int, d)),
                2 => {
                    let (a, b) = (self.expression(Sort::Bv, d), self.expression(Sort::Bv, d));
                    format!("({a} ++ {b})[{}]", self.pick(&["4:0", "8:4", "6:2"]))
                }
                3 => {
                    let word = self.pick(&["bv_zero_extend", "bv_sign_extend"]);
                    format!("({}[3:1] {word} bv[4])", self.expression(Sort::Bv, d))
                }
                _ => {
                    let op = self.pick(&[
                        "bvadd", "bvsub", "bvmul", "bvudiv", "bvsdiv", "bvsmod", "bvurem",
                        "bvsrem", "bvand", "bvor", "bvxor", "bvshl", "bvashr", "bvlshr", "bvrol",
                        "bvror",
                    ]);
                    let (a, b) = (self.expression(Sort::Bv, d), self.expression(Sort::Bv, d));
                    format!("{a} {op} {b}")
                }
            },
            Sort::Enum => return self.leaf(sort),
            Sort::Array => {
                let (a, i, v) = (
                    self.expression(Sort::Array, d),
                    self.expression(Sort::Int, d),
                    self.expression(Sort::Int, d),
                );
                return format!("{a}[{i} <- {v}]");
            }
        };
        format!("({text})")
    }

    fn condition(&mut self, d: usize) -> String {
        let words: &[&str] = if self.is_theta() {
            &["and", "or", "xor", "imply", "iff", "=", "/="]
        } else {
            &["&&", "||", "xor", "=>", "iff", "==", "!="]
        };
        let not = if self.is_theta() { "not " } else { "!" };
        let text = match self.below(4) {
            0 => format!("{not}{}", self.expression(Sort::Bool, d)),
            1 | 2 => {
                let op = self.pick(words);
                let (a, b) = (
                    self.expression(Sort::Bool, d),
                    self.expression(Sort::Bool, d),
                );
                format!("{a} {op} {b}")
            }
            _ => {
                let sorts = self.sorts();
                let sort = sorts[self.below(sorts.len())];
                let op = match sort {
                    Sort::Int | Sort::Rat if self.below(2) == 0 => {
                        self.pick(&["<", "<=", ">", ">="])
                    }
                    Sort::Bv if self.below(2) == 0 => self.pick(&[
                        "bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge",
                    ]),
                    _ => words[5 + self.below(2)],
                };
                let (a, b) = (self.expression(sort, d), self.expression(sort, d));
                format!("{a} {op} {b}")
            }
        };
        format!("({text})")
    }

    fn assignment(&mut self, depth: usize) -> (String, String) {
        let sorts = self.sorts();
        let sort = sorts[self.below(sorts.len())];
        let primes = std::mem::replace(&mut self.primes, false);
        let name = self.variable(sort);
        self.primes = primes;
        (name, self.expression(sort, depth))
    }

    fn statement(&mut self, depth: usize) -> String {
        let kind = if depth == 0 {
            self.below(3)
        } else {
            self.below(9)
        };
        match kind {
            0 => format!("assume {};", self.expression(Sort::Bool, 3)),
            1 => format!("havoc {};", self.pick(&["x", "p", "c", "a"])),
            2 | 3 => {
                let (name, value) = self.assignment(3);
                format!("{name} := {value};")
            }
            4 => format!(
                "{{ local var x : integer = {}; {} }}",
                self.expression(Sort::Int, 2),
                self.statement(depth - 1)
            ),
            5 => {
                let (c, a, b) = (
                    self.expression(Sort::Bool, 2),
                    self.statement(depth - 1),
                    self.statement(depth - 1),
                );
                format!("if ({c}) {a} else {b}")
            }
            6 => format!(
                "if ({}) {{ {} }}",
                self.expression(Sort::Bool, 2),
                self.statement(depth - 1)
            ),
            7 => format!(
                "choice {{ {} }} or {}",
                self.statement(depth - 1),
                self.statement(depth - 1)
            ),
            _ => format!(
                "for y from {} to z do {}",
                self.expression(Sort::Int, 1),
                self.statement(depth - 1)
            ),
        }
    }

    fn model(&mut self) -> String {
        match self.language {
            Language::Xsts => {
                let mut text = String::from(
                    "type T : { A, B, C } var p : boolean var q : boolean = true var x : integer var y : integer = 2
                     var z : integer var c : T = B var d : T var a : [integer] -> integer var b : [integer] -> integer\n",
                );
                let mut blocks = ["trans", "init", "env"];
                let first = self.below(3);
                blocks.rotate_left(first);
                for block in blocks {
                    text += &format!(
                        "{block} {{ {} {} }} or {{ {} }}\n",
                        self.statement(2),
                        self.statement(2),
                        self.statement(1)
                    );
                }
                text + &format!("prop {{ {} }}", self.expression(Sort::Bool, 4))
            }
            Language::Cfa => {
                let mut text = String::from(
                    "main process m { var p : bool var q : bool var x : int var y : int var z : int var r : rat var s : rat
                     var v : bv[4] var w : bv[4] var a : [int] -> int var b : [int] -> int
                     init loc L0 loc L1 error loc L2 final loc L3\n",
                );
                for _ in 0..4 {
                    let (from, to) = (self.below(3), self.below(4));
                    text += &format!("L{from} -> L{to} {{ ");
                    for _ in 0..self.below(4) {
                        let (name, value) = self.assignment(3);
                        text += &match self.below(4) {
                            0 => format!("assume {} ", self.expression(Sort::Bool, 3)),
                            1 => format!("havoc {name} "),
                            _ => format!("{name} := {value} "),
                        };
                    }
                    text += "}\n";
                }
                text + "}"
            }
            Language::Sts => {
                let mut text = String::from(
                    "specification S { system s := { var p : bool var q : bool := true var x : int const y : int var z : int
                     var r : rat var s : rat var a : [int] -> int var b : [int] -> int\n",
                );
                for _ in 0..self.below(3) {
                    text += &format!("initial {}\n", self.expression(Sort::Bool, 3));
                }
                for _ in 0..self.below(3) {
                    text += &format!("invariant {}\n", self.expression(Sort::Bool, 3));
                }
                self.primes = true;
                for _ in 0..self.below(3) {
                    text += &format!("transition {}\n", self.expression(Sort::Bool, 4));
                }
                self.primes = false;
                text + &format!(
                    "}} property g : s models G({}) }}",
                    self.expression(Sort::Bool, 3)
                )
            }
            Language::Gcl => {
                let mut text = String::from(
                    "type T = { A, B, C } var p : bool var q : bool = true var x : int var y : -3..4 = 2 var z : 0..9
                     var c : T = B var d : T var a : [int] -> int var b : [int] -> int\n",
                );
                for _ in 0..self.below(3) {
                    text += &format!("init {}\n", self.expression(Sort::Bool, 3));
                }
                for i in 0..3 {
                    let mut effects: Vec<(String, String)> = Vec::new();
                    for _ in 0..3 {
                        let (name, value) = self.assignment(3);
                        if effects.iter().all(|known| known.0 != name) {
                            let value = if self.below(5) == 0 {
                                "any".into()
                            } else {
                                value
                            };
                            effects.push((name, value));
                        }
                    }
                    let effects: Vec<String> = effects
                        .iter()
                        .map(|(name, value)| format!("{name} := {value}"))
                        .collect();
                    text += &format!(
                        "action a{i}: {} -> {}\n",
                        self.expression(Sort::Bool, 3),
                        effects.join(", ")
                    );
                }
                text
            }
            other => panic!("random models of {other:?} are made elsewhere"),
        }
    }
}

#[test]
fn random_models_survive_a_round_trip() {
    for seed in 0..2500 {
        for language in Language::ALL {
            let mut writer = Writer {
                rng: rng(seed),
                language,
                primes: false,
            };
            let text = writer.model();
            let mut loaded = load(language, "random", &text)
                .unwrap_or_else(|findings| panic!("seed {seed}:\n{text}\n{findings}"));
            if let Err(error) = round_trip(&mut loaded) {
                panic!("seed {seed}:\n{text}\n{error}");
            }
        }
    }
}
