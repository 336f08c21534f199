//! Places that can be read and written.

use super::declare::{Kind, Maker, Variable};
use super::effects::{Cells, Effects};
use super::types::{Ex, Int};
use rand::Rng as _;

/// A place: its text, its type, what finding it does, and which cells it may be.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub text: String,
    pub int: Int,
    pub finding: Effects,
    pub cells: Cells,
}

impl Maker<'_> {
    /// A place; `around` is what happens in no order with it.
    pub fn place(&mut self, around: Effects, write: bool, depth: usize) -> Option<Place> {
        for _ in 0..6 {
            let at = self.below(self.variables.len().max(1));
            let variable = self.variables.get(at)?.clone();
            if variable.hidden || write && !variable.writable {
                continue;
            }
            let place = self.place_of(&variable, around, depth);
            let own = if write {
                Effects::writing(place.cells)
            } else {
                Effects::reading(place.cells)
            };
            // What finds the place comes before the write, so it may read it, but not write it.
            let clash = place.finding.writes & place.cells != 0;
            if !clash && own.and(place.finding).fits(around) {
                return Some(place);
            }
        }
        None
    }

    fn place_of(&mut self, variable: &Variable, around: Effects, depth: usize) -> Place {
        let name = &variable.name;
        let none = Effects::default();
        match variable.kind {
            Kind::Scalar => Place {
                text: name.clone(),
                int: variable.int,
                finding: none,
                cells: variable.cell,
            },
            Kind::Array(len) => {
                let index = self.index(len, around, depth);
                Place {
                    text: format!("{name}[{}]", index.text),
                    int: variable.int,
                    finding: index.effects,
                    cells: variable.cell,
                }
            }
            Kind::Struct(id) => {
                let (field, int) = self.field(id);
                Place {
                    text: format!("{name}.{field}"),
                    int,
                    finding: none,
                    cells: variable.cell,
                }
            }
            Kind::StructArray(id, len) => {
                let index = self.index(len, around, depth);
                let (field, int) = self.field(id);
                Place {
                    text: format!("{name}[{}].{field}", index.text),
                    int,
                    finding: index.effects,
                    cells: variable.cell,
                }
            }
            Kind::Pointer => Place {
                text: format!("(*{name})"),
                int: variable.int,
                finding: Effects::reading(variable.cell),
                cells: self.pointed(variable.int),
            },
            Kind::StructPointer(id) => {
                let (field, int) = self.field(id);
                Place {
                    text: format!("{name}->{field}"),
                    int,
                    finding: Effects::reading(variable.cell),
                    cells: self.pointed_struct(id),
                }
            }
        }
    }

    fn field(&mut self, id: usize) -> (&'static str, Int) {
        let at = self.below(self.structs[id].len());
        self.structs[id][at]
    }

    fn index(&mut self, len: u8, around: Effects, depth: usize) -> Ex {
        if depth == 0 || self.once_in(2) {
            let value = self.rng.random_range(0..len);
            return Ex::literal(i128::from(value), super::types::INT);
        }
        self.expression(depth - 1, around).below(i128::from(len))
    }

    /// The text of the address of a variable that a pointer to `int` may hold.
    pub fn address(&mut self, int: Int) -> Option<(String, Cells)> {
        let mut found = Vec::new();
        for variable in &self.variables {
            if variable.hidden || !variable.writable {
                continue;
            }
            let name = &variable.name;
            match variable.kind {
                Kind::Scalar if variable.int == int => {
                    found.push((format!("&{name}"), variable.cell));
                }
                Kind::Array(len) if variable.int == int => {
                    found.push((format!("&{name}[{}]", len - 1), variable.cell));
                    found.push((name.clone(), variable.cell));
                }
                Kind::Struct(id) => {
                    for &(field, of) in &self.structs[id] {
                        if of == int {
                            found.push((format!("&{name}.{field}"), variable.cell));
                        }
                    }
                }
                _ => {}
            }
        }
        if found.is_empty() {
            return None;
        }
        let at = self.below(found.len());
        Some(found.swap_remove(at))
    }

    /// A struct of a type, by itself or an element, as text that names it.
    pub fn whole_struct(&mut self, id: usize) -> Option<(String, Cells)> {
        let mut found = Vec::new();
        for variable in &self.variables {
            if variable.hidden {
                continue;
            }
            match variable.kind {
                Kind::Struct(of) if of == id => found.push((variable.name.clone(), variable.cell)),
                Kind::StructArray(of, len) if of == id => {
                    found.push((format!("{}[{}]", variable.name, len - 1), variable.cell));
                }
                _ => {}
            }
        }
        if found.is_empty() {
            return None;
        }
        let at = self.below(found.len());
        Some(found.swap_remove(at))
    }
}
