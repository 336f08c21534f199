//! C programs whose loops end, or do not, by construction. The claim is `F end`.
//!
//! As in `kinds`: each function writes a program or its twin, and its comment proves what is said of them. Signed numbers are
//! mathematical; inputs have the range of their type; unsigned numbers wrap around. `NOISE` stands where statements may come
//! that change nothing the program reads.

use crate::Rng;
use rand::Rng as _;

/// A function that writes a program.
pub type Write = fn(&mut Rng, bool) -> String;

/// The text of a program, with noise.
pub fn program(write: Write, twin: bool, rng: &mut Rng) -> String {
    let body = write(rng, twin);
    let mut parts = body.split("NOISE");
    let mut text = format!(
        "extern int __VERIFIER_nondet_int(void);\nextern _Bool __VERIFIER_nondet_bool(void);\n\
         extern unsigned char __VERIFIER_nondet_uchar(void);\n\
         extern unsigned int __VERIFIER_nondet_uint(void);\nextern void __VERIFIER_assume(int);\n\
         int noise = {};\n_Bool flag;\n",
        rng.random_range(-2..3)
    );
    text += parts.next().unwrap_or_default();
    for part in parts {
        text += NOISE[rng.random_range(0..NOISE.len())];
        text += part;
    }
    text
}

const NOISE: [&str; 8] = [
    "",
    "",
    "",
    "noise++;",
    "noise = noise * 2 + 1;",
    "flag = !flag;",
    "if (__VERIFIER_nondet_bool()) noise--;",
    "if (flag) { flag = 0; } else { noise = __VERIFIER_nondet_int(); }",
];

fn stride(rng: &mut Rng) -> i32 {
    [1, 1, 2, 3, 5][rng.random_range(0..5)]
}

/// Some text of several.
fn one_of<'t>(rng: &mut Rng, texts: &[&'t str]) -> &'t str {
    texts[rng.random_range(0..texts.len())]
}

/// A loop in a loop, which starts anew each time.
///
/// Right: `j` grows to `m`, then `i` grows, which happens until it is `n`. Twin: `i`, or `j`, does not grow; with `n = m = 1`
/// that one's loop goes on for ever.
pub fn nested(rng: &mut Rng, twin: bool) -> String {
    let (mut a, mut b) = (stride(rng), stride(rng));
    if twin {
        *one_of_two(rng, &mut a, &mut b) = 0;
    }
    let bound = one_of(rng, &["n", "m"]);
    format!(
        "int main(void) {{\n    int n = __VERIFIER_nondet_int();\n    int m = __VERIFIER_nondet_int();\n    \
         int i = 0;\n    NOISE\n    while (i < n) {{\n        int j = 0;\n        NOISE\n        \
         while (j < {bound}) {{\n            j += {a};\n            NOISE\n        }}\n        i = i + {b};\n    }}\n    \
         return 0;\n}}\n"
    )
}

fn one_of_two<'t>(rng: &mut Rng, one: &'t mut i32, other: &'t mut i32) -> &'t mut i32 {
    if rng.random() { one } else { other }
}

/// The inner loop starts where the outer one is.
///
/// Right: `j` grows from `i` to `n`, then `i` grows. Twin: `j` may also fall; with `n = 1` it goes up and down for ever.
pub fn triangle(rng: &mut Rng, twin: bool) -> String {
    let (a, b) = (stride(rng), stride(rng));
    let back = if twin {
        format!("if (__VERIFIER_nondet_bool()) j -= {a}; else ")
    } else {
        String::new()
    };
    format!(
        "int n;\nint main(void) {{\n    n = __VERIFIER_nondet_int();\n    for (int i = 0; i < n; i += {b}) {{\n        \
         NOISE\n        int j = i;\n        while (j < n) {{\n            {back}j += {a};\n            NOISE\n        \
         }}\n    }}\n    return 0;\n}}\n"
    )
}

/// The outer loop counts down what the inner one copies.
///
/// Right: `y` falls from `x`, then `x` falls. Twin: `x` falls only if an input says so, and it may say no for ever.
pub fn copies(rng: &mut Rng, twin: bool) -> String {
    let (a, b) = (stride(rng), stride(rng));
    let maybe = if twin {
        "if (__VERIFIER_nondet_bool()) "
    } else {
        ""
    };
    format!(
        "int main(void) {{\n    int x = __VERIFIER_nondet_int();\n    while (1) {{\n        if (x <= 0) break;\n        \
         int y = x;\n        NOISE\n        while (y > 0) y -= {a};\n        {maybe}x -= {b};\n        NOISE\n    \
         }}\n    return 0;\n}}\n"
    )
}

/// Euclid's algorithm with remainders.
///
/// Right: of positive numbers `a % b < b`, and it is never negative, so `b` falls to 0. Twin: 1 is added; with `b = 1` that is 1
/// again, for ever.
pub fn remainders(rng: &mut Rng, twin: bool) -> String {
    let more = if twin { " + 1" } else { "" };
    let test = one_of(rng, &["b != 0", "b > 0", "b >= 1", "!(b == 0)"]);
    format!(
        "int main(void) {{\n    int a = __VERIFIER_nondet_int();\n    int b = __VERIFIER_nondet_int();\n    \
         __VERIFIER_assume(a >= 1 && b >= 1);\n    while ({test}) {{\n        int t = a % b{more};\n        NOISE\n        \
         a = b;\n        b = t;\n    }}\n    return 0;\n}}\n"
    )
}

/// A byte that counts up to a byte.
///
/// Right: `i < n <= 255` is false at the latest when `i = 255`. Twin: `i <= n` is always true if `n = 255`, since `i` wraps around.
pub fn byte(rng: &mut Rng, twin: bool) -> String {
    let test = match (twin, rng.random()) {
        (false, true) => "i < n",
        (false, false) => "i != n",
        (true, true) => "i <= n",
        (true, false) => "!(i > n)",
    };
    format!(
        "int main(void) {{\n    unsigned char n = __VERIFIER_nondet_uchar();\n    unsigned char i = 0;\n    \
         while ({test}) {{\n        i++;\n        NOISE\n    }}\n    return 0;\n}}\n"
    )
}

/// An unsigned number that counts down.
///
/// Right: it is positive until it is 0. Twin: it is at least 0 always.
pub fn unsigned_down(rng: &mut Rng, twin: bool) -> String {
    let test = if twin {
        "i >= 0"
    } else {
        one_of(rng, &["i > 0", "i != 0", "i >= 1", "i"])
    };
    format!(
        "int main(void) {{\n    unsigned int i = __VERIFIER_nondet_uint();\n    while ({test}) {{\n        NOISE\n        \
         i--;\n    }}\n    return 0;\n}}\n"
    )
}

/// `x` moves by `v`, and `v` falls, in functions.
///
/// Right: `v` is negative at last, and then `x` falls. Twin: `v` falls only while it is positive, so that it may stay 0, and
/// `x` stays then.
pub fn called_phases(rng: &mut Rng, twin: bool) -> String {
    let by = stride(rng);
    let rule = if twin {
        format!("w > 0 ? (w > {by} ? w - {by} : 0) : w")
    } else {
        format!("w - {by}")
    };
    format!(
        "int x, v;\nstatic int slower(int w) {{ return {rule}; }}\nstatic void move(void) {{\n    x += v;\n    NOISE\n    \
         v = slower(v);\n}}\nint main(void) {{\n    x = __VERIFIER_nondet_int();\n    v = __VERIFIER_nondet_int();\n    \
         while (x > 0) move();\n    return 0;\n}}\n"
    )
}
