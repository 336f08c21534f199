//! The commands that scripts of all kinds have: declarations and definitions of sorts, constants and functions.

use super::operator;
use super::read::{Read, Reader, Symbol, Val};
use super::sexpr::NodeId;
use super::sorts::SortName;
use lariat_base::Diagnostic;
use lariat_expr::{SortId, Value};

/// A name that a script declares.
pub(crate) struct Declared<'a> {
    pub name: &'a str,
    pub place: NodeId,
    pub params: Vec<SortId>,
    pub result: SortId,
}

/// A definition that was read.
pub(crate) struct Defined<'a> {
    pub name: &'a str,
    pub n_params: usize,
    pub body: Val,
}

impl<'a> Reader<'a, '_> {
    /// `(declare-fun f (S …) S)` or `(declare-const c S)`.
    pub fn declaration(&mut self, command: NodeId) -> Read<Declared<'a>> {
        let (place, params, result) = match (self.tree.head(command), self.tree.items(command)) {
            (Some("declare-const"), &[_, name, result]) => (name, None, result),
            (_, &[_, name, params, result]) => (name, Some(params), result),
            _ => return Err(self.malformed(command)),
        };
        let name = self.new_name(place)?;
        let mut sorts = Vec::new();
        for &param in params.map_or(&[][..], |params| self.tree.items(params)) {
            sorts.push(self.sort(param)?);
        }
        let result = self.sort(result)?;
        Ok(Declared {
            name,
            place,
            params: sorts,
            result,
        })
    }

    /// `(define-fun f ((x S) …) S t)` or `(define-const c S t)`: makes the name known.
    pub fn definition(&mut self, command: NodeId) -> Read<Defined<'a>> {
        let (place, params, result, body) =
            match (self.tree.head(command), self.tree.items(command)) {
                (Some("define-const"), &[_, name, result, body]) => (name, None, result, body),
                (Some("define-fun"), &[_, name, params, result, body]) => {
                    (name, Some(params), result, body)
                }
                _ => return Err(self.malformed(command)),
            };
        let name = self.new_name(place)?;
        let mut locals: Vec<(&'a str, Val)> = Vec::new();
        let mut vars = Vec::new();
        for (param, var) in self.parameters(params)? {
            let term = self.cx.terms.var(var);
            locals.push((param, Val::Term(term)));
            vars.push(var);
        }
        let sort = self.sort(result)?;
        let value = self.with_locals(&locals, |reader| {
            let value = reader.value(body)?;
            reader.fitted(body, value, sort)
        })?;
        let n_params = vars.len();
        let symbol = if vars.is_empty() {
            Symbol::Value(value)
        } else {
            Symbol::Macro {
                params: vars,
                body: value,
            }
        };
        self.symbols.insert(name, symbol);
        Ok(Defined {
            name,
            n_params,
            body: value,
        })
    }

    /// `((x S) …)`, each with a variable of its own.
    fn parameters(&mut self, list: Option<NodeId>) -> Read<Vec<(&'a str, lariat_expr::VarId)>> {
        let mut parameters = Vec::new();
        for &parameter in list.map_or(&[][..], |list| self.tree.items(list)) {
            let (name, sort) = self.sorted_name(parameter)?;
            let sort = self.sort(sort)?;
            parameters.push((name, self.fresh(name, sort)));
        }
        Ok(parameters)
    }

    /// `(x S)`.
    pub fn sorted_name(&self, node: NodeId) -> Read<(&'a str, NodeId)> {
        match (self.tree.head(node), self.tree.items(node)) {
            (Some(name), &[_, sort]) => Ok((name, sort)),
            _ => {
                let message = "a name and a sort are expected here, `(x Int)`";
                Err(self.tree.error("smtlib-declaration", node, message))
            }
        }
    }

    /// `(declare-sort S n)`: a name without a meaning.
    pub fn declare_sort(&mut self, command: NodeId) -> Read<()> {
        let &[_, name, _] = self.tree.items(command) else {
            return Err(self.malformed(command));
        };
        let name = self.new_sort(name)?;
        self.sorts.insert(name, SortName::Uninterpreted);
        Ok(())
    }

    /// `(define-sort S () T)`.
    pub fn define_sort(&mut self, command: NodeId) -> Read<()> {
        let &[_, name, params, sort] = self.tree.items(command) else {
            return Err(self.malformed(command));
        };
        if !self.tree.items(params).is_empty() {
            let message = "sorts with parameters are not supported";
            return Err(self.tree.error("smtlib-sort", params, message));
        }
        let name = self.new_sort(name)?;
        let sort = self.sort(sort)?;
        self.sorts.insert(name, SortName::Known(sort));
        Ok(())
    }

    /// `(declare-enum-sort S (a b …))`: the sort.
    pub fn enumeration(&mut self, command: NodeId) -> Read<SortId> {
        let &[_, name, literals] = self.tree.items(command) else {
            return Err(self.malformed(command));
        };
        let name = self.new_sort(name)?;
        let mut names: Vec<&'a str> = Vec::new();
        for &literal in self.tree.items(literals) {
            let own = self.new_name(literal)?;
            if names.contains(&own) {
                return Err(self.twice(literal, own));
            }
            names.push(own);
        }
        if names.is_empty() {
            let message = "an enumeration has at least one value";
            return Err(self.tree.error("smtlib-sort", literals, message));
        }
        let sort = self.cx.terms.sorts.enumeration(name, names.iter().copied());
        self.sorts.insert(name, SortName::Known(sort));
        for (position, name) in names.into_iter().enumerate() {
            let term = self.cx.terms.lit(Value::Enum(position as u32), sort);
            self.symbols.insert(name, Symbol::Value(Val::Term(term)));
        }
        Ok(sort)
    }

    fn new_sort(&self, node: NodeId) -> Read<&'a str> {
        let Some(name) = self.tree.symbol(node) else {
            return Err(self
                .tree
                .error("smtlib-declaration", node, "a name is expected here"));
        };
        if self.sorts.contains_key(name) || ["Bool", "Int", "Real", "Array"].contains(&name) {
            return Err(self.twice(node, name));
        }
        Ok(name)
    }

    /// A name that nothing has yet.
    fn new_name(&self, node: NodeId) -> Read<&'a str> {
        let Some(name) = self.tree.symbol(node) else {
            return Err(self
                .tree
                .error("smtlib-declaration", node, "a name is expected here"));
        };
        if self.symbols.contains_key(name) {
            return Err(self.twice(node, name));
        }
        if operator::NAMES.contains(&name) || ["true", "false"].contains(&name) {
            let message = format!("`{name}` has a meaning already");
            return Err(self.tree.error("smtlib-declaration", node, message));
        }
        Ok(name)
    }

    fn twice(&self, node: NodeId, name: &str) -> Diagnostic {
        let message = format!("`{name}` is declared twice");
        self.tree.error("duplicate-name", node, message)
    }

    /// A command that does not have the parts it should.
    pub fn malformed(&self, command: NodeId) -> Diagnostic {
        let message = match self.tree.head(command) {
            Some(name) => format!("`{name}` is not written like this"),
            None => "a command is expected here".to_owned(),
        };
        self.tree.error("smtlib-command", command, message)
    }
}
