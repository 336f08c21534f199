//! Values as the user's language writes them: enumerators by name, arrays as lists, bit-vectors of C as numbers.

use super::ValueReport;
use crate::model::Model;
use lariat_base::FxHashMap;
use lariat_expr::{ArrayValue, Int, Sort, Value, VarId};
use lariat_system::{CProgram, CRecordId, CType, CTypeId, Context, PlcType};

/// Arrays up to this length are written out.
const MAX_LIST: u64 = 64;

/// How the values of variables are written.
#[derive(Debug, Default)]
pub struct Wording(FxHashMap<VarId, Shape>, FxHashMap<VarId, PlcType>);

/// What is known of a variable of a C program.
#[derive(Clone, Debug)]
struct Shape {
    /// The type of its scalars.
    scalar: CTypeId,
    /// The lengths of the arrays around them, the outermost first.
    lengths: Vec<Option<u64>>,
}

impl Wording {
    /// How the values of `model` are written.
    pub fn new(model: &Model) -> Self {
        let mut shapes = FxHashMap::default();
        for program in model.systems.iter().filter_map(|s| s.program.as_ref()) {
            for object in &program.objects {
                let scalars = scalars(program, object.ty);
                if scalars.len() != object.leaves.len() {
                    continue;
                }
                let leaves = object.leaves.iter().map(|leaf| leaf.var);
                shapes.extend(leaves.zip(scalars));
            }
        }
        let plcs = model.systems.iter().filter_map(|s| s.plc.as_ref());
        let leaves = plcs.flat_map(|plc| &plc.leaves);
        Self(shapes, leaves.map(|leaf| (leaf.var, leaf.ty)).collect())
    }

    /// A value of a variable.
    pub fn value(&self, cx: &Context, model: &Model, var: VarId, value: &Value) -> ValueReport {
        let report = ValueReport::new(&cx.terms.sorts, cx.terms.var_sort(var), value);
        let programs = model.systems.iter().filter_map(|s| s.program.as_ref());
        let text = match (self.0.get(&var), programs.into_iter().next()) {
            (Some(shape), Some(program)) => {
                write(cx, program, shape.scalar, &shape.lengths, var, value)
            }
            _ => self.1.get(&var).and_then(|&ty| of_controller(ty, value)),
        };
        match text {
            Some(text) => report.written(text),
            None => report,
        }
    }

    /// What a constant that a variable is compared with is called.
    pub fn constant(&self, program: &CProgram, var: Option<VarId>, number: i128) -> String {
        let shape = var.and_then(|var| self.0.get(&var));
        let name = shape.and_then(|shape| enumerator(program, shape.scalar, number));
        name.map_or_else(|| number.to_string(), str::to_owned)
    }
}

/// A bit-vector as Structured Text writes it.
fn of_controller(ty: PlcType, value: &Value) -> Option<String> {
    match (ty, value) {
        (PlcType::Bits(bits), Value::Bv(number)) => {
            let width = bits as usize / 4;
            Some(format!("16#{:0width$X}", number.to_big()))
        }
        (PlcType::Int { bits, signed }, Value::Bv(number)) => {
            let is_negative = signed && number.bits() == u64::from(bits);
            let less = || number - &Int::power_of_two(bits);
            Some(if is_negative { less() } else { number.clone() }.to_string())
        }
        _ => None,
    }
}

/// A value as C writes it, if it can be written so.
fn write(
    cx: &Context,
    program: &CProgram,
    scalar: CTypeId,
    lengths: &[Option<u64>],
    var: VarId,
    value: &Value,
) -> Option<String> {
    match value {
        Value::Array(map) => {
            let (length, inner) = lengths.split_first()?;
            let length = length.filter(|&length| length <= MAX_LIST)?;
            let elements = (0..length).map(|at| {
                let element = map.get(&index(cx, var, map, at)?);
                write(cx, program, scalar, inner, var, element)
            });
            let elements: Vec<String> = elements.collect::<Option<_>>()?;
            Some(format!("[{}]", elements.join(", ")))
        }
        Value::Int(number) | Value::Bv(number) => {
            let CType::Int(int) = program.types[scalar] else {
                return None;
            };
            let is_negative =
                matches!(value, Value::Bv(_)) && int.signed && number.bits() == u64::from(int.bits);
            let number = if is_negative {
                number - &Int::power_of_two(int.bits)
            } else {
                number.clone()
            };
            let text = number.to_string();
            let name = text
                .parse()
                .ok()
                .and_then(|n| enumerator(program, scalar, n));
            Some(name.map_or(text, str::to_owned))
        }
        _ => None,
    }
}

/// The index of an array that stands for a number.
fn index(cx: &Context, var: VarId, map: &ArrayValue, at: u64) -> Option<Value> {
    let at = Int::from(i64::try_from(at).ok()?);
    let known = map.entries().next().map(|(index, _)| index.clone());
    let is_bits = match known {
        Some(index) => matches!(index, Value::Bv(_)),
        None => {
            let array = cx.terms.sorts.as_array(cx.terms.var_sort(var));
            array.is_some_and(|(index, _)| matches!(cx.terms.sorts.get(index), Sort::Bv(_)))
        }
    };
    Some(if is_bits {
        Value::Bv(at)
    } else {
        Value::Int(at)
    })
}

/// The name of a value of an enumeration.
fn enumerator(program: &CProgram, ty: CTypeId, value: i128) -> Option<&str> {
    let names = program.enumerations.get(&ty)?.iter();
    let mut names = names.filter(|(_, own)| *own == value);
    names.next().map(|(name, _)| &**name)
}

/// The scalars that a type is made of, in the order of its members, each with the arrays around it.
fn scalars(program: &CProgram, ty: CTypeId) -> Vec<Shape> {
    let mut found = Vec::new();
    let mut todo: Vec<(CTypeId, Vec<Option<u64>>)> = vec![(ty, Vec::new())];
    while let Some((ty, mut lengths)) = todo.pop() {
        match program.types[ty] {
            CType::Array(element, length) => {
                lengths.push(length);
                todo.push((element, lengths));
            }
            CType::Record(id) => {
                let fields = members(program, id).into_iter().rev();
                todo.extend(fields.map(|field| (field, lengths.clone())));
            }
            _ => found.push(Shape {
                scalar: ty,
                lengths,
            }),
        }
        // A record may hold itself only through pointers, but nobody needs more than this.
        if found.len() + todo.len() > 1000 {
            return Vec::new();
        }
    }
    found
}

fn members(program: &CProgram, id: CRecordId) -> Vec<CTypeId> {
    let record = &program.records[id];
    let fields = record.fields.iter().flatten();
    fields.map(|field| field.ty).collect()
}
