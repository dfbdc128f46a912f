//! The operations that the implementation provides. `std/intrinsics.rv` gives their types and says what they do.

use scalar::MathOp;

/// One row of the table for each operation: its variant, its name in `std/intrinsics.rv`, how many arguments it takes
/// and its [`Alignment`].
macro_rules! intrinsics {
    ($($variant:ident $name:literal $arity:literal $alignment:ident;)*) => {
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
        }
    };
}

intrinsics! {
    Map "map" 2 Aligned;
    Map2 "map2" 3 Aligned;
    Map3 "map3" 4 Aligned;
    Map4 "map4" 5 Aligned;
    Map5 "map5" 6 Aligned;
    Reduce "reduce" 3 Other;
    ReduceComm "reduce_comm" 3 Other;
    Scan "scan" 3 Other;
    Scatter "scatter" 3 Other;
    Scatter2 "scatter_2d" 3 Other;
    Scatter3 "scatter_3d" 3 Other;
    Hist1 "hist_1d" 5 Other;
    Hist2 "hist_2d" 5 Other;
    Hist3 "hist_3d" 5 Other;
    SortBy "sort_by" 2 Other;
    Iota "iota" 1 Other;
    Replicate "replicate" 2 Other;
    Concat "concat" 2 Other;
    Reverse "reverse" 1 Other;
    Rotate "rotate" 2 Other;
    Transpose "transpose" 1 Other;
    Flatten "flatten" 1 Other;
    Unflatten "unflatten" 3 Other;
    Zip "zip" 2 Aligned;
    Zip3 "zip3" 3 Aligned;
    Zip4 "zip4" 4 Aligned;
    Zip5 "zip5" 5 Aligned;
    Unzip "unzip" 1 Aligned;
    Unzip3 "unzip3" 1 Aligned;
    Unzip4 "unzip4" 1 Aligned;
    Unzip5 "unzip5" 1 Aligned;
    Copy "copy" 1 Aligned;
    Manifest "manifest" 1 Aligned;
    Ravel "ravel" 1 Other;
    Reshape "reshape" 2 Other;
    JaggedLengths "jagged_lengths" 1 Other;
    JaggedFlatten "jagged_flatten" 1 Other;
    JaggedUnflatten "jagged_unflatten" 2 Other;
    Opaque "opaque" 1 Other;
    Trace "trace" 1 Other;
    Break "break" 1 Other;
    LessEqual "less_equal" 2 Other;
    Convert "convert" 1 Other;
    Highest "highest" 0 Other;
    Lowest "lowest" 0 Other;
    Epsilon "epsilon" 0 Other;
    NumBits "num_bits" 1 Other;
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
