//! Tokens of all languages, and which words are reserved in which of them.

/// The syntax that a text is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Syntax {
    Xsts,
    Cfa,
    Sts,
    Gcl,
    /// Expressions over any model: the union of all spellings.
    Property,
}

impl Syntax {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xsts => "XSTS",
            Self::Cfa => "CFA",
            Self::Sts => "STS",
            Self::Gcl => "GCL",
            Self::Property => "a property",
        }
    }
}

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok {
    End,
    /// A name.
    Word,
    /// Digits.
    Int,
    /// A bit-vector literal such as `4'd5`.
    Bv,
    /// A quoted text, for which only temporal formulas have a use.
    Quoted,
    /// Characters that belong to no token.
    Bad,
    /// A comment without an end.
    OpenComment,

    LParen,
    RParen,
    LBrack,
    RBrack,
    LBrace,
    RBrace,
    Comma,
    Semi,
    Colon,
    Assign,
    Quote,
    Dot,
    DotDot,
    LArrow,
    RArrow,
    DoubleArrow,
    BothArrow,
    BothDoubleArrow,
    Single,
    Double,
    BangEq,
    SlashEq,
    Lt,
    Le,
    Gt,
    Ge,
    Plus,
    Minus,
    PlusPlus,
    Star,
    Slash,
    Percent,
    Amp,
    AmpAmp,
    Wedge,
    Pipe,
    PipePipe,
    Vee,
    Bang,
    Tilde,
    Caret,

    // Words of expressions.
    And,
    Or,
    Not,
    Xor,
    Iff,
    Imply,
    Div,
    Mod,
    Rem,
    True,
    False,
    If,
    Then,
    Else,
    Default,
    Forall,
    Exists,
    BvAdd,
    BvSub,
    BvMul,
    BvUdiv,
    BvSdiv,
    BvSmod,
    BvUrem,
    BvSrem,
    BvAnd,
    BvOr,
    BvXor,
    BvShl,
    BvAshr,
    BvLshr,
    BvRol,
    BvRor,
    BvUlt,
    BvUle,
    BvUgt,
    BvUge,
    BvSlt,
    BvSle,
    BvSgt,
    BvSge,
    BvNeg,
    BvPos,
    BvNot,
    BvZeroExtend,
    BvSignExtend,

    // Words of types.
    Bool,
    Integer,
    Rat,
    BvType,
    FpType,

    // Words of statements and declarations.
    Type,
    Ctrl,
    Var,
    Const,
    Trans,
    Init,
    Env,
    Prop,
    Local,
    Havoc,
    Assume,
    Choice,
    For,
    From,
    To,
    Do,
    Main,
    Process,
    Loc,
    Final,
    Error,
    Return,
    Specification,
    System,
    Property,
    Models,
    Invariant,
    Initial,
    Transition,
    Model,
    Action,
    Fair,
    Compassion,
    Symmetric,
    Any,
    Skip,
}

/// A token and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub tok: Tok,
    pub start: u32,
    pub end: u32,
}

/// The reserved word `text` of a syntax, or [`Tok::Word`].
pub(crate) fn keyword(syntax: Syntax, text: &[u8]) -> Tok {
    // No reserved word is longer, and most names are.
    if text.len() > 14 {
        return Tok::Word;
    }
    let specific = match syntax {
        Syntax::Xsts => xsts(text),
        Syntax::Cfa => cfa(text),
        Syntax::Sts => sts(text),
        Syntax::Gcl => gcl(text),
        Syntax::Property => property(text),
    };
    if specific != Tok::Word {
        return specific;
    }
    match text {
        b"true" => Tok::True,
        b"false" => Tok::False,
        b"if" => Tok::If,
        b"then" => Tok::Then,
        b"else" => Tok::Else,
        b"xor" => Tok::Xor,
        b"rem" => Tok::Rem,
        b"iff" => Tok::Iff,
        b"default" => Tok::Default,
        _ => Tok::Word,
    }
}

fn xsts(text: &[u8]) -> Tok {
    match text {
        b"type" => Tok::Type,
        b"ctrl" => Tok::Ctrl,
        b"var" => Tok::Var,
        b"trans" => Tok::Trans,
        b"init" => Tok::Init,
        b"env" => Tok::Env,
        b"prop" => Tok::Prop,
        b"local" => Tok::Local,
        b"havoc" => Tok::Havoc,
        b"assume" => Tok::Assume,
        b"choice" => Tok::Choice,
        b"or" => Tok::Or,
        b"for" => Tok::For,
        b"from" => Tok::From,
        b"to" => Tok::To,
        b"do" => Tok::Do,
        b"boolean" => Tok::Bool,
        b"integer" => Tok::Integer,
        _ => Tok::Word,
    }
}

fn cfa(text: &[u8]) -> Tok {
    match text {
        b"var" => Tok::Var,
        b"main" => Tok::Main,
        b"process" => Tok::Process,
        b"init" => Tok::Init,
        b"final" => Tok::Final,
        b"error" => Tok::Error,
        b"loc" => Tok::Loc,
        b"havoc" => Tok::Havoc,
        b"assume" => Tok::Assume,
        b"return" => Tok::Return,
        b"bv" => Tok::BvType,
        b"fp" => Tok::FpType,
        b"forall" => Tok::Forall,
        b"exists" => Tok::Exists,
        _ => match theta(text) {
            Tok::Word => bit_vector(text),
            other => other,
        },
    }
}

fn sts(text: &[u8]) -> Tok {
    match text {
        b"specification" => Tok::Specification,
        b"const" => Tok::Const,
        b"var" => Tok::Var,
        b"system" => Tok::System,
        b"property" => Tok::Property,
        b"models" => Tok::Models,
        b"invariant" => Tok::Invariant,
        b"initial" => Tok::Initial,
        b"transition" => Tok::Transition,
        b"equal" => Tok::Iff,
        b"forall" => Tok::Forall,
        b"exists" => Tok::Exists,
        _ => theta(text),
    }
}

/// What CFA and STS share.
fn theta(text: &[u8]) -> Tok {
    match text {
        b"bool" => Tok::Bool,
        b"int" => Tok::Integer,
        b"rat" => Tok::Rat,
        b"imply" => Tok::Imply,
        b"and" => Tok::And,
        b"or" => Tok::Or,
        b"not" => Tok::Not,
        b"div" => Tok::Div,
        b"mod" => Tok::Mod,
        _ => Tok::Word,
    }
}

fn gcl(text: &[u8]) -> Tok {
    match text {
        b"model" => Tok::Model,
        b"type" => Tok::Type,
        b"const" => Tok::Const,
        b"var" => Tok::Var,
        b"init" => Tok::Init,
        b"action" => Tok::Action,
        b"fair" | b"justice" => Tok::Fair,
        b"compassion" => Tok::Compassion,
        b"property" => Tok::Property,
        b"any" => Tok::Any,
        b"skip" => Tok::Skip,
        b"symmetric" => Tok::Symmetric,
        b"forall" => Tok::Forall,
        b"exists" => Tok::Exists,
        b"implies" => Tok::Imply,
        _ => theta(text),
    }
}

fn property(text: &[u8]) -> Tok {
    match text {
        b"boolean" => Tok::Bool,
        b"integer" => Tok::Integer,
        b"implies" => Tok::Imply,
        b"equal" => Tok::Iff,
        b"bv" => Tok::BvType,
        b"fp" => Tok::FpType,
        b"forall" => Tok::Forall,
        b"exists" => Tok::Exists,
        _ => match theta(text) {
            Tok::Word => bit_vector(text),
            other => other,
        },
    }
}

fn bit_vector(text: &[u8]) -> Tok {
    if !text.starts_with(b"bv") {
        return Tok::Word;
    }
    match &text[2..] {
        b"add" => Tok::BvAdd,
        b"sub" => Tok::BvSub,
        b"mul" => Tok::BvMul,
        b"udiv" => Tok::BvUdiv,
        b"sdiv" => Tok::BvSdiv,
        b"smod" => Tok::BvSmod,
        b"urem" => Tok::BvUrem,
        b"srem" => Tok::BvSrem,
        b"and" => Tok::BvAnd,
        b"or" => Tok::BvOr,
        b"xor" => Tok::BvXor,
        b"shl" => Tok::BvShl,
        b"ashr" => Tok::BvAshr,
        b"lshr" => Tok::BvLshr,
        b"rol" => Tok::BvRol,
        b"ror" => Tok::BvRor,
        b"ult" => Tok::BvUlt,
        b"ule" => Tok::BvUle,
        b"ugt" => Tok::BvUgt,
        b"uge" => Tok::BvUge,
        b"slt" => Tok::BvSlt,
        b"sle" => Tok::BvSle,
        b"sgt" => Tok::BvSgt,
        b"sge" => Tok::BvSge,
        b"neg" => Tok::BvNeg,
        b"pos" => Tok::BvPos,
        b"not" => Tok::BvNot,
        b"_zero_extend" => Tok::BvZeroExtend,
        b"_sign_extend" => Tok::BvSignExtend,
        _ => Tok::Word,
    }
}
