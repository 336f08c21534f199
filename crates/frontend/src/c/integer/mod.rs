//! Integers of C: as terms, as constants, and when an operation overflows.

pub(super) mod arith;
pub(super) mod fold;
pub(super) mod overflow;
