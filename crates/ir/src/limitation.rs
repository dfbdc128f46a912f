//! What the compiler cannot translate although it is right: the error E0801.
//!
//! The list is complete, and `docs/errors/E0801.md` shows it to users. A case that is neither translated nor listed
//! here is a mistake in the compiler, which ends with `bug!`.

use base::{Diagnostic, Span};

macro_rules! limitations {
    ($($variant:ident $text:literal;)*) => {
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
        }
    };
}

limitations! {
    // Functions.
    EntryTakesFunctions "an entry point that takes functions";
    EntryReturnsFunctions "an entry point that returns functions";
    FunctionComparison "a comparison of functions";
    PolymorphicFunction "a function of many types that is known only at run time";
    EverNewArguments "a recursive function whose arguments take ever new forms";
    EverNewFunctions "functions that take ever new forms";
    GrowingFunctions "functions that grow with every call";
    RecursiveConstant "a constant that is defined by itself";
    // Values that must have one form.
    DifferentForms "values of different forms in one place";
    DifferentArrays "arrays of different forms in one place";
    DifferentJaggedRanks "jagged arrays of different ranks in one place";
    DifferentComparison "a comparison of arrays of different forms";
    ChangingLoop "a loop whose value changes its form again and again";
    NothingKnown "a value of which nothing is known";
    UnknownSize "a size that nothing determines";
    SumsOfUnknownSize "replacing elements of an array of sums whose constructors hold arrays of unknown size";
    SumsOfUnknownRank "rows with arrays of unknown rank in some of their constructors";
    // Arrays whose rank is known only at run time.
    UnknownRankHere "arrays of unknown rank in this place";
    SliceOfUnknownRank "a slice of an array of unknown rank";
    SliceOfPartlyKnownRank "a slice of an array of partly known rank";
    IndexOfPartlyKnownRank "an index of an array of partly known rank";
    IndicesOfUnknownRank "single indices into an array of unknown rank";
    SubscriptsOfUnknownRank "single subscripts into an array of unknown rank";
    SkippedSubscripts "skipped subscripts into an array of unknown rank";
    SubscriptsOfUnknownNumber "subscripts of unknown number for an array of known rank";
    VectorAndSlice "an index vector together with slices";
    VectorOfUnknownRank "an index vector of unknown rank";
    ReplacedSlices "replacing slices of an array of unknown rank";
    ReplacedParts "replacing parts of an array of unknown rank";
    ReplacedAtVector "replacing at an index vector of unknown length";
    JaggedShape "the shape of a jagged array";
    IrregularDimensions "irregular dimensions here";
    // Recursive arrays.
    RecAtVector "a recursive array at a vector whose length is not known";
    RecOfUnknownRank "a recursive array of unknown rank whose elements differ in size";
    RecParts "parts of a recursive array of unknown rank";
    RecIndices "single indices into a recursive array of unknown rank";
    RecSlice "a slice of a recursive array of unknown rank";
    RecReshaped "a slice of a recursive array that was reshaped";
    RecRows "several elements of a recursive array of rows at once";
    RecUse "this use of a recursive array";
    RecUpdate "`let rec` with `update` of an array whose elements hold arrays of different lengths";
    // Loops.
    ScanOfLoops "a scan over more than one plain loop";
    ScanOfSums "a scan of sums that hold jagged arrays";
}

impl Limitation {
    /// The error.
    pub fn diagnostic(self, span: Span) -> Diagnostic {
        Diagnostic::error("E0801", format!("the compiler does not support {} yet", self.text()), span, "here")
            .help("`--backend interp` runs this program")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_lists_all() {
        let page = include_str!("../../../docs/errors/E0801.md");
        for limitation in Limitation::ALL {
            let line = format!("- {}", limitation.text());
            assert!(page.lines().any(|found| found == line), "docs/errors/E0801.md lacks the line `{line}`");
        }
    }
}
