//! Where values live: objects and their parts, places in them, pointers to them, and how they are initialised.

pub(super) mod initial;
pub(super) mod object;
pub(super) mod place;
pub(super) mod pointer;
pub(super) mod volatile;
