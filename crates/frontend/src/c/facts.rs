//! What a program passes on to the formulas over it and to the reports of its runs: its types, objects and constants, out of
//! the lowering's tables and back into those of an atom; its functions, and where its inputs come in.

use super::control::call::Known;
use super::integer::arith::IntMode;
use super::lower::Lower;
use super::memory::object::{Leaf, LeafKind, ObjId, Object, shapes};
use super::memory::pointer::Targets;
use super::provenance::Source;
use super::syntax::ast::{Body, E, Expr, S, Stmt, Storage};
use super::syntax::parse::Parser;
use super::syntax::token::{Sym, Symbols};
use super::types::{self, Field, IntTy, RecordId, Ty, Type, Types};
use lariat_base::{FxHashMap, Id, IdVec, Span};
use lariat_expr::VarId;
use lariat_system::{
    CConstant, CField, CFunction, CFunctionId, CInput, CInt, CLeaf, CLinkage, CObject, CProgram,
    CRecord, CRecordId, CRole, CType, CTypeId,
};
use std::collections::BTreeSet;

impl Lower<'_> {
    /// The program as formulas need it.
    pub fn facts(&self, constants: &[(Sym, i128, IntTy)]) -> CProgram {
        let mut linkage = vec![CLinkage::Local; self.objects.list.len()];
        for (name, obj) in &self.globals {
            let declaration = &self.ast.globals[self.global_of[name]];
            let elsewhere = declaration.storage == Storage::Extern && declaration.init.is_none();
            linkage[obj.0 as usize] = if elsewhere {
                CLinkage::Extern
            } else {
                CLinkage::Global
            };
        }
        let objects = self.objects.list.iter().zip(linkage);
        let objects = objects.map(|(object, linkage)| CObject {
            name: object.name.clone(),
            ty: type_id(object.ty),
            leaves: object.leaves.iter().map(|leaf| self.leaf(leaf)).collect(),
            clean: object.clean,
            linkage,
        });
        let constants = constants.iter().map(|&(name, value, int)| CConstant {
            name: self.symbols.text(name).into(),
            value,
            int: c_int(int),
        });
        let (functions, ids) = self.exported_functions();
        let inputs = self.provenance.inputs.iter().map(|incoming| CInput {
            function: ids[&incoming.origin.source],
            call: incoming.origin.call,
            span: incoming.origin.span,
            part: incoming.origin.part,
            int: incoming.int.map(c_int),
            var: incoming.var,
            when: incoming.when,
        });
        CProgram {
            bit_precise: self.mode == IntMode::BitPrecise,
            types: self.types.list().iter().map(c_type).collect(),
            records: exported_records(self.types, self.symbols),
            objects: objects.collect(),
            constants: constants.collect(),
            enumerations: self.exported_enumerations(),
            functions,
            inputs: inputs.collect(),
            arrivals: self.provenance.arrivals.clone(),
            statements: self.single_steps(),
            hanging: None,
        }
    }

    /// The enumerations that variables may belong to.
    fn exported_enumerations(&self) -> FxHashMap<CTypeId, Vec<(Box<str>, i128)>> {
        let named = |&(name, value): &(Sym, i128)| (self.symbols.text(name).into(), value);
        let all = self.types.enumerations().iter();
        all.map(|(ty, list)| (type_id(*ty), list.iter().map(named).collect()))
            .collect()
    }

    /// The functions that the source defines or calls, in the order in which it does; then the volatile objects
    /// that it reads.
    fn exported_functions(
        &self,
    ) -> (
        IdVec<CFunctionId, CFunction>,
        FxHashMap<Source, CFunctionId>,
    ) {
        let (mut functions, mut ids) = (IdVec::new(), FxHashMap::default());
        let defined = self.ast.functions.iter().map(|function| function.name);
        let defined = defined.filter(|&name| self.body_of(name).is_some());
        let exprs = (0..self.ast.n_exprs()).map(|i| self.ast.expr(E(i as u32)));
        let called = exprs.filter_map(|expr| match expr {
            Expr::Call(callee, _) => match *self.ast.expr(*callee) {
                Expr::Name(name) if !self.global_of.contains_key(&name) => Some(name),
                _ => None,
            },
            _ => None,
        });
        for name in defined.chain(called) {
            ids.entry(Source::Function(name))
                .or_insert_with(|| functions.push(self.exported_function(name)));
        }
        for &obj in &self.provenance.read {
            let function = CFunction {
                name: self.objects.get(obj).name.clone(),
                body: None,
                declared: true,
                role: CRole::Volatile,
            };
            ids.insert(Source::Volatile(obj), functions.push(function));
        }
        (functions, ids)
    }

    fn exported_function(&self, name: Sym) -> CFunction {
        let body = match self.body_of(name).map(|at| &self.ast.functions[at].body) {
            Some(&Body::Present(body)) => Some(self.span(self.ast.stmt_pos(body))),
            _ => None,
        };
        let text = self.symbols.text(name);
        let is_called = self.provenance.called.contains(&name) && !text.starts_with("__builtin_");
        let role = match self.known(name) {
            _ if self.body_of(name).is_some() => CRole::Body,
            Some(Known::Assume) => CRole::Assume,
            Some(Known::LtlStep) => CRole::Step,
            Some(Known::Error) => CRole::Error,
            Some(Known::Assert) => CRole::Assert,
            Some(Known::Nondet) | None if is_called => {
                if self.is_silent(name) {
                    CRole::Silent
                } else {
                    CRole::Input
                }
            }
            _ => CRole::Other,
        };
        CFunction {
            name: text.into(),
            body,
            declared: self.functions.contains_key(&name),
            role,
        }
    }

    /// Statements that are one step, with what they evaluate: nothing of them happens before that step.
    fn single_steps(&self) -> FxHashMap<Span, u32> {
        let mut found = FxHashMap::default();
        for i in 0..self.ast.n_stmts() {
            let s = S(i as u32);
            let evaluated = match self.ast.stmt(s) {
                Stmt::Expr(e) => Some(*e),
                Stmt::If(arms, _) => arms.first().map(|arm| arm.0),
                _ => None,
            };
            if let Some(e) = evaluated.filter(|&e| !self.has_flow(e)) {
                let span = self.span(self.ast.pos(e));
                found.insert(span, self.ast.stmt_pos(s).start);
            }
        }
        found
    }

    fn leaf(&self, leaf: &Leaf) -> CLeaf {
        let offset = leaf.offset.filter(|_| self.pointers.has_offset(leaf.var));
        let latch = |var: VarId| self.latches.get(&var).copied();
        CLeaf {
            var: leaf.var,
            offset,
            latch: latch(leaf.var),
            offset_latch: offset.and_then(latch),
        }
    }

    /// Makes the objects of a program known, whose types were brought in as `types`. Where its
    /// pointers lead is not: they can be compared, not followed.
    pub fn declare_objects(&mut self, program: &CProgram, types: &[Ty]) {
        for object in &program.objects {
            let (Some(name), ty) = (self.symbols.get(&object.name), types[object.ty.index()])
            else {
                continue;
            };
            let Ok(shapes) = shapes(self.types, self.symbols, ty, &object.name) else {
                continue;
            };
            assert_eq!(
                shapes.len(),
                object.leaves.len(),
                "a type has the same leaves in the program and in its formulas"
            );
            let obj = ObjId(self.objects.list.len() as u32);
            let mut leaves = Vec::new();
            for ((_, kind, (is_array, volatile)), leaf) in shapes.into_iter().zip(&object.leaves) {
                let var = leaf.latch.unwrap_or(leaf.var);
                let offset = leaf.offset_latch.or(leaf.offset);
                if let LeafKind::Pointer(_) = kind {
                    let targets = Targets {
                        set: BTreeSet::new(),
                        unknown: true,
                    };
                    self.pointers.learn(var, &targets, offset.is_some());
                }
                self.objects.of_var.insert(var, (obj, leaves.len() as u32));
                leaves.push(Leaf {
                    var,
                    kind,
                    is_array,
                    offset,
                    volatile,
                });
            }
            self.objects.list.push(Object {
                name: object.name.clone(),
                ty,
                leaves,
                span: None,
                clean: object.clean,
            });
            self.globals.insert(name, obj);
        }
    }
}

impl Parser<'_> {
    /// Brings the types of a program in; what each became.
    pub fn bring_in(&mut self, program: &CProgram) -> Vec<Ty> {
        let records: Vec<RecordId> = program
            .records
            .iter()
            .map(|record| self.types.new_record(record.is_union, None))
            .collect();
        let mut types: Vec<Ty> = Vec::with_capacity(program.types.len());
        for ty in &program.types {
            let of = |id: CTypeId| types[id.index()];
            let ty = match *ty {
                CType::Void => Type::Void,
                CType::Int(int) => Type::Int(int_ty(int)),
                CType::Float => Type::Float,
                CType::Pointer(to) => Type::Ptr(of(to)),
                CType::Array(element, length) => Type::Array(of(element), length),
                CType::Record(id) => Type::Record(records[id.index()]),
                CType::Function(result) => Type::Function(of(result)),
                CType::Unsupported(what) => Type::Unsupported(what),
            };
            types.push(self.types.add(ty));
        }
        for (id, record) in program.records.iter_ids() {
            let Some(fields) = &record.fields else {
                continue;
            };
            let field = |field: &CField| Field {
                name: field.name.as_deref().map(|name| self.symbols.intern(name)),
                ty: types[field.ty.index()],
                bits: field.bits,
            };
            let fields = fields.iter().map(field).collect();
            self.types.complete(records[id.index()], fields);
        }
        types
    }
}

pub(super) fn int_ty(int: CInt) -> IntTy {
    IntTy::new(int.bits, int.signed)
}

fn c_int(int: IntTy) -> CInt {
    CInt {
        bits: int.bits,
        signed: int.signed,
    }
}

fn type_id(ty: Ty) -> CTypeId {
    CTypeId::from_index(ty.index())
}

fn c_type(ty: &Type) -> CType {
    match *ty {
        Type::Void => CType::Void,
        Type::Int(int) => CType::Int(c_int(int)),
        Type::Float => CType::Float,
        Type::Ptr(to) => CType::Pointer(type_id(to)),
        Type::Array(element, length) => CType::Array(type_id(element), length),
        Type::Record(id) => CType::Record(CRecordId::from_index(id.index())),
        Type::Function(result) => CType::Function(type_id(result)),
        Type::Unsupported(what) => CType::Unsupported(what),
    }
}

fn exported_records(types: &Types, symbols: &Symbols) -> IdVec<CRecordId, CRecord> {
    let field = |field: &Field| CField {
        name: field.name.map(|name| symbols.text(name).into()),
        ty: type_id(field.ty),
        bits: field.bits,
    };
    let record = |record: &types::Record| CRecord {
        is_union: record.is_union,
        fields: record
            .fields
            .as_ref()
            .map(|fields| fields.iter().map(field).collect()),
    };
    types.records().iter().map(record).collect()
}
