//! Results of calls that are known without the call.

use ir::{Atom, FunId, Program};

/// A known result of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given {
    /// A constant.
    Const(Atom),
    /// The argument with this number.
    Argument(usize),
}

/// For each result of a function, its value if it is known.
pub(super) type Results = Vec<Option<Given>>;

/// The known results of a function.
pub(super) fn given(program: &Program, fun: FunId) -> Results {
    let function = &program.functions[fun];
    let given = |atom: &Atom| match atom {
        Atom::Const(_) => Some(Given::Const(*atom)),
        Atom::Var(var) => {
            let number = function.params.iter().position(|param| param == var)?;
            // A consumed argument no longer exists after the call.
            (!function.consumed[number]).then_some(Given::Argument(number))
        }
    };
    function.body.result.iter().map(given).collect()
}
