//! GCL, XSTS and STS: systems in the shapes that the printers of these languages know.
//!
//! - **XSTS** observes the state after `init`, each `env` and each `trans`: both blocks are the whole step, so that every state of the
//!   machine is observed once. Inputs are local variables.
//! - **GCL** has an action for each choice. Inputs are variables, chosen for the next step at the end of each; a run that gets stuck
//!   stays, so where the model's would end an action says that it has ended, and properties are about the others.
//! - **STS** has the relation as one formula. Inputs are variables.
//!
//! None of them knows fairness; it stands in front of each temporal property. They have no definitions either: terms that
//! share much may be too long to be written.

use super::claim::{Claim, Claimed};
use super::functions::{Functions, State};
use super::machine::made;
use super::names::Names;
use super::refuse;
use lariat_base::{Diagnostic, FxHashMap};
use lariat_expr::{
    Dialect, Head, Int, Sort, SortId, Substitution, TermId, Value, VarId, print_term,
};
use lariat_ltl::{Brackets, FormulaId, Formulas, Syntax, print_formula};
use lariat_system::{
    Context, Edge, Fairness, Language, Location, Property, PropertyBody, Stmt, StmtId, System,
    SystemBuilder, Variable,
};
use std::convert::Infallible;

/// The most nodes of terms that are written out.
const LARGEST: u64 = 2_000_000;

/// Whether nothing may have this name in any of these languages, nor in formulas.
pub(super) fn is_reserved(word: &str) -> bool {
    const OPERATORS: [&str; 20] = [
        "G", "F", "X", "U", "R", "W", "M", "V", "Y", "Z", "O", "H", "S", "T", "loc", "never",
        "globally", "finally", "end", "cycle",
    ];
    let languages = [Language::Gcl, Language::Xsts, Language::Sts];
    OPERATORS.contains(&word)
        || languages
            .iter()
            .any(|&language| lariat_frontend::is_reserved(language, word))
}

/// The system of a machine, under names that the language allows.
pub(super) fn system(
    cx: &mut Context,
    mut functions: Functions,
    names: &mut Names,
    language: Language,
) -> Result<System, Diagnostic> {
    check_sorts(cx, &functions, language)?;
    let name = functions.name.clone();
    let model = SystemBuilder::new(language, name);
    rename(cx, &mut functions, names);
    let mut writer = Writer {
        cx,
        model,
        functions,
    };
    writer.check_size()?;
    let ended = match language {
        Language::Gcl => writer.gcl(names),
        Language::Xsts => {
            writer.xsts();
            None
        }
        _ => {
            writer.sts();
            None
        }
    };
    writer.enumerations();
    writer.properties(language, ended)?;
    let Writer { cx, model, .. } = writer;
    Ok(model.finish(cx))
}

fn check_sorts(cx: &Context, functions: &Functions, language: Language) -> Result<(), Diagnostic> {
    let terms = cx.terms.subterms(&functions.terms()).into_iter();
    let inputs = functions.inputs.iter().chain(&functions.start_inputs);
    let states = functions.states.iter().map(|state| state.var);
    let vars = states
        .chain(inputs.copied())
        .map(|var| cx.terms.var_sort(var));
    let sorts = vars.chain(terms.map(|term| cx.terms.sort(term)));
    let mut todo: Vec<SortId> = sorts.collect();
    todo.sort_unstable();
    todo.dedup();
    while let Some(sort) = todo.pop() {
        let what = match cx.terms.sorts.get(sort) {
            Sort::Bv(_) => "bit-vectors",
            Sort::Rat if language == Language::Gcl => "rational numbers",
            Sort::Array { index, element } => {
                todo.extend([*index, *element]);
                continue;
            }
            _ => continue,
        };
        let language = language.name().to_uppercase();
        return Err(refuse(&format!(
            "has {what}, which {language} cannot express"
        )));
    }
    Ok(())
}

/// Gives all variables names of the language.
fn rename(cx: &mut Context, functions: &mut Functions, names: &mut Names) {
    let mut put = Substitution::new();
    let mut renamed = |cx: &mut Context, var: &mut VarId| {
        let name = names.unique(cx.terms.name(*var));
        let new = made(cx, &name, cx.terms.var_sort(*var));
        let term = cx.terms.var(new);
        put.insert(&mut cx.terms, *var, term);
        *var = new;
    };
    for state in &mut functions.states {
        let is_place = functions.place == Some(state.var);
        renamed(cx, &mut state.var);
        if is_place {
            functions.place = Some(state.var);
        }
    }
    let choices = std::mem::take(&mut functions.choices);
    let ranges = std::mem::take(&mut functions.input_ranges);
    for var in functions
        .inputs
        .iter_mut()
        .chain(&mut functions.start_inputs)
    {
        let is_choice = choices.contains(var);
        let range = ranges.get(var).cloned();
        renamed(cx, var);
        functions
            .input_ranges
            .extend(range.map(|range| (*var, range)));
        if is_choice {
            functions.choices.insert(*var);
        }
    }
    let mut put_in = |term| Ok::<_, Infallible>(put.apply(&mut cx.terms, term));
    let Ok(()) = functions.map_terms(&mut put_in);
}

/// A step by itself.
struct Action {
    name: String,
    guard: TermId,
    /// The next value of each variable.
    next: Vec<TermId>,
}

struct Writer<'a> {
    cx: &'a mut Context,
    model: SystemBuilder,
    functions: Functions,
}

impl Writer<'_> {
    /// Declares the enumerations that variables have.
    fn enumerations(&mut self) {
        let states = self.functions.states.iter().map(|state| state.var);
        let inputs = self
            .functions
            .inputs
            .iter()
            .chain(&self.functions.start_inputs);
        let vars: Vec<VarId> = states.chain(inputs.copied()).collect();
        let mut found: Vec<SortId> = Vec::new();
        for var in vars {
            let mut sorts = vec![self.cx.terms.var_sort(var)];
            while let Some(sort) = sorts.pop() {
                if let Some((index, element)) = self.cx.terms.sorts.as_array(sort) {
                    sorts.extend([element, index]);
                } else if self.cx.terms.sorts.as_enum(sort).is_some() && !found.contains(&sort) {
                    found.push(sort);
                    self.model.sort(sort);
                }
            }
        }
    }

    fn check_size(&self) -> Result<(), Diagnostic> {
        let terms = self.functions.terms();
        let mut sizes: FxHashMap<TermId, u64> = FxHashMap::default();
        for term in self.cx.terms.subterms(&terms) {
            let args = self.cx.terms.args(term).iter().map(|arg| sizes[arg]);
            let size = args.fold(1, u64::saturating_add);
            sizes.insert(term, size);
        }
        let all = terms
            .iter()
            .fold(0u64, |sum, term| sum.saturating_add(sizes[term]));
        if all > LARGEST {
            let message = "has expressions that are too large for a language without definitions";
            return Err(refuse(message).hint("write SMV, VMT-LIB, BTOR2 or AIGER"));
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: Stmt) -> StmtId {
        self.cx.stmts.add(stmt, None)
    }

    fn assume(&mut self, term: TermId) -> Option<StmtId> {
        (term != self.cx.terms.true_()).then(|| self.stmt(Stmt::Assume(term)))
    }

    fn within(&mut self, var: VarId, (low, high): &(Int, Int)) -> TermId {
        let terms = &mut self.cx.terms;
        let var = terms.var(var);
        let (low, high) = (terms.int(low.clone()), terms.int(high.clone()));
        let (low, high) = (terms.le(low, var), terms.le(var, high));
        terms.and(&[low, high])
    }

    /// A local variable that stands for the next value of one.
    fn aside(&mut self, var: VarId) -> VarId {
        let decl = self.cx.terms.decl(var).clone();
        let name = format!("next_{}", decl.name);
        self.cx.terms.declare_instance(&name, decl.sort, 1)
    }

    /// What a step does to the variables, all at once.
    fn moves(&mut self, states: &[State], next: &[TermId]) -> Vec<StmtId> {
        let (mut saved, mut moved) = (Vec::new(), Vec::new());
        for (state, &next) in states.iter().zip(next) {
            if self.cx.terms.as_var(next) == Some(state.var) {
                continue;
            }
            let is_alone = self.cx.terms.as_lit(next).is_some();
            let value = if is_alone {
                next
            } else {
                let aside = self.aside(state.var);
                saved.push(self.stmt(Stmt::Declare(aside, Some(next))));
                self.cx.terms.var(aside)
            };
            moved.push(self.stmt(Stmt::Assign(state.var, value)));
        }
        saved.extend(moved);
        saved
    }

    fn xsts(&mut self) {
        let states = self.functions.states.clone();
        for state in &states {
            self.model.variable(Variable::new(state.var));
        }
        let mut init: Vec<StmtId> = Vec::new();
        for input in self.functions.start_inputs.clone() {
            init.push(self.stmt(Stmt::Declare(input, None)));
        }
        init.extend(self.assume(self.functions.start));
        for state in &states {
            init.push(self.stmt(Stmt::Assign(state.var, state.first)));
        }
        let init = self.cx.stmts.seq(&init, None);
        let [stable, moved] = ["env", "trans"].map(|name| self.model.location(Location::new(name)));
        self.model.start(Edge::new(init, stable));
        for action in self.actions() {
            let mut step: Vec<StmtId> = Vec::new();
            let read = [&[action.guard], &action.next[..]].concat();
            let read = self.cx.terms.free_vars(&read);
            for input in self.functions.inputs.clone() {
                if read.contains(&input) {
                    step.push(self.stmt(Stmt::Declare(input, None)));
                }
            }
            step.extend(self.assume(action.guard));
            step.extend(self.moves(&states, &action.next));
            let step = self.cx.stmts.seq(&step, None);
            self.model.edge(stable, Edge::new(step, moved));
            self.model.edge(moved, Edge::new(step, stable));
        }
    }

    fn sts(&mut self) {
        let states = self.functions.states.clone();
        let mut moving: Vec<VarId> = states.iter().map(|state| state.var).collect();
        moving.extend(&self.functions.inputs);
        for &var in moving.iter().chain(&self.functions.start_inputs) {
            self.model.variable(Variable::new(var));
        }
        let mut init: Vec<StmtId> = Vec::new();
        let mut step: Vec<StmtId> = Vec::new();
        let nexts: Vec<VarId> = moving
            .iter()
            .map(|&var| {
                let decl = self.cx.terms.decl(var).clone();
                self.cx
                    .terms
                    .declare_instance(&format!("{}'", decl.name), decl.sort, 1)
            })
            .collect();
        for &next in &nexts {
            step.push(self.stmt(Stmt::Havoc(next)));
        }
        for (state, &next) in states.iter().zip(&nexts) {
            let (now, next) = (self.cx.terms.var(state.var), self.cx.terms.var(next));
            let first = self.cx.terms.eq(now, state.first);
            init.push(self.stmt(Stmt::Assume(first)));
            let equation = self.cx.terms.eq(next, state.next);
            step.push(self.stmt(Stmt::Assume(equation)));
        }
        init.extend(self.assume(self.functions.start));
        step.extend(self.assume(self.functions.step));
        let pairs = moving.iter().copied().zip(nexts.iter().copied());
        let rigid = self.functions.start_inputs.iter().map(|&var| (var, var));
        for (var, next) in pairs.chain(rigid).collect::<Vec<_>>() {
            if let Some(range) = self.functions.input_ranges.get(&var).cloned() {
                let (now, then) = (self.within(var, &range), self.within(next, &range));
                init.push(self.stmt(Stmt::Assume(now)));
                step.extend([now, then].map(|term| self.stmt(Stmt::Assume(term))));
            }
        }
        for (&var, &next) in moving.iter().zip(&nexts) {
            let next = self.cx.terms.var(next);
            step.push(self.stmt(Stmt::Assign(var, next)));
        }
        let init = self.cx.stmts.seq(&init, None);
        let step = self.cx.stmts.seq(&step, None);
        let run = self.model.location(Location::new("run"));
        self.model.start(Edge::new(init, run));
        self.model.edge(run, Edge::new(step, run));
    }

    /// Gives back that a run has ended, if some may.
    fn gcl(&mut self, names: &mut Names) -> Option<TermId> {
        let actions = self.actions();
        let enabled: Vec<TermId> = actions.iter().map(|action| action.guard).collect();
        let enabled = self.cx.terms.or(&enabled);
        let sort = self.cx.terms.sorts.bool();
        let ended =
            (enabled != self.cx.terms.true_()).then(|| made(self.cx, &names.unique("ended"), sort));
        let states = self.functions.states.clone();
        for state in &states {
            let is_fixed = self.cx.terms.as_lit(state.first).is_some();
            self.model.variable(Variable {
                initial: is_fixed.then_some(state.first),
                range: state.range.clone(),
                ..Variable::new(state.var)
            });
        }
        let inputs = self.functions.inputs.clone();
        for &input in inputs.iter().chain(&self.functions.start_inputs) {
            self.model.variable(Variable {
                range: self.functions.input_ranges.get(&input).cloned(),
                ..Variable::new(input)
            });
        }
        let mut init: Vec<StmtId> = Vec::new();
        init.extend(self.assume(self.functions.start));
        for state in &states {
            if self.cx.terms.as_lit(state.first).is_some() {
                continue;
            }
            let now = self.cx.terms.var(state.var);
            let first = self.cx.terms.eq(now, state.first);
            init.push(self.stmt(Stmt::Assume(first)));
        }
        // The printer takes the last assumptions for those of the ranges.
        let is_doubtful =
            |variable: &&Variable| variable.range.is_some() && variable.initial.is_none();
        let n_ranges = self.model.variables().iter().filter(is_doubtful).count();
        for _ in 0..n_ranges {
            let yes = self.cx.terms.true_();
            init.push(self.stmt(Stmt::Assume(yes)));
        }
        let init = self.cx.stmts.seq(&init, None);
        let run = self.model.location(Location::new("run"));
        self.model.start(Edge::new(init, run));
        let running = ended.map(|ended| {
            self.model.variable(Variable {
                initial: Some(self.cx.terms.false_()),
                ..Variable::new(ended)
            });
            let ended = self.cx.terms.var(ended);
            self.cx.terms.not(ended)
        });
        let mut own = Names::new(is_reserved);
        for action in actions {
            let guard = self
                .cx
                .terms
                .and(&[&[action.guard], running.as_slice()].concat());
            let mut stmts = vec![self.stmt(Stmt::Assume(guard))];
            stmts.extend(self.moves(&states, &action.next));
            for &input in &inputs {
                stmts.push(self.stmt(Stmt::Havoc(input)));
            }
            let stmt = self.cx.stmts.seq(&stmts, None);
            let name = self.cx.names.intern(own.unique(&action.name).into());
            self.model.edge(run, Edge::new(stmt, run).named(name));
        }
        let ended = ended?;
        let none = self.cx.terms.not(enabled);
        let none = self.cx.terms.and(&[&[none], running.as_slice()].concat());
        let stuck = self.stmt(Stmt::Assume(none));
        let yes = self.cx.terms.true_();
        let ends = self.stmt(Stmt::Assign(ended, yes));
        let stmt = self.cx.stmts.seq(&[stuck, ends], None);
        let name = self.cx.names.intern(own.unique("stop").into());
        self.model.edge(run, Edge::new(stmt, run).named(name));
        Some(self.cx.terms.var(ended))
    }

    /// The step for each place and choice by itself; what is chosen so is no input any more.
    fn actions(&mut self) -> Vec<Action> {
        let mut inputs = self.functions.inputs.iter().copied();
        let choice = inputs.find(|input| self.functions.choices.contains(input));
        let place = self.functions.place;
        let mut actions: Vec<Action> = Vec::new();
        for (at, there) in self.values_of(place) {
            for (name, chosen) in self.values_of(choice) {
                let mut put = Substitution::new();
                for (var, value) in [(place, there), (choice, chosen)] {
                    if let (Some(var), Some(value)) = (var, value) {
                        put.insert(&mut self.cx.terms, var, value);
                    }
                }
                let mut guard = put.apply(&mut self.cx.terms, self.functions.step);
                let mut next = Vec::new();
                for state in &self.functions.states {
                    let value = put.apply(&mut self.cx.terms, state.next);
                    // The place stays as it is.
                    let is_kept = Some(state.var) == place && Some(value) == there;
                    next.push(if is_kept {
                        self.cx.terms.var(state.var)
                    } else {
                        value
                    });
                }
                if let (Some(place), Some(there)) = (place, there) {
                    let here = self.cx.terms.var(place);
                    let here = self.cx.terms.eq(here, there);
                    guard = self.cx.terms.and(&[here, guard]);
                }
                let is_known = |other: &Action| other.guard == guard && other.next == next;
                if guard == self.cx.terms.false_() || actions.iter().any(is_known) {
                    continue;
                }
                let words = [at.as_str(), name.as_str()];
                let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
                let name = if words.is_empty() {
                    "step".into()
                } else {
                    words.join("_")
                };
                actions.push(Action { name, guard, next });
            }
        }
        self.functions.inputs.retain(|input| Some(*input) != choice);
        actions
    }

    /// The values of a variable that is an enumeration, with their names; of no variable, nothing once.
    fn values_of(&mut self, var: Option<VarId>) -> Vec<(String, Option<TermId>)> {
        let sort = var.map(|var| self.cx.terms.var_sort(var));
        let decl = sort
            .and_then(|sort| self.cx.terms.sorts.as_enum(sort))
            .cloned();
        let (Some(sort), Some(decl)) = (sort, decl) else {
            return vec![(String::new(), None)];
        };
        let names = decl.literals.iter().map(ToString::to_string);
        let mut values = Vec::new();
        for (position, name) in names.enumerate() {
            let value = self.cx.terms.lit(Value::Enum(position as u32), sort);
            values.push((name, Some(value)));
        }
        values
    }

    fn properties(&mut self, language: Language, ended: Option<TermId>) -> Result<(), Diagnostic> {
        let mut n_invariants = 0;
        for claimed in self.functions.claims.clone() {
            let body = match &claimed.claim {
                Claim::Always(term) => {
                    n_invariants += 1;
                    if language == Language::Xsts && n_invariants > 1 {
                        let message = "is asked for several invariants, of which XSTS has one";
                        return Err(refuse(message).hint("choose one with `--property`"));
                    }
                    PropertyBody::Invariant(*term)
                }
                _ => PropertyBody::Ltl(self.formula(&claimed, ended)?.into()),
            };
            self.model.property(Property {
                name: claimed.name.as_str().into(),
                alias: None,
                body,
                span: None,
            });
        }
        Ok(())
    }

    /// The text of a temporal property: of the fair runs that do not end.
    fn formula(&mut self, claimed: &Claimed, ended: Option<TermId>) -> Result<String, Diagnostic> {
        let terms = &self.cx.terms;
        let text = |term: TermId| print_term(terms, term, &Dialect::GCL);
        let recurs = |formulas: &mut Formulas, term: TermId| {
            let atom = match terms.head(term) {
                Head::Lit(value) => formulas.constant(value.as_bool()),
                _ => formulas.ap_named(&text(term)),
            };
            let again = formulas.finally(atom);
            formulas.globally(again)
        };
        let (mut formulas, formula): (Formulas, FormulaId) = match &claimed.claim {
            Claim::Temporal(temporal) => {
                let formula = temporal.formula.as_ref();
                let formula = formula.expect("a property without a formula is an automaton by now");
                formula.renamed(terms, &mut |term| text(term))
            }
            Claim::NeverAll(all) => {
                let mut formulas = Formulas::new();
                let all: Vec<FormulaId> = all
                    .iter()
                    .map(|&term| recurs(&mut formulas, term))
                    .collect();
                let all = formulas.and_all(&all);
                let never = formulas.not(all);
                (formulas, never)
            }
            Claim::Always(_) => panic!("an invariant is no temporal formula"),
        };
        let mut assumed = Vec::new();
        for constraint in &self.functions.fairness {
            assumed.push(match *constraint {
                Fairness::Justice(term) => recurs(&mut formulas, term),
                Fairness::Compassion(request, response) => {
                    let request = recurs(&mut formulas, request);
                    let response = recurs(&mut formulas, response);
                    formulas.implies(request, response)
                }
            });
        }
        if let Some(ended) = ended {
            let atom = formulas.ap_named(&text(ended));
            let never = formulas.not(atom);
            assumed.push(formulas.globally(never));
        }
        let assumed = formulas.and_all(&assumed);
        let formula = formulas.implies(assumed, formula);
        print_formula(&formulas, formula, Syntax::Spot, Brackets::All)
            .map_err(|why| refuse(&format!("has a property that cannot be written: {why}")))
    }
}
