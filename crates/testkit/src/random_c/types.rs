//! Integer types and the ranges of expressions.

use super::effects::Effects;

/// An integer type of a machine whose `int` has 32 bits and whose `long` has 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Int {
    pub name: &'static str,
    pub bits: u32,
    pub signed: bool,
}

const fn int(name: &'static str, bits: u32, signed: bool) -> Int {
    Int { name, bits, signed }
}

pub(super) const BOOL: Int = int("_Bool", 1, false);
pub(super) const INT: Int = int("int", 32, true);
pub(super) const UINT: Int = int("unsigned", 32, false);
pub(super) const LONG: Int = int("long", 64, true);
pub(super) const UCHAR: Int = int("unsigned char", 8, false);
pub(super) const ULONG: Int = int("unsigned long", 64, false);

/// The types of variables; frequent ones are listed more than once.
pub(super) const ALL: [Int; 14] = [
    INT,
    INT,
    INT,
    UINT,
    UINT,
    LONG,
    ULONG,
    BOOL,
    int("signed char", 8, true),
    UCHAR,
    UCHAR,
    int("short", 16, true),
    int("unsigned short", 16, false),
    int("long long", 64, true),
];

impl Int {
    pub fn range(self) -> (i128, i128) {
        if self.signed {
            (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1)
        } else {
            (0, (1 << self.bits) - 1)
        }
    }

    pub fn holds(self, (low, high): (i128, i128)) -> bool {
        let (least, most) = self.range();
        least <= low && high <= most
    }

    /// The type after integer promotion.
    pub fn promoted(self) -> Self {
        match (self.bits, self.signed) {
            (..32, _) | (32, true) => INT,
            (32, false) => UINT,
            (_, true) => LONG,
            (_, false) => ULONG,
        }
    }

    /// The type in which an operation on both is made.
    pub fn common(self, other: Self) -> Self {
        let (a, b) = (self.promoted(), other.promoted());
        match (a.bits.max(b.bits), a, b) {
            (32, ..) if a.signed && b.signed => INT,
            (32, ..) => UINT,
            (_, a, b) if a == ULONG || b == ULONG => ULONG,
            _ => LONG,
        }
    }

    /// The range of a value of another type that is converted.
    pub fn converted(self, range: (i128, i128)) -> (i128, i128) {
        if self == BOOL {
            return (0, 1);
        }
        if self.holds(range) {
            range
        } else {
            self.range()
        }
    }

    /// The letters behind a number of this promoted type.
    pub fn suffix(self) -> &'static str {
        match (self.bits, self.signed) {
            (64, true) => "L",
            (64, false) => "UL",
            (32, false) => "u",
            _ => "",
        }
    }
}

/// An expression: its text (bracketed, unless it is one word), its type before promotion, the values it
/// can have, and what it does.
#[derive(Clone, Debug)]
pub(super) struct Ex {
    pub text: String,
    pub int: Int,
    pub range: (i128, i128),
    pub effects: Effects,
}

impl Ex {
    pub fn literal(value: i128, int: Int) -> Self {
        let int = int.promoted();
        let text = if value < 0 {
            format!("(-{}{})", -value, int.suffix())
        } else {
            format!("{value}{}", int.suffix())
        };
        Self {
            text,
            int,
            range: (value, value),
            effects: Effects::default(),
        }
    }

    /// The range after promotion to `int`, a common type.
    pub fn as_common(&self, int: Int) -> (i128, i128) {
        int.converted(self.range)
    }

    /// The expression with its value brought into `0..n`.
    pub fn below(self, n: i128) -> Self {
        let common = self.int.common(INT);
        if 0 <= self.range.0 && self.range.1 < n {
            return self;
        }
        let text = if self.range.0 < 0 {
            format!("(({} % {n} + {n}) % {n})", self.text)
        } else {
            format!("({} % {n}{})", self.text, common.suffix())
        };
        Self {
            text,
            int: common,
            range: (0, n - 1),
            effects: self.effects,
        }
    }

    /// The expression with its value brought into `-most..=most`, or for unsigned types `0..=most`.
    pub fn within(self, most: i128) -> Self {
        if -most <= self.range.0 && self.range.1 <= most {
            return self;
        }
        let common = self.int.common(INT);
        let text = format!("({} % {}{})", self.text, most + 1, common.suffix());
        let low = if common.signed && self.range.0 < 0 {
            -most
        } else {
            0
        };
        Self {
            text,
            int: common,
            range: (low, most),
            effects: self.effects,
        }
    }
}
