//! Machines whose claims are right or wrong by construction, first part: what ends because something falls or reaches a
//! bound. The second part is in `more_kinds`.
//!
//! Each function draws a machine, or its *twin*, in which a small change makes the claim wrong. The comment proves both.
//! Witnesses of twins need small initial values and inputs only, so they are runs in C, too, where inputs have a type.

use super::expression::Expr;
use super::machine::{Claim, Kind, Machine, Update};

fn v(var: usize) -> Expr {
    Expr::Var(var)
}

/// From any number down to 0 or below.
///
/// Right: the only action while `x > 0` takes at least 1 off. Twin: another action adds at least 0; from `x = 1`, it
/// alone keeps `x > 0` for ever.
pub fn countdown(m: &mut Machine<'_>, twin: bool) -> Claim {
    let x = m.declare(Kind::Int);
    let (down, up) = (m.stride(), m.number(0, 3));
    if m.chance(2) {
        let least = m.number(-5, 1);
        m.init(v(x).ge(least));
    }
    m.step([v(x).gt(0)], [(x, v(x) - down)]);
    if twin {
        m.step([v(x).gt(0)], [(x, v(x) + up)]);
    }
    m.idle([v(x).le(0)]);
    if m.chance(2) {
        Claim::Recurrent(v(x).le(0))
    } else {
        Claim::Eventually(v(x).le(0))
    }
}

/// Down by an unknown step, drawn once or anew for each step. A draw that is too small ends the run.
///
/// Right: on an infinite run every step that is taken while `x > 0` is at least 1. Twin: it may be 0, and from `x = 1`
/// nothing ever changes.
pub fn unknown_step(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (x, d) = (m.declare(Kind::Int), m.declare(Kind::Int));
    let least = if twin { 0 } else { m.stride() };
    let mut updates = vec![(x, Update::To(v(x) - v(d)))];
    if m.chance(2) {
        updates.push((d, Update::Any));
        m.action([v(x).gt(0), v(d).ge(least)], updates);
    } else {
        m.init(v(d).ge(least));
        m.action([v(x).gt(0)], updates);
    }
    m.idle([v(x).le(0)]);
    Claim::Eventually(v(x).le(0))
}

/// Up for ever, beyond any bound.
///
/// Right: each step adds at least 1, so from any number every bound is reached, and is not left again. Twin: each step takes
/// something off, so from below the bound it is never reached.
pub fn up(m: &mut Machine<'_>, twin: bool) -> Claim {
    let x = m.declare(Kind::Int);
    let (by, bound) = (m.stride(), m.number(3, 40));
    if m.chance(2) {
        let first = m.number(-3, 2);
        m.init(v(x).equals(first));
    }
    m.step([], [(x, if twin { v(x) - by } else { v(x) + by })]);
    match m.number(0, 2) {
        0 => Claim::Eventually(v(x).ge(bound)),
        1 => Claim::Stable(v(x).ge(bound)),
        _ => Claim::Recurrent(v(x).ge(bound)),
    }
}

/// A pair that falls in the order of a dictionary: `y` falls, or `x` falls and `y` becomes anything.
///
/// Right: `x` falls by at least 1 and stays positive before, so it falls finitely often, and between two falls `y` does
/// so finitely often. Twin: `x` does not fall; from `x = 1, y = 0`, drawing `y = 0` changes nothing, for ever.
pub fn lexicographic(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (x, y) = (m.declare(Kind::Int), m.declare(Kind::Int));
    let (a, b) = (m.stride(), m.stride());
    m.step([v(x).gt(0), v(y).gt(0)], [(y, v(y) - b)]);
    let mut guard = vec![v(x).gt(0)];
    if m.chance(2) {
        guard.push(v(y).le(0));
    }
    let mut updates = vec![(y, Update::Any)];
    if !twin {
        updates.push((x, Update::To(v(x) - a)));
    }
    m.action(guard, updates);
    m.idle([v(x).le(0)]);
    Claim::Eventually(v(x).le(0))
}

/// `x` moves by `v`, and `v` falls.
///
/// Right: `v` falls by at least 1 each time, is negative at last and stays so, and then `x` falls. Twin: `v` stays what it
/// is; with `v = 0`, `x = 1` it goes on for ever.
pub fn phases(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (x, speed) = (m.declare(Kind::Int), m.declare(Kind::Int));
    let by = if twin { 0 } else { m.stride() };
    if m.chance(2) {
        let least = m.number(-4, 0);
        m.init(v(speed).ge(least));
    }
    m.step([v(x).gt(0)], [(x, v(x) + v(speed)), (speed, v(speed) - by)]);
    m.idle([v(x).le(0)]);
    Claim::Eventually(v(x).le(0))
}

/// Up while a mode is on; once it is off, down.
///
/// Right: once off, it stays off, and `x` falls to 0. That it is switched off is not claimed: it need not be. Twin: it may
/// be switched on again while `x > 0`; from `x = 1`, switching it off and on never changes `x`.
pub fn mode(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (x, on) = (m.declare(Kind::Int), m.declare(Kind::Bool));
    let (up, down, first) = (m.stride(), m.stride(), m.number(1, 4));
    m.init(v(on));
    m.init(v(x).equals(first));
    m.step([v(on)], [(x, v(x) + up)]);
    m.step([v(on)], [(on, v(on).negated())]);
    m.step([v(on).negated(), v(x).gt(0)], [(x, v(x) - down)]);
    m.idle([v(on).negated(), v(x).le(0)]);
    if twin {
        m.step([v(on).negated(), v(x).gt(0)], [(on, v(on).negated())]);
    }
    Claim::Response(v(on).negated(), v(x).le(0))
}

/// The same actions, and the claim that `x` is at or below 0 from some time on.
///
/// Right: the mode starts off, stays off, and `x` falls to 0. Twin: it starts on, and may be on for ever.
pub fn mode_for_ever(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (x, on) = (m.declare(Kind::Int), m.declare(Kind::Bool));
    let (up, down, first) = (m.stride(), m.stride(), m.number(1, 4));
    m.init(if twin { v(on) } else { v(on).negated() });
    m.init(v(x).ge(first));
    m.step([v(on)], [(x, v(x) + up)]);
    m.step([v(on)], [(on, v(on).negated())]);
    m.step([v(on).negated(), v(x).gt(0)], [(x, v(x) - down)]);
    m.idle([v(on).negated(), v(x).le(0)]);
    Claim::Stable(v(x).le(0))
}

/// Multiplied by at least 2 until a bound.
///
/// Right: from `x >= 1` each step adds at least `x >= 1`. Twin: `x` may be 0, and stays 0.
pub fn doubling(m: &mut Machine<'_>, twin: bool) -> Claim {
    let x = m.declare(Kind::Int);
    let (factor, bound) = (m.number(2, 3), m.number(5, 60));
    m.init(v(x).ge(i64::from(!twin)));
    let product = if factor == 2 && m.chance(2) {
        v(x) + v(x)
    } else {
        v(x) * factor
    };
    m.step([v(x).lt(bound)], [(x, product)]);
    m.idle([v(x).ge(bound)]);
    Claim::Eventually(v(x).ge(bound))
}

/// Two numbers that move towards each other.
///
/// Right: every action while `i < j` makes `j - i` smaller by at least 1. Twin: one of them leaves or increases it; from
/// `i = 0`, `j = 1` that one can be taken for ever.
pub fn towards_each_other(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (i, j) = (m.declare(Kind::Int), m.declare(Kind::Int));
    let (a, b) = (m.stride(), m.stride());
    let apart = m.number(0, 2);
    m.step([v(i).lt(v(j))], [(i, v(i) + a)]);
    let other = if twin { v(j) + apart } else { v(j) - b };
    m.step([v(i).lt(v(j))], [(j, other)]);
    m.idle([v(i).ge(v(j))]);
    Claim::Eventually(v(i).ge(v(j)))
}

/// Euclid's algorithm by subtraction.
///
/// Right: both stay at least 1, so each subtraction takes at least 1 off their sum, which is at least 2. Twin: one may be
/// 0; from 1 and 0 subtracting 0 goes on for ever, and they never get equal.
pub fn euclid(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (x, y) = (m.declare(Kind::Int), m.declare(Kind::Int));
    m.init(v(x).ge(1));
    m.init(v(y).ge(i64::from(!twin)));
    m.step([v(x).gt(v(y))], [(x, v(x) - v(y))]);
    m.step([v(y).gt(v(x))], [(y, v(y) - v(x))]);
    m.idle([v(x).equals(v(y))]);
    Claim::Eventually(v(x).equals(v(y)))
}

/// Time that moves on by a least amount.
///
/// Right: on an infinite run every step before the bound adds at least `p/q`. Twin: any positive step will do, and steps
/// 1/2, 1/4, … from 0 stay below the bound 1.
pub fn clock(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (time, d) = (m.declare(Kind::Rat), m.declare(Kind::Rat));
    let (above, below) = (m.number(1, 3), m.number(1, 10));
    let bound = Expr::Ratio(m.number(1, 12), 1);
    let guard = if twin {
        v(d).gt(Expr::Ratio(0, 1))
    } else {
        v(d).ge(Expr::Ratio(above, below))
    };
    m.init(v(time).equals(Expr::Ratio(0, 1)));
    let updates = vec![(time, Update::To(v(time) + v(d))), (d, Update::Any)];
    m.action([v(time).lt(bound.clone()), guard], updates);
    m.idle([v(time).ge(bound.clone())]);
    Claim::Eventually(v(time).ge(bound))
}

/// Time that moves on by steps that get smaller by a fixed factor.
///
/// Right: with the factor 1 (the step stays) every bound is reached. Twin: with `d` first and factor 1/q, `q >= 2`, the sum
/// of all steps is `d * q / (q - 1) <= 2 d`, which is below the bound `2 d + 1`, so that it is never reached.
pub fn halving(m: &mut Machine<'_>, twin: bool) -> Claim {
    let (time, d) = (m.declare(Kind::Rat), m.declare(Kind::Rat));
    let (first, divisor) = (m.number(1, 3), m.number(2, 4));
    let bound = Expr::Ratio(2 * first + 1, 1);
    m.init(v(time).equals(Expr::Ratio(0, 1)));
    m.init(v(d).equals(Expr::Ratio(first, 1)));
    let factor = Expr::Ratio(1, if twin { divisor } else { 1 });
    let updates = [(time, v(time) + v(d)), (d, v(d) * factor)];
    m.step([v(time).lt(bound.clone())], updates);
    m.idle([v(time).ge(bound.clone())]);
    Claim::Eventually(v(time).ge(bound))
}
