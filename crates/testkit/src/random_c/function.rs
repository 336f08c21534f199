//! Functions: parameters by value and by pointer, a body, a result.

use super::declare::{Function, Kind, Maker, Param};
use super::effects::Effects;
use super::types::INT;
use rand::Rng as _;

/// The name of the parameter that says how deep a function may still call itself.
const FUEL: &str = "fuel";

impl Maker<'_> {
    /// A function that the ones after it and the entry may call.
    pub fn function(&mut self) -> String {
        let prefix = self.prefix.clone();
        let name = self.fresh(&format!("{prefix}f"));
        let mark = self.variables.len();
        let mut params = Vec::new();
        let mut texts = Vec::new();
        for _ in 0..self.rng.random_range(0..4) {
            let (param, text) = self.param();
            params.push(param);
            texts.push(text);
        }
        // One in a program: several that call each other take too many steps.
        let mut known = self.functions.iter();
        let is_recursive = self.conf.recursion
            && !known.any(|known| known.params.contains(&Param::Fuel))
            && !self.once_in(4);
        if is_recursive {
            params.push(Param::Fuel);
            texts.push(format!("int {FUEL}"));
        }
        let result = (!self.once_in(4)).then(|| self.any_int());
        let head = format!(
            "static {} {name}({})",
            result.map_or("void", |int| int.name),
            if texts.is_empty() {
                "void".to_owned()
            } else {
                texts.join(", ")
            }
        );
        self.start(result, 7);
        self.body(2);
        if is_recursive {
            let function = Function {
                name: name.clone(),
                params: params.clone(),
                result,
                effects: Effects::default(),
            };
            self.call_itself(&function);
            self.budget = 3;
            self.body(1);
        }
        if result.is_some() {
            self.return_statement();
        }
        let text = self.finish(&head);
        let effects = self.does;
        self.variables.truncate(mark);
        self.functions.push(Function {
            name,
            params,
            result,
            effects,
        });
        text
    }

    /// Calls of a function inside itself. They stand alone or in a fixed order: what it does is not known yet.
    fn call_itself(&mut self, function: &Function) {
        let fuel = format!("{FUEL} - 1");
        for _ in 0..self.rng.random_range(1..3) {
            let Some((text, effects, _)) = self.call_of(function, &fuel, 2, Effects::default())
            else {
                continue;
            };
            self.does = self.does.and(effects);
            let second = self.call_of(function, &fuel, 1, Effects::default());
            let line = match (function.result, second) {
                (Some(int), Some((other, effects, _))) if self.once_in(2) => {
                    self.does = self.does.and(effects);
                    let name = self.fresh("r");
                    let forms = [
                        format!("{text} ? {other} : 1"),
                        format!("{text} && {other}"),
                        format!("({text}, {other})"),
                    ];
                    let form = &forms[self.below(forms.len())];
                    self.line(&format!("{} {name} = 0;", int.name));
                    self.add(&name, Kind::Scalar, int);
                    format!("{name} = {form};")
                }
                (Some(int), _) => {
                    let name = self.fresh("r");
                    self.line(&format!("{} {name} = 1;", int.name));
                    self.add(&name, Kind::Scalar, int);
                    format!("{name} = {text};")
                }
                (None, _) => format!("{text};"),
            };
            self.line(&format!("if ({FUEL} > 0) {line}"));
        }
    }

    /// The function that is `main`.
    pub fn entry(&mut self) -> String {
        let head = format!("int {}entry(void)", self.prefix);
        let mark = self.variables.len();
        let budget = self.rng.random_range(8..26);
        self.start(Some(INT), budget);
        let is_reactive = self.conf.inputs && self.once_in(2);
        if is_reactive {
            self.line("while (1) {");
            self.indent += 1;
        }
        self.body(3);
        self.trace();
        if is_reactive {
            self.indent -= 1;
            self.line("}");
        }
        self.line("return 0;");
        self.variables.truncate(mark);
        self.finish(&head)
    }

    fn start(&mut self, result: Option<super::types::Int>, budget: usize) {
        self.out.clear();
        self.indent = 1;
        self.does = Effects::default();
        self.budget = budget;
        self.result = result;
        self.loops = 0;
    }

    fn finish(&mut self, head: &str) -> String {
        let body = std::mem::take(&mut self.out);
        format!("{head} {{\n{body}}}\n\n")
    }

    fn param(&mut self) -> (Param, String) {
        let name = self.fresh("x");
        let int = self.any_int();
        let prefix = self.prefix.clone();
        match self.rng.random_range(0..8) {
            0 | 1 if self.is_target(int) => {
                self.add(&name, Kind::Pointer, int);
                (Param::Pointer(int), format!("{} *{name}", int.name))
            }
            2 if !self.structs.is_empty() => {
                let id = self.below(self.structs.len());
                self.add(&name, Kind::Struct(id), int);
                (Param::Struct(id), format!("struct {prefix}s{id} {name}"))
            }
            3 if !self.structs.is_empty() => {
                let id = self.below(self.structs.len());
                self.add(&name, Kind::StructPointer(id), int);
                let text = format!("struct {prefix}s{id} *{name}");
                (Param::StructPointer(id), text)
            }
            _ => {
                self.add(&name, Kind::Scalar, int);
                (Param::Value(int), format!("{} {name}", int.name))
            }
        }
    }

    pub fn return_statement(&mut self) {
        let Some(int) = self.result else {
            self.line("return;");
            return;
        };
        let value = self.expression(2, Effects::default());
        self.does = self.does.and(value.effects);
        let value = self.fitting(value, int);
        self.line(&format!("return {};", value.text));
    }
}
