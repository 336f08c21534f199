//! Automata for people and for Spin: DOT, plain text, never claims. HOA has a module of its own.

mod dot;
mod guard;
mod never;
mod text;

pub use dot::to_dot;
pub use guard::label_text;
pub use never::to_never;
pub use text::to_text;
