//! The passes over Core by name, and what must hold after each.

use base::{Diagnostic, FileId, Span};
use fault::Fault;

/// A pass over Core.
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub what: &'static str,
    /// Which rules hold when it is done.
    pub rules: Rules,
    transform: fn(&mut ir::Program),
}

/// Which of Core's rules hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// Those of scopes and types.
    Types,
    /// All, also those of memory.
    All,
}

/// Known values are used where they are known.
pub const SIMPLIFY: Pass = Pass {
    name: "simplify",
    what: "uses known values where they are known",
    rules: Rules::Types,
    transform: transform::simplify,
};
/// What nothing needs goes away.
pub const SWEEP: Pass =
    Pass { name: "sweep", what: "removes what nothing needs", rules: Rules::Types, transform: transform::sweep };
/// Functions that call themselves last are loops.
pub const TAILS: Pass = Pass {
    name: "tails",
    what: "makes loops of functions that call themselves last",
    rules: Rules::Types,
    transform: transform::tails,
};
/// Calls are replaced by what they do.
pub const INLINE: Pass = Pass {
    name: "inline",
    what: "replaces calls by the bodies of small functions",
    rules: Rules::Types,
    transform: transform::inline,
};
/// Arrays that are another one are not made.
pub const VIEWS: Pass = Pass {
    name: "views",
    what: "makes no array that another one is already",
    rules: Rules::Types,
    transform: transform::views,
};
/// Elements are sorted by numbers where comparisons say nothing else.
pub const SORTS: Pass = Pass {
    name: "sorts",
    what: "sorts by numbers where elements are compared by one",
    rules: Rules::Types,
    transform: transform::sorts,
};
/// Short vectors are their components.
pub const VECTORS: Pass = Pass {
    name: "vectors",
    what: "carries the components of short vectors",
    rules: Rules::Types,
    transform: transform::vectors,
};
/// Short nests of reductions in branches are gone.
pub const UNROLL: Pass = Pass {
    name: "unroll",
    what: "makes operations of sums over a few neighbours",
    rules: Rules::Types,
    transform: transform::unroll,
};
/// Arrays of rows are nests of loops.
pub const NEST: Pass = Pass {
    name: "nest",
    what: "makes arrays of rows in one nest of loops",
    rules: Rules::Types,
    transform: transform::nest,
};
/// Loops over flattened nests become nests.
pub const FLATTEN: Pass = Pass {
    name: "flatten",
    what: "makes nests of loops over flattened nests",
    rules: Rules::Types,
    transform: transform::flatten,
};
/// Elements choose between the value of a region and that of all others.
pub const REGIONS: Pass = Pass {
    name: "regions",
    what: "lets each element choose between the value of a region and that of all others",
    rules: Rules::Types,
    transform: transform::regions,
};
/// Nothing that takes long is computed twice from the same values.
pub const REPEATS: Pass = Pass {
    name: "repeats",
    what: "computes once what is computed again from the same values",
    rules: Rules::Types,
    transform: transform::repeats,
};
/// What does not change in a loop is computed before it.
pub const HOIST: Pass = Pass {
    name: "hoist",
    what: "moves what does not change out of loops",
    rules: Rules::Types,
    transform: transform::hoist,
};
/// Checks that always hold go away, others move out of loops.
pub const CHECKS: Pass = Pass {
    name: "checks",
    what: "moves checks out of loops and removes those that always hold",
    rules: Rules::Types,
    transform: transform::checks,
};
/// Arrays by clauses of which only a combination is needed are gone.
pub const PARTS: Pass = Pass {
    name: "parts",
    what: "combines the values of clauses where they are computed",
    rules: Rules::Types,
    transform: transform::parts,
};
/// Checks in loops that always hold go away.
pub const PROVE: Pass =
    Pass { name: "prove", what: "removes checks that always hold", rules: Rules::Types, transform: transform::prove };
/// Comparisons in loops that always come out the same way become constants.
pub const DECIDE: Pass = Pass {
    name: "decide",
    what: "decides comparisons that always come out the same way",
    rules: Rules::Types,
    transform: transform::decide,
};
/// Arrays by clauses need no checks where each element has one value.
pub const CLAUSES: Pass = Pass {
    name: "clauses",
    what: "defines elements without checking that each is defined once",
    rules: Rules::Types,
    transform: transform::clauses,
};
/// Recursive arrays are computed in an order that is known in advance.
pub const ORDER: Pass = Pass {
    name: "order",
    what: "computes recursive arrays in an order that is known in advance",
    rules: Rules::Types,
    transform: transform::order,
};
/// Recursive arrays and loops whose elements add up are scans.
pub const SCANS: Pass = Pass {
    name: "scans",
    what: "makes scans of elements that combine the one before with a value, exactly",
    rules: Rules::Types,
    transform: transform::scans,
};
/// The same for floats.
pub const SUM_SCANS: Pass = Pass {
    name: "sum_scans",
    what: "makes scans of running sums of floats",
    rules: Rules::Types,
    transform: transform::sum_scans,
};
/// Rows of different lengths are one vector, where nothing depends on the row.
pub const FLAT: Pass = Pass {
    name: "flat",
    what: "makes one loop of nests over rows of different lengths",
    rules: Rules::Types,
    transform: transform::flat,
};
/// Turns of loops that do not depend on one another run at the same time.
pub const LOOPS: Pass = Pass {
    name: "loops",
    what: "makes bulk forms of loops whose turns are independent",
    rules: Rules::Types,
    transform: transform::loops,
};
/// Loops get their plainest form.
pub const COUNTERS: Pass = Pass {
    name: "counters",
    what: "finds counters of loops, and removes flags and turns that change nothing",
    rules: Rules::Types,
    transform: transform::counters,
};
/// Turns of loops that add up numbers run at the same time.
pub const SUMS: Pass = Pass {
    name: "sums",
    what: "makes reductions of loops that add up numbers, in any order",
    rules: Rules::Types,
    transform: transform::sums,
};
/// Loops over arrays become loops for each row.
pub const EXCHANGE: Pass = Pass {
    name: "exchange",
    what: "runs a loop for each row by itself",
    rules: Rules::Types,
    transform: transform::exchange,
};
/// Loops become one.
pub const FUSE: Pass = Pass {
    name: "fuse",
    what: "merges loops and removes the arrays between them",
    rules: Rules::Types,
    transform: transform::fuse,
};
/// Triangles of sums become loops that add to all sums at once.
pub const ELIMINATE: Pass = Pass {
    name: "eliminate",
    what: "computes triangles that need one another by a loop that adds to all their sums",
    rules: Rules::Types,
    transform: transform::eliminate,
};
/// Loops that end at different turns run side by side.
pub const MASKS: Pass = Pass {
    name: "masks",
    what: "runs loops that end at different turns side by side in lanes",
    rules: Rules::Types,
    transform: transform::masks,
};
/// Sums of matrices are computed tile by tile.
pub const TILE: Pass = Pass {
    name: "tile",
    what: "computes many sums at a time from operands that are laid out for it",
    rules: Rules::Types,
    transform: transform::tile,
};
/// Columns are added up in the order of memory.
pub const COLUMNS: Pass =
    Pass { name: "columns", what: "adds up columns row by row", rules: Rules::Types, transform: transform::columns };
/// Points with loops of equal lengths are computed side by side.
pub const LANES: Pass = Pass {
    name: "lanes",
    what: "computes points that have sums of equal lengths side by side",
    rules: Rules::Types,
    transform: transform::lanes,
};
/// Reductions say in which order they combine values.
pub const TREES: Pass = Pass {
    name: "trees",
    what: "chooses the order in which values are combined",
    rules: Rules::Types,
    transform: transform::trees,
};
/// Rows and columns that updates also read are copied before.
pub const LINES: Pass = Pass {
    name: "lines",
    what: "copies rows and columns that updates read beside what they replace",
    rules: Rules::Types,
    transform: transform::lines,
};
/// Products are added without being rounded before.
pub const CONTRACT: Pass = Pass {
    name: "contract",
    what: "rounds a product only after something was added to it",
    rules: Rules::Types,
    transform: transform::contract,
};
/// Copies where memory is consumed that is still needed.
pub const COPIES: Pass = Pass {
    name: "copies",
    what: "copies what is consumed and still needed",
    rules: Rules::All,
    transform: transform::copies,
};

/// New arrays take the memory of old ones.
pub const IN_PLACE: Pass = Pass {
    name: "in_place",
    what: "lets new arrays take the memory of old ones",
    rules: Rules::All,
    transform: transform::in_place,
};

/// Loops say how they run.
pub const SCHEDULE: Pass = Pass {
    name: "schedule",
    what: "marks the loops that run on several threads",
    rules: Rules::All,
    transform: transform::schedule,
};

/// The passes over Core, each once.
pub const PASSES: &[Pass] = &[
    SIMPLIFY, SWEEP, TAILS, INLINE, SORTS, VIEWS, VECTORS, COUNTERS, PROVE, LOOPS, SUMS, NEST, FLATTEN, REGIONS,
    REPEATS, FUSE, EXCHANGE, UNROLL, DECIDE, HOIST, CLAUSES, CHECKS, PARTS, ORDER, SCANS, SUM_SCANS, ELIMINATE, FLAT,
    MASKS, TILE, COLUMNS, LANES, TREES, LINES, CONTRACT, COPIES, IN_PLACE, SCHEDULE,
];

impl Pass {
    /// Runs it, and verifies the result with `verify`.
    pub fn run(&self, core: &mut ir::Program, verify: bool) -> Result<(), Diagnostic> {
        (self.transform)(core);
        if verify { verify_core(self.name, core, self.rules) } else { Ok(()) }
    }
}

/// Verifies that the result of a pass keeps the rules of Core; a broken rule is a bug of the compiler.
pub fn verify_core(pass: &str, core: &ir::Program, rules: Rules) -> Result<(), Diagnostic> {
    let verified = match rules {
        Rules::Types => ir::verify_types(core),
        Rules::All => ir::verify(core),
    };
    let span = core.functions.values().next().map_or(nowhere(), |function| function.span);
    verified.map_err(|broken| broke(pass, "Core", span, broken.iter().map(ToString::to_string)))
}

/// Verifies that the result of a pass keeps the rules of Kernel; a broken rule is a bug of the compiler.
pub fn verify_kernel(pass: &str, kernel: &kernel::Program) -> Result<(), Diagnostic> {
    let span = kernel.functions.values().next().map_or(nowhere(), |function| function.span);
    let verified = kernel::verify::verify(kernel);
    verified.map_err(|broken| broke(pass, "Kernel", span, broken.iter().map(ToString::to_string)))
}

fn broke(pass: &str, language: &str, span: Span, broken: impl Iterator<Item = String>) -> Diagnostic {
    let title = format!("the output of the pass `{pass}` breaks the rules of {language}");
    broken.fold(Diagnostic::error(Fault::Internal.code(), title, span, "in this program"), Diagnostic::note)
}

fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}
