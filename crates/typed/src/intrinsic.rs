//! The operations that the implementation provides. `std/intrinsics.rv` gives their types and says what they do.

use scalar::MathOp;

/// One row of the table for each operation: its variant, its name in `std/intrinsics.rv`, how many arguments it takes,
/// its [`Alignment`] and its weight.
macro_rules! intrinsics {
    ($($variant:ident $name:literal $arity:literal $alignment:ident $weight:literal;)*) => {
        /// An operation of `std/intrinsics.rv`.
        #[allow(missing_docs, reason = "the names say it, and std/intrinsics.rv describes each")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Intrinsic {
            $($variant,)*
            /// A function of numbers.
            Math(MathOp),
        }

        impl Intrinsic {
            /// The operations that are not functions of numbers.
            const OTHERS: &[Intrinsic] = &[$(Intrinsic::$variant),*];

            /// Its name in `std/intrinsics.rv`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Intrinsic::$variant => $name,)*
                    Intrinsic::Math(op) => op.name(),
                }
            }

            /// How many arguments it takes.
            pub fn arity(self) -> usize {
                match self {
                    $(Intrinsic::$variant => $arity,)*
                    Intrinsic::Math(op) => op.arity(),
                }
            }

            /// Whether element i of the result comes from the elements i of the arguments.
            pub fn alignment(self) -> Alignment {
                match self {
                    $(Intrinsic::$variant => Alignment::$alignment,)*
                    Intrinsic::Math(_) => Alignment::Other,
                }
            }

            /// About how much code comes of a call, in expressions of the language: operations that become loops have
            /// more than 1.
            pub fn weight(self) -> usize {
                match self {
                    $(Intrinsic::$variant => $weight,)*
                    Intrinsic::Math(_) => 1,
                }
            }
        }
    };
}

intrinsics! {
    Map "map" 2 Aligned 4;
    Map2 "map2" 3 Aligned 4;
    Map3 "map3" 4 Aligned 4;
    Map4 "map4" 5 Aligned 4;
    Map5 "map5" 6 Aligned 4;
    Reduce "reduce" 3 Other 8;
    ReduceComm "reduce_comm" 3 Other 8;
    Scan "scan" 3 Other 16;
    Filter "filter" 2 Other 16;
    Partition "partition" 2 Other 24;
    Partition2 "partition2" 3 Other 24;
    Scatter "scatter" 3 Other 24;
    Scatter2 "scatter_2d" 3 Other 24;
    Scatter3 "scatter_3d" 3 Other 24;
    Hist1 "hist_1d" 5 Other 24;
    Hist2 "hist_2d" 5 Other 24;
    Hist3 "hist_3d" 5 Other 24;
    SortBy "sort_by" 2 Other 48;
    Iota "iota" 1 Other 1;
    Replicate "replicate" 2 Other 1;
    Concat "concat" 2 Other 16;
    Reverse "reverse" 1 Other 1;
    Rotate "rotate" 2 Other 4;
    Transpose "transpose" 1 Other 1;
    Flatten "flatten" 1 Other 1;
    Unflatten "unflatten" 3 Other 1;
    Zip "zip" 2 Aligned 1;
    Zip3 "zip3" 3 Aligned 1;
    Zip4 "zip4" 4 Aligned 1;
    Zip5 "zip5" 5 Aligned 1;
    Unzip "unzip" 1 Aligned 1;
    Unzip3 "unzip3" 1 Aligned 1;
    Unzip4 "unzip4" 1 Aligned 1;
    Unzip5 "unzip5" 1 Aligned 1;
    Copy "copy" 1 Aligned 1;
    Manifest "manifest" 1 Aligned 1;
    Ravel "ravel" 1 Other 1;
    Reshape "reshape" 2 Other 1;
    JaggedLengths "jagged_lengths" 1 Other 1;
    JaggedFlatten "jagged_flatten" 1 Other 16;
    JaggedUnflatten "jagged_unflatten" 2 Other 16;
    Opaque "opaque" 1 Other 1;
    Trace "trace" 1 Other 1;
    Break "break" 1 Other 1;
    LessEqual "less_equal" 2 Other 1;
    Convert "convert" 1 Other 1;
    Highest "highest" 0 Other 1;
    Lowest "lowest" 0 Other 1;
    Epsilon "epsilon" 0 Other 1;
    NumBits "num_bits" 1 Other 1;
}

/// How the elements of a result lie compared with those of the arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alignment {
    /// Element i comes from the elements i, so a size function of an argument's rows is one of the result's rows too.
    Aligned,
    /// Anything else.
    Other,
}

impl Intrinsic {
    /// All operations.
    pub fn all() -> impl Iterator<Item = Intrinsic> {
        Intrinsic::OTHERS.iter().copied().chain(MathOp::ALL.iter().copied().map(Intrinsic::Math))
    }

    /// The operation with this name.
    pub fn from_name(name: &str) -> Option<Intrinsic> {
        Intrinsic::all().find(|op| op.name() == name)
    }
}
