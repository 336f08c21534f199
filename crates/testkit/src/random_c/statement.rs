//! Statements. Loops end: each has a counter that nothing else writes.

use super::declare::{Kind, Maker, TRACE, literal};
use super::effects::Effects;
use super::types::{Ex, INT};
use rand::Rng as _;

impl Maker<'_> {
    /// Some statements in a row; `depth` levels of nesting are left.
    pub fn body(&mut self, depth: usize) {
        for _ in 0..self.rng.random_range(2..6) {
            if self.budget == 0 {
                break;
            }
            self.statement(depth);
        }
    }

    fn block(&mut self, depth: usize) {
        let mark = self.variables.len();
        self.indent += 1;
        self.body(depth);
        self.indent -= 1;
        self.leave(mark);
    }

    /// Ends the scope of the variables from `mark` on.
    fn leave(&mut self, mark: usize) {
        for local in self.variables.split_off(mark) {
            let mut globals = self.variables[..self.n_globals].iter_mut();
            if let Some(global) = globals.find(|global| global.name == local.name) {
                global.hidden = false;
            }
        }
    }

    pub fn trace(&mut self) {
        let globals = self.variables[..self.n_globals].iter();
        let reads = globals.fold(0, |cells, global| cells | global.cell);
        self.does = self.does.and(Effects {
            reads,
            writes: TRACE,
        });
        let text = format!("{}trace();", self.prefix);
        self.line(&text);
        if self.steps {
            self.line("__VERIFIER_ltl_step();");
        }
    }

    fn done(&mut self, value: &Ex) {
        self.does = self.does.and(value.effects);
    }

    fn value(&mut self, depth: usize) -> Ex {
        let value = self.expression(depth, Effects::default());
        self.done(&value);
        value
    }

    fn statement(&mut self, depth: usize) {
        self.budget = self.budget.saturating_sub(1);
        if self.conf.inputs && self.once_in(6) && self.input_statement() {
            return;
        }
        let simple = depth == 0 || self.budget == 0;
        match self.rng.random_range(0..if simple { 14 } else { 28 }) {
            0..=4 => self.assign(),
            5 | 6 => self.trace(),
            7 => self.declare(),
            8 => self.struct_copy(),
            9 => self.point(),
            10 | 11 => self.call_statement(),
            12 => self.step_statement(),
            13 => {
                let value = self.value(3);
                self.line(&format!("{};", value.text));
            }
            14..=17 => self.if_statement(depth),
            18 | 19 => self.for_loop(depth),
            20 | 21 => self.while_loop(depth),
            22 | 23 => self.switch(depth),
            24 => self.jump_forward(depth),
            25 => self.jump_back(depth),
            26 => self.device(),
            _ => {
                self.line("{");
                self.block(depth - 1);
                self.line("}");
            }
        }
    }

    fn assign(&mut self) {
        if let Some(assignment) = self.assignment(3, Effects::default()) {
            self.done(&assignment);
            let text = &assignment.text;
            let bare = text[1..text.len() - 1].to_owned();
            self.line(&format!("{bare};"));
        }
    }

    fn declare(&mut self) {
        // Sometimes under the name of a global variable.
        let outer: Vec<usize> = (0..self.n_globals)
            .filter(|&i| !self.variables[i].hidden)
            .collect();
        let int = self.any_int();
        let value = self.value(2);
        let value = self.fitting(value, int);
        let shadow = self.once_in(4) && !outer.is_empty() && self.indent > 1;
        let name = if shadow {
            let at = outer[self.below(outer.len())];
            let name = self.variables[at].name.clone();
            // In `int x = x;` the second `x` is the new one.
            if value.text.contains(&name) {
                return;
            }
            self.variables[at].hidden = true;
            name
        } else {
            self.fresh("v")
        };
        // Calls in the initial values of an array are not supported by our reader.
        if self.once_in(5) && !value.text.contains(&format!("{}f", self.prefix)) {
            let len = self.rng.random_range(1..4);
            let second = literal(self.constant(int), int);
            let more = if len > 1 {
                format!(", {second}")
            } else {
                String::new()
            };
            self.line(&format!(
                "{} {name}[{len}] = {{ {}{more} }};",
                int.name, value.text
            ));
            self.add(&name, Kind::Array(len), int);
            return;
        }
        if self.once_in(5) {
            self.line(&format!("{} {name};", int.name));
            self.line(&format!("{name} = {};", value.text));
        } else {
            self.line(&format!("{} {name} = {};", int.name, value.text));
        }
        self.add(&name, Kind::Scalar, int);
    }

    fn struct_copy(&mut self) {
        if self.structs.is_empty() {
            return self.assign();
        }
        let id = self.below(self.structs.len());
        let (Some((to, cells)), Some((from, read))) =
            (self.whole_struct(id), self.whole_struct(id))
        else {
            return self.assign();
        };
        self.does = self.does.and(Effects {
            reads: read,
            writes: cells,
        });
        self.line(&format!("{to} = {from};"));
    }

    /// Lets a pointer lead to another global variable: one that lives as long as any pointer.
    fn point(&mut self) {
        let pointers: Vec<usize> = (0..self.variables.len())
            .filter(|&i| self.variables[i].kind == Kind::Pointer && !self.variables[i].hidden)
            .collect();
        if pointers.is_empty() {
            return self.local_pointer();
        }
        let at = pointers[self.below(pointers.len())];
        let pointer = self.variables[at].clone();
        for _ in 0..4 {
            let Some((text, cells)) = self.address(pointer.int) else {
                continue;
            };
            let globals = &self.variables[..self.n_globals];
            if globals.iter().any(|global| global.cell == cells) {
                self.does = self.does.and(Effects::writing(pointer.cell));
                return self.line(&format!("{} = {text};", pointer.name));
            }
        }
        self.local_pointer();
    }

    fn local_pointer(&mut self) {
        let int = self.any_int();
        let Some((text, _)) = self.address(int) else {
            return self.assign();
        };
        let name = self.fresh("q");
        self.line(&format!("{} *{name} = {text};", int.name));
        self.add(&name, Kind::Pointer, int);
    }

    fn call_statement(&mut self) {
        match self.call(3, Effects::default()) {
            Some((text, effects, _)) => {
                self.does = self.does.and(effects);
                self.line(&format!("{text};"));
            }
            None => self.assign(),
        }
    }

    /// `++` and the like of a signed variable, where it stays in its bounds.
    fn step_statement(&mut self) {
        let Some(place) = self.place(Effects::default(), true, 0) else {
            return;
        };
        let (low, high) = self.bound(place.int);
        self.does = self.does.and(place.finding).and(Effects {
            reads: place.cells,
            writes: place.cells,
        });
        let text = &place.text;
        let line = match self.rng.random_range(0..4) {
            0 => format!("if ({text} < {}) {text}++;", literal(high, place.int)),
            1 => format!("if ({text} > {}) --{text};", literal(low, place.int)),
            2 => format!(
                "if ({text} <= {}) {text} += 3;",
                literal(high - 3, place.int)
            ),
            _ => format!(
                "if ({text} >= {}) {text} -= 1;",
                literal(low + 1, place.int)
            ),
        };
        self.line(&line);
    }

    fn if_statement(&mut self, depth: usize) {
        let condition = self.value(3);
        self.line(&format!("if ({}) {{", condition.text));
        let mark = self.variables.len();
        self.indent += 1;
        self.body(depth - 1);
        if self.loops > 0 && self.once_in(3) {
            let leave = if self.once_in(2) { "break" } else { "continue" };
            self.line(&format!("{leave};"));
        } else if self.once_in(8) && self.indent > 2 {
            self.return_statement();
        }
        self.indent -= 1;
        self.leave(mark);
        if self.once_in(2) {
            self.line("} else {");
            self.block(depth - 1);
        }
        self.line("}");
    }

    /// A counter that nothing writes but its loop.
    fn counter(&mut self) -> String {
        let name = self.fresh("i");
        let at = self.add(&name, Kind::Scalar, INT);
        self.variables[at].writable = false;
        name
    }

    fn rounds(&mut self) -> usize {
        self.rng.random_range(1..4)
    }

    fn loop_block(&mut self, depth: usize) {
        self.loops += 1;
        self.block(depth - 1);
        self.loops -= 1;
    }

    fn for_loop(&mut self, depth: usize) {
        let mark = self.variables.len();
        let rounds = self.rounds();
        let i = self.counter();
        let text = match self.rng.random_range(0..3) {
            0 => format!("for (int {i} = 0; {i} < {rounds}; {i}++) {{"),
            1 => format!("for (int {i} = {rounds}; {i}; --{i}) {{"),
            _ => format!("for (int {i} = {rounds}; {i}-- > 0; ) {{"),
        };
        self.line(&text);
        self.loop_block(depth);
        self.line("}");
        self.leave(mark);
    }

    fn while_loop(&mut self, depth: usize) {
        let rounds = self.rounds();
        let i = self.counter();
        self.line(&format!("int {i} = 0;"));
        let condition = self.value(2);
        if self.once_in(2) {
            let text = format!("while ({i}++ < {rounds} && {}) {{", condition.text);
            self.line(&text);
            self.loop_block(depth);
            self.line("}");
        } else {
            self.line("do {");
            self.loop_block(depth);
            let text = format!("}} while (++{i} < {rounds} && {});", condition.text);
            self.line(&text);
        }
    }

    fn switch(&mut self, depth: usize) {
        let value = self.value(2);
        let value = if self.once_in(4) {
            value
        } else {
            value.below(5)
        };
        let n = self.rng.random_range(1..5);
        let default = self.below(n + 2);
        self.line(&format!("switch ({}) {{", value.text));
        let loops = std::mem::take(&mut self.loops);
        for case in 0..n {
            if case == default {
                self.line("default:");
            }
            self.line(&format!("case {case}:"));
            if self.once_in(4) {
                continue;
            }
            self.line("{");
            self.block(depth - 1);
            self.line("}");
            if !self.once_in(3) {
                self.line("break;");
            }
        }
        if default == n {
            self.line("default: ;");
        }
        self.line(";");
        self.line("}");
        self.loops = loops;
    }

    fn jump_forward(&mut self, depth: usize) {
        let label = self.fresh("L");
        self.line("{");
        self.indent += 1;
        let condition = self.value(2);
        self.line(&format!("if ({}) goto {label};", condition.text));
        self.indent -= 1;
        self.block(depth - 1);
        self.line("}");
        self.line(&format!("{label}: ;"));
    }

    fn jump_back(&mut self, depth: usize) {
        let label = self.fresh("L");
        let i = self.counter();
        self.line(&format!("int {i} = 0;"));
        self.line(&format!("{label}: {{"));
        // A jump out of a loop or switch inside is not made: `break` belongs to the block.
        let loops = std::mem::take(&mut self.loops);
        self.block(depth - 1);
        self.loops = loops;
        self.line("}");
        self.line(&format!("if ({i}++ < 2) goto {label};"));
    }

    /// A loop that a switch jumps into.
    fn device(&mut self) {
        let i = self.counter();
        let rounds = self.rounds();
        let value = self.value(1).below(3);
        self.line(&format!("int {i} = {rounds};"));
        self.line(&format!("switch ({}) {{", value.text));
        self.line("case 0: do {");
        self.assign();
        self.line("case 1: ;");
        self.assign();
        self.trace();
        self.line("case 2: ;");
        self.assign();
        self.line(&format!("}} while (--{i} > 0);"));
        self.line("}");
    }
}
