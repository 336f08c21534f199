//! Tests of what is found and what is not.
