//! Random models of several copies of one small process, in three forms; some have something hidden that tells a copy apart.
//!
//! A process is drawn once, as guards and effects with a mark for "this copy"; each form writes it for every copy. The forms
//! are variables with numbers in their names, a symmetric type with arrays over it, and models that are composed.

use crate::Rng;
use rand::Rng as _;
use std::fmt::Write as _;

/// How copies are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Variables `pc1`, `pc2`, …, one action of each copy.
    Numbers,
    /// Arrays over a symmetric type, actions with a parameter.
    Arrays,
    /// A model of each copy, to be interleaved.
    Models,
}

/// A model, and conditions to ask about.
#[derive(Clone, Debug)]
pub struct SymmetricModel {
    /// How copies are written.
    pub form: Form,
    /// The GCL texts; several are to be interleaved.
    pub texts: Vec<String>,
    /// Conditions over its variables.
    pub atoms: Vec<String>,
    /// Whether something in the texts tells a copy apart.
    pub is_broken: bool,
}

/// A condition.
#[derive(Clone)]
enum Piece {
    /// Of this copy (`@`), or of what is shared.
    Own(String),
    /// Of all copies, or of some.
    All(String),
    Some(String),
    /// Of all others.
    Others(String),
}

struct Action {
    guard: Vec<Piece>,
    effects: Vec<String>,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each thing is there or not by itself"
)]
struct Draw<'r> {
    rng: &'r mut Rng,
    form: Form,
    n_copies: usize,
    has_flag: bool,
    has_lock: bool,
    has_count: bool,
    /// A shared variable that names a copy.
    has_turn: bool,
    /// A variable of each copy that names one.
    has_next: bool,
}

const STATES: [&str; 3] = ["s1", "s2", "s3"];

/// A random model.
pub fn random_symmetric(rng: &mut Rng) -> SymmetricModel {
    let form = [Form::Numbers, Form::Numbers, Form::Arrays, Form::Models][rng.random_range(0..4)];
    let names_copies = form != Form::Models && rng.random();
    let mut draw = Draw {
        form,
        n_copies: rng.random_range(2..4),
        has_flag: rng.random_range(0..3) == 0,
        has_lock: rng.random(),
        has_count: rng.random_range(0..3) == 0,
        has_turn: names_copies,
        has_next: names_copies && rng.random_range(0..3) == 0,
        rng,
    };
    let n_actions = draw.rng.random_range(1..4);
    let mut actions: Vec<Action> = (0..n_actions).map(|_| draw.action()).collect();
    let is_broken = form != Form::Arrays && draw.rng.random_range(0..3) == 0;
    let broken = is_broken.then(|| draw.rng.random_range(0..4));
    let fair = (draw.rng.random_range(0..4) == 0).then(|| {
        let piece = draw.piece();
        match (draw.form, piece) {
            // A copy in the text of a model is known to that model only.
            (Form::Models, _) => Piece::Own("true".into()),
            (_, Piece::Own(text)) if draw.rng.random() => Piece::Some(text),
            (_, piece) => piece,
        }
    });
    if actions.is_empty() {
        actions.push(draw.action());
    }
    let texts = draw.texts(&actions, fair.as_ref(), broken);
    let atoms = (0..3).map(|_| draw.atom()).collect();
    SymmetricModel {
        form,
        texts,
        atoms,
        is_broken,
    }
}

impl Draw<'_> {
    fn state(&mut self) -> &'static str {
        STATES[self.rng.random_range(0..STATES.len())]
    }

    /// A condition on this copy.
    fn own(&mut self) -> String {
        let state = self.state();
        match self.rng.random_range(0..6) {
            0 if self.has_flag => "flag@".into(),
            1 if self.has_next => "next@ = turn".into(),
            2 if self.has_next => "next@ = @".into(),
            3 | 4 if self.has_turn => "turn = @".into(),
            5 => format!("not (pc@ = {state})"),
            _ => format!("pc@ = {state}"),
        }
    }

    fn shared(&mut self) -> Option<String> {
        match self.rng.random_range(0..3) {
            0 if self.has_lock => Some("lock".into()),
            1 if self.has_lock => Some("not lock".into()),
            2 if self.has_count => Some(format!("count = {}", self.rng.random_range(0..3))),
            _ => None,
        }
    }

    fn piece(&mut self) -> Piece {
        if let Some(shared) = self.shared() {
            return Piece::Own(shared);
        }
        let own = self.own();
        if self.form == Form::Models {
            return Piece::Own(own);
        }
        match self.rng.random_range(0..6) {
            0 => Piece::All(own),
            1 => Piece::Some(own),
            2 => Piece::Others(own),
            _ => Piece::Own(own),
        }
    }

    fn action(&mut self) -> Action {
        let n_pieces = self.rng.random_range(1..3);
        let guard = (0..n_pieces).map(|_| self.piece()).collect();
        let mut effects = Vec::new();
        if self.rng.random_range(0..4) > 0 {
            effects.push(format!("pc@ := {}", self.state()));
        }
        if self.has_flag && self.rng.random() {
            let value = ["true", "not flag@", "false"][self.rng.random_range(0..3)];
            effects.push(format!("flag@ := {value}"));
        }
        if self.has_lock && self.rng.random() {
            let value = ["not lock", "true", "false", "any"][self.rng.random_range(0..4)];
            effects.push(format!("lock := {value}"));
        }
        if self.has_count && self.rng.random() {
            let value = ["count + 1", "0", "any"][self.rng.random_range(0..3)];
            effects.push(format!("count := {value}"));
        }
        if self.has_turn && self.rng.random() {
            let values: &[&str] = if self.has_next {
                &["@", "any", "next@"]
            } else {
                &["@", "any"]
            };
            let value = values[self.rng.random_range(0..values.len())];
            effects.push(format!("turn := {value}"));
        }
        if self.has_next && self.rng.random() {
            let value = ["@", "turn"][self.rng.random_range(0..2)];
            effects.push(format!("next@ := {value}"));
        }
        if effects.is_empty() {
            effects.push("skip".into());
        }
        Action { guard, effects }
    }

    /// The texts of all copies; `broken` says what tells the last one apart.
    fn texts(
        &mut self,
        actions: &[Action],
        fair: Option<&Piece>,
        broken: Option<u32>,
    ) -> Vec<String> {
        let mut texts = vec![String::new()];
        let initial = self.state();
        let (flag, count) = (self.rng.random::<bool>(), self.rng.random_range(0..3));
        let lock = ["", " = false", " = true"][self.rng.random_range(0..3)];
        let declare_shared = |out: &mut String, draw: &Self| {
            let _ = writeln!(out, "type S = {{ {} }}", STATES.join(", "));
            let last = draw.n_copies;
            match draw.form {
                Form::Numbers => {
                    let names: Vec<String> = (1..=last).map(|n| format!("P{n}")).collect();
                    let _ = writeln!(out, "type P = {{ {} }}", names.join(", "));
                }
                Form::Arrays => {
                    let _ = writeln!(out, "symmetric P = 1..{last}");
                }
                Form::Models => {}
            }
            if draw.has_lock {
                let _ = writeln!(out, "var lock : bool{lock}");
            }
            if draw.has_count {
                let _ = writeln!(out, "var count : 0..2 = {count}");
            }
            if draw.has_turn {
                let _ = writeln!(out, "var turn : P");
            }
        };
        declare_shared(&mut texts[0], self);
        if self.form == Form::Arrays {
            let out = &mut texts[0];
            let _ = writeln!(out, "var pc : [P] -> S = [<P>default <- {initial}]");
            if self.has_flag {
                let _ = writeln!(out, "var flag : [P] -> bool = [<P>default <- {flag}]");
            }
            if self.has_next {
                let _ = writeln!(out, "var next : [P] -> P");
            }
            for (n, action) in actions.iter().enumerate() {
                let guard = self.guard(&action.guard, 0);
                let effects = self.with_copy(&action.effects.join(", "), "i");
                let _ = writeln!(out, "action a{n}(i : P): {guard} -> {effects}");
            }
        } else {
            for copy in 1..=self.n_copies {
                if self.form == Form::Models && copy > 1 {
                    texts.push(String::new());
                    let out = texts.last_mut().expect("one was added");
                    declare_shared(out, self);
                }
                let is_odd = copy == self.n_copies;
                let broken = broken.filter(|_| is_odd);
                let name = self.copy_name(copy);
                let first = match broken {
                    Some(0) => "s3",
                    _ => initial,
                };
                let out = texts.last_mut().expect("there is one");
                let _ = writeln!(out, "var {} : S = {first}", self.with_copy("pc@", &name));
                if self.has_flag {
                    let own = self.with_copy("flag@", &name);
                    let _ = writeln!(out, "var {own} : bool = {flag}");
                }
                if self.has_next {
                    let own = self.with_copy("next@", &name);
                    let _ = writeln!(out, "var {own} : P");
                }
                for (n, action) in actions.iter().enumerate() {
                    if broken == Some(1) && n == 0 && actions.len() > 1 {
                        continue;
                    }
                    let mut guard = self.guard(&action.guard, copy);
                    if broken == Some(2) && n == 0 {
                        guard = format!("{guard} and {}", self.with_copy("pc@ = s2", &name));
                    }
                    let mut effects = self.with_copy(&action.effects.join(", "), &name);
                    if broken == Some(3) && n == 0 {
                        effects = self.with_copy("pc@ := s1", &name);
                    }
                    let _ = writeln!(out, "action a{n}_{name}: {guard} -> {effects}");
                }
            }
        }
        if let Some(fair) = fair {
            // In a symmetric type no copy has a name; elsewhere the first one is meant.
            let fair = match (self.form, fair) {
                (Form::Arrays, Piece::Own(text)) => Piece::Some(text.clone()),
                (Form::Arrays, Piece::Others(text)) => Piece::All(text.clone()),
                (_, piece) => piece.clone(),
            };
            let fair = self.guard(&[fair], 1);
            let _ = writeln!(texts[0], "fair {fair};");
        }
        texts
    }

    /// What a copy is called in names and as a value.
    fn copy_name(&self, copy: usize) -> String {
        match self.form {
            Form::Models => ["A", "B", "C", "D"][copy - 1].into(),
            _ => copy.to_string(),
        }
    }

    /// A text of this copy as one of the copy of this name.
    fn with_copy(&self, text: &str, name: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('@') {
            let is_own = rest[..at].ends_with(char::is_alphanumeric);
            out += &rest[..at];
            match (self.form, is_own) {
                (Form::Arrays, true) => {
                    let _ = write!(out, "[{name}]");
                }
                (Form::Arrays, false) | (_, true) => out += name,
                (_, false) => {
                    let _ = write!(out, "P{name}");
                }
            }
            rest = &rest[at + 1..];
        }
        out + rest
    }

    /// A guard of a copy; of arrays, that of the parameter.
    fn guard(&self, pieces: &[Piece], copy: usize) -> String {
        let texts: Vec<String> = pieces
            .iter()
            .map(|piece| self.written(piece, copy))
            .collect();
        texts.join(" and ")
    }

    fn written(&self, piece: &Piece, copy: usize) -> String {
        if self.form == Form::Arrays {
            return match piece {
                Piece::Own(text) => format!("({})", self.with_copy(text, "i")),
                Piece::All(text) => format!("forall(j : P, {})", self.with_copy(text, "j")),
                Piece::Some(text) => format!("exists(j : P, {})", self.with_copy(text, "j")),
                Piece::Others(text) => {
                    format!("forall(j : P, j = i or {})", self.with_copy(text, "j"))
                }
            };
        }
        let over = |text: &str, skipped: usize, word: &str, unit: &str| {
            let copies = (1..=self.n_copies).filter(|&other| other != skipped);
            let parts: Vec<String> = copies
                .map(|other| format!("({})", self.with_copy(text, &self.copy_name(other))))
                .collect();
            if parts.is_empty() {
                unit.to_owned()
            } else {
                format!("({})", parts.join(word))
            }
        };
        match piece {
            Piece::Own(text) => format!("({})", self.with_copy(text, &self.copy_name(copy))),
            Piece::All(text) => over(text, 0, " and ", "true"),
            Piece::Some(text) => over(text, 0, " or ", "false"),
            Piece::Others(text) => over(text, copy, " and ", "true"),
        }
    }

    /// Something to ask: of all copies mostly, of one now and then.
    fn atom(&mut self) -> String {
        if let Some(shared) = self.shared() {
            return shared;
        }
        let own = self.own();
        let names_one = self.rng.random_range(0..4) == 0;
        if self.form == Form::Arrays {
            return match (names_one, self.rng.random::<bool>()) {
                // A copy is called by its literal here.
                (true, _) => self.with_copy(&own, "P1"),
                (false, true) => format!("forall(j : P, {})", self.with_copy(&own, "j")),
                (false, false) => format!("exists(j : P, {})", self.with_copy(&own, "j")),
            };
        }
        let piece = match (names_one, self.rng.random::<bool>()) {
            (true, _) => Piece::Own(own),
            (false, true) => Piece::All(own),
            (false, false) => Piece::Some(own),
        };
        self.written(&piece, 1)
    }
}
