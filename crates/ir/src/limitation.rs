//! What the compiler cannot translate although it is right: the error E0801.
//!
//! The list is complete, and `docs/errors/E0801.md` shows it to users. A case that is neither translated nor listed
//! here is a mistake in the compiler, which ends with `bug!`.

use base::{Diagnostic, Span};

macro_rules! limitations {
    ($($variant:ident $text:literal => $instead:literal;)*) => {
        /// A construct that native code cannot be made for yet. The interpreter runs all of them.
        #[allow(missing_docs, reason = "the texts say it")]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Limitation {
            $($variant,)*
        }

        impl Limitation {
            /// All of them.
            pub const ALL: &[Limitation] = &[$(Limitation::$variant),*];

            /// The construct, in the words that follow "the compiler does not support".
            pub fn text(self) -> &'static str {
                match self {
                    $(Limitation::$variant => $text,)*
                }
            }

            /// What to write instead.
            pub fn instead(self) -> &'static str {
                match self {
                    $(Limitation::$variant => $instead,)*
                }
            }
        }
    };
}

limitations! {
    // Functions.
    EntryTakesFunctions "an entry point that takes functions"
        => "apply the function inside the program: `entry main x = twice (\\y -> y + 1) x`";
    EntryReturnsFunctions "an entry point that returns functions"
        => "let the entry point take the missing arguments: `entry main x y = add x y`";
    FunctionComparison "comparing values that hold functions" => "compare the other parts: `a.key == b.key`";
    PolymorphicFunction "a polymorphic function that is passed to a recursive function"
        => "write the type at which it is used: `(f : i64 -> i64)`";
    EverNewArguments "a recursive function whose argument has another structure in every call"
        => "pass data of one type, such as an array, instead of tuples or functions that grow";
    EverNewFunctions "functions that are built from other functions without end"
        => "keep the data that differs in an array or a record, and build the function where it is applied";
    GrowingFunctions "a recursive function that passes itself a larger function in every call"
        => "pass the data that the function captures, and build the function where it is applied";
    RecursiveConstant "a constant that is defined by itself"
        => "make it a function, `def f (n: i64) = ..`, or a recursive array, `let rec`";
    // Values that must have one structure.
    DifferentForms "values of different structure in one place"
        => "give them the same number of dimensions: `xs :> [n][m]f64`";
    DifferentJaggedRanks "jagged arrays of different ranks in one place"
        => "give them the same number of dimensions, or make them regular: `xs :> [n][m]f64`";
    DifferentComparison "comparing arrays of which one is jagged and one has an unknown rank"
        => "write the rank of both: `xs :> [n][m]f64`";
    ChangingLoop "a loop whose value has another structure in every turn"
        => "write the type of the value: `loop (xs: []i64) = ..`";
    NothingKnown "an array without elements of a type that nothing determines" => "write its type: `([] : [0]i64)`";
    UnknownSize "a size that only arrays in constructors have, and no value at hand"
        => "pass the size as a parameter: `(n: i64)`";
    SumsOfUnknownRank "an array of sums whose constructors hold arrays of unknown rank"
        => "write the rank in the constructor: `#some [][]f64`";
    // Arrays whose rank is known only at run time.
    UnknownRankHere "an array of unknown rank beside arrays of known rank" => "write its rank: `xs :> [n][m]f64`";
    SliceOfUnknownRank "a slice of an array of unknown rank" => "write the rank first: `(xs :> [n][m]f64)[1:, :]`";
    IndexOfPartlyKnownRank "an index beyond the dimensions that the type lists one by one"
        => "use one index vector, `xs[[i, j]]`, or write the rank: `xs :> [n][m]f64`";
    IndicesOfUnknownRank "single indices into an array of unknown rank" => "use one index vector: `xs[[i, j]]`";
    SubscriptsOfUnknownRank "single subscripts of clauses for an array of unknown rank"
        => "use one vector: `[iv] => ..`";
    SkippedSubscripts "`scatter` into an array of unknown rank" => "write the rank first: `xs :> [n]f64`";
    SubscriptsOfUnknownNumber "a subscript vector of unknown length for an array of known rank"
        => "write its length: `iv :> [2]i64`";
    VectorAndSlice "an index vector together with slices" => "use single indices: `xs[i, j, 1:]`";
    VectorOfUnknownRank "an index vector that may have any rank" => "write its type: `iv : []i64`";
    ReplacedSlices "replacing a slice of an array of unknown rank" => "write the rank first: `xs :> [n][m]f64`";
    ReplacedParts "replacing a part of an array of unknown rank by single indices"
        => "use one index vector: `xs with [[i, j]] = ..`";
    ReplacedAtVector "replacing at an index vector together with slices"
        => "use single indices: `xs with [i, j, 1:] = ..`";
    JaggedShape "the shape of a jagged array as one vector"
        => "make it regular, `xs :> [n][m]f64`, or use `jagged.lengths xs`";
    IrregularDimensions "a jagged array where a regular one is needed" => "make it regular: `xs :> [n][m]f64`";
    // Recursive arrays.
    RecAtVector "reading a recursive array at a vector of unknown length"
        => "write the length, `a[(iv :> [2]i64)]`, or use single indices: `a[i, j]`";
    RecOfUnknownRank "a recursive array of unknown rank whose elements differ in size"
        => "write the rank: `array [n, m] {..}`";
    RecParts "reading a part of a recursive array of unknown rank" => "read single elements: `a[iv]`";
    RecIndices "single indices into a recursive array of unknown rank" => "use one index vector: `a[[i, j]]`";
    RecSlice "a slice of a recursive array of unknown rank" => "read single elements: `a[iv]`";
    RecReshaped "a slice of a recursive array that was reshaped" => "read single elements: `a[i]`";
    RecRows "reading several rows of a recursive array at once" => "read its elements one by one: `[a[i] for i < k]`";
    RecUse "passing on a recursive array before it is complete" => "read its elements in the clauses: `a[i - 1]`";
    RecUpdate "`let rec` with `update` of an array whose elements hold arrays of different lengths"
        => "define all elements by clauses of `array`";
    // Loops.
    ScanOfSums "a scan of sums that hold jagged arrays" => "name the sizes in the constructors: `#some [n]i64`";
}

impl Limitation {
    /// The error.
    pub fn diagnostic(self, span: Span) -> Diagnostic {
        Diagnostic::error("E0801", format!("the compiler does not support {} yet", self.text()), span, "here")
            .help(self.instead())
            .note("the program is correct: `--backend interp` runs it as it is")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_lists_all() {
        let page = include_str!("../../../docs/errors/E0801.md");
        for limitation in Limitation::ALL {
            let line = format!("- {}: {}", limitation.text(), limitation.instead());
            assert!(page.lines().any(|found| found == line), "docs/errors/E0801.md lacks the line `{line}`");
        }
    }
}
