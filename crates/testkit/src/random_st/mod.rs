//! Random programs in Structured Text, as text and as data, and an interpreter written from the standard.
//!
//! The interpreter shares nothing with the front end: it works on the data that the text was printed from, statement by
//! statement, with timers that know the time of the day. Both must agree on all variables after each scan.

mod draw;
mod interpret;
mod print;

use crate::Rng;
use interpret::{Interpreter, Stop};
use lariat_base::SourceMap;
use lariat_expr::{Int, Value};
use lariat_frontend::{IntMode, Options, PlcReading, parse_with};
use lariat_system::{Context, Language, PlcType, ScanEnd, Scanner};
use rand::Rng as _;

/// A type of numbers or truth values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    Bool,
    Int(u32, bool),
    Time,
}

impl Ty {
    fn range(self) -> (i128, i128) {
        match self {
            Self::Bool => (0, 1),
            Self::Int(bits, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Self::Int(bits, false) => (0, (1 << bits) - 1),
            Self::Time => (i128::from(i32::MIN), i128::from(i32::MAX)),
        }
    }

    /// The value of the type that is equal modulo its size.
    fn wrap(self, value: i128) -> i128 {
        let (low, high) = self.range();
        (value - low).rem_euclid(high - low + 1) + low
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Input,
    Output,
    InOut,
    Local,
    Temp,
}

#[derive(Clone, Debug)]
struct Var {
    name: String,
    ty: Ty,
    kind: Kind,
    init: i128,
    /// The values of a subrange.
    sub: Option<(i128, i128)>,
    /// The indices, if it is an array.
    array: Option<(i128, i128)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum UnitKind {
    Program,
    Block,
    Function,
}

#[derive(Clone, Debug)]
struct Unit {
    kind: UnitKind,
    name: String,
    /// The type of a function.
    result: Ty,
    vars: Vec<Var>,
    /// Names of instances with their blocks.
    instances: Vec<(String, String)>,
    body: Vec<Stm>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Debug)]
enum Ex {
    Lit(Ty, i128),
    Var(String),
    Elem(String, Box<Ex>),
    /// An operation on values of the type.
    Bin(Op, Ty, Box<Ex>, Box<Ex>),
    Not(Box<Ex>),
    Neg(Ty, Box<Ex>),
    /// A standard function: `MIN`, `MAX`, `ABS`, `SEL`, `LIMIT`.
    Std(&'static str, Ty, Vec<Ex>),
    Conv(Ty, Ty, Box<Ex>),
    Call(String, Vec<Ex>),
}

/// Values from and to.
type Labels = Vec<(i128, i128)>;

#[derive(Clone, Debug)]
enum Stm {
    Assign(String, Ex),
    AssignElem(String, Ex, Ex),
    If(Vec<(Ex, Vec<Stm>)>, Vec<Stm>),
    Case(Ex, Vec<(Labels, Vec<Stm>)>, Vec<Stm>),
    /// Variable, from, to, by.
    For(String, Ex, Ex, i128, Vec<Stm>),
    While(Ex, Vec<Stm>),
    Repeat(Vec<Stm>, Ex),
    Exit,
    Continue,
    Return,
    /// An instance with inputs, references and outputs.
    Call(
        String,
        Vec<(String, Ex)>,
        Vec<(String, String)>,
        Vec<(String, String)>,
    ),
}

/// A program with what it is made of.
#[derive(Clone, Debug)]
pub struct RandomSt {
    units: Vec<Unit>,
}

/// What a comparison saw.
#[derive(Clone, Copy, Debug, Default)]
pub struct StTally {
    /// Scans after which both agreed.
    pub agreed: u64,
    /// Runs that ended with a fault, in both.
    pub faults: u64,
    /// Runs that ended in a scan without end.
    pub endless: u64,
}

impl RandomSt {
    /// Draws a program.
    pub fn draw(rng: &mut Rng) -> Self {
        draw::program(rng)
    }

    /// Its text.
    pub fn text(&self) -> String {
        print::program(self)
    }
}

/// Runs a random program and compares; what differs, with the text of the program.
pub fn compare_st(seed: u64) -> Result<StTally, String> {
    let mut rng = crate::rng(seed);
    let program = RandomSt::draw(&mut rng);
    let text = program.text();
    let ints = if seed.is_multiple_of(2) {
        IntMode::Math
    } else {
        IntMode::BitPrecise
    };
    compare(&program, &text, ints, &mut rng)
        .map_err(|why| format!("seed {seed}, {ints:?}: {why}\n{text}"))
}

fn compare(
    program: &RandomSt,
    text: &str,
    ints: IntMode,
    rng: &mut Rng,
) -> Result<StTally, String> {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let source = sources.add("random.st", text.to_owned());
    let options = Options {
        plc: PlcReading {
            ints,
            cycle: (0, 1000),
            hangs: rng.random_bool(0.5),
        },
        ..Options::default()
    };
    let file = sources.file(source);
    let parsed = parse_with(&mut cx, Language::St, source, file, &options);
    let system = parsed
        .map_err(|findings| {
            let place = findings[0].primary.as_ref();
            let place = place.map(|place| sources.describe(place.span));
            format!("refused: {} at {place:?}", findings[0].message)
        })?
        .system;
    let mut scanner = Scanner::new(&cx, &system);
    let plc = scanner.plc();
    let mut twin = Interpreter::new(program, ints == IntMode::BitPrecise);
    let mut tally = StTally::default();
    for scan in 0..10 {
        let cycle = rng.random_range(0..=4) * 5;
        let mut inputs = Vec::new();
        for leaf in plc.leaves.iter().filter(|leaf| leaf.input) {
            let (low, high) = match leaf.ty {
                PlcType::Bool => (0, 1),
                ty => leaf
                    .range
                    .or(ty.range())
                    .ok_or("an input of another type")?,
            };
            let near = [low, high, 0, 1, -1, 2, 3, 5];
            let value = if rng.random_bool(0.7) {
                near[rng.random_range(0..near.len())].clamp(low, high)
            } else {
                rng.random_range(low..=high)
            };
            inputs.push((leaf.var, leaf.name.to_string(), leaf.ty, value));
        }
        let end = scanner.scan(&mut |var| {
            if Some(var) == plc.cycle {
                return Value::Int(Int::from(cycle));
            }
            let found = inputs.iter().find(|input| input.0 == var);
            let &(_, _, ty, value) = found.expect("only inputs are asked for");
            from_number(ty, value, ints)
        });
        let given: Vec<(String, i128)> = inputs
            .iter()
            .map(|(_, name, _, value)| (name.clone(), *value))
            .collect();
        let theirs = twin.scan(&given, i128::from(cycle));
        match (end, theirs) {
            (ScanEnd::Done, Ok(())) => {}
            (ScanEnd::Fault, Err(Stop::Fault)) => {
                tally.faults += 1;
                return Ok(tally);
            }
            (_, Err(Stop::Huge)) => return Ok(tally),
            (ScanEnd::Endless, Err(Stop::Endless)) => {
                tally.endless += 1;
                return Ok(tally);
            }
            (ScanEnd::Endless, Ok(())) if twin.was_long() => {
                tally.endless += 1;
                return Ok(tally);
            }
            (ours, theirs) => return Err(format!("scan {scan}: ours {ours:?}, theirs {theirs:?}")),
        }
        for leaf in plc.leaves.iter().filter(|leaf| !leaf.hidden) {
            let Some(expected) = twin.value(&leaf.name) else {
                continue;
            };
            let found = to_number(leaf.ty, scanner.value(leaf.var));
            if found != Some(expected) {
                return Err(format!(
                    "scan {scan} with {given:?}, cycle {cycle}: {} is {found:?}, and {expected} by the interpreter",
                    leaf.name
                ));
            }
        }
        tally.agreed += 1;
    }
    Ok(tally)
}

fn int(value: i128) -> Int {
    value.to_string().parse().expect("digits are a number")
}

fn from_number(ty: PlcType, value: i128, ints: IntMode) -> Value {
    match ty {
        PlcType::Bool => Value::Bool(value != 0),
        PlcType::Int { bits, .. } if ints == IntMode::BitPrecise => {
            Value::Bv(int(value.rem_euclid(1 << bits)))
        }
        _ => Value::Int(int(value)),
    }
}

fn to_number(ty: PlcType, value: &Value) -> Option<i128> {
    match (ty, value) {
        (_, Value::Bool(truth)) => Some(i128::from(*truth)),
        (_, Value::Int(number)) => number.to_string().parse().ok(),
        (PlcType::Int { bits, signed }, Value::Bv(number)) => {
            let number: i128 = number.to_string().parse().ok()?;
            Some(Ty::Int(bits, signed).wrap(number))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x` counts in 16 bits until it is negative, `n` the rounds.
    fn counts_through_the_end() -> RandomSt {
        let (short, long) = (Ty::Int(16, true), Ty::Int(32, true));
        let number = |name: &str, ty: Ty| Var {
            name: name.into(),
            ty,
            kind: Kind::Local,
            init: 0,
            sub: None,
            array: None,
        };
        let var = |name: &str| Box::new(Ex::Var(name.into()));
        let more = |name: &str, ty: Ty| {
            let one = Box::new(Ex::Lit(ty, 1));
            Stm::Assign(name.into(), Ex::Bin(Op::Add, ty, var(name), one))
        };
        let zero = Ex::Lit(short, 0);
        let is_negative = Ex::Bin(Op::Lt, short, var("x"), Box::new(zero.clone()));
        let body = vec![more("x", short), more("n", long)];
        let main = Unit {
            kind: UnitKind::Program,
            name: "Main".into(),
            result: Ty::Bool,
            vars: vec![number("x", short), number("n", long)],
            instances: Vec::new(),
            body: vec![
                Stm::Assign("x".into(), zero),
                Stm::Repeat(body, is_negative),
            ],
        };
        RandomSt { units: vec![main] }
    }

    #[test]
    fn the_interpreter_follows_loops_as_long_as_the_scanner() {
        let program = counts_through_the_end();
        let mut twin = Interpreter::new(&program, true);
        assert_eq!(twin.scan(&[], 0), Ok(()));
        assert_eq!(twin.value("x"), Some(-32_768));
        assert_eq!(twin.value("n"), Some(32_768));
        let ours = compare(
            &program,
            &program.text(),
            IntMode::BitPrecise,
            &mut crate::rng(0),
        );
        let ours = ours.unwrap_or_else(|why| panic!("{why}"));
        assert_eq!((ours.agreed, ours.endless), (10, 0));
        // Without an end of the numbers there is none of the loop.
        let mut endless = Interpreter::new(&program, false);
        assert_eq!(endless.scan(&[], 0), Err(Stop::Endless));
        let ours = compare(&program, &program.text(), IntMode::Math, &mut crate::rng(0));
        let ours = ours.unwrap_or_else(|why| panic!("{why}"));
        assert_eq!((ours.agreed, ours.endless), (0, 1));
    }

    #[test]
    fn random_programs_agree_with_the_interpreter() {
        let mut all = StTally::default();
        let n = std::env::var("LARIAT_ST_SEEDS").ok();
        let n = n.and_then(|n| n.parse().ok()).unwrap_or(150);
        for seed in 0..n {
            let tally = compare_st(seed).unwrap_or_else(|why| panic!("{why}"));
            all.agreed += tally.agreed;
            all.faults += tally.faults;
        }
        assert!(all.agreed > 500 && all.faults > 5, "{all:?}");
    }
}
