//! Points with a number of components that only the run knows: usually there are two or three.
//!
//! ```text
//! let r: [n][d]f32 = bulk { .. }               let three: bool = d == 3
//!                                              let r: [n][d]f32 = if three {
//!                                        =>      let ps.1: [n][3]f32 = retype ps
//!                                                let r.1: [n][3]f32 = bulk { .. }
//!                                                let r.2: [n][d]f32 = retype r.1
//!                                                => r.2
//!                                              } else { .. }
//! ```
//!
//! A form gets versions for these numbers if it adds up rows of length `d` in its turns, and what it adds up takes reductions of
//! length `d`, such as distances. With a constant, all components are in registers; without one, each row is in memory, and short
//! loops take more time than what they compute. Forms of many statements have one version, because each is code to compile.

use crate::write::Writer;
use analysis::cost;
use base::Set;
use ir::rename::{Substitution, copy_block};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Bulk, Dim, Exp, Kind, Output, Program, Step, Stm, Type, Var};
use scalar::{BinOp, Prim};

/// The numbers of components that have a version: the last one is asked for first.
const USUAL: [i64; 2] = [2, 3];
/// Forms of more statements stay as they are.
const LARGEST: usize = 60;

/// Makes versions of the forms in a block that are not inside of other forms.
pub(super) fn versions(program: &mut Program, body: &mut Block) {
    for mut stm in std::mem::take(&mut body.stms) {
        if !matches!(stm.exp, Exp::Bulk(_)) {
            stm.exp.for_each_list_mut(&mut |list| {
                if let ListMut::Block(block) = list {
                    versions(program, block);
                }
            });
            body.stms.push(stm);
            continue;
        }
        match components(program, &stm) {
            Some(size) => body.stms.extend(with_versions(program, stm, size)),
            None => body.stms.push(stm),
        }
    }
}

/// The number of components of points that a form adds up, if there should be versions for it.
fn components(program: &Program, stm: &Stm) -> Option<Var> {
    let outside = |var: &Var| !Block { stms: vec![stm.clone()], result: Vec::new() }.bound().contains(var);
    let Exp::Bulk(bulk) = &stm.exp else { return None };
    let (mut rows, mut numbers) = (Set::default(), Set::default());
    for step in &bulk.steps {
        step.walk(&mut |part| {
            if let Part::Stm(Stm { exp: Exp::Bulk(inner), .. }) = part {
                rows.extend(inner.outputs.iter().filter_map(|output| row_length(program, output)));
                numbers.extend(length_of_sum(program, inner));
            }
        });
    }
    let size = rows.into_iter().find(|size| numbers.contains(size) && outside(size))?;
    (cost::statements(stm) <= LARGEST && can_rename(program, stm, size)).then_some(size)
}

/// The length of the rows that a reduction adds up.
fn row_length(program: &Program, output: &Output) -> Option<Var> {
    let (Kind::Reduce { .. }, [elem]) = (&output.kind, &output.elems[..]) else { return None };
    match program.ty(*elem).dims() {
        [Dim::Size(Atom::Var(size))] => Some(*size),
        _ => None,
    }
}

/// How many numbers a reduction combines.
fn length_of_sum(program: &Program, bulk: &Bulk) -> Option<Var> {
    let ([output], [Step::For { count, .. }]) = (&bulk.outputs[..], &bulk.steps[..]) else { return None };
    let of_numbers = output.elems.iter().all(|elem| matches!(program.ty(*elem), Type::Scalar(_)));
    (matches!(output.kind, Kind::Reduce { .. }) && of_numbers).then(|| count.var())?
}

/// The variables from outside that a statement uses, and those that it binds, whose types mention a size.
fn mentioning(program: &Program, stm: &Stm, size: Var) -> Vec<Var> {
    let free = Block { stms: vec![stm.clone()], result: Vec::new() }.free(&program.vars);
    let mut found: Vec<Var> = free.into_iter().chain(stm.vars.iter().copied()).collect();
    found.retain(|var| mentions(program.ty(*var), size));
    found.sort_unstable();
    found
}

/// Whether all of these are arrays with plain dimensions, which can have other names.
fn can_rename(program: &Program, stm: &Stm, size: Var) -> bool {
    let is_regular = |var: &Var| match program.ty(*var) {
        Type::Array(_, dims) => dims.iter().all(|dim| matches!(dim, Dim::Size(_))),
        _ => false,
    };
    mentioning(program, stm, size).iter().all(is_regular)
}

/// The form as it is, behind versions of it.
fn with_versions(program: &mut Program, stm: Stm, size: Var) -> Vec<Stm> {
    let plain = stm.clone();
    USUAL.iter().fold(vec![stm], |others, count| {
        let mut writer = Writer { program, stms: Vec::new(), span: plain.span };
        let is_usual = writer.truth(BinOp::Eq, Prim::I64, size.into(), Atom::size(*count));
        let then = known(&mut writer, &plain, size, *count);
        let result = plain.vars.iter().copied().map(Atom::Var).collect();
        let others = Block { stms: others, result };
        let otherwise = copy_block(&mut writer.program.vars, &others, Substitution::default());
        let exp = Exp::If(is_usual, then, otherwise);
        let mut stms = writer.taken();
        stms.push(Stm { vars: plain.vars.clone(), certs: Vec::new(), exp, span: plain.span });
        stms
    })
}

/// A version for a number of components.
fn known(writer: &mut Writer<'_>, stm: &Stm, size: Var, count: i64) -> Block {
    let outer = writer.taken();
    let mut names = Substitution::new(&[size], &[Atom::size(count)]);
    let retyped = |writer: &mut Writer<'_>, var: Var, names: &Substitution| {
        let ty = names.ty(writer.program.ty(var));
        let name = writer.program.vars[var].name;
        writer.bind(name.as_str(), ty, Exp::Retype(var))
    };
    for var in mentioning(writer.program, stm, size) {
        if !stm.vars.contains(&var) {
            let renamed = retyped(writer, var, &names);
            names.insert(var, renamed);
        }
    }
    let made = Block { stms: vec![stm.clone()], result: stm.vars.iter().copied().map(Atom::Var).collect() };
    let made = copy_block(&mut writer.program.vars, &made, names);
    writer.stms.extend(made.stms);
    let back = |(var, atom): (&Var, &Atom)| {
        let ty = writer.program.ty(*var).clone();
        match (atom, mentions(&ty, size)) {
            (Atom::Var(new), true) => writer.bind("xs", ty, Exp::Retype(*new)),
            (atom, _) => *atom,
        }
    };
    let result = stm.vars.iter().zip(&made.result).map(back).collect();
    let stms = std::mem::replace(&mut writer.stms, outer);
    Block { stms, result }
}

fn mentions(ty: &Type, size: Var) -> bool {
    let mut found = false;
    ty.for_each_var(&mut |var| found |= var == size);
    found
}
