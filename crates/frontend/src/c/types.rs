//! The types of C, interned, with the sizes of the usual 64-bit data model (LP64).

mod compatible;

use super::syntax::token::Sym;
use lariat_base::FxHashMap;
use lariat_expr::Int;

/// A type of one [`Types`] table, perhaps `volatile`; equal ids are equal types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Ty(u32);

impl Ty {
    const VOLATILE: u32 = 1 << 31;

    pub fn index(self) -> usize {
        self.plain().0 as usize
    }

    /// The type without its own `volatile`.
    pub fn plain(self) -> Self {
        Self(self.0 & !Self::VOLATILE)
    }

    /// The type, `volatile` if this is so.
    pub fn volatile_if(self, is_volatile: bool) -> Self {
        if is_volatile {
            Self(self.0 | Self::VOLATILE)
        } else {
            self
        }
    }

    pub fn is_volatile(self) -> bool {
        self.0 & Self::VOLATILE != 0
    }
}

/// An integer type. `_Bool` has one bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct IntTy {
    pub bits: u32,
    pub signed: bool,
}

impl IntTy {
    pub const BOOL: Self = Self::new(1, false);
    pub const CHAR: Self = Self::new(8, true);
    pub const INT: Self = Self::new(32, true);
    pub const UINT: Self = Self::new(32, false);
    pub const LONG: Self = Self::new(64, true);
    pub const ULONG: Self = Self::new(64, false);

    pub const fn new(bits: u32, signed: bool) -> Self {
        Self { bits, signed }
    }

    /// The least and the greatest value.
    pub fn range(self) -> (i128, i128) {
        // The wider types of GNU C are cut to what our arithmetic of ranges can hold.
        let bits = self.bits.min(126);
        if self.signed {
            (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        } else {
            (0, (1 << bits) - 1)
        }
    }

    /// The type after integer promotion.
    pub fn promoted(self) -> Self {
        if self.bits < 32 { Self::INT } else { self }
    }

    /// The type that two operands are brought to.
    pub fn common(self, other: Self) -> Self {
        let (a, b) = (self.promoted(), other.promoted());
        if a.signed == b.signed {
            return if a.bits >= b.bits { a } else { b };
        }
        let (signed, unsigned) = if a.signed { (a, b) } else { (b, a) };
        if unsigned.bits >= signed.bits {
            unsigned
        } else {
            signed
        }
    }

    fn bytes(self) -> u64 {
        u64::from(self.bits.div_ceil(8))
    }
}

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Type {
    Void,
    Int(IntTy),
    Float,
    Ptr(Ty),
    /// With the number of elements, if it is known and constant.
    Array(Ty, Option<u64>),
    Record(RecordId),
    Function(Ty),
    /// A feature that we have no meaning for.
    Unsupported(&'static str),
}

/// A struct or union.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct RecordId(u32);

impl RecordId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
pub(super) struct Record {
    pub is_union: bool,
    pub tag: Option<Sym>,
    pub fields: Option<Vec<Field>>,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    /// A member without a name is a struct whose members are reached through it.
    pub name: Option<Sym>,
    pub ty: Ty,
    /// The width of a bit-field.
    pub bits: Option<u32>,
}

/// The table of types.
#[derive(Debug)]
pub(super) struct Types {
    list: Vec<Type>,
    known: FxHashMap<Type, Ty>,
    records: Vec<Record>,
    enumerations: Vec<(Ty, Vec<(Sym, i128)>)>,
}

impl Types {
    pub fn new() -> Self {
        Self {
            list: Vec::new(),
            known: FxHashMap::default(),
            records: Vec::new(),
            enumerations: Vec::new(),
        }
    }

    pub fn add(&mut self, ty: Type) -> Ty {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let id = Ty(self.list.len() as u32);
        self.list.push(ty.clone());
        self.known.insert(ty, id);
        id
    }

    /// All types, by number.
    pub fn list(&self) -> &[Type] {
        &self.list
    }

    /// All structs and unions, by number.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    pub fn get(&self, ty: Ty) -> &Type {
        &self.list[ty.index()]
    }

    pub fn int(&mut self, int: IntTy) -> Ty {
        self.add(Type::Int(int))
    }

    pub fn as_int(&self, ty: Ty) -> Option<IntTy> {
        match self.get(ty) {
            Type::Int(int) => Some(*int),
            _ => None,
        }
    }

    pub fn pointee(&self, ty: Ty) -> Option<Ty> {
        match self.get(ty) {
            Type::Ptr(to) | Type::Array(to, _) => Some(*to),
            _ => None,
        }
    }

    /// An integer type of its own, for the variables of an enumeration: who shows their values can name them.
    pub fn new_enumeration(&mut self, enumerators: Vec<(Sym, i128)>) -> Ty {
        let id = Ty(self.list.len() as u32);
        self.list.push(Type::Int(IntTy::INT));
        self.enumerations.push((id, enumerators));
        id
    }

    /// The enumerations with their enumerators.
    pub fn enumerations(&self) -> &[(Ty, Vec<(Sym, i128)>)] {
        &self.enumerations
    }

    pub fn new_record(&mut self, is_union: bool, tag: Option<Sym>) -> RecordId {
        self.records.push(Record {
            is_union,
            tag,
            fields: None,
        });
        RecordId(self.records.len() as u32 - 1)
    }

    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    pub fn complete(&mut self, id: RecordId, fields: Vec<Field>) {
        self.records[id.0 as usize].fields = Some(fields);
    }

    /// Size and alignment in bytes, if they are known.
    pub fn layout(&self, ty: Ty) -> Option<(u64, u64)> {
        self.layout_within(ty, 64)
    }

    fn layout_within(&self, ty: Ty, depth: u32) -> Option<(u64, u64)> {
        let depth = depth.checked_sub(1)?;
        match self.get(ty) {
            Type::Void | Type::Function(_) => Some((1, 1)),
            Type::Int(int) => Some((int.bytes(), int.bytes())),
            Type::Float | Type::Ptr(_) => Some((8, 8)),
            Type::Array(element, len) => {
                let (size, align) = self.layout_within(*element, depth)?;
                Some((size.checked_mul((*len)?)?, align))
            }
            Type::Record(id) => {
                let record = self.record(*id);
                let (mut end, mut most) = (0u64, 1);
                for field in record.fields.as_ref()? {
                    let (size, align) = self.layout_within(field.ty, depth)?;
                    most = most.max(align);
                    end = if record.is_union {
                        end.max(size)
                    } else {
                        end.checked_next_multiple_of(align)?.checked_add(size)?
                    };
                }
                Some((end.checked_next_multiple_of(most)?, most))
            }
            Type::Unsupported(_) => None,
        }
    }

    /// The type as a message calls it.
    pub fn describe(&self, ty: Ty) -> String {
        match self.get(ty) {
            Type::Void => "void".into(),
            Type::Int(IntTy::BOOL) => "_Bool".into(),
            Type::Int(int) => {
                let name = match int.bits {
                    8 => "char",
                    16 => "short",
                    32 => "int",
                    64 => "long",
                    _ => "__int128",
                };
                let sign = if int.signed { "" } else { "unsigned " };
                format!("{sign}{name}")
            }
            Type::Float => "a floating-point number".into(),
            Type::Ptr(_) => "a pointer".into(),
            Type::Array(..) => "an array".into(),
            Type::Record(id) if self.record(*id).is_union => "a union".into(),
            Type::Record(_) => "a struct".into(),
            Type::Function(_) => "a function".into(),
            Type::Unsupported(what) => (*what).into(),
        }
    }
}

/// A number of the range arithmetic as an integer of terms.
pub(super) fn int_of(value: i128) -> Int {
    match i64::try_from(value) {
        Ok(small) => Int::from(small),
        Err(_) => Int::parse_radix(&value.to_string(), 10).expect("a number's digits are digits"),
    }
}
