//! Expressions: each knows its range, so that no signed one leaves its type.

use super::declare::{Function, Kind, Maker, Param};
use super::effects::Effects;
use super::types::{ALL, BOOL, Ex, INT, Int, LONG, UINT, ULONG};
use rand::Rng as _;

impl Maker<'_> {
    /// Any expression; `around` is what happens in no order with it.
    pub fn expression(&mut self, depth: usize, around: Effects) -> Ex {
        if depth == 0 {
            return self.leaf(0, around);
        }
        match self.rng.random_range(0..31) {
            0..=3 => self.leaf(depth, around),
            4..=9 => self.sum(depth, around),
            10 | 11 => self.quotient(depth, around),
            12..=14 => self.comparison(depth, around),
            15..=17 => self.logical(depth, around),
            18 | 19 => self.conditional(depth, around),
            20 => self.comma(depth, around),
            21 | 22 => self.cast(depth, around),
            23 => self.minus(depth, around),
            24 => self
                .assignment(depth, around)
                .unwrap_or_else(|| self.leaf(depth, around)),
            25 => self
                .step(around)
                .unwrap_or_else(|| self.leaf(depth, around)),
            26 | 27 => self.call_value(depth, around),
            _ if self.conf.bits => self.bits(depth, around),
            _ => self.bits_by_constant(depth, around),
        }
    }

    /// A number or a place.
    pub fn leaf(&mut self, depth: usize, around: Effects) -> Ex {
        if self.conf.inputs
            && self.once_in(4)
            && let Some(input) = self.input(around)
        {
            return input;
        }
        if self.once_in(3) {
            return self.number();
        }
        match self.place(around, false, depth.min(1)) {
            Some(place) => Ex {
                range: self.bound(place.int),
                effects: place.finding.and(Effects::reading(place.cells)),
                text: place.text,
                int: place.int,
            },
            None => self.number(),
        }
    }

    fn number(&mut self) -> Ex {
        if !self.enumerators.is_empty() && self.once_in(5) {
            let at = self.below(self.enumerators.len());
            let (text, value) = self.enumerators[at].clone();
            return Ex {
                text,
                ..Ex::literal(value, INT)
            };
        }
        let digit: u8 = self.rng.random_range(0..12);
        let small = i128::from(digit);
        match self.rng.random_range(0..12) {
            0 => Ex {
                text: format!("0x{small:x}"),
                ..Ex::literal(small, INT)
            },
            1 => Ex {
                text: format!("0{small:o}"),
                ..Ex::literal(small, INT)
            },
            2 => Ex {
                text: format!("'{}'", char::from(b'a' + digit)),
                ..Ex::literal(small + i128::from(b'a'), INT)
            },
            3 => Ex::literal(small, UINT),
            4 => Ex::literal(small - 5, LONG),
            5 => Ex::literal(small, ULONG),
            6 => {
                let int = self.any_int();
                let size = i128::from(int.bits.div_ceil(8));
                Ex {
                    text: format!("sizeof({})", int.name),
                    ..Ex::literal(size, ULONG)
                }
            }
            7 => Ex::literal(UINT.range().1 - small, UINT),
            8 => Ex::literal(INT.range().1 - small, INT),
            _ => Ex::literal(small - 3, INT),
        }
    }

    /// Two operands in no fixed order.
    fn two(&mut self, depth: usize, around: Effects) -> (Ex, Ex) {
        let left = self.expression(depth - 1, around);
        let right = self.expression(depth - 1, around.and(left.effects));
        (left, right)
    }

    /// `+`, `-`, `*`; operands of signed types are made smaller until the result fits.
    fn sum(&mut self, depth: usize, around: Effects) -> Ex {
        let (mut left, mut right) = self.two(depth, around);
        let int = left.int.common(right.int);
        let op = ["+", "-", "*"][self.below(3)];
        for most in [i128::MAX, 1 << 30, 30_000, 100] {
            if most != i128::MAX {
                if left.int.promoted().signed {
                    left = left.within(most);
                }
                if right.int.promoted().signed {
                    right = right.within(most);
                }
            }
            let (a, b) = (left.as_common(int), right.as_common(int));
            let ends = match op {
                "+" => [a.0.checked_add(b.0), a.1.checked_add(b.1), None, None],
                "-" => [a.0.checked_sub(b.1), a.1.checked_sub(b.0), None, None],
                _ => [
                    a.0.checked_mul(b.0),
                    a.0.checked_mul(b.1),
                    a.1.checked_mul(b.0),
                    a.1.checked_mul(b.1),
                ],
            };
            let known: Vec<i128> = ends.into_iter().flatten().collect();
            let all = if op == "*" { 4 } else { 2 };
            let low = known.iter().min().copied().unwrap_or(i128::MIN);
            let high = known.iter().max().copied().unwrap_or(i128::MAX);
            let fits = known.len() == all && int.holds((low, high));
            if fits || !int.signed {
                return Ex {
                    text: format!("({} {op} {})", left.text, right.text),
                    int,
                    range: if fits { (low, high) } else { int.range() },
                    effects: left.effects.and(right.effects),
                };
            }
        }
        // Narrow operands of a wide type always fit at the last try.
        self.number()
    }

    /// `/` or `%` by something that is not zero.
    fn quotient(&mut self, depth: usize, around: Effects) -> Ex {
        let mut left = self.expression(depth - 1, around);
        let around = around.and(left.effects);
        let right = if self.once_in(2) {
            let value = i128::from(self.rng.random_range(1..12));
            let sign = if self.once_in(4) { -1 } else { 1 };
            Ex::literal(sign * value, INT)
        } else {
            let inner = self.expression(depth - 1, around).below(6);
            let int = inner.int.common(INT);
            Ex {
                text: format!("({} + 3)", inner.text),
                int,
                range: (3, 8),
                effects: inner.effects,
            }
        };
        let int = left.int.common(right.int);
        if int.signed && left.as_common(int).0 == int.range().0 {
            left = left.within(1000);
        }
        let is_div = self.once_in(2);
        let a = left.as_common(int);
        let b = right.as_common(int);
        let most = a.0.abs().max(a.1.abs());
        let range = if is_div {
            let low = if a.0 < 0 || b.0 < 0 { -most } else { 0 };
            (low, most)
        } else {
            let bound = most.min(b.0.abs().max(b.1.abs()) - 1).max(0);
            (if a.0 < 0 { -bound } else { 0 }, bound)
        };
        let op = if is_div { "/" } else { "%" };
        Ex {
            text: format!("({} {op} {})", left.text, right.text),
            int,
            range,
            effects: left.effects.and(right.effects),
        }
    }

    fn comparison(&mut self, depth: usize, around: Effects) -> Ex {
        let (left, right) = self.two(depth, around);
        let op = ["<", "<=", ">", ">=", "==", "!="][self.below(6)];
        truth(
            format!("({} {op} {})", left.text, right.text),
            left.effects.and(right.effects),
        )
    }

    /// `&&`, `||`, `!`: the second operand comes after the first.
    fn logical(&mut self, depth: usize, around: Effects) -> Ex {
        let left = self.expression(depth - 1, around);
        if self.once_in(4) {
            return truth(format!("(!{})", left.text), left.effects);
        }
        let right = self.expression(depth - 1, around);
        let op = if self.once_in(2) { "&&" } else { "||" };
        truth(
            format!("({} {op} {})", left.text, right.text),
            left.effects.and(right.effects),
        )
    }

    fn conditional(&mut self, depth: usize, around: Effects) -> Ex {
        let condition = self.expression(depth - 1, around);
        let then = self.expression(depth - 1, around);
        let other = self.expression(depth - 1, around);
        let int = then.int.common(other.int);
        let (a, b) = (then.as_common(int), other.as_common(int));
        Ex {
            text: format!("({} ? {} : {})", condition.text, then.text, other.text),
            int,
            range: (a.0.min(b.0), a.1.max(b.1)),
            effects: condition.effects.and(then.effects).and(other.effects),
        }
    }

    fn comma(&mut self, depth: usize, around: Effects) -> Ex {
        let first = self.expression(depth - 1, around);
        let last = self.expression(depth - 1, around);
        Ex {
            text: format!("({}, {})", first.text, last.text),
            effects: first.effects.and(last.effects),
            ..last
        }
    }

    fn cast(&mut self, depth: usize, around: Effects) -> Ex {
        let inner = self.expression(depth - 1, around);
        let int = self.any_int();
        let exact = int.holds(inner.range);
        // A comma inside a cast to `_Bool` crashes gcc 12.
        let crashes = int == BOOL && inner.text.contains(", ");
        if crashes || int.signed && !exact && !self.conf.bits {
            return inner;
        }
        Ex {
            text: format!("(({}){})", int.name, inner.text),
            int,
            range: int.converted(inner.range),
            effects: inner.effects,
        }
    }

    fn minus(&mut self, depth: usize, around: Effects) -> Ex {
        let inner = self.expression(depth - 1, around);
        let int = inner.int.promoted();
        let (low, high) = (-inner.range.1, -inner.range.0);
        if int.signed && !int.holds((low, high)) {
            return inner;
        }
        let sign = if self.once_in(6) { "+" } else { "-" };
        let range = match (sign, int.holds((low, high))) {
            ("+", _) => inner.range,
            (_, true) => (low, high),
            _ => int.range(),
        };
        Ex {
            text: format!("({sign} {})", inner.text),
            int,
            range,
            effects: inner.effects,
        }
    }

    /// A value that fits variables of a type.
    pub fn fitting(&mut self, value: Ex, int: Int) -> Ex {
        let (_, most) = self.bound(int);
        if int.signed {
            value.within(most)
        } else {
            value
        }
    }

    /// An assignment as an expression.
    pub fn assignment(&mut self, depth: usize, around: Effects) -> Option<Ex> {
        let place = self.place(around, true, depth.min(1))?;
        let int = place.int;
        let own = Effects::writing(place.cells).and(self.seen_by_calls());
        if !own.fits(around) {
            return None;
        }
        if self.once_in(3) {
            return Some(self.compound(depth, &place, around));
        }
        // The value is computed before the place is written: it may read it, but not write it.
        let mut value = self.expression(depth.saturating_sub(1), around.and(place.finding));
        if value.effects.writes & place.cells != 0 {
            value = self.number();
        }
        let value = self.fitting(value, int);
        Some(Ex {
            text: format!("({} = {})", place.text, value.text),
            int,
            range: self.bound(int),
            effects: place.finding.and(value.effects).and(own),
        })
    }

    fn compound(&mut self, depth: usize, place: &super::place::Place, around: Effects) -> Ex {
        let int = place.int;
        let both = Effects {
            reads: place.cells,
            writes: place.cells,
        };
        let both = both.and(self.seen_by_calls());
        let around = around.and(place.finding).and(both);
        let mut value = self.expression(depth.saturating_sub(1), around);
        let mut ops: Vec<&str> = vec!["/=", "%="];
        let wraps = !int.signed && int.promoted().common(value.int) != LONG;
        if wraps && int.bits >= 32 {
            ops.extend(["+=", "-=", "*="]);
        } else if !int.signed && int != BOOL {
            // Promoted to `int` or `long`: the sum must fit that.
            value = value.within(1000);
            ops.extend(["+=", "-="]);
        }
        if self.conf.bits && !int.signed {
            ops.extend(["|=", "&=", "^=", ">>="]);
        }
        let op = ops[self.below(ops.len())];
        let value = match op {
            "/=" | "%=" => Ex::literal(i128::from(self.rng.random_range(1..9)), INT),
            ">>=" => Ex::literal(i128::from(self.rng.random_range(0..int.bits.min(8))), INT),
            _ => value,
        };
        Ex {
            text: format!("({} {op} {})", place.text, value.text),
            int,
            range: self.bound(int),
            effects: place.finding.and(both).and(value.effects),
        }
    }

    /// `++` or `--` of something unsigned.
    fn step(&mut self, around: Effects) -> Option<Ex> {
        let place = self.place(around, true, 1)?;
        if place.int.signed || place.int == BOOL {
            return None;
        }
        let op = if self.once_in(2) { "++" } else { "--" };
        let text = if self.once_in(2) {
            format!("({}{op})", place.text)
        } else {
            format!("({op}{})", place.text)
        };
        let both = Effects {
            reads: place.cells,
            writes: place.cells,
        };
        let both = both.and(self.seen_by_calls());
        if !both.fits(around) {
            return None;
        }
        Some(Ex {
            text,
            int: place.int,
            range: place.int.range(),
            effects: place.finding.and(both),
        })
    }

    fn call_value(&mut self, depth: usize, around: Effects) -> Ex {
        match self.call(depth, around) {
            Some((text, effects, Some(int))) => Ex {
                text,
                int,
                range: self.bound(int),
                effects,
            },
            _ => self.leaf(depth, around),
        }
    }

    /// A call of one of the functions so far: its text, effects and result.
    pub fn call(
        &mut self,
        depth: usize,
        around: Effects,
    ) -> Option<(String, Effects, Option<Int>)> {
        if self.functions.is_empty() {
            return None;
        }
        let at = self.below(self.functions.len());
        let function = self.functions[at].clone();
        let fuel = if self.conf.recursion {
            self.below(super::RECURSION as usize + 1).to_string()
        } else {
            String::new()
        };
        self.call_of(&function, &fuel, depth, around)
    }

    /// A call of this function, with so much fuel if it needs any.
    pub fn call_of(
        &mut self,
        function: &Function,
        fuel: &str,
        depth: usize,
        around: Effects,
    ) -> Option<(String, Effects, Option<Int>)> {
        let mut effects = function.effects;
        effects = effects.and(self.seen_by_inputs(effects));
        if !effects.fits(around) {
            return None;
        }
        let mut args = Vec::new();
        // Arguments are evaluated before the call, in no order among themselves.
        let mut evaluating = around;
        for param in &function.params {
            let (text, read, pointed) = match *param {
                Param::Value(int) => {
                    let arg = self.expression(depth.saturating_sub(1), evaluating);
                    let arg = self.fitting(arg, int);
                    (arg.text, arg.effects, 0)
                }
                Param::Fuel => (fuel.to_owned(), Effects::default(), 0),
                Param::Pointer(int) => {
                    let (text, cells) = self.address(int)?;
                    (text, Effects::default(), cells)
                }
                Param::Struct(id) => {
                    let (text, cells) = self.whole_struct(id)?;
                    (text, Effects::reading(cells), 0)
                }
                Param::StructPointer(id) => {
                    let (text, cells) = self.whole_struct(id)?;
                    (format!("&{text}"), Effects::default(), cells)
                }
            };
            let both = Effects {
                reads: pointed,
                writes: pointed,
            };
            if !read.fits(evaluating) || !both.fits(around) {
                return None;
            }
            evaluating = evaluating.and(read);
            effects = effects.and(read).and(both);
            args.push(text);
        }
        let text = format!("{}({})", function.name, args.join(", "));
        Some((text, effects, function.result))
    }

    /// Shifts and bit operators.
    fn bits(&mut self, depth: usize, around: Effects) -> Ex {
        let (left, right) = self.two(depth, around);
        let effects = left.effects.and(right.effects);
        let int = left.int.promoted();
        match self.rng.random_range(0..6) {
            0 => Ex {
                text: format!("(~{})", left.text),
                int,
                range: int.range(),
                effects: left.effects,
            },
            1 => {
                let by = right.below(i128::from(int.bits));
                Ex {
                    text: format!("({} >> {})", left.text, by.text),
                    int,
                    range: (left.range.0.min(0), left.range.1.max(0)),
                    effects,
                }
            }
            2 if !int.signed => {
                let by = right.below(i128::from(int.bits));
                Ex {
                    text: format!("({} << {})", left.text, by.text),
                    int,
                    range: int.range(),
                    effects,
                }
            }
            2 => {
                let (value, by) = (left.below(1000), right.below(10));
                Ex {
                    text: format!("({} << {})", value.text, by.text),
                    int: value.int.promoted(),
                    range: (0, 999 << 9),
                    effects,
                }
            }
            n => {
                let op = ["&", "|", "^"][n - 3];
                let int = left.int.common(right.int);
                Ex {
                    text: format!("({} {op} {})", left.text, right.text),
                    int,
                    range: int.range(),
                    effects,
                }
            }
        }
    }

    /// What mathematical integers can do of [`Self::bits`]: `~`, and operators with a constant.
    fn bits_by_constant(&mut self, depth: usize, around: Effects) -> Ex {
        let left = self.expression(depth - 1, around);
        let int = left.int.promoted();
        let effects = left.effects;
        let by = self.rng.random_range(0..int.bits.min(12));
        match self.rng.random_range(0..6) {
            0 => Ex {
                text: format!("(~{})", left.text),
                int,
                range: int.range(),
                effects,
            },
            1 => Ex {
                text: format!("({} >> {by})", left.text),
                int,
                range: (left.range.0.min(0), left.range.1.max(0)),
                effects,
            },
            2 => {
                let value = if int.signed { left.below(1000) } else { left };
                let int = value.int.promoted();
                let range = if int.signed {
                    (0, 999 << by)
                } else {
                    int.range()
                };
                Ex {
                    text: format!("({} << {by})", value.text),
                    int,
                    range,
                    effects,
                }
            }
            n => {
                let op = ["&", "|", "^"][n - 3];
                let mask = self.number();
                let int = left.int.common(mask.int);
                let text = if self.once_in(3) {
                    format!("({} {op} {})", mask.text, left.text)
                } else {
                    format!("({} {op} {})", left.text, mask.text)
                };
                Ex {
                    text,
                    int,
                    range: int.range(),
                    effects,
                }
            }
        }
    }

    /// Whether a type is one that pointers lead to.
    pub fn is_target(&self, int: Int) -> bool {
        let of = |kind| matches!(kind, Kind::Scalar | Kind::Array(_));
        ALL.contains(&int)
            && self
                .variables
                .iter()
                .any(|variable| of(variable.kind) && variable.int == int)
    }
}

fn truth(text: String, effects: Effects) -> Ex {
    Ex {
        text,
        int: INT,
        range: (0, 1),
        effects,
    }
}
