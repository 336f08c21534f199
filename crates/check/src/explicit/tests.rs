//! The explicit engine on small systems.
