//! The words and signs of LTL in every tool's spelling, mapped to one set of operators.
//!
//! Invariant: a spelling means the same operator in every syntax. The one exception in the wild, `S`,
//! is not in the tables: the lexer resolves it by the chosen syntax or refuses it.

/// A prefix operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum UnaryOp {
    Not,
    Next,
    Finally,
    Globally,
    Yesterday,
    WeakYesterday,
    Once,
    Historically,
    /// `never f`, that is `G !f`.
    Never,
}

impl UnaryOp {
    /// Whether the operator speaks about other moments than the present one.
    pub(crate) fn is_temporal(self) -> bool {
        self != Self::Not
    }
}

/// An infix operator of the logic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum BinaryOp {
    And,
    Or,
    Xor,
    /// Means the same as [`Iff`](Self::Iff) but sits where `xor` sits in the tables.
    Xnor,
    Implies,
    Iff,
    /// TLA's `a ~> b`, that is `G(a -> F b)`.
    LeadsTo,
    Until,
    WeakUntil,
    Release,
    StrongRelease,
    Since,
    Triggered,
}

impl BinaryOp {
    /// Whether the operator speaks about other moments than the present one.
    pub(crate) fn is_temporal(self) -> bool {
        !matches!(
            self,
            Self::And | Self::Or | Self::Xor | Self::Xnor | Self::Implies | Self::Iff
        )
    }

    /// Whether `(a op b) op c` and `a op (b op c)` mean the same.
    pub(crate) fn is_associative(self) -> bool {
        matches!(
            self,
            Self::And | Self::Or | Self::Xor | Self::Xnor | Self::Iff
        )
    }
}

/// The bound of a temporal operator: `[from..to]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Bound {
    pub(crate) from: u32,
    pub(crate) to: BoundEnd,
}

impl Bound {
    /// How many operators the bounded one stands for.
    pub(crate) fn steps(self) -> u32 {
        match self.to {
            BoundEnd::At(to) => to,
            BoundEnd::Missing | BoundEnd::Never => self.from,
        }
    }
}

/// Where a bound ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum BoundEnd {
    /// `[n]`: no second number.
    Missing,
    /// `[n..m]`.
    At(u32),
    /// `[n..]` or `[n..$]`.
    Never,
}

/// An operator of the model's expression language, by how tightly it binds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum TermOp {
    Compare,
    Add,
    Multiply,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok {
    Const(bool),
    Name,
    /// The index of the unquoted text in the lexer's list.
    Quoted(u32),
    Number,
    Unary(UnaryOp, Option<Bound>),
    Binary(BinaryOp),
    Term(TermOp),
    /// `-`: an infix operator or a sign.
    Minus,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Comma,
    Question,
    Colon,
    If,
    Then,
    Else,
}

/// A token and its place in the text, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// The words that are operators or constants in every syntax.
pub(crate) const WORDS: &[(&str, Tok)] = &[
    ("true", Tok::Const(true)),
    ("TRUE", Tok::Const(true)),
    ("True", Tok::Const(true)),
    ("tt", Tok::Const(true)),
    ("false", Tok::Const(false)),
    ("FALSE", Tok::Const(false)),
    ("False", Tok::Const(false)),
    ("ff", Tok::Const(false)),
    ("not", Tok::Unary(UnaryOp::Not, None)),
    ("NOT", Tok::Unary(UnaryOp::Not, None)),
    ("X", Tok::Unary(UnaryOp::Next, None)),
    ("next", Tok::Unary(UnaryOp::Next, None)),
    ("F", Tok::Unary(UnaryOp::Finally, None)),
    ("eventually", Tok::Unary(UnaryOp::Finally, None)),
    ("finally", Tok::Unary(UnaryOp::Finally, None)),
    ("G", Tok::Unary(UnaryOp::Globally, None)),
    ("always", Tok::Unary(UnaryOp::Globally, None)),
    ("globally", Tok::Unary(UnaryOp::Globally, None)),
    ("never", Tok::Unary(UnaryOp::Never, None)),
    ("Y", Tok::Unary(UnaryOp::Yesterday, None)),
    ("yesterday", Tok::Unary(UnaryOp::Yesterday, None)),
    ("Z", Tok::Unary(UnaryOp::WeakYesterday, None)),
    ("O", Tok::Unary(UnaryOp::Once, None)),
    ("once", Tok::Unary(UnaryOp::Once, None)),
    ("H", Tok::Unary(UnaryOp::Historically, None)),
    ("historically", Tok::Unary(UnaryOp::Historically, None)),
    ("and", Tok::Binary(BinaryOp::And)),
    ("AND", Tok::Binary(BinaryOp::And)),
    ("or", Tok::Binary(BinaryOp::Or)),
    ("OR", Tok::Binary(BinaryOp::Or)),
    ("xor", Tok::Binary(BinaryOp::Xor)),
    ("XOR", Tok::Binary(BinaryOp::Xor)),
    ("xnor", Tok::Binary(BinaryOp::Xnor)),
    ("implies", Tok::Binary(BinaryOp::Implies)),
    ("imply", Tok::Binary(BinaryOp::Implies)),
    ("IMP", Tok::Binary(BinaryOp::Implies)),
    ("iff", Tok::Binary(BinaryOp::Iff)),
    ("equivalent", Tok::Binary(BinaryOp::Iff)),
    ("EQUIV", Tok::Binary(BinaryOp::Iff)),
    ("BIIMP", Tok::Binary(BinaryOp::Iff)),
    ("U", Tok::Binary(BinaryOp::Until)),
    ("until", Tok::Binary(BinaryOp::Until)),
    ("stronguntil", Tok::Binary(BinaryOp::Until)),
    ("W", Tok::Binary(BinaryOp::WeakUntil)),
    ("WU", Tok::Binary(BinaryOp::WeakUntil)),
    ("weakuntil", Tok::Binary(BinaryOp::WeakUntil)),
    ("R", Tok::Binary(BinaryOp::Release)),
    ("V", Tok::Binary(BinaryOp::Release)),
    ("release", Tok::Binary(BinaryOp::Release)),
    ("M", Tok::Binary(BinaryOp::StrongRelease)),
    ("strongrelease", Tok::Binary(BinaryOp::StrongRelease)),
    ("since", Tok::Binary(BinaryOp::Since)),
    ("T", Tok::Binary(BinaryOp::Triggered)),
    ("triggered", Tok::Binary(BinaryOp::Triggered)),
];

/// The words that are operators of the model's expressions.
pub(crate) const TERM_WORDS: &[(&str, Tok)] = &[
    ("div", Tok::Term(TermOp::Multiply)),
    ("mod", Tok::Term(TermOp::Multiply)),
    ("rem", Tok::Term(TermOp::Multiply)),
];

/// The words that belong to the logic and to the model's expressions.
pub(crate) const CHOICE_WORDS: &[(&str, Tok)] =
    &[("if", Tok::If), ("then", Tok::Then), ("else", Tok::Else)];

/// The signs of the logic, each before its own prefixes.
pub(crate) const SIGNS: &[(&str, Tok)] = &[
    ("<==>", Tok::Binary(BinaryOp::Iff)),
    ("<-->", Tok::Binary(BinaryOp::Iff)),
    ("<->", Tok::Binary(BinaryOp::Iff)),
    ("<=>", Tok::Binary(BinaryOp::Iff)),
    ("==>", Tok::Binary(BinaryOp::Implies)),
    ("-->", Tok::Binary(BinaryOp::Implies)),
    ("->", Tok::Binary(BinaryOp::Implies)),
    ("=>", Tok::Binary(BinaryOp::Implies)),
    ("~>", Tok::Binary(BinaryOp::LeadsTo)),
    ("<>", Tok::Unary(UnaryOp::Finally, None)),
    ("[]", Tok::Unary(UnaryOp::Globally, None)),
    ("&&", Tok::Binary(BinaryOp::And)),
    ("/\\", Tok::Binary(BinaryOp::And)),
    ("&", Tok::Binary(BinaryOp::And)),
    ("||", Tok::Binary(BinaryOp::Or)),
    ("\\/", Tok::Binary(BinaryOp::Or)),
    ("|", Tok::Binary(BinaryOp::Or)),
    ("^", Tok::Binary(BinaryOp::Xor)),
    ("!=", Tok::Term(TermOp::Compare)),
    ("/=", Tok::Term(TermOp::Compare)),
    ("<=", Tok::Term(TermOp::Compare)),
    (">=", Tok::Term(TermOp::Compare)),
    ("==", Tok::Term(TermOp::Compare)),
    ("<<", Tok::Term(TermOp::Add)),
    (">>", Tok::Term(TermOp::Add)),
    ("++", Tok::Term(TermOp::Add)),
    ("=", Tok::Term(TermOp::Compare)),
    ("<", Tok::Term(TermOp::Compare)),
    (">", Tok::Term(TermOp::Compare)),
    ("!", Tok::Unary(UnaryOp::Not, None)),
    ("~", Tok::Unary(UnaryOp::Not, None)),
    ("+", Tok::Term(TermOp::Add)),
    ("-", Tok::Minus),
    ("*", Tok::Term(TermOp::Multiply)),
    ("/", Tok::Term(TermOp::Multiply)),
    ("%", Tok::Term(TermOp::Multiply)),
    ("(", Tok::Open),
    (")", Tok::Close),
    ("[", Tok::OpenBracket),
    ("]", Tok::CloseBracket),
    (",", Tok::Comma),
    ("?", Tok::Question),
    (":", Tok::Colon),
    ("¬", Tok::Unary(UnaryOp::Not, None)),
    ("○", Tok::Unary(UnaryOp::Next, None)),
    ("◇", Tok::Unary(UnaryOp::Finally, None)),
    ("□", Tok::Unary(UnaryOp::Globally, None)),
    ("∧", Tok::Binary(BinaryOp::And)),
    ("∨", Tok::Binary(BinaryOp::Or)),
    ("⊕", Tok::Binary(BinaryOp::Xor)),
    ("→", Tok::Binary(BinaryOp::Implies)),
    ("⇒", Tok::Binary(BinaryOp::Implies)),
    ("↔", Tok::Binary(BinaryOp::Iff)),
    ("⇔", Tok::Binary(BinaryOp::Iff)),
    ("⊤", Tok::Const(true)),
    ("⊥", Tok::Const(false)),
];

/// The operator, constant or expression word that `word` is, if any.
pub(crate) fn reserved(word: &str) -> Option<Tok> {
    let find = |table: &[(&str, Tok)]| table.iter().find(|(w, _)| *w == word).map(|(_, t)| *t);
    [WORDS, TERM_WORDS, CHOICE_WORDS].into_iter().find_map(find)
}
