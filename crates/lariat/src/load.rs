//! Reads model files and composes them.

use crate::cli::{Compose, ModelArgs, ObserveArg};
use crate::cpp;
use crate::session::{Failure, Session};
use lariat_base::{Diagnostic, SourceFile, SourceId};
use lariat_expr::{TermId, VarId};
use lariat_frontend::{
    COptions, IntMode, NEEDS_CPP, Options, Parsed, language_of, parse, parse_with,
};
use lariat_system::{
    Alternate, ComposeError, Composition, Context, Edge, Interleave, Language, LocId, LocRole,
    Reduction, Schedule, System, TransitionSystem, Variable, make_functional, reduce,
};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// What the command line names: one model, or several as one.
#[derive(Debug)]
pub struct Model {
    /// The models, in the order of the command line.
    pub systems: Vec<System>,
    /// The files they were read from.
    pub files: Vec<SourceId>,
    /// How they are composed, if they are several.
    pub composed: Option<(Compose, Composition<'static>)>,
}

/// What becomes of steps that are given as relations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relations {
    /// Each case is a step of its own: exact and cheap to evaluate, good for proofs.
    Split,
    /// They stay whole: the solver chooses the cases of a path, good for long counterexamples.
    Whole,
}

impl Model {
    /// The structural state of the `part`-th model.
    pub fn location_of(&self, part: usize, at: LocId) -> LocId {
        self.leaf_location(at, part)
    }

    /// Where the models are cut off: of which of them, and at which location.
    pub fn cuts(&self) -> Vec<(usize, LocId)> {
        let mut cuts = Vec::new();
        for (part, system) in self.systems.iter().enumerate() {
            let locations = system.locations.iter_ids();
            let of_part = locations.filter(|(_, location)| location.role == LocRole::Cut);
            cuts.extend(of_part.map(|(at, _)| (part, at)));
        }
        cuts
    }

    /// A variable that is true exactly while the `part`-th model is at a location, for formulas.
    pub fn track_location(&mut self, cx: &mut Context, part: usize, loc: LocId) -> VarId {
        let flag = self.systems[part].track_location(cx, loc);
        if let Some((how, composition)) = &mut self.composed {
            *composition = compose(cx, &self.systems, *how).expect("a flag clashes with nothing");
        }
        flag
    }

    /// The model without what cannot matter to a property over `atoms`, and what was done to it: constants are put
    /// into the atoms too. With no atoms given, a copy of the whole model.
    pub fn sliced(
        &self,
        cx: &mut Context,
        atoms: Option<&mut [TermId]>,
        relations: Relations,
    ) -> (Self, Reduction) {
        let mut systems = self.systems.clone();
        if relations == Relations::Split {
            make_functional(cx, &mut systems);
        }
        let reduction =
            atoms.map_or_else(Reduction::default, |atoms| reduce(cx, &mut systems, atoms));
        let composed = self.composed.as_ref().map(|(how, _)| {
            let composition = compose(cx, &systems, *how);
            (
                *how,
                composition.expect("what was composed once can be composed again"),
            )
        });
        let files = self.files.clone();
        let model = Self {
            systems,
            files,
            composed,
        };
        (model, reduction)
    }
}

impl TransitionSystem for Model {
    fn variables(&self) -> &[Variable] {
        match &self.composed {
            None => self.systems[0].variables(),
            Some((_, composition)) => composition.variables(),
        }
    }

    fn initial(&self) -> &[Edge] {
        match &self.composed {
            None => self.systems[0].initial(),
            Some((_, composition)) => composition.initial(),
        }
    }

    fn edges(&mut self, at: LocId) -> &[Edge] {
        match &mut self.composed {
            None => TransitionSystem::edges(&mut self.systems[0], at),
            Some((_, composition)) => composition.edges(at),
        }
    }

    fn location_name(&self, at: LocId) -> String {
        match &self.composed {
            None => self.systems[0].location_name(at),
            Some((_, composition)) => composition.location_name(at),
        }
    }

    fn n_leaves(&self) -> usize {
        match &self.composed {
            None => self.systems[0].n_leaves(),
            Some((_, composition)) => composition.n_leaves(),
        }
    }

    fn leaf_location(&self, at: LocId, leaf: usize) -> LocId {
        match &self.composed {
            None => self.systems[0].leaf_location(at, leaf),
            Some((_, composition)) => composition.leaf_location(at, leaf),
        }
    }
}

/// Reads the models that the options name; warnings are shown, errors of all files are collected.
pub fn load(session: &mut Session, args: &ModelArgs) -> Result<Model, Failure> {
    load_for(session, args, Overflow::Ignore)
}

/// Whether signed overflow of C programs is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// It leads to a location of its own.
    Watch,
    /// Numbers are what they are.
    Ignore,
}

/// [`load`] for a property that may ask for overflow.
pub fn load_for(
    session: &mut Session,
    args: &ModelArgs,
    overflow: Overflow,
) -> Result<Model, Failure> {
    match (args.models.len(), args.compose) {
        (1, Some(_)) => {
            let message = "`--compose` has no effect on a single model";
            let finding = Diagnostic::error("useless-option", message);
            return Err(finding
                .hint("name several models, or leave the option out")
                .into());
        }
        (2.., None) => {
            let finding = Diagnostic::error("missing-option", "several models need `--compose`");
            let hint = "`--compose alternate` lets them step in turn, \
                        `--compose interleave` in any order";
            return Err(finding.hint(hint).into());
        }
        _ => {}
    }
    let is_c = |path: &PathBuf| {
        let named = args.language.map(Language::from);
        named.or_else(|| language_of(path)) == Some(Language::C)
    };
    let for_c = [
        ("--int", args.int.is_some()),
        ("--recursion", args.recursion.is_some()),
    ];
    for (option, given) in for_c {
        if given && !args.models.iter().any(is_c) {
            let message = format!("`{option}` has no effect: it is for C programs");
            return Err(Diagnostic::error("useless-option", message).into());
        }
    }
    let mut findings = Vec::new();
    let (mut systems, mut files) = (Vec::new(), Vec::new());
    for path in &args.models {
        match load_one(session, path, args, overflow) {
            Ok((source, parsed)) => {
                session.report(&parsed.warnings);
                systems.push(parsed.system);
                files.push(source);
            }
            Err(errors) => findings.extend(errors),
        }
    }
    if !findings.is_empty() {
        return Err(findings.into());
    }
    if let Some(which) = args.observe
        && !observe(&mut systems, which)
    {
        let message = match which {
            ObserveArg::Macro => "`--observe macro` has no effect: it is for XSTS",
            ObserveArg::Initial => "`--observe initial` has no effect: it is for CFA and C",
        };
        return Err(Diagnostic::error("useless-option", message).into());
    }
    let composed = match args.compose {
        None => None,
        Some(how) => Some((how, compose(&mut session.cx, &systems, how)?)),
    };
    Ok(Model {
        systems,
        files,
        composed,
    })
}

/// Changes which states are letters of the word that a formula reads; says whether any model has such states.
fn observe(systems: &mut [System], which: ObserveArg) -> bool {
    let mut any = false;
    for system in systems {
        match (which, system.language) {
            (ObserveArg::Macro, Language::Xsts) => {
                let locations = &system.locations;
                system
                    .edges
                    .update(|at, edge| edge.observed &= &*locations[at].name != "env");
                any = true;
            }
            (ObserveArg::Initial, Language::Cfa | Language::C) => {
                for edge in &mut system.initial {
                    edge.observed = true;
                }
                any = true;
            }
            _ => {}
        }
    }
    any
}

fn compose(
    cx: &mut Context,
    systems: &[System],
    how: Compose,
) -> Result<Composition<'static>, Vec<Diagnostic>> {
    let n_parts = systems.len() as u32;
    let schedule: Box<dyn Schedule> = match how {
        Compose::Alternate => Box::new(Alternate { n_parts }),
        Compose::Interleave => Box::new(Interleave { n_parts }),
    };
    let boxed = |system: &System| -> Box<dyn TransitionSystem> { Box::new(system.clone()) };
    let parts = systems.iter().map(boxed).collect();
    Composition::new(cx, parts, schedule).map_err(|error| vec![explain(cx, error)])
}

/// A composition error with both places.
fn explain(cx: &Context, error: ComposeError) -> Diagnostic {
    let (finding, first, second) = match error {
        ComposeError::Sorts {
            first,
            second,
            sorts,
        } => {
            let message = format!(
                "the shared variable `{}` has different types",
                cx.terms.name(first.var)
            );
            let sort = |sort| cx.terms.sorts.describe(sort);
            (
                Diagnostic::error("shared-variable-types", message)
                    .hint("variables of one name are one variable: rename one of them"),
                (first, format!("{} here", sort(sorts.0))),
                (second, format!("{} here", sort(sorts.1))),
            )
        }
        ComposeError::InitialValues { first, second } => {
            let message = format!(
                "the shared variable `{}` has different initial values",
                cx.terms.name(first.var)
            );
            (
                Diagnostic::error("shared-variable-values", message)
                    .hint("give it the same value in both, or a value in only one"),
                (first, "one value here".to_owned()),
                (second, "another value here".to_owned()),
            )
        }
    };
    let finding = match second.0.span {
        Some(span) => finding.at_label(span, second.1),
        None => finding,
    };
    match first.0.span {
        Some(span) => finding.also(span, first.1),
        None => finding,
    }
}

fn load_one(
    session: &mut Session,
    path: &Path,
    args: &ModelArgs,
    overflow: Overflow,
) -> Result<(SourceId, Parsed), Vec<Diagnostic>> {
    let name = path.display().to_string();
    // A file that is not there is a better message than one without a language.
    let text = read(path)?;
    let named = args.language.map(Language::from);
    let Some(language) = named.or_else(|| language_of(path)) else {
        let message = format!("the name `{name}` does not tell the language of the model");
        let finding = Diagnostic::error("unknown-language", message);
        let hint = "say `--language xsts`, `cfa`, `sts`, `gcl` or `c`";
        return Err(vec![finding.hint(hint)]);
    };
    let source = session.sources.add(name, text);
    let file = session.sources.file(source);
    let options = Options {
        c: COptions {
            ints: args.int.map(IntMode::from).unwrap_or_default(),
            overflow: overflow == Overflow::Watch,
            skip_includes: false,
            recursion: args.recursion.unwrap_or(0),
        },
    };
    let parsed = parse_with(&mut session.cx, language, source, file, &options);
    match parsed {
        Ok(parsed) => Ok((source, parsed)),
        Err(findings) if findings.iter().any(|finding| finding.id == NEEDS_CPP) => {
            let text = match cpp::preprocess(file) {
                Ok(text) => text,
                Err(finding) => {
                    // What it includes is not there; perhaps it is not needed.
                    let mut options = options;
                    options.c.skip_includes = true;
                    let parsed = parse_with(&mut session.cx, language, source, file, &options);
                    let Ok(mut parsed) = parsed else {
                        let mut all = vec![finding];
                        all.extend(findings);
                        return Err(all);
                    };
                    let message = format!("files it includes are left out: {}", finding.message);
                    parsed
                        .warnings
                        .push(Diagnostic::warning("missing-include", message));
                    return Ok((source, parsed));
                }
            };
            let name = format!("{} (preprocessed)", file.name);
            let source = session.sources.add(name, text);
            let file = session.sources.file(source);
            let parsed = parse_with(&mut session.cx, language, source, file, &options)?;
            Ok((source, parsed))
        }
        Err(mut findings) => {
            let other = other_language(file, source, language);
            if let (Some(other), Some(first)) = (other, findings.first_mut()) {
                let name = other.name();
                let hint = format!("the text reads as {name}: try `--language {name}`");
                first.hints.push(hint);
                // What is wrong with it in this language matters little then.
                findings.truncate(1);
            }
            Err(findings)
        }
    }
}

/// Another language that the text is a model of: the name of the file may be wrong.
fn other_language(file: &SourceFile, source: SourceId, language: Language) -> Option<Language> {
    const LIMIT: usize = 1 << 20;
    let others = Language::ALL.into_iter().filter(|&other| other != language);
    if file.text.len() > LIMIT || file.text.trim().is_empty() {
        return None;
    }
    let mut others = others;
    others.find(|&other| parse(&mut Context::new(), other, source, file).is_ok())
}

/// The text of a file.
pub fn read(path: &Path) -> Result<String, Vec<Diagnostic>> {
    let name = path.display();
    let refuse = |why: String| {
        let message = format!("cannot read `{name}`: {why}");
        vec![Diagnostic::error("unreadable-file", message)]
    };
    let too_large = || refuse("it has 4 GiB or more".into());
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let stdin = std::io::stdin().lock();
        let read = stdin.take(u64::from(u32::MAX)).read_to_end(&mut bytes);
        read.map_err(|error| refuse(error.to_string()))?;
    } else {
        let metadata = std::fs::metadata(path).map_err(|error| refuse(error.to_string()))?;
        if metadata.is_dir() {
            return Err(refuse("it is a directory".into()));
        }
        if metadata.len() >= u64::from(u32::MAX) {
            return Err(too_large());
        }
        let file = std::fs::File::open(path).map_err(|error| refuse(error.to_string()))?;
        bytes.reserve(metadata.len() as usize);
        let read = file.take(u64::from(u32::MAX)).read_to_end(&mut bytes);
        read.map_err(|error| refuse(error.to_string()))?;
    }
    if bytes.len() as u64 >= u64::from(u32::MAX) {
        return Err(too_large());
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let line = bytes[..good].split(|&byte| byte == b'\n').count();
        let message = format!(
            "`{name}` is no UTF-8 text: byte 0x{:02x} in line {line} (offset {good})",
            bytes[good]
        );
        let finding = Diagnostic::error("not-utf8", message);
        vec![finding.hint("save the file as UTF-8")]
    })
}
