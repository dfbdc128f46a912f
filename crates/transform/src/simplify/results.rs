//! What calls give back without computing it.

use ir::{Atom, FunId, Program};

/// What a call gives back without computing it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given {
    /// A constant.
    Const(Atom),
    /// The argument with this number.
    Argument(usize),
}

/// For each result of a function, what is known of it.
pub(super) type Results = Vec<Option<Given>>;

/// What is known of the results of a function.
pub(super) fn given(program: &Program, fun: FunId) -> Results {
    let function = &program.functions[fun];
    let given = |atom: &Atom| match atom {
        Atom::Const(_) => Some(Given::Const(*atom)),
        Atom::Var(var) => {
            let number = function.params.iter().position(|param| param == var)?;
            // What a call consumes is not there any more.
            (!function.consumed[number]).then_some(Given::Argument(number))
        }
    };
    function.body.result.iter().map(given).collect()
}
