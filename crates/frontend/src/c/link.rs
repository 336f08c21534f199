//! Several files as one program: what a linker does, on syntax trees.
//!
//! Files are read one after the other into one tree. What a file has for itself (`static`) carries the file's name as a
//! prefix there, `motor::state`; where no other file has something of that name the prefix goes again, so that formulas and
//! runs say `state`. Types of different files that are compatible become one type (`types/compatible`). What the
//! linker of a C compiler refuses, or should, is an error: an object or function with two definitions, and declarations that disagree.

use super::syntax::ast::{Ast, Declaration, Pos, Storage};
use super::syntax::parse::{Files, Parser};
use super::syntax::token::{Sym, Symbols};
use super::types::{IntTy, Ty, Types};
use lariat_base::{Diagnostic, FxHashMap, FxHashSet, SourceId, Span};
use std::ops::Range;
use std::path::Path;

/// A prefix for each file: its name without folder and ending, made a name of C, and none twice.
pub(super) fn prefixes(names: &[&str]) -> Vec<String> {
    let mut prefixes: Vec<String> = Vec::new();
    for name in names {
        let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str());
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let stem = stem.unwrap_or("file").chars();
        let mut stem: String = stem.map(|c| if is_part(c) { c } else { '_' }).collect();
        if stem.starts_with(|c: char| c.is_ascii_digit()) {
            stem.insert(0, '_');
        }
        let mut prefix = stem.clone();
        let mut n = 2;
        while prefixes.contains(&prefix) {
            prefix = format!("{stem}_{n}");
            n += 1;
        }
        prefixes.push(prefix);
    }
    prefixes
}

/// Makes one program of the files that a parser has read; `starts` has the number of records before each. The findings are
/// what the files disagree about.
pub(super) fn link(
    parser: &mut Parser<'_>,
    starts: &[usize],
    ranges: &[Range<usize>],
) -> Vec<Diagnostic> {
    let Some(files) = parser.files.take() else {
        return Vec::new();
    };
    let unified = parser.types.unify(starts);
    let plain = plain_names(&parser.ast, &files);
    let name = |name: Sym| plain.get(&name).copied().unwrap_or(name);
    parser.ast.rename(name, |ty| unified.of(ty));
    let linker = Linker {
        ast: &parser.ast,
        types: &parser.types,
        symbols: parser.symbols,
        source: parser.source,
        ranges,
    };
    let mut findings = linker.objects();
    for (function, result, params, pos) in files.redeclared {
        let params: Vec<Ty> = params.into_iter().map(|ty| unified.of(ty)).collect();
        findings.extend(linker.function(function, unified.of(result), &params, pos));
    }
    findings
}

/// The names with a prefix that no other file uses for something else, each with its plain form.
fn plain_names(ast: &Ast, files: &Files) -> FxHashMap<Sym, Sym> {
    let globals = ast.globals.iter().map(|declaration| declaration.name);
    let functions = ast.functions.iter().map(|function| function.name);
    let taken: FxHashSet<Sym> = globals.chain(functions).collect();
    let mut n_files: FxHashMap<Sym, usize> = FxHashMap::default();
    for (plain, _) in &files.internal {
        *n_files.entry(*plain).or_default() += 1;
    }
    let internal = files.internal.iter().copied();
    let alone = internal.filter(|(plain, _)| n_files[plain] == 1 && !taken.contains(plain));
    alone.map(|(plain, full)| (full, plain)).collect()
}

struct Linker<'l> {
    ast: &'l Ast,
    types: &'l Types,
    symbols: &'l Symbols,
    source: SourceId,
    ranges: &'l [Range<usize>],
}

impl Linker<'_> {
    /// What is wrong with the variables.
    fn objects(&self) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        let mut first: FxHashMap<Sym, &Declaration> = FxHashMap::default();
        let mut defined: FxHashMap<Sym, &Declaration> = FxHashMap::default();
        for declaration in &self.ast.globals {
            let known = first.entry(declaration.name).or_insert(declaration);
            if !self.types.agree(known.ty, declaration.ty) {
                let what = format!("the variable `{}`", self.symbols.text(declaration.name));
                findings.push(self.disagree(
                    &what,
                    (known.ty, known.pos),
                    (declaration.ty, declaration.pos),
                ));
            }
            if declaration.storage == Storage::Extern && declaration.init.is_none() {
                continue;
            }
            let known = defined.entry(declaration.name).or_insert(declaration);
            // In one file a variable may be declared again and again.
            if self.file_of(known.pos) != self.file_of(declaration.pos) {
                let name = self.symbols.text(declaration.name);
                let message = format!("the variable `{name}` is defined twice");
                let finding = Diagnostic::error("duplicate-name", message);
                let finding = finding.at(self.span(declaration.pos));
                let finding = finding.also(self.span(known.pos), "the first one");
                findings.push(finding.hint(
                    "say `extern` where it is only used, or `static` if each file has its own",
                ));
            }
        }
        findings
    }

    /// What is wrong with another declaration of a function. An empty list of parameters says nothing about them.
    fn function(&self, function: usize, result: Ty, params: &[Ty], pos: Pos) -> Option<Diagnostic> {
        let known = &self.ast.functions[function];
        let name = self.symbols.text(known.name);
        if !self.types.agree(known.result, result) {
            let what = format!("the result of `{name}`");
            return Some(self.disagree(&what, (known.result, known.pos), (result, pos)));
        }
        let both = known.params.iter().map(|param| param.ty).zip(params);
        let differs = |(own, other): &(Ty, &Ty)| !self.types.agree(*own, **other);
        if let Some((own, other)) = both.into_iter().find(differs) {
            let what = format!("a parameter of `{name}`");
            return Some(self.disagree(&what, (own, known.pos), (*other, pos)));
        }
        let says = |n: usize| n > 0;
        if known.params.len() != params.len() && says(known.params.len()) && says(params.len()) {
            let message = format!("`{name}` is declared with different numbers of parameters");
            let finding = Diagnostic::error("different-types", message).at(self.span(pos));
            return Some(finding.also(self.span(known.pos), "the other declaration"));
        }
        None
    }

    fn disagree(&self, what: &str, one: (Ty, Pos), other: (Ty, Pos)) -> Diagnostic {
        let [first, second] = [one.0, other.0].map(|ty| self.types.describe(ty));
        let message = if first == second {
            format!("{what} has different types: two that are {second}")
        } else {
            format!("{what} has different types: {first} and {second}")
        };
        let finding = Diagnostic::error("different-types", message).at(self.span(other.1));
        finding.also(self.span(one.1), "the other declaration")
    }

    fn file_of(&self, pos: Pos) -> usize {
        let at = pos.start as usize;
        self.ranges.partition_point(|range| range.start <= at)
    }

    fn span(&self, pos: Pos) -> Span {
        Span::new(self.source, pos.start as usize, pos.end as usize)
    }
}

/// Constants of all files: those that have another value elsewhere carry the file's prefix.
pub(super) fn join_constants(
    mut of_files: Vec<Vec<(Sym, i128, IntTy)>>,
    prefixes: &[String],
    symbols: &mut Symbols,
) -> Vec<(Sym, i128, IntTy)> {
    if of_files.len() == 1 {
        return of_files.remove(0);
    }
    let mut first: FxHashMap<Sym, (i128, IntTy)> = FxHashMap::default();
    let mut differ: FxHashSet<Sym> = FxHashSet::default();
    for &(name, value, int) in of_files.iter().flatten() {
        if *first.entry(name).or_insert((value, int)) != (value, int) {
            differ.insert(name);
        }
    }
    let (mut joined, mut seen) = (Vec::new(), FxHashSet::default());
    for (constants, prefix) in of_files.into_iter().zip(prefixes) {
        for (mut name, value, int) in constants {
            if differ.contains(&name) {
                name = symbols.intern(&format!("{prefix}::{}", symbols.text(name)));
            }
            if seen.insert(name) {
                joined.push((name, value, int));
            }
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_names_and_differ() {
        let names = ["a/main.c", "b/main.c", "io-port.c", "3rd.c", "main_2.c"];
        let found = prefixes(&names);
        assert_eq!(found, ["main", "main_2", "io_port", "_3rd", "main_2_2"]);
    }
}
