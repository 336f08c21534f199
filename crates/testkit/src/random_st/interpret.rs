//! An interpreter of programs, straight from the standard.

use super::{Ex, Kind, Op, RandomSt, Stm, Ty, Unit, UnitKind};
use lariat_system::Scanner;
use std::collections::HashMap;

/// How many rounds of `WHILE` and `REPEAT` a scan may take, all loops together. Each of them is at least one step of ours, so that
/// what we follow to its end also ends here. (`FOR` loops are short: their bounds are drawn so.)
const MAX_ROUNDS: usize = Scanner::MAX_STEPS;

/// Why a scan does not end as it should.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    Fault,
    Endless,
    /// A mathematical integer became too large to follow.
    Huge,
}

/// How control leaves a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Exit,
    Continue,
    Return,
}

/// Values by full names; arrays by element.
pub(super) struct Interpreter<'a> {
    program: &'a RandomSt,
    wraps: bool,
    values: HashMap<String, i128>,
    /// Subranges by full names.
    ranges: HashMap<String, (i128, i128)>,
    arrays: HashMap<String, (i128, i128)>,
    /// When timers started.
    starts: HashMap<String, i128>,
    blocks: HashMap<String, String>,
    now: i128,
    /// How many rounds the scan may still take.
    rounds: usize,
    /// How many calls of functions are open.
    depth: u32,
}

/// What names mean in a unit: its variables have the prefix, references are other names.
#[derive(Clone, Default)]
struct Frame {
    prefix: String,
    references: HashMap<String, String>,
}

impl Frame {
    fn full(&self, name: &str) -> String {
        let (first, rest) = name.split_once('.').unwrap_or((name, ""));
        match self.references.get(first) {
            Some(other) => other.clone(),
            None if rest.is_empty() => format!("{}{first}", self.prefix),
            None => format!("{}{first}.{rest}", self.prefix),
        }
    }
}

impl<'a> Interpreter<'a> {
    pub fn new(program: &'a RandomSt, wraps: bool) -> Self {
        let mut new = Self {
            program,
            wraps,
            values: HashMap::new(),
            ranges: HashMap::new(),
            arrays: HashMap::new(),
            starts: HashMap::new(),
            blocks: HashMap::new(),
            now: 0,
            rounds: 0,
            depth: 0,
        };
        let main = new.unit_of(UnitKind::Program, None);
        new.declare(main, "");
        new
    }

    fn unit_of(&self, kind: UnitKind, name: Option<&str>) -> &'a Unit {
        let mut units = self.program.units.iter();
        let is_it = |unit: &&Unit| unit.kind == kind && name.is_none_or(|name| unit.name == name);
        units.find(is_it).expect("units that are used are there")
    }

    fn is_own(&self, block: &str) -> bool {
        self.program.units.iter().any(|unit| unit.name == block)
    }

    fn declare(&mut self, unit: &Unit, prefix: &str) {
        for var in unit.vars.iter().filter(|var| var.kind != Kind::InOut) {
            let full = format!("{prefix}{}", var.name);
            if let Some((low, high)) = var.array {
                self.arrays.insert(full.clone(), (low, high));
                for at in low..=high {
                    self.values.insert(format!("{full}[{at}]"), 0);
                }
                continue;
            }
            if let Some(range) = var.sub {
                self.ranges.insert(full.clone(), range);
            }
            self.values.insert(full, var.init);
        }
        for (name, block) in &unit.instances {
            let full = format!("{prefix}{name}");
            self.blocks.insert(full.clone(), block.clone());
            if self.is_own(block) {
                let inner = self.unit_of(UnitKind::Block, Some(block));
                self.declare(inner, &format!("{full}."));
            } else {
                let members: &[&str] = match &**block {
                    "TON" | "TOF" | "TP" => &["IN", "PT", "Q", "ET"],
                    "CTU" => &["CU", "R", "PV", "Q", "CV"],
                    "CTD" => &["CD", "LD", "PV", "Q", "CV"],
                    "CTUD" => &["CU", "CD", "R", "LD", "PV", "QU", "QD", "CV"],
                    "SR" => &["S1", "R", "Q1"],
                    "RS" => &["S", "R1", "Q1"],
                    _ => &["CLK", "Q"],
                };
                for member in members {
                    self.values.insert(format!("{full}.{member}"), 0);
                }
            }
        }
    }

    pub fn value(&self, name: &str) -> Option<i128> {
        self.values.get(name).copied()
    }

    /// Whether the last scan took so many rounds that it may be more steps of ours than we follow: a round has some dozens at most.
    pub fn was_long(&self) -> bool {
        MAX_ROUNDS - self.rounds > MAX_ROUNDS / 100
    }

    pub fn scan(&mut self, inputs: &[(String, i128)], cycle: i128) -> Result<(), Stop> {
        for (name, value) in inputs {
            self.values.insert(name.clone(), *value);
        }
        self.now += cycle;
        self.rounds = MAX_ROUNDS;
        let main = self.unit_of(UnitKind::Program, None);
        let frame = Frame::default();
        self.fresh(main, &frame);
        self.run(&main.body, &frame)?;
        // Temporary variables have no value between scans.
        Ok(())
    }

    fn fresh(&mut self, unit: &Unit, frame: &Frame) {
        for var in unit.vars.iter().filter(|var| var.kind == Kind::Temp) {
            self.values.insert(frame.full(&var.name), var.init);
        }
    }

    fn store(&mut self, full: String, value: i128) -> Result<(), Stop> {
        if let Some(&(low, high)) = self.ranges.get(&full)
            && !(low..=high).contains(&value)
        {
            return Err(Stop::Fault);
        }
        if value.abs() > 1 << 80 {
            return Err(Stop::Huge);
        }
        self.values.insert(full, value);
        Ok(())
    }

    fn run(&mut self, body: &[Stm], frame: &Frame) -> Result<Flow, Stop> {
        for stm in body {
            let flow = self.statement(stm, frame)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, stm: &Stm, frame: &Frame) -> Result<Flow, Stop> {
        match stm {
            Stm::Assign(name, value) => {
                let value = self.eval(value, frame)?;
                self.store(frame.full(name), value)?;
            }
            Stm::AssignElem(name, index, value) => {
                let full = frame.full(name);
                let index = self.index(&full, index, frame)?;
                let value = self.eval(value, frame)?;
                self.store(format!("{full}[{index}]"), value)?;
            }
            Stm::If(branches, otherwise) => {
                for (test, body) in branches {
                    if self.eval(test, frame)? != 0 {
                        return self.run(body, frame);
                    }
                }
                return self.run(otherwise, frame);
            }
            Stm::Case(of, branches, otherwise) => {
                let value = self.eval(of, frame)?;
                let fits = |labels: &[(i128, i128)]| {
                    labels
                        .iter()
                        .any(|(low, high)| (*low..=*high).contains(&value))
                };
                for (labels, body) in branches {
                    if fits(labels) {
                        return self.run(body, frame);
                    }
                }
                return self.run(otherwise, frame);
            }
            Stm::For(var, from, to, by, body) => {
                let (mut at, end) = (self.eval(from, frame)?, self.eval(to, frame)?);
                let full = frame.full(var);
                loop {
                    self.values.insert(full.clone(), Ty::Int(16, true).wrap(at));
                    let goes_on = if *by > 0 { at <= end } else { at >= end };
                    if !goes_on {
                        break;
                    }
                    match self.run(body, frame)? {
                        Flow::Exit => break,
                        Flow::Return => return Ok(Flow::Return),
                        Flow::Next | Flow::Continue => {}
                    }
                    at += by;
                }
            }
            Stm::While(test, body) => {
                while self.eval(test, frame)? != 0 {
                    self.rounds = self.rounds.checked_sub(1).ok_or(Stop::Endless)?;
                    match self.run(body, frame)? {
                        Flow::Exit => break,
                        Flow::Return => return Ok(Flow::Return),
                        Flow::Next | Flow::Continue => {}
                    }
                }
            }
            Stm::Repeat(body, until) => loop {
                self.rounds = self.rounds.checked_sub(1).ok_or(Stop::Endless)?;
                match self.run(body, frame)? {
                    Flow::Exit => break,
                    Flow::Return => return Ok(Flow::Return),
                    Flow::Next | Flow::Continue => {}
                }
                if self.eval(until, frame)? != 0 {
                    break;
                }
            },
            Stm::Exit => return Ok(Flow::Exit),
            Stm::Continue => return Ok(Flow::Continue),
            Stm::Return => return Ok(Flow::Return),
            Stm::Call(name, inputs, references, outputs) => {
                let full = frame.full(name);
                for (input, value) in inputs {
                    let value = self.eval(value, frame)?;
                    self.store(format!("{full}.{input}"), value)?;
                }
                let block = self.blocks[&full].clone();
                if self.is_own(&block) {
                    let unit = self.unit_of(UnitKind::Block, Some(&block));
                    let inner = Frame {
                        prefix: format!("{full}."),
                        references: references
                            .iter()
                            .map(|(name, to)| (name.clone(), frame.full(to)))
                            .collect(),
                    };
                    self.fresh(unit, &inner);
                    self.run(&unit.body, &inner)?;
                } else {
                    self.standard(&block, &full);
                }
                for (output, to) in outputs {
                    let value = self.values[&format!("{full}.{output}")];
                    self.store(frame.full(to), value)?;
                }
            }
        }
        Ok(Flow::Next)
    }

    fn index(&mut self, full: &str, index: &Ex, frame: &Frame) -> Result<i128, Stop> {
        let index = self.eval(index, frame)?;
        let (low, high) = self.arrays[full];
        if (low..=high).contains(&index) {
            Ok(index)
        } else {
            Err(Stop::Fault)
        }
    }

    fn fit(&self, ty: Ty, value: i128) -> i128 {
        if self.wraps && ty != Ty::Time {
            ty.wrap(value)
        } else {
            value
        }
    }

    fn eval(&mut self, e: &Ex, frame: &Frame) -> Result<i128, Stop> {
        Ok(match e {
            Ex::Lit(_, value) => *value,
            Ex::Var(name) => self.values[&frame.full(name)],
            Ex::Elem(name, index) => {
                let full = frame.full(name);
                let index = self.index(&full, index, frame)?;
                self.values[&format!("{full}[{index}]")]
            }
            Ex::Bin(op, ty, left, right) => {
                let (a, b) = (self.eval(left, frame)?, self.eval(right, frame)?);
                match op {
                    Op::Add => self.fit(*ty, a + b),
                    Op::Sub => self.fit(*ty, a - b),
                    Op::Mul => self.fit(*ty, a * b),
                    Op::Div if b == 0 => return Err(Stop::Fault),
                    Op::Div => self.fit(*ty, a / b),
                    Op::Mod if b == 0 => 0,
                    Op::Mod => self.fit(*ty, a % b),
                    Op::And => a & b,
                    Op::Or => a | b,
                    Op::Xor => a ^ b,
                    Op::Eq => i128::from(a == b),
                    Op::Ne => i128::from(a != b),
                    Op::Lt => i128::from(a < b),
                    Op::Le => i128::from(a <= b),
                    Op::Gt => i128::from(a > b),
                    Op::Ge => i128::from(a >= b),
                }
            }
            Ex::Not(inner) => 1 - self.eval(inner, frame)?,
            Ex::Neg(ty, inner) => {
                let value = self.eval(inner, frame)?;
                self.fit(*ty, -value)
            }
            Ex::Std(name, ty, args) => {
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.eval(arg, frame)?);
                }
                match *name {
                    "MIN" => values[0].min(values[1]),
                    "MAX" => values[0].max(values[1]),
                    "ABS" => self.fit(*ty, values[0].abs()),
                    "SEL" => values[if values[0] != 0 { 2 } else { 1 }],
                    _ => values[0].max(values[1].min(values[2])),
                }
            }
            Ex::Conv(from, to, inner) => {
                let value = self.eval(inner, frame)?;
                let ((low, high), (least, most)) = (from.range(), to.range());
                match (from, to) {
                    (_, Ty::Bool) => i128::from(value != 0),
                    _ if least <= low && high <= most => value,
                    _ => to.wrap(value),
                }
            }
            Ex::Call(name, args) => {
                let unit = self.unit_of(UnitKind::Function, Some(name));
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.eval(arg, frame)?);
                }
                self.depth += 1;
                let inner = Frame {
                    prefix: format!("#{}.", self.depth),
                    references: HashMap::new(),
                };
                self.declare(unit, &inner.prefix);
                self.values.insert(inner.full(name), 0);
                let inputs = unit.vars.iter().filter(|var| var.kind == Kind::Input);
                for (var, value) in inputs.zip(values) {
                    self.values.insert(inner.full(&var.name), value);
                }
                self.run(&unit.body, &inner)?;
                self.depth -= 1;
                self.values[&inner.full(name)]
            }
        })
    }

    /// The standard blocks, by their timing diagrams and tables.
    fn standard(&mut self, block: &str, full: &str) {
        let get = |this: &Self, name: &str| {
            this.values
                .get(&format!("{full}.{name}"))
                .copied()
                .unwrap_or(0)
        };
        let v = |name: &str| get(self, name);
        let now = self.now;
        let mut set: Vec<(&str, i128)> = Vec::new();
        let rose = |this: &mut Self, name: &str| {
            let value = get(this, name);
            let memory = format!("{full}.#{name}");
            let before = this.values.insert(memory, value).unwrap_or(0);
            value != 0 && before == 0
        };
        match block {
            "TON" => {
                let (on, pt) = (v("IN") != 0, v("PT"));
                if on {
                    let start = *self.starts.entry(full.to_owned()).or_insert(now);
                    set.push(("ET", (now - start).min(pt)));
                    set.push(("Q", i128::from(now - start >= pt)));
                } else {
                    self.starts.remove(full);
                    set.extend([("ET", 0), ("Q", 0)]);
                }
            }
            "TOF" => {
                let (on, pt) = (v("IN") != 0, v("PT"));
                if on {
                    self.starts.remove(full);
                    set.extend([("ET", 0), ("Q", 1)]);
                } else {
                    if v("Q") != 0 {
                        self.starts.entry(full.to_owned()).or_insert(now);
                    }
                    if let Some(&start) = self.starts.get(full) {
                        set.push(("ET", (now - start).min(pt)));
                        if now - start >= pt {
                            set.push(("Q", 0));
                        }
                    }
                }
            }
            "TP" => {
                let (on, pt) = (v("IN") != 0, v("PT"));
                if on && !self.starts.contains_key(full) {
                    self.starts.insert(full.to_owned(), now);
                    set.push(("Q", 1));
                }
                if let Some(&start) = self.starts.get(full) {
                    set.push(("ET", (now - start).min(pt)));
                    if now - start >= pt {
                        set.push(("Q", 0));
                        if !on {
                            self.starts.remove(full);
                            set.push(("ET", 0));
                        }
                    }
                }
            }
            "CTU" => {
                let (reset, pv, mut cv) = (v("R") != 0, v("PV"), v("CV"));
                let up = rose(self, "CU");
                if reset {
                    cv = 0;
                } else if up && cv < 32767 {
                    cv += 1;
                }
                set.extend([("CV", cv), ("Q", i128::from(cv >= pv))]);
            }
            "CTD" => {
                let (load, pv, mut cv) = (v("LD") != 0, v("PV"), v("CV"));
                let down = rose(self, "CD");
                if load {
                    cv = pv;
                } else if down && cv > -32768 {
                    cv -= 1;
                }
                set.extend([("CV", cv), ("Q", i128::from(cv <= 0))]);
            }
            "CTUD" => {
                let (reset, load, pv, mut cv) = (v("R") != 0, v("LD") != 0, v("PV"), v("CV"));
                let (up, down) = (rose(self, "CU"), rose(self, "CD"));
                if reset {
                    cv = 0;
                } else if load {
                    cv = pv;
                } else if up && !down && cv < 32767 {
                    cv += 1;
                } else if down && !up && cv > -32768 {
                    cv -= 1;
                }
                set.extend([
                    ("CV", cv),
                    ("QU", i128::from(cv >= pv)),
                    ("QD", i128::from(cv <= 0)),
                ]);
            }
            "SR" => {
                let q = v("S1") != 0 || v("R") == 0 && v("Q1") != 0;
                set.push(("Q1", i128::from(q)));
            }
            "RS" => {
                let q = v("R1") == 0 && (v("S") != 0 || v("Q1") != 0);
                set.push(("Q1", i128::from(q)));
            }
            "R_TRIG" => {
                let q = rose(self, "CLK");
                set.push(("Q", i128::from(q)));
            }
            _ => {
                // True for one call when the clock falls, and at the first call if it is low.
                let low = v("CLK") == 0;
                let before = self.values.insert(format!("{full}.#"), i128::from(low));
                set.push(("Q", i128::from(low && before.unwrap_or(0) == 0)));
            }
        }
        for (name, value) in set {
            self.values.insert(format!("{full}.{name}"), value);
        }
    }
}
