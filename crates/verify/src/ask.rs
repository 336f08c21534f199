//! From what a person asks, as text, to properties: formulas, invariants, property files, automata, and what a model
//! asks itself.

use crate::asked::{Asked, AskedFormula};
use crate::formulas::{self, Listed};
use crate::model::Model;
use crate::property::{Atom, Claim, Property};
use crate::specification::{Check, checks};
use crate::temporal::formula_of;
use lariat_base::{Diagnostic, FxHashMap, Severity, SourceId, SourceMap, Span};
use lariat_expr::{Dialect, TermId, show_term};
use lariat_frontend::{
    ExprAtom, Scope, asked_name, is_asked, locations_named, parse_atom, parse_property_file,
};
use lariat_ltl::{
    Acceptance, ApId, AtomSource, Brackets, FormulaId, Formulas, Op, Syntax, parse_formula_at,
    pattern_formula, print_formula, read_hoa,
};
use lariat_system::{self as system, Context, LocRole, PropertyBody, System, Temporal};
use std::sync::Arc;

/// That a question is not one about continuous time.
pub(crate) fn in_continuous_time(span: Span) -> Diagnostic {
    let message = "this can tell a delay from two shorter ones";
    let hint = "in continuous time, formulas without `X`, `Y` and clocks are supported; invariants may read clocks";
    Diagnostic::error("continuous-time", message)
        .at(span)
        .hint(hint)
}

/// The id of the finding that a model asks nothing itself.
pub const NO_PROPERTY: &str = "no-property";

/// What is wrong with a question.
pub type Findings = Vec<Diagnostic>;

/// Reads questions about a model.
pub struct Asker<'a> {
    pub(crate) cx: &'a mut Context,
    pub(crate) sources: &'a mut SourceMap,
    model: &'a Model,
    pub(crate) scope: Scope,
    /// Whose operator precedence formulas are written in.
    pub syntax: Syntax,
    /// The acceptance of the automata.
    pub acceptance: Acceptance,
    /// What the writer of a question should know about it.
    pub warnings: Vec<Diagnostic>,
}

impl<'a> Asker<'a> {
    /// Questions about `model`, in the syntax that its language suggests.
    pub fn new(cx: &'a mut Context, sources: &'a mut SourceMap, model: &'a Model) -> Self {
        let scope = Scope::new(cx, &model.systems.iter().collect::<Vec<_>>());
        Self {
            cx,
            sources,
            model,
            scope,
            syntax: if model.systems.iter().any(is_program) {
                Syntax::Ultimate
            } else {
                Syntax::Spot
            },
            acceptance: Acceptance::Generalized,
            warnings: Vec::new(),
        }
    }

    /// A temporal formula: as the front end has read it along with the model, or in our own spelling.
    pub fn ltl(&mut self, text: &str) -> Result<Asked, Findings> {
        let name = asked_name(text);
        let systems = self.model.systems.iter();
        let mut asked = systems.flat_map(|system| &system.properties);
        if let Some(PropertyBody::Temporal(tree)) =
            asked.find(|own| *own.name == *name).map(|own| &own.body)
        {
            return Ok(self.read_formula("", tree));
        }
        let source = self.sources.add("<ltl>", text.to_owned());
        self.temporal("", Span::new(source, 0, text.len()), text)
    }

    /// A requirement in words: the formula that it means.
    pub fn pattern(&mut self, text: &str) -> Result<Asked, Findings> {
        let formula = pattern_formula(text).map_err(|finding| vec![finding])?;
        let source = self.sources.add("<pattern>", formula.clone());
        self.temporal(text.trim(), Span::new(source, 0, formula.len()), &formula)
    }

    /// The formulas of a file, one a line, each with or without a name.
    pub fn ltl_file(&mut self, source: SourceId) -> Result<Vec<Asked>, Findings> {
        let text = self.sources.file(source).text.clone();
        let (mut properties, mut findings): (Vec<Asked>, Findings) = (Vec::new(), Vec::new());
        for listed in formulas::lines(&text) {
            let Listed { name, formula, at } = listed;
            let span = Span::new(source, at, at + formula.len());
            if !name.is_empty() && properties.iter().any(|other| other.name() == name) {
                let message = format!("there is another formula `{name}`");
                findings.push(Diagnostic::error("duplicate-name", message).at(span));
                continue;
            }
            match self.temporal(name, span, formula) {
                Ok(property) => properties.push(property),
                Err(more) => findings.extend(more),
            }
        }
        match (findings.is_empty(), properties.is_empty()) {
            (false, _) => Err(findings),
            (true, false) => Ok(properties),
            (true, true) => {
                let name = &self.sources.file(source).name;
                let message = format!("`{name}` has no formula");
                let hint = "write one formula a line, `NAME: FORMULA` or just the formula";
                Err(vec![Diagnostic::error("no-formula", message).hint(hint)])
            }
        }
    }

    /// That every run of every program in the model comes to its end.
    pub fn termination(&mut self) -> Result<Asked, Findings> {
        let mut formulas = Formulas::new();
        let (mut known, mut ends) = (FxHashMap::default(), Vec::new());
        for (leaf, system) in self.model.systems.iter().enumerate() {
            let locations = system.locations.iter_ids();
            let mut finals = locations.filter(|(_, location)| location.role == LocRole::Final);
            let Some((last, _)) = finals.next() else {
                continue;
            };
            let name = match self.model.systems.len() {
                1 => "end".to_owned(),
                _ => format!("end of {}", system.name),
            };
            let ap = formulas.ap_id(&name);
            known.insert(ap, ExprAtom::Location(leaf, last));
            let end = formulas.ap(ap);
            ends.push(formulas.finally(end));
        }
        let all = ends.into_iter().reduce(|all, end| formulas.and(all, end));
        let Some(formula) = all else {
            let message = "the model has no end that its runs could come to";
            let hint = "ask for termination of a C program, or of a CFA with a final location";
            return Err(vec![Diagnostic::error("no-end", message).hint(hint)]);
        };
        let text = "every run ends".into();
        Ok(self.formula("", text, (formula, formulas), &known))
    }

    /// That an expression is true in every observed state.
    pub fn invariant(&mut self, text: &str) -> Result<Asked, Findings> {
        let source = self.sources.add("<invariant>", text.to_owned());
        let span = Span::new(source, 0, text.len());
        let atom = parse_atom(self.cx, &self.scope, span, text)?;
        let property = match self.atom(atom) {
            Atom::Term(term) => self.settled(term, text),
            Atom::At(mut places) | Atom::NotAt(mut places) => {
                for (leaf, hanging) in self.hanging() {
                    places.extend(hanging.locations.iter().map(|&loc| (leaf, loc)));
                }
                Property {
                    name: String::new(),
                    text: format!("always {text}"),
                    claim: Claim::Never {
                        when: Some(Atom::NotAt(places)),
                        at: Vec::new(),
                    },
                    atom_names: Vec::new(),
                }
            }
        };
        Ok(property.into())
    }

    /// That a term is true wherever a program is observed. A run that seems to hang before is no evidence of a bad state:
    /// it may go on.
    fn settled(&mut self, term: TermId, written: &str) -> Property {
        let starts: Vec<_> = self
            .hanging()
            .map(|(_, hanging)| hanging.at_start)
            .collect();
        let mut property = self.always("", term);
        if self.model.systems.iter().any(|one| one.chart.is_some()) {
            // Variables of charts that hold states and events have names that nobody has written.
            property.text = format!("always {written}");
        }
        if starts.is_empty() {
            return property;
        }
        let mut or_not_yet = vec![term];
        or_not_yet.extend(starts.into_iter().map(|var| self.cx.terms.var(var)));
        let term = self.cx.terms.or(&or_not_yet);
        let when = Some(Atom::Term(self.cx.terms.not(term)));
        let at = Vec::new();
        property.claim = Claim::Never { when, at };
        property.text = format!("always {written}");
        property
    }

    /// What the programs of the model have for runs that hang.
    fn hanging(&self) -> impl Iterator<Item = (usize, &system::CHanging)> {
        let systems = self.model.systems.iter().enumerate();
        systems.filter_map(|(leaf, system)| {
            let program = system.program.as_ref()?;
            Some((leaf, program.hanging.as_ref()?))
        })
    }

    /// The properties that stand in the models, or the one of this name.
    pub fn own(&mut self, name: Option<&str>) -> Result<Vec<Asked>, Findings> {
        let all: Vec<(usize, system::Property)> = self
            .model
            .systems
            .iter()
            .enumerate()
            .flat_map(|(leaf, system)| {
                system
                    .properties
                    .iter()
                    .map(move |property| (leaf, property.clone()))
            })
            .collect();
        let chosen: Vec<&(usize, system::Property)> = all
            .iter()
            .filter(|(_, property)| !is_asked(&property.name))
            .filter(|(_, property)| name.is_none_or(|name| property.is_called(name)))
            .collect();
        if chosen.is_empty() {
            let question = name.and_then(|name| self.meaningful(name));
            return question.map_or_else(
                || Err(vec![no_property(name, &all)]),
                |q| Ok(vec![q.into()]),
            );
        }
        let mut questions = Vec::new();
        for (leaf, property) in chosen {
            questions.push(self.own_property(*leaf, property)?);
        }
        Ok(questions)
    }

    /// What can be asked of every model of a kind by name: that no run of a program comes to a step that C gives no
    /// meaning, that no queue of a chart overflows.
    fn meaningful(&mut self, name: &str) -> Option<Property> {
        let (location, text) = match name {
            "faults" => (
                "fault",
                "no scan divides by zero or leaves the range of an index or a variable",
            ),
            "queue" => ("overflow", "no queue of the chart overflows"),
            "division" => ("division-by-zero", "no division is by zero"),
            "memsafety" => (
                "invalid-access",
                "no index is out of bounds, and no pointer is followed that points nowhere",
            ),
            _ => return None,
        };
        let is_kind = |system: &System| match name {
            "queue" => system.chart.is_some(),
            "faults" => system.plc.is_some(),
            _ => is_program(system),
        };
        let is_asked = self.model.systems.iter().any(is_kind);
        let property = is_asked.then(|| self.never_at(location, text))?;
        let name = name.to_owned();
        Some(Property { name, ..property })
    }

    fn own_property(
        &mut self,
        leaf: usize,
        property: &system::Property,
    ) -> Result<Asked, Findings> {
        match &property.body {
            PropertyBody::Invariant(term) => Ok(self.always(&property.name, *term).into()),
            PropertyBody::NotAllRecur(terms) => Ok(self.not_all_recur(&property.name, terms)),
            PropertyBody::Unreachable(loc) => {
                let text = format!(
                    "location {} is never reached",
                    self.model.systems[leaf].locations[*loc].name
                );
                Ok(Property::never(&*property.name, text, vec![(leaf, *loc)]).into())
            }
            PropertyBody::Temporal(tree) => Ok(self.read_formula(&property.name, tree)),
            PropertyBody::Ltl(text) => {
                let span = match property.span {
                    Some(span) => self.formula_span(span, text),
                    None => Span::new(
                        self.sources.add("<property>", text.to_string()),
                        0,
                        text.len(),
                    ),
                };
                self.temporal(&property.name, span, text)
            }
        }
    }

    /// That no fair run makes all of these true infinitely often.
    fn not_all_recur(&mut self, property: &str, terms: &[(Box<str>, TermId)]) -> Asked {
        let mut formulas = Formulas::new();
        let (mut known, mut recurring) = (FxHashMap::default(), Vec::new());
        for (name, term) in terms {
            let ap = formulas.ap_id(name);
            let other = known.insert(ap, ExprAtom::Term(*term));
            assert!(
                other.is_none_or(|other| other == ExprAtom::Term(*term)),
                "different terms of a property have different names"
            );
            let atom = formulas.ap(ap);
            let recurs = formulas.finally(atom);
            recurring.push(formulas.globally(recurs));
        }
        let all = formulas.and_all(&recurring);
        let formula = formulas.not(all);
        let text = bracketed(&formulas, formula, "not all recur");
        self.formula(property, text, (formula, formulas), &known)
    }

    /// Where the text of a formula stands inside the span of its property.
    fn formula_span(&self, span: Span, text: &str) -> Span {
        let start = self.sources.snippet(span).find(text).unwrap_or(0) + span.start as usize;
        Span::new(span.source, start, start + text.len())
    }

    /// The properties of a file: `prop { … }`, or for programs the lines `CHECK( init(main()), LTL(…) )`.
    pub fn property_file(&mut self, source: SourceId) -> Result<Vec<Asked>, Findings> {
        let text = &self.sources.file(source).text;
        let is_block = text.trim_start().starts_with("prop");
        if self.model.systems.iter().any(is_program) && !is_block {
            return self.specifications(source);
        }
        let file = self.sources.file(source);
        let term = parse_property_file(self.cx, &self.scope, source, file)?;
        Ok(vec![self.always("", term).into()])
    }

    /// A property file of verification tasks.
    fn specifications(&mut self, source: SourceId) -> Result<Vec<Asked>, Findings> {
        let text = self.sources.file(source).text.clone();
        let mut questions = Vec::new();
        for check in checks(source, &text).map_err(|finding| vec![finding])? {
            questions.push(self.specification(source, check)?);
        }
        Ok(questions)
    }

    fn specification(&mut self, source: SourceId, check: Check<'_>) -> Result<Asked, Findings> {
        let words = check.words();
        let span = Span::new(source, check.start, check.start + check.formula.len());
        let called = words
            .strip_prefix("G!call(")
            .and_then(|rest| rest.strip_suffix(')'));
        if let Some(called) = called
            && called.ends_with(')')
            && !called.contains(['"', '&', '|'])
        {
            let name = called.strip_suffix("()").unwrap_or(called);
            let question =
                self.never_at(&format!("call({name})"), &format!("{name} is never called"));
            let is_error = matches!(name, "reach_error" | "__VERIFIER_error");
            if !is_error && question.claims_nothing() {
                let message = format!("`{name}` is never called, or has no body");
                let finding = Diagnostic::error("unknown-function", message);
                return Err(vec![finding.at(span)]);
            }
            return Ok(question.into());
        }
        if words == "Gvalid-deref" {
            let question = self.meaningful("memsafety");
            return Ok(question.expect("it has this name").into());
        }
        if check.is_overflow() {
            let question = self.never_at("overflow", "no signed operation overflows");
            return Ok(question.into());
        }
        self.temporal("", span, check.formula)
    }

    /// That no location of this name is ever reached.
    fn never_at(&mut self, name: &str, text: &str) -> Property {
        let mut at = Vec::new();
        for (leaf, system) in self.model.systems.iter().enumerate() {
            let places = locations_named(system, name);
            at.extend(places.into_iter().map(|loc| (leaf, loc)));
        }
        Property::never("", text, at)
    }

    /// That a term is true in every observed state.
    fn always(&mut self, name: &str, term: TermId) -> Property {
        let terms = &mut self.cx.terms;
        let text = format!("always {}", show_term(terms, term, &Dialect::GCL));
        let when = Some(Atom::Term(terms.not(term)));
        Property {
            name: name.into(),
            text,
            claim: Claim::Never {
                when,
                at: Vec::new(),
            },
            atom_names: Vec::new(),
        }
    }

    fn temporal(&mut self, name: &str, span: Span, text: &str) -> Result<Asked, Findings> {
        if let Some(words) = in_words(text) {
            let formula = pattern_formula(words).map_err(|finding| vec![finding.at(span)])?;
            let source = self.sources.add("<pattern>", formula.clone());
            let name = if name.is_empty() { words } else { name };
            let span = Span::new(source, 0, formula.len());
            return self.temporal(name, span, &formula);
        }
        let mut formulas = Formulas::new();
        let mut atoms = ModelAtoms::new(self.cx, &self.scope);
        let parsed = parse_formula_at(&mut formulas, span, text, self.syntax, &mut atoms)?;
        let known = atoms.known;
        self.warnings.extend(parsed.warnings);
        self.refuse_in_continuous_time(&formulas, parsed.formula, &known, span)?;
        let text = bracketed(&formulas, parsed.formula, text);
        Ok(self.formula(name, text, (parsed.formula, formulas), &known))
    }

    /// In continuous time a delay may be taken at once or in parts, which no formula may tell apart: one with `X` would, and so would
    /// one about clocks, which pass values in between.
    fn refuse_in_continuous_time(
        &self,
        formulas: &Formulas,
        formula: FormulaId,
        known: &FxHashMap<ApId, ExprAtom>,
        span: Span,
    ) -> Result<(), Findings> {
        let is_next = |&part: &FormulaId| matches!(formulas.op(part), Op::X | Op::Y | Op::Z);
        let steps = formulas.subformulas(formula).iter().any(is_next);
        let terms = known.values().filter_map(|atom| match atom {
            ExprAtom::Term(term) => Some(*term),
            _ => None,
        });
        let terms: Vec<TermId> = terms.collect();
        if self.is_continuous() && (steps || self.reads_clocks(&terms)) {
            return Err(vec![in_continuous_time(span)]);
        }
        Ok(())
    }

    fn is_continuous(&self) -> bool {
        self.model
            .systems
            .iter()
            .any(|system| system.clocks.is_some())
    }

    /// Whether terms read what grows while time passes.
    pub(crate) fn reads_clocks(&self, terms: &[TermId]) -> bool {
        let mut clocks = self
            .model
            .systems
            .iter()
            .filter_map(|system| system.clocks.as_ref())
            .flatten();
        let vars = self.cx.terms.free_vars(terms);
        clocks.any(|clock| vars.contains(clock))
    }

    /// A temporal formula that the front end has read.
    fn read_formula(&mut self, name: &str, tree: &Temporal) -> Asked {
        let mut formulas = Formulas::new();
        let mut known = FxHashMap::default();
        let formula = formula_of(&self.cx.terms, &mut formulas, tree, &mut known);
        let text = bracketed(&formulas, formula, &tree.text);
        self.formula(name, text, (formula, formulas), &known)
    }

    /// A temporal formula over atoms of these meanings.
    fn formula(
        &mut self,
        name: &str,
        text: String,
        (formula, formulas): (FormulaId, Formulas),
        known: &FxHashMap<ApId, ExprAtom>,
    ) -> Asked {
        let atoms = known.iter().map(|(&ap, &atom)| (ap, self.atom(atom)));
        Asked::Formula(Box::new(AskedFormula {
            name: name.into(),
            text,
            formula,
            formulas,
            atoms: atoms.collect(),
            acceptance: self.acceptance,
        }))
    }

    /// That no run is accepted by the automaton of a file in the HOA format.
    pub fn automaton(&mut self, source: SourceId) -> Result<Asked, Findings> {
        let file = self.sources.file(source);
        let (name, text) = (file.name.clone(), file.text.clone());
        let mut stream = read_hoa(source, &text);
        let is_error = |finding: &Diagnostic| finding.severity == Severity::Error;
        if stream.diagnostics.iter().any(is_error) {
            return Err(stream.diagnostics);
        }
        let whole = Span::new(source, 0, text.len());
        if self.is_continuous() {
            return Err(vec![in_continuous_time(whole)]);
        }
        if stream.automata.len() != 1 {
            let message = format!(
                "`{name}` holds {} automata; a property is one",
                stream.automata.len()
            );
            return Err(vec![Diagnostic::error("not-one-automaton", message)]);
        }
        let automaton = stream.automata.remove(0);
        let mut formulas = Formulas::new();
        let automaton = automaton.to_buchi(&mut formulas).map_err(|error| {
            let message = format!("`{name}`: {error}");
            vec![Diagnostic::error("unsupported-acceptance", message)]
        })?;
        let mut atoms = ModelAtoms::new(self.cx, &self.scope);
        for &ap in automaton.aps() {
            let atom = formulas.ap_name(ap).to_owned();
            atoms.resolve(ap, &atom, whole, true)?;
        }
        let known = atoms.known;
        let text = format!("no run is accepted by {name}");
        let names = automaton
            .aps()
            .iter()
            .map(|&ap| formulas.ap_name(ap).to_owned())
            .collect();
        let atoms = automaton.aps().iter().map(|ap| self.atom(known[ap]));
        let atoms = atoms.collect();
        let claim = Claim::Temporal {
            automaton: Arc::new(automaton),
            atoms,
            formula: None,
        };
        let property = Property {
            name: String::new(),
            text,
            claim,
            atom_names: names,
        };
        Ok(property.into())
    }

    /// What an atom says of a state.
    fn atom(&mut self, atom: ExprAtom) -> Atom {
        match atom {
            ExprAtom::Term(term) => Atom::Term(term),
            ExprAtom::Location(leaf, loc) => Atom::At(vec![(leaf, loc)]),
            ExprAtom::Named(leaf, name) => {
                let name = self.cx.names[name].clone();
                let places = locations_named(&self.model.systems[leaf], &name);
                Atom::At(places.into_iter().map(|loc| (leaf, loc)).collect())
            }
        }
    }
}

/// A requirement in words where a formula stands: `pattern absence of …`. No formula has three words in a row.
fn in_words(text: &str) -> Option<&str> {
    let rest = text.trim().strip_prefix("pattern")?;
    let mut words = rest.split_whitespace().skip(1);
    (rest.starts_with(char::is_whitespace) && words.next() == Some("of")).then(|| rest.trim())
}

/// The atoms of a formula over a model.
struct ModelAtoms<'a> {
    cx: &'a mut Context,
    scope: &'a Scope,
    known: FxHashMap<ApId, ExprAtom>,
    ids: FxHashMap<ExprAtom, ApId>,
}

impl<'a> ModelAtoms<'a> {
    fn new(cx: &'a mut Context, scope: &'a Scope) -> Self {
        Self {
            cx,
            scope,
            known: FxHashMap::default(),
            ids: FxHashMap::default(),
        }
    }

    /// Gives an atom of an automaton its meaning; its text is no part of the source as it stands.
    fn resolve(
        &mut self,
        ap: ApId,
        text: &str,
        span: Span,
        _quoted: bool,
    ) -> Result<(), Vec<Diagnostic>> {
        let atom = parse_atom(self.cx, self.scope, Span::new(span.source, 0, 0), text).map_err(
            |findings| {
                let about = |finding: Diagnostic| {
                    let message = format!("in the atom `{text}`: {}", finding.message);
                    Diagnostic {
                        message,
                        primary: None,
                        secondary: Vec::new(),
                        ..finding
                    }
                };
                findings.into_iter().map(about).collect::<Vec<_>>()
            },
        )?;
        self.known.insert(ap, atom);
        Ok(())
    }
}

impl AtomSource for ModelAtoms<'_> {
    fn atom(
        &mut self,
        formulas: &mut Formulas,
        text: &str,
        span: Span,
    ) -> Result<ApId, Box<Diagnostic>> {
        let atom = parse_atom(self.cx, self.scope, span, text).map_err(|findings| {
            Box::new(
                findings
                    .into_iter()
                    .next()
                    .expect("a failure has a finding"),
            )
        })?;
        let ap = *self.ids.entry(atom).or_insert_with(|| formulas.ap_id(text));
        self.known.insert(ap, atom);
        Ok(ap)
    }

    fn understands(&self, word: &str) -> bool {
        let others = ["imply", "implies", "=>", "iff", "xor"];
        self.speaks(word) || !self.scope.is_c() && others.contains(&word)
    }

    fn names_place(&self, name: &str) -> bool {
        self.scope.is_c() && name == "end"
    }

    fn works_on_bits(&self, sign: &str) -> bool {
        self.scope.is_c() && ["&", "|", "^", "~"].contains(&sign)
    }
}

/// The formula as it was understood; as written if that is too long to print.
fn bracketed(formulas: &Formulas, formula: FormulaId, written: &str) -> String {
    print_formula(formulas, formula, Syntax::Spot, Brackets::All)
        .unwrap_or_else(|_| written.to_owned())
}

fn no_property(name: Option<&str>, all: &[(usize, system::Property)]) -> Diagnostic {
    let names: Vec<String> = all
        .iter()
        .filter(|(_, p)| !p.name.is_empty())
        .map(|(_, p)| format!("`{}`", p.name))
        .collect();
    match name {
        Some(name) => {
            let near = lariat_base::nearest(name, all.iter().map(|(_, property)| &*property.name));
            Diagnostic::error(
                "unknown-property",
                format!("the model has no property `{name}`"),
            )
            .hint(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => "ask with `--ltl` or `--invariant`".into(),
                None => format!("it has {}", names.join(", ")),
            })
        }
        None => Diagnostic::error(NO_PROPERTY, "the model has no property of its own")
            .hint("ask with `--ltl FORMULA`, `--invariant EXPR` or `--prop FILE`"),
    }
}

/// Whether a model is a C program.
fn is_program(system: &System) -> bool {
    system.program.is_some()
}
