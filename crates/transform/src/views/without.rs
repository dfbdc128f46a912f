//! Takes arrays out of a construction.

use ir::{Exp, Step, Stm, Var};

/// Takes components that have other names out of a construction.
pub(super) fn without(stm: &mut Stm, arrays: &[Var]) {
    let named = |var: Var| arrays.contains(&var);
    let Stm { vars, exp: Exp::Bulk(bulk), .. } = stm else { return };
    let mut first = 0;
    for number in 0..bulk.outputs.len() {
        let output = &mut bulk.outputs[number];
        let begin = first + output.bound() - output.elems.len();
        let gone: Vec<bool> = (0..output.elems.len()).map(|elem| named(vars[begin + elem])).collect();
        first += output.bound();
        let mut own = gone.iter();
        output.elems.retain(|_| own.next() != Some(&true));
        Step::for_each_emit_mut(&mut bulk.steps, &mut |emit| {
            let mut own = gone.iter();
            if emit.output == number && gone.contains(&true) {
                emit.value.result.retain(|_| own.next() != Some(&true));
            }
        });
    }
    vars.retain(|var| !named(*var));
}
