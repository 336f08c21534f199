//! A program as a system: one scan is one round from `scan` to `scan`.
//!
//! A scan gives the inputs any values, lets time pass for the timers, and runs the programs. Code without loops becomes one
//! statement; a loop becomes locations (`body`). What the standard calls an error (a division by zero, an index or a value
//! outside of its range) sets `fault`, and the run goes on to the next place where that is asked: to `cut`, since what a
//! controller does then is not known.
//!
//! A scan may never end. Formulas read the state after scans, so such a run repeats its last letter: beside the system
//! there is a copy that runs on variables of its own, with every step observed, and that a run may enter between two scans. If
//! the scan ends after all, the copy goes to where nothing is observed.

use super::Reading;
use super::ast::{Expr, Pos, PouKind, Section, Unit, VarDecl};
use super::blocks::TIMERS;
use super::declare::{Known, MAX_SLOTS, Record, Shape, Slot, Ty};
use super::expression::{Env, Lowered};
use super::graph::Graph;
use super::place::Place;
use super::value::{Arith, Val, count};
use crate::IntMode;
use lariat_base::{Diagnostic, FxHashMap, Id as _, SourceId, Span};
use lariat_expr::{SortId, TermId, VarId};
use lariat_system::{
    Context, Edge, Language, LocId, LocRole, Location, Plc, PlcConstant, PlcLeaf, PlcType, Stmt,
    StmtId, System, SystemBuilder, Variable,
};

/// A place in memory.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub name: Box<str>,
    pub ty: PlcType,
    pub range: Option<(i128, i128)>,
    pub init: TermId,
    pub temp: bool,
    pub hidden: bool,
    pub input: bool,
    pub span: Option<Span>,
}

/// A global variable.
#[derive(Clone, Debug)]
pub(super) struct Global {
    pub addr: usize,
    pub ty: Ty,
    pub constant: bool,
}

/// Where code is lowered: a unit with its variables.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub record: usize,
    pub base: usize,
    /// What `VAR_IN_OUT` stands for.
    pub in_outs: FxHashMap<Box<str>, Place>,
    /// Where `RETURN` leads, once there is one.
    pub returns: Option<LocId>,
    /// Whether it is a function that is called inside of an expression.
    pub in_expression: bool,
    /// Whether its text is not the user's.
    pub standard: bool,
}

/// The state of the translation.
pub(super) struct Lower<'a> {
    pub cx: &'a mut Context,
    pub unit: &'a Unit,
    /// From which unit on they are standard ones.
    pub n_own: usize,
    pub source: SourceId,
    pub reading: &'a Reading,
    pub type_names: FxHashMap<Box<str>, usize>,
    pub pou_names: FxHashMap<Box<str>, usize>,
    pub known_types: FxHashMap<Box<str>, Known>,
    pub type_depth: usize,
    pub records: Vec<Record>,
    pub pou_records: FxHashMap<usize, usize>,
    /// The constants of the records that are being read.
    pub layout: Vec<FxHashMap<Box<str>, Val>>,
    pub enums: Vec<(Box<str>, SortId)>,
    pub global_constants: FxHashMap<Box<str>, Val>,
    pub globals: FxHashMap<Box<str>, Global>,
    /// Where functions have their variables.
    pub function_bases: FxHashMap<usize, usize>,
    pub memory: Vec<Cell>,
    /// The variable of each cell, in the system or in its copy.
    pub vars: Vec<VarId>,
    /// Results of functions, by how many are in use.
    pub temps: Vec<(PlcType, usize)>,
    pub temps_in_use: usize,
    pub frames: Vec<Frame>,
    pub graph: Graph,
    pub fault: Option<usize>,
    pub may_hang: bool,
    pub is_plain: FxHashMap<usize, bool>,
    /// Where a number with a fraction was met first.
    pub reals: Option<Pos>,
    pub instances: Vec<(String, usize, usize)>,
    pub cycle: Option<usize>,
    pub findings: Vec<Diagnostic>,
    pub n_stmts: usize,
}

impl Env for Lower<'_> {
    fn cx(&mut self) -> &mut Context {
        self.cx
    }

    fn bits(&self) -> bool {
        self.reading.ints == IntMode::BitPrecise
    }

    fn span(&self, pos: Pos) -> Span {
        Span::new(self.source, pos.start as usize, pos.end as usize)
    }

    fn read(&mut self, e: &Expr) -> Lowered<Val> {
        self.read_place(e)
    }

    fn call(
        &mut self,
        name: &super::ast::Name,
        args: &[super::ast::Arg],
        pos: Pos,
    ) -> Lowered<Val> {
        self.call_function(name, args, pos, true)
    }

    fn fault(&mut self, when: TermId, _pos: Pos) {
        if when == self.cx.terms.false_() || !self.layout.is_empty() || self.frames.is_empty() {
            return;
        }
        let addr = match self.fault {
            Some(addr) => addr,
            None => {
                let (init, ty) = (self.cx.terms.false_(), PlcType::Bool);
                let addr = self.cell("fault", ty, init);
                self.memory[addr].hidden = true;
                self.fault = Some(addr);
                addr
            }
        };
        let before = self.value(addr);
        let either = self.cx.terms.or(&[before, when]);
        self.assign_cell(addr, either, None);
    }

    fn enums(&self) -> &[(Box<str>, SortId)] {
        &self.enums
    }
}

impl<'a> Lower<'a> {
    pub fn new(
        cx: &'a mut Context,
        unit: &'a Unit,
        n_own: usize,
        source: SourceId,
        reading: &'a Reading,
    ) -> Self {
        let (mut type_names, mut pou_names) = (FxHashMap::default(), FxHashMap::default());
        for (i, declared) in unit.types.iter().enumerate() {
            type_names.entry(declared.name.key.clone()).or_insert(i);
        }
        for (i, pou) in unit.pous.iter().enumerate() {
            pou_names.entry(pou.name.key.clone()).or_insert(i);
        }
        Self {
            cx,
            unit,
            n_own,
            source,
            reading,
            type_names,
            pou_names,
            known_types: FxHashMap::default(),
            type_depth: 0,
            records: Vec::new(),
            pou_records: FxHashMap::default(),
            layout: Vec::new(),
            enums: Vec::new(),
            global_constants: FxHashMap::default(),
            globals: FxHashMap::default(),
            function_bases: FxHashMap::default(),
            memory: Vec::new(),
            vars: Vec::new(),
            temps: Vec::new(),
            temps_in_use: 0,
            frames: Vec::new(),
            graph: Graph::new(SystemBuilder::new(Language::St, ""), LocId::from_index(0)),
            fault: None,
            may_hang: false,
            is_plain: FxHashMap::default(),
            reals: None,
            instances: Vec::new(),
            cycle: None,
            findings: Vec::new(),
            n_stmts: 0,
        }
    }

    pub fn arith(&mut self) -> Arith<'_> {
        Env::arith(self)
    }

    /// The variables of the program: which units run, and where they have their variables.
    pub fn declare(&mut self) -> Vec<(usize, usize)> {
        self.duplicates();
        // Types have values that everything else may use.
        for declared in &self.unit.types {
            let spec = super::ast::TypeSpec::Named(declared.name.clone());
            if let Err(finding) = self.shape_of(&spec, None, None) {
                self.findings.push(*finding);
            }
        }
        for var in &self.unit.globals {
            if let Err(finding) = self.global(var) {
                self.findings.push(*finding);
            }
        }
        let mut programs = Vec::new();
        for (at, pou) in self.unit.pous.iter().enumerate() {
            let record = match self.pou_record(at) {
                Ok(record) => record,
                Err(finding) => {
                    self.findings.push(*finding);
                    continue;
                }
            };
            if pou.kind == PouKind::Program {
                programs.push((at, record));
            }
        }
        let are_several = programs.len() > 1;
        programs
            .into_iter()
            .map(|(at, record)| (at, self.program(at, record, are_several)))
            .collect()
    }

    fn duplicates(&mut self) {
        let mut seen: FxHashMap<&str, Pos> = FxHashMap::default();
        let types = self.unit.types.iter().map(|declared| &declared.name);
        let pous = self.unit.pous[..self.n_own].iter().map(|pou| &pou.name);
        let mut findings = Vec::new();
        for name in types.chain(pous) {
            if super::value::elementary(&name.key).is_some() {
                let message = format!("`{}` is a type of the language", name.text);
                findings.push(*self.error("duplicate-name", message, name.pos));
            }
            if super::expression::is_standard(&name.key) {
                let message = format!("`{}` is a standard function", name.text);
                findings.push(*self.error("duplicate-name", message, name.pos));
            }
            if seen.insert(&name.key, name.pos).is_some() {
                let message = format!("there is another `{}`", name.text);
                findings.push(*self.error("duplicate-name", message, name.pos));
            }
        }
        self.findings.extend(findings);
    }

    fn global(&mut self, var: &VarDecl) -> Lowered<()> {
        let key = &var.name.key;
        if self.globals.contains_key(key) || self.global_constants.contains_key(key) {
            let message = format!("there is another `{}`", var.name.text);
            return Err(self.error("duplicate-name", message, var.name.pos));
        }
        let shape = self.shape_of(&var.ty, None, var.init.as_ref())?;
        if let (true, Ty::Elem(ty, _)) = (var.constant, &shape.ty) {
            let val = Val::new(shape.slots[0].init, *ty);
            self.global_constants.insert(key.clone(), val);
            return Ok(());
        }
        if self.memory.len() + shape.slots.len() > MAX_SLOTS {
            let what = format!("more than {MAX_SLOTS} values");
            return Err(self.unsupported(&what, var.name.pos));
        }
        let span = self.span(var.name.pos);
        let addr = self.allocate(&var.name.text, &shape, Some(span));
        if is_input(var) {
            self.mark_inputs(addr, shape.slots.len());
        }
        let global = Global {
            addr,
            ty: shape.ty,
            constant: var.constant,
        };
        self.globals.insert(key.clone(), global);
        Ok(())
    }

    fn mark_inputs(&mut self, addr: usize, n: usize) {
        for cell in &mut self.memory[addr..addr + n] {
            cell.input = true;
        }
    }

    fn program(&mut self, at: usize, record: usize, are_several: bool) -> usize {
        let pou = &self.unit.pous[at];
        let shape = self.records[record].shape.clone();
        let taken = |lower: &Self, slot: &Slot| {
            let first = slot.suffix.trim_start_matches('.');
            let first = first.split(['.', '[']).next().unwrap_or("");
            lower.globals.contains_key(&*first.to_ascii_uppercase())
        };
        let base = self.memory.len();
        for slot in shape.slots.iter() {
            let name = if are_several || taken(self, slot) {
                format!("{}{}", pou.name.text, slot.suffix)
            } else {
                slot.suffix.trim_start_matches('.').to_owned()
            };
            self.push_cell(&name, slot, None);
        }
        for (suffix, offset, inner) in shape.instances.iter().skip(1) {
            let name = if are_several {
                format!("{}{suffix}", pou.name.text)
            } else {
                suffix.trim_start_matches('.').to_owned()
            };
            self.instances.push((name, base + offset, *inner));
        }
        for var in &pou.vars {
            let member = self.records[record].by_key.get(&var.name.key).copied();
            let Some(member) = member.map(|at| &self.records[record].members[at]) else {
                continue;
            };
            let (first, n) = (base + member.offset, self.size(&member.ty));
            let has_cells = !matches!(var.section, Section::External | Section::InOut);
            if has_cells {
                let span = self.span(var.name.pos);
                for cell in &mut self.memory[first..first + n] {
                    cell.span = Some(span);
                }
                if var.section == Section::Input || is_input(var) {
                    self.mark_inputs(first, n);
                }
            }
        }
        base
    }

    /// How many cells a value of a type has.
    pub fn size(&self, ty: &Ty) -> usize {
        match ty {
            Ty::Elem(..) => 1,
            Ty::Array(array) => {
                let n: i128 = array.dims.iter().map(|dim| dim.1 - dim.0 + 1).product();
                count(n) * array.size
            }
            Ty::Record(record) => self.records[*record].shape.slots.len(),
        }
    }

    fn push_cell(&mut self, name: &str, slot: &Slot, span: Option<Span>) {
        self.memory.push(Cell {
            name: name.into(),
            ty: slot.ty,
            range: slot.range,
            init: slot.init,
            temp: slot.temp,
            hidden: slot.hidden || slot.temp,
            input: false,
            span,
        });
    }

    /// Memory for a variable.
    pub fn allocate(&mut self, name: &str, shape: &Shape, span: Option<Span>) -> usize {
        let base = self.memory.len();
        for slot in shape.slots.iter() {
            self.push_cell(&format!("{name}{}", slot.suffix), slot, span);
        }
        for (suffix, offset, record) in shape.instances.iter() {
            let instance = (format!("{name}{suffix}"), base + offset, *record);
            self.instances.push(instance);
        }
        self.declare_cells();
        base
    }

    /// A cell that is no variable of the program.
    pub fn cell(&mut self, name: &str, ty: PlcType, init: TermId) -> usize {
        let is_taken = |name: &str| {
            let mut cells = self.memory.iter();
            cells.any(|cell| cell.name.eq_ignore_ascii_case(name))
        };
        let mut name = name.to_owned();
        while is_taken(&name) {
            name.insert_str(0, "plc.");
        }
        let slot = Slot {
            suffix: String::new(),
            ty,
            range: None,
            init,
            temp: false,
            hidden: false,
        };
        self.push_cell(&name, &slot, None);
        self.declare_cells();
        self.memory.len() - 1
    }

    /// Variables for the cells that have none yet.
    fn declare_cells(&mut self) {
        for at in self.vars.len()..self.memory.len() {
            let (ty, name) = (self.memory[at].ty, self.memory[at].name.clone());
            let sort = self.arith().sort(ty);
            let prefix = if self.graph.hanging { HANGING } else { "" };
            let name = format!("{prefix}{name}");
            self.vars.push(self.cx.terms.declare(&name, sort));
        }
    }

    pub fn value(&mut self, addr: usize) -> TermId {
        self.cx.terms.var(self.vars[addr])
    }

    pub fn assign_cell(&mut self, addr: usize, value: TermId, span: Option<Span>) {
        let stmt = Stmt::Assign(self.vars[addr], value);
        let stmt = self.cx.stmts.add(stmt, span);
        self.graph.code.push(stmt);
    }

    /// The system, once everything is declared.
    pub fn system(&mut self, name: Box<str>, programs: &[(usize, usize)]) -> SystemBuilder {
        self.declare_cells();
        let timers = self.timers();
        if !timers.is_empty() {
            let init = self.cx.terms.int(0);
            self.cycle = Some(self.cell("cycle", PlcType::Time, init));
        }
        let mut scan = self.begin(name.clone());
        self.scan(programs, &timers);
        if self.fault.is_some() && self.graph.has_loops {
            // Loops ask for faults, which are known only now.
            self.n_stmts = 0;
            scan = self.begin(name);
            self.scan(programs, &timers);
        }
        if let Some(fault) = self.fault {
            let at = self.graph.settle(self.cx);
            let cut = self.graph.cut();
            let fault = self.value(fault);
            let not = self.cx.terms.not(fault);
            if let Some(at) = at {
                self.graph.edge_if(self.cx, at, fault, cut, false);
                self.graph.edge_if(self.cx, at, not, scan, true);
            }
        } else {
            self.graph.close(self.cx, scan);
        }
        if self.may_hang && self.reading.hangs && self.findings.is_empty() {
            self.hanging(programs, &timers, scan);
        }
        self.graph.finish()
    }

    fn begin(&mut self, name: Box<str>) -> LocId {
        let mut model = SystemBuilder::new(Language::St, name);
        let scan = model.location(Location::new("scan"));
        self.graph = Graph::new(model, scan);
        scan
    }

    /// The copy in which a scan never ends. The first scan cannot be entered: there is no letter to repeat.
    fn hanging(&mut self, programs: &[(usize, usize)], timers: &[usize], scan: LocId) {
        let original = std::mem::take(&mut self.vars);
        self.graph.hanging = true;
        self.declare_cells();
        let begin = self.graph.location("hanging", LocRole::Plain);
        let mut copy: Vec<StmtId> = Vec::new();
        for (from, to) in original.iter().zip(&self.vars) {
            let value = self.cx.terms.var(*from);
            let stmt = Stmt::Assign(*to, value);
            copy.push(self.cx.stmts.add(stmt, None));
        }
        let copy = self.cx.stmts.seq(&copy, None);
        // The first scan starts where no run can hang.
        let first = self.graph.location("first scan", LocRole::Plain);
        let firsts: Vec<(LocId, Edge)> = self
            .graph
            .edges
            .iter()
            .filter(|(from, _)| *from == scan)
            .map(|(_, edge)| (first, *edge))
            .collect();
        self.graph.edges.extend(firsts);
        self.graph.start = first;
        self.graph.edges.push((scan, Edge::new(copy, begin)));
        self.graph.at = Some(begin);
        self.scan(programs, timers);
        let lost = self.graph.lost();
        self.graph.jump(self.cx, lost);
        let ends = self.graph.edges.iter_mut();
        for (_, edge) in ends.filter(|(_, edge)| edge.target == lost) {
            edge.observed = false;
        }
        let skip = self.cx.stmts.skip();
        let stay = Edge::new(skip, lost).observed_if(false);
        self.graph.edges.push((lost, stay));
        self.graph.copied = std::mem::replace(&mut self.vars, original);
    }

    /// The addresses of all timers.
    fn timers(&self) -> Vec<usize> {
        let is_timer = |record: usize| {
            let pou = self.records[record].pou;
            pou.is_some_and(|at| {
                at >= self.n_own && TIMERS.contains(&&*self.unit.pous[at].name.key)
            })
        };
        let timers = self.instances.iter().filter(|found| is_timer(found.2));
        timers.map(|found| found.1).collect()
    }

    /// One scan, from inputs to the end of the last program.
    fn scan(&mut self, programs: &[(usize, usize)], timers: &[usize]) {
        self.temps_in_use = 0;
        let mut inputs: Vec<usize> = (0..self.memory.len())
            .filter(|&at| self.memory[at].input)
            .collect();
        inputs.extend(self.cycle);
        for addr in inputs {
            let (var, cell) = (self.vars[addr], self.memory[addr].clone());
            let stmt = self.cx.stmts.add(Stmt::Havoc(var), cell.span);
            self.graph.code.push(stmt);
            let range = if Some(addr) == self.cycle {
                Some(self.reading.cycle)
            } else {
                let is_word = self.bits() && matches!(cell.ty, PlcType::Int { .. })
                    || matches!(cell.ty, PlcType::Bits(_));
                cell.range.or(cell.ty.range().filter(|_| !is_word))
            };
            if let Some(range) = range {
                let value = self.value(addr);
                let inside = self.arith().within(value, cell.ty, range);
                let stmt = self.cx.stmts.add(Stmt::Assume(inside), cell.span);
                self.graph.code.push(stmt);
            }
        }
        for &timer in timers {
            self.tick(timer);
        }
        for &(at, base) in programs {
            let record = self.pou_records[&at];
            self.run(at, record, base, FxHashMap::default(), false);
        }
        for addr in 0..self.memory.len() {
            if self.memory[addr].temp {
                self.assign_cell(addr, self.memory[addr].init, None);
            }
        }
    }

    /// Time passes for a timer: its cells are IN, PT, Q, ET, running, elapsed.
    fn tick(&mut self, timer: usize) {
        let Some(cycle) = self.cycle else { return };
        let [pt, running, elapsed, cycle] =
            [timer + 1, timer + 4, timer + 5, cycle].map(|addr| self.value(addr));
        let terms = &mut self.cx.terms;
        let later = terms.add(&[elapsed, cycle]);
        let zero = terms.int(0);
        let is_negative = terms.lt(pt, zero);
        let end = terms.ite(is_negative, zero, pt);
        let is_over = terms.lt(end, later);
        let capped = terms.ite(is_over, end, later);
        let next = terms.ite(running, capped, elapsed);
        self.assign_cell(timer + 5, next, None);
    }

    /// What formulas need to know of the program.
    pub fn facts(&self) -> Plc {
        let leaf = |(at, cell): (usize, &Cell)| PlcLeaf {
            name: cell.name.clone(),
            var: self.vars[at],
            ty: cell.ty,
            input: cell.input,
            hidden: cell.hidden,
            range: cell.range,
        };
        let mut constants: Vec<PlcConstant> = Vec::new();
        let programs = self.unit.pous.iter().enumerate();
        let programs = programs.filter(|(_, pou)| pou.kind == PouKind::Program);
        let records = programs.filter_map(|(at, _)| self.pou_records.get(&at));
        let of_programs = records.flat_map(|&record| &self.records[record].constants);
        for (name, val) in self.global_constants.iter().chain(of_programs) {
            if let super::value::ValTy::Of(ty) = val.ty {
                constants.push(PlcConstant {
                    name: name.clone(),
                    value: val.term,
                    ty,
                });
            }
        }
        constants.sort_by(|a, b| a.name.cmp(&b.name));
        let instance = |(name, _, record): &(String, usize, usize)| {
            let kind = self.records[*record].name.clone();
            (name.as_str().into(), kind)
        };
        Plc {
            bit_precise: self.bits(),
            leaves: self.memory.iter().enumerate().map(leaf).collect(),
            enums: self.enums.clone(),
            constants,
            instances: self.instances.iter().map(instance).collect(),
            cycle: self.cycle.map(|addr| self.vars[addr]),
        }
    }

    /// Adds the variables to the model and finishes it.
    pub fn finish(mut self, mut model: SystemBuilder) -> System {
        for (_, sort) in &self.enums {
            model.sort(*sort);
        }
        for (at, cell) in self.memory.iter().enumerate() {
            model.variable(Variable {
                initial: Some(cell.init),
                span: cell.span,
                ..Variable::new(self.vars[at])
            });
        }
        let copied = std::mem::take(&mut self.graph.copied);
        for (at, var) in copied.into_iter().enumerate() {
            model.variable(Variable {
                initial: Some(self.memory[at].init),
                ..Variable::new(var)
            });
        }
        let skip = self.cx.stmts.skip();
        let start = Edge::new(skip, self.graph.start).observed_if(false);
        model.start(start);
        model.plc(self.facts());
        model.finish(self.cx)
    }
}

/// What the names of the copied variables start with.
const HANGING: &str = "hanging.";

/// Whether a variable is located at an input of the controller.
fn is_input(var: &VarDecl) -> bool {
    let address = var.address.as_deref();
    address.is_some_and(|address| address.starts_with("%I"))
}
