//! From what the command line (or the model) asks to what an engine decides.

use super::args::PropertyArgs;
use super::specification::{Check, checks};
use crate::load::{Model, Overflow, read};
use crate::session::{Failure, Session};
use lariat_base::{Budget, Diagnostic, FxHashMap, SourceId, SourceMap, Span};
use lariat_check::{Bad, Goal};
use lariat_expr::{Dialect, TermId, print_term};
use lariat_frontend::{ExprAtom, Scope, locations_named, parse_atom, parse_property_file};
use lariat_ltl::{
    Acceptance, ApId, AtomSource, Automaton, Brackets, Effort, FormulaId, Formulas, Syntax,
    TranslateConfig, parse_formula_at, print_formula, read_hoa, translate,
};
use lariat_system::{Context, Language, Property, PropertyBody, System};
use std::path::Path;
use std::rc::Rc;

/// The id of the finding that a formula has no automaton within the limits.
pub const NO_AUTOMATON: &str = "automaton-too-large";

/// The id of the finding that a model asks nothing itself.
pub const NO_PROPERTY: &str = "no-property";

/// One thing to decide.
#[derive(Clone)]
pub struct Question {
    /// The property's name; empty if it has none.
    pub name: String,
    /// The property as it was understood, fully bracketed.
    pub text: String,
    /// What would refute it.
    pub goal: Goal,
    /// The atoms of a temporal property as they were written, in the order of the goal's.
    pub atoms: Vec<String>,
}

impl Question {
    /// The terms that the property speaks of.
    pub fn terms(&self) -> Vec<TermId> {
        match &self.goal {
            Goal::Reach(bad) => bad.when.into_iter().collect(),
            Goal::Accept { atoms, .. } => atoms.clone(),
        }
    }

    /// Whether there is no state that would refute it.
    fn is_empty(&self) -> bool {
        matches!(&self.goal, Goal::Reach(bad) if bad.when.is_none() && bad.at.is_empty())
    }

    /// Whether it is about infinite runs.
    pub fn is_temporal(&self) -> bool {
        matches!(self.goal, Goal::Accept { .. })
    }
}

/// What is asked: by the options, or by the model itself.
pub fn questions(
    session: &mut Session,
    model: &mut Model,
    args: &PropertyArgs,
    acceptance: Acceptance,
    budget: &Budget,
) -> Result<Vec<Question>, Failure> {
    let scope = Scope::new(&mut session.cx, &model.systems.iter().collect::<Vec<_>>());
    let is_c = model
        .systems
        .iter()
        .any(|system| system.language == Language::C);
    let own_syntax = if is_c { Syntax::Ultimate } else { Syntax::Spot };
    let mut asker = Asker {
        session,
        model,
        scope,
        syntax: args.syntax.map_or(own_syntax, Syntax::from),
        acceptance,
        budget,
    };
    if let Some(text) = &args.ltl {
        let source = asker.session.sources.add("<ltl>", text.clone());
        return Ok(vec![asker.temporal(
            "",
            Span::new(source, 0, text.len()),
            text,
        )?]);
    }
    if args.syntax.is_some() && args.property.is_none() {
        let message = "`--syntax` has no effect without a temporal formula";
        return Err(Diagnostic::error("useless-option", message).into());
    }
    if let Some(path) = &args.prop {
        return asker.property_file(path);
    }
    if let Some(text) = &args.invariant {
        let source = asker.session.sources.add("<invariant>", text.clone());
        return Ok(vec![asker.invariant(source, text)?]);
    }
    if let Some(path) = &args.automaton {
        return Ok(vec![asker.automaton(path)?]);
    }
    asker.own_properties(args.property.as_deref())
}

/// Whether a property file asks for signed overflow: the model is made for that question then.
pub fn overflow(args: &PropertyArgs) -> Overflow {
    let text = args.prop.as_ref().and_then(|path| read(path).ok());
    let asks = text.is_some_and(|text| {
        // What is wrong with the file is said when it is read for its questions.
        let source = SourceMap::new().add("", "");
        checks(source, &text).is_ok_and(|checks| checks.iter().any(Check::is_overflow))
    });
    if asks {
        Overflow::Watch
    } else {
        Overflow::Ignore
    }
}

struct Asker<'a> {
    session: &'a mut Session,
    model: &'a mut Model,
    scope: Scope,
    syntax: Syntax,
    acceptance: Acceptance,
    budget: &'a Budget,
}

impl Asker<'_> {
    /// The properties that stand in the models, or the one of this name.
    fn own_properties(&mut self, name: Option<&str>) -> Result<Vec<Question>, Failure> {
        let all: Vec<(usize, Property)> = self
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
        let chosen: Vec<&(usize, Property)> = all
            .iter()
            .filter(|(_, property)| name.is_none_or(|name| *property.name == *name))
            .collect();
        if chosen.is_empty() {
            return Err(no_property(name, &all).into());
        }
        let mut questions = Vec::new();
        for (leaf, property) in chosen {
            questions.push(self.own_property(*leaf, property)?);
        }
        Ok(questions)
    }

    fn own_property(&mut self, leaf: usize, property: &Property) -> Result<Question, Failure> {
        match &property.body {
            PropertyBody::Invariant(term) => Ok(self.always(&property.name, *term)),
            PropertyBody::Unreachable(loc) => {
                let text = format!(
                    "location {} is never reached",
                    self.model.systems[leaf].locations[*loc].name
                );
                let goal = Goal::Reach(Bad {
                    when: None,
                    at: vec![(leaf, *loc)],
                });
                Ok(Question {
                    name: property.name.to_string(),
                    text,
                    goal,
                    atoms: Vec::new(),
                })
            }
            PropertyBody::Ltl(text) => {
                let span = match property.span {
                    Some(span) => self.formula_span(span, text),
                    None => Span::new(
                        self.session.sources.add("<property>", text.to_string()),
                        0,
                        text.len(),
                    ),
                };
                self.temporal(&property.name, span, text)
            }
        }
    }

    /// Where the text of a formula stands inside the span of its property.
    fn formula_span(&self, span: Span, text: &str) -> Span {
        let start =
            self.session.sources.snippet(span).find(text).unwrap_or(0) + span.start as usize;
        Span::new(span.source, start, start + text.len())
    }

    fn property_file(&mut self, path: &Path) -> Result<Vec<Question>, Failure> {
        let text = read(path)?;
        let source = self.session.sources.add(path.display().to_string(), text);
        let is_c = |system: &System| system.language == Language::C;
        if self.model.systems.iter().any(is_c) && !is_property_block(self.session, source) {
            return self.specifications(source);
        }
        let file = self.session.sources.file(source);
        let term = parse_property_file(&mut self.session.cx, &self.scope, source, file)?;
        Ok(vec![self.always("", term)])
    }

    /// A property file of verification tasks.
    fn specifications(&mut self, source: SourceId) -> Result<Vec<Question>, Failure> {
        let text = self.session.sources.file(source).text.clone();
        let mut questions = Vec::new();
        for check in checks(source, &text)? {
            questions.push(self.specification(source, check)?);
        }
        Ok(questions)
    }

    fn specification(&mut self, source: SourceId, check: Check<'_>) -> Result<Question, Failure> {
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
            if !is_error && question.is_empty() {
                let message = format!("`{name}` is never called, or has no body");
                let finding = Diagnostic::error("unknown-function", message);
                return Err(finding.at(span).into());
            }
            return Ok(question);
        }
        if check.is_overflow() {
            return Ok(self.never_at("overflow", "no signed operation overflows"));
        }
        self.temporal("", span, check.formula)
    }

    /// That no location of this name is ever reached.
    fn never_at(&mut self, name: &str, text: &str) -> Question {
        let mut at = Vec::new();
        for (leaf, system) in self.model.systems.iter().enumerate() {
            let places = locations_named(system, name);
            at.extend(places.into_iter().map(|loc| (leaf, loc)));
        }
        Question {
            name: String::new(),
            text: text.into(),
            goal: Goal::Reach(Bad { when: None, at }),
            atoms: Vec::new(),
        }
    }

    fn invariant(&mut self, source: SourceId, text: &str) -> Result<Question, Failure> {
        let span = Span::new(source, 0, text.len());
        let atom = parse_atom(&mut self.session.cx, &self.scope, span, text)?;
        let term = self.term_of(atom);
        Ok(self.always("", term))
    }

    /// That a term is true in every observed state.
    fn always(&mut self, name: &str, term: TermId) -> Question {
        let terms = &mut self.session.cx.terms;
        let text = format!("always {}", print_term(terms, term, &Dialect::GCL));
        let goal = Goal::Reach(Bad {
            when: Some(terms.not(term)),
            at: Vec::new(),
        });
        Question {
            name: name.into(),
            text,
            goal,
            atoms: Vec::new(),
        }
    }

    fn temporal(&mut self, name: &str, span: Span, text: &str) -> Result<Question, Failure> {
        let mut formulas = Formulas::new();
        let mut atoms = ModelAtoms::new(&mut self.session.cx, &self.scope);
        let parsed = parse_formula_at(&mut formulas, span, text, self.syntax, &mut atoms)?;
        let known = atoms.known;
        self.session.report(&parsed.warnings);
        let negated = formulas.not(parsed.formula);
        let config = TranslateConfig::new(self.acceptance, Effort::High);
        let automaton = translate(&mut formulas, negated, &config, self.budget)
            .map_err(|error| Diagnostic::error(NO_AUTOMATON, error.to_string()).at(span))?;
        let text = bracketed(&formulas, parsed.formula, text);
        let formula = Some((parsed.formula, formulas));
        Ok(self.question(name, text, automaton, formula, &known))
    }

    fn automaton(&mut self, path: &Path) -> Result<Question, Failure> {
        let name = path.display().to_string();
        let text = read(path)?;
        let source = self.session.sources.add(name.clone(), text.clone());
        let mut stream = read_hoa(source, &text);
        let bad = stream
            .diagnostics
            .iter()
            .any(|d| d.severity == lariat_base::Severity::Error);
        if bad {
            return Err(stream.diagnostics.into());
        }
        let whole = Span::new(source, 0, text.len());
        if stream.automata.len() != 1 {
            let message = format!(
                "`{name}` holds {} automata; a property is one",
                stream.automata.len()
            );
            return Err(Diagnostic::error("not-one-automaton", message).into());
        }
        let automaton = stream.automata.remove(0);
        let mut formulas = Formulas::new();
        let automaton = automaton.to_buchi(&mut formulas).map_err(|error| {
            Diagnostic::error("unsupported-acceptance", format!("`{name}`: {error}"))
        })?;
        let mut atoms = ModelAtoms::new(&mut self.session.cx, &self.scope);
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
        let mut question = self.question("", text, automaton, None, &known);
        question.atoms = names;
        Ok(question)
    }

    fn question(
        &mut self,
        name: &str,
        text: String,
        automaton: Automaton,
        formula: Option<(FormulaId, Formulas)>,
        known: &FxHashMap<ApId, ExprAtom>,
    ) -> Question {
        let atoms: Vec<TermId> = automaton
            .aps()
            .iter()
            .map(|ap| self.term_of(known[ap]))
            .collect();
        let names = match &formula {
            Some((_, formulas)) => automaton
                .aps()
                .iter()
                .map(|&ap| formulas.ap_name(ap).to_owned())
                .collect(),
            None => Vec::new(),
        };
        let formula = formula.map(|(formula, formulas)| (Rc::new(formulas), formula));
        let goal = Goal::Accept {
            automaton: Rc::new(automaton),
            atoms,
            formula,
        };
        Question {
            name: name.into(),
            text,
            goal,
            atoms: names,
        }
    }

    /// An atom as a term; a location becomes a variable of its system.
    fn term_of(&mut self, atom: ExprAtom) -> TermId {
        match atom {
            ExprAtom::Term(term) => term,
            ExprAtom::Location(system, loc) => {
                let var = self.model.track_location(&mut self.session.cx, system, loc);
                self.session.cx.terms.var(var)
            }
            ExprAtom::Named(system, name) => {
                let name = self.session.cx.names[name].clone();
                let places = locations_named(&self.model.systems[system], &name);
                let flags: Vec<TermId> = places
                    .into_iter()
                    .map(|loc| self.term_of(ExprAtom::Location(system, loc)))
                    .collect();
                self.session.cx.terms.or(&flags)
            }
        }
    }
}

/// Whether a property file is one of ours: `prop { … }`.
fn is_property_block(session: &Session, source: SourceId) -> bool {
    session
        .sources
        .file(source)
        .text
        .trim_start()
        .starts_with("prop")
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
}

/// The formula as it was understood; as written if that is too long to print.
fn bracketed(formulas: &Formulas, formula: FormulaId, written: &str) -> String {
    print_formula(formulas, formula, Syntax::Spot, Brackets::All)
        .unwrap_or_else(|_| written.to_owned())
}

fn no_property(name: Option<&str>, all: &[(usize, Property)]) -> Diagnostic {
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
