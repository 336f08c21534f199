//! Machines whose claims are right or wrong by construction, second part: queues, races, remainders, and Collatz.
//!
//! As in `kinds`: each function draws a machine or its twin, and its comment proves what is said of them.

use super::expression::Expr;
use super::machine::{Claim, Kind, Machine};

fn v(var: usize) -> Expr {
    Expr::Var(var)
}

/// A queue to which each credit adds something.
///
/// Right: each put takes a credit and there are finitely many; afterwards the queue gets shorter by at least 1 until it is
/// empty, and only then nothing happens. Twin: a put needs no credit, and putting can go on for ever.
pub fn queue(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (length, credit) = (m.declare(Kind::Int), m.declare(Kind::Int));
    let (put, get, cost) = (m.stride(), m.stride(), m.stride());
    let first = m.number(0, 3);
    m.init(v(length).equals(first));
    if m.chance(2) {
        let most = m.number(1, 5);
        m.init(v(credit).le(most));
    }
    let price = if twin { 0 } else { cost };
    m.step(
        [v(credit).gt(0)],
        [(length, v(length) + put), (credit, v(credit) - price)],
    );
    m.step([v(length).gt(0)], [(length, v(length) - get)]);
    m.idle([v(length).le(0), v(credit).le(0)]);
    let is_empty = Expr::And(vec![v(length).le(0), v(credit).le(0)]);
    if m.chance(2) {
        Claim::Eventually(is_empty)
    } else {
        Claim::Stable(is_empty)
    }
}

/// A number that must be hit exactly.
///
/// Right: from a multiple `k n` with `n >= 0` steps of `k` hit 0, where it stays. Twin: from `k n + r` with `0 < r < k` every
/// number on the way has the remainder `r`, so 0 is never hit.
pub fn exactly(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (x, n) = (m.declare(Kind::Int), m.declare(Kind::Int));
    let by = m.number(2, 5);
    let rest = if twin { m.number(1, by - 1) } else { 0 };
    m.init(v(n).ge(0));
    m.init(v(x).equals(v(n) * by + rest));
    m.step([v(x).differs(0)], [(x, v(x) - by)]);
    m.idle([v(x).equals(0)]);
    Claim::Eventually(v(x).equals(0))
}

/// Up to a bound and back to 0, again and again.
///
/// Right: below the bound, which is constant, `x` grows by at least 1; at it `x` becomes 0. Twin: the bound grows as fast, and `x`,
/// which starts at 1 or more and below it, never gets there, so that it is never 0.
pub fn saw(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (x, bound) = (m.declare(Kind::Int), m.declare(Kind::Int));
    let (by, first) = (m.stride(), m.number(1, 3));
    m.init(v(x).equals(first));
    if m.chance(2) {
        m.init(v(bound).gt(first));
    }
    let grown = v(bound) + if twin { by } else { 0 };
    m.step([v(x).lt(v(bound))], [(x, v(x) + by), (bound, grown)]);
    m.step([v(x).ge(v(bound))], [(x, 0.into())]);
    Claim::Recurrent(v(x).equals(0))
}

/// Up for ever, or with a way back.
///
/// Right: `x` is beyond the bound at last and stays so. Twin: it may become 0 at any time, and always again.
pub fn way_back(m: &mut Machine<'_>, twin: bool) -> Claim {
    let x = m.declare(Kind::Int);
    let (by, bound) = (m.stride(), m.number(1, 20));
    m.step([], [(x, v(x) + by)]);
    if twin {
        m.step([v(x).gt(bound)], [(x, 0.into())]);
    }
    Claim::Stable(v(x).gt(bound))
}

/// A number that grows by a number that grows.
///
/// Right: `y` grows by at least 1 each time, is at least 1 at last, and then `x` grows beyond every bound. Twin: `y` falls from
/// 0 or below, so `x` never gets larger than it was, which is not above the bound.
pub fn accelerating(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (x, y) = (m.declare(Kind::Int), m.declare(Kind::Int));
    let (by, bound, first) = (m.stride(), m.number(1, 20), m.number(-3, 0));
    m.init(v(x).equals(first));
    m.init(v(y).equals(first));
    let changed = if twin { v(y) - by } else { v(y) + by };
    m.step([], [(x, v(x) + v(y)), (y, changed)]);
    Claim::Eventually(v(x).gt(bound))
}

/// Two numbers that are multiplied, by 2 and by 3.
///
/// Right: both start at least 1, and `y / x` grows by the factor 3/2, beyond every bound. Twin: it falls by the factor 2/3
/// from a value that is not above the bound.
pub fn race(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (x, y) = (m.declare(Kind::Int), m.declare(Kind::Int));
    let (first, times) = (m.number(1, 3), m.number(1, 3));
    m.init(v(x).equals(first));
    let other = m.number(1, first);
    m.init(v(y).equals(other));
    let (slow, fast) = if twin { (y, x) } else { (x, y) };
    m.step([], [(slow, v(slow) * 2), (fast, v(fast) * 3)]);
    Claim::Eventually(v(y).gt(v(x) * times))
}

/// An outer counter that falls each time an inner one, which starts with a value that grows, has come down.
///
/// Right: while `x > 0`, `y` falls by at least 1 or, at 0 or below, `x` falls and `y` starts again with `z`, which is larger each
/// time. Twin: `y` starts again and `x` stays; from `x = 1` that goes on for ever.
pub fn growing_rounds(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (x, y, z) = (
        m.declare(Kind::Int),
        m.declare(Kind::Int),
        m.declare(Kind::Int),
    );
    let (a, b, c) = (m.stride(), m.stride(), m.stride());
    m.step([v(x).gt(0), v(y).gt(0)], [(y, v(y) - b)]);
    let left = v(x) - if twin { 0 } else { a };
    m.step(
        [v(x).gt(0), v(y).le(0)],
        [(x, left), (y, v(z)), (z, v(z) + c)],
    );
    m.idle([v(x).le(0)]);
    Claim::Eventually(v(x).le(0))
}

/// Collatz' problem for a number that grows as long as it likes, so that it is any number of at least 1 in every language.
///
/// Nobody knows whether the claim is right. Twin: with `3 x - 1` in the place of `3 x + 1` it is wrong: 5, 14, 7, 20, 10, 5.
pub fn collatz(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (x, on) = (m.declare(Kind::Int), m.declare(Kind::Bool));
    m.init(v(x).equals(1));
    m.init(v(on));
    m.step([v(on)], [(x, v(x) + 1)]);
    m.step([v(on)], [(on, v(on).negated())]);
    let off = || v(on).negated();
    let odd = v(x) * 3 + if twin { -1 } else { 1 };
    // What follows on an odd number is even, so it may be halved at once.
    let odd = if m.chance(2) { odd.div(2) } else { odd };
    m.step(
        [off(), v(x).gt(1), v(x).modulo(2).equals(0)],
        [(x, v(x).div(2))],
    );
    m.step([off(), v(x).gt(1), v(x).modulo(2).differs(0)], [(x, odd)]);
    m.idle([off(), v(x).le(1)]);
    Claim::Response(off(), v(x).le(1))
}
