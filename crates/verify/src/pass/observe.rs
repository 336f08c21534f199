//! Which states are letters of the word that a formula reads, if not those of the language (`--observe`).
//!
//! This changes the meaning of a model, so it is part of what is asked, not of how it is decided: the model *as given*
//! is the one with these points.

use lariat_system::System;

/// Which states a formula reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observe {
    /// XSTS: only after `init` and after each `trans`, not after `env`.
    Macro,
    /// Programs: also the state in which the program starts.
    Initial,
}

/// Changes the observed states; says whether any of the models has such points.
pub fn observe(systems: &mut [System], which: Observe) -> bool {
    let mut any = false;
    for system in systems {
        match (which, system.language.environment()) {
            (Observe::Macro, Some(environment)) => {
                let locations = &system.locations;
                system
                    .edges
                    .update(|at, edge| edge.observed &= &*locations[at].name != environment);
                any = true;
            }
            (Observe::Initial, _) if system.language.has_control_flow() => {
                system.initial.observe();
                any = true;
            }
            _ => {}
        }
    }
    any
}
