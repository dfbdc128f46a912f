//! Which crate may import which: the floor plan of the house.
//!
//! Programs flow one way, so imports do too. Languages know only the foundation; a bridge sees the languages on its two
//! sides; the interpreter imports no transformation, because it judges them; only the driver knows the whole.

/// A crate's package name and the packages of this workspace that it may import.
pub const ALLOWED: &[(&str, &[&str])] = &[
    // The foundation.
    ("base", &[]),
    ("scalar", &["base"]),
    ("affine", &["base"]),
    ("value", &["base", "scalar"]),
    ("fault", &["base", "scalar"]),
    // Languages: data only.
    ("syntax", &["base", "scalar"]),
    ("typed", &["base", "scalar"]),
    ("ir", &["base", "scalar", "affine", "fault"]),
    ("kernel", &["base", "scalar", "fault"]),
    // Bridges. The four passes of the checker do not know each other.
    ("infer", &["base", "scalar", "syntax", "typed"]),
    ("sizes", &["base", "scalar", "affine", "syntax", "typed"]),
    ("unique", &["base", "syntax", "typed"]),
    ("clauses", &["base", "scalar", "affine", "typed"]),
    ("check", &["base", "typed", "infer", "sizes", "unique", "clauses"]),
    ("desugar", &["base", "scalar", "fault", "typed", "ir"]),
    // Core to Core.
    // Facts about Core.
    ("analysis", &["base", "scalar", "ir"]),
    ("transform", &["base", "scalar", "affine", "ir", "analysis"]),
    ("lower", &["base", "scalar", "fault", "ir", "analysis", "kernel"]),
    ("codegen", &["base", "scalar", "fault", "kernel"]),
    // Compiles and runs what codegen wrote.
    ("native", &["base", "scalar", "value", "fault"]),
    // The judge of all of them.
    ("interp", &["base", "scalar", "value", "fault", "typed", "ir"]),
    // The whole.
    (
        "driver",
        &[
            "base",
            "scalar",
            "value",
            "fault",
            "affine",
            "analysis",
            "syntax",
            "typed",
            "check",
            "interp",
            "ir",
            "desugar",
            "transform",
            "kernel",
            "lower",
            "codegen",
        ],
    ),
    // Faces: they speak to the driver, in terms of the data crates.
    ("ravel", &["base", "scalar", "value", "fault", "typed", "ir", "kernel", "driver", "native"]),
    // Tools: nothing imports them.
    ("testkit", &["base", "scalar", "value", "fault", "affine", "syntax", "typed", "check", "interp", "driver"]),
    ("fuzzgen", &["base", "scalar", "value", "fault", "typed", "ir", "kernel", "interp", "driver", "native"]),
    ("xtask", &[]),
];

/// Packages that may appear only among the dependencies of tests.
pub const TOOLS: &[&str] = &["testkit", "fuzzgen", "xtask"];

/// What a crate may import; none if the crate is not on the plan.
pub fn allowed(package: &str) -> Option<&'static [&'static str]> {
    ALLOWED.iter().find(|(name, _)| *name == package).map(|(_, imports)| *imports)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_has_no_circles() {
        for (index, (name, imports)) in ALLOWED.iter().enumerate() {
            for import in *imports {
                let earlier = ALLOWED[..index].iter().any(|(known, _)| known == import);
                assert!(earlier, "{name} imports {import}, which does not stand before it");
            }
        }
    }
}
