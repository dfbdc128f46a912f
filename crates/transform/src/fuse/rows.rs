//! A nest of loops as a loop over rows, where another form reads row by row.
//!
//! ```text
//! let a = bulk { out gen [n][m] ..; for i < n { for j < m { ..; emit [i, j] => x } } }
//! =>
//! let a = bulk { out gen [n] of (row: [m]f64) ..; for i < n { let row = bulk { for j < m { ..; emit [j] => x } }; emit [i] => row } }
//! ```
//!
//! Then the sums of the rows can be computed together with the rows, although the array is a result. Limits: what is
//! computed of a row must be stored beside it, one value for each row.
//!
//! The other way round, a nest that reads rows which a form inside of another one makes, such as the running sums of each row,
//! becomes a loop over rows. Then the two forms inside become one, and no row is stored in between.

use super::chain::Chain;
use super::uses::Uses;
use base::{Name, Set, Span};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Mark, Output, Program, Step, Stm, Type, Var, VarInfo};

/// A form by rows, if another one reads each of its elements in a loop over a row.
pub(super) fn by_rows(program: &mut Program, uses: &mut Uses, stm: &Stm, reader: &Stm) -> Option<Stm> {
    let nest = Nest::of(program, stm)?;
    let [Dim::Size(length), ..] = nest.inner[..] else { return None };
    let joins = is_all_that_uses(uses, reader, &stm.vars) || values_join(program, reader, nest.count);
    let fits = joins && reads_rows(reader, &stm.vars, length);
    fits.then(|| nest.as_rows(program, uses, stm))
}

/// A form by rows, if it reads rows that a form inside of another one makes.
pub(super) fn reader_by_rows(program: &mut Program, uses: &mut Uses, maker: &Stm, reader: &Stm) -> Option<Stm> {
    let (Exp::Bulk(from), Exp::Bulk(to)) = (&maker.exp, &reader.exp) else { return None };
    let nest = Nest::of(program, reader)?;
    let Step::For { body, .. } = from.steps.last()? else { return None };
    let made = rows_made(body);
    let is_read = |array: &Var| {
        let mut found = false;
        to.steps.iter().for_each(|step| {
            step.walk(&mut |part| {
                found |= matches!(part, Part::Stm(Stm { exp: Exp::Index(read, at), .. })
                    if read == array && at.len() > 1 && at[0] == Atom::Var(nest.var));
            });
        });
        found
    };
    let wanted: Vec<Var> = maker.vars.iter().filter(|array| is_read(array)).copied().collect();
    let chain = Chain::to(&maker.vars, from, &wanted)?;
    let by_form = |array: &Var| {
        let produced = chain.find(*array).filter(|produced| produced.depth == 1);
        produced.and_then(|produced| produced.value.var()).is_some_and(|row| made.contains(&row))
    };
    let fits = !wanted.is_empty() && wanted.iter().all(by_form);
    fits.then(|| nest.as_rows(program, uses, reader))
}

/// What forms among steps bind, those in values included.
fn rows_made(steps: &[Step]) -> Set<Var> {
    let mut made = Set::default();
    for step in steps {
        step.walk(&mut |part| {
            if let Part::Stm(Stm { vars, exp: Exp::Bulk(_), .. }) = part {
                made.extend(vars);
            }
        });
    }
    made
}

/// A form that makes an array of scalars by a nest of loops.
struct Nest<'a> {
    before: &'a [Step],
    /// The outermost loop.
    var: Var,
    count: Atom,
    mark: Mark,
    lets: &'a [Step],
    /// The loop inside.
    nest: &'a Step,
    output: &'a Output,
    /// The extents of a row.
    inner: Vec<Dim>,
}

impl<'a> Nest<'a> {
    fn of(program: &Program, stm: &'a Stm) -> Option<Nest<'a>> {
        let Exp::Bulk(bulk) = &stm.exp else { return None };
        let [output] = &bulk.outputs[..] else { return None };
        let (outer, inner) = extents(program, output)?;
        let (Step::For { var, count, mark, body }, before) = bulk.steps.split_last()? else { return None };
        let (nest @ Step::For { .. }, lets) = body.split_last()? else { return None };
        let only_lets = before.iter().chain(lets).all(|step| matches!(step, Step::Let(_)));
        let in_order = analysis::emits::all(&bulk.steps).iter().all(|emit| emit.at.first() == Some(&Atom::Var(*var)));
        let fits = only_lets && in_order && *count == outer && !inner.is_empty();
        fits.then_some(Nest { before, var: *var, count: *count, mark: *mark, lets, nest, output, inner })
    }

    fn as_rows(&self, program: &mut Program, uses: &mut Uses, stm: &Stm) -> Stm {
        let row = row(program, self.output, self.inner.clone(), self.nest.clone(), stm.span);
        for row in &row.vars {
            uses.more(*row);
            program.ty(*row).for_each_var(&mut |size| (0..2).for_each(|_| uses.more_in_type(size)));
        }
        let (elems, emit) = whole(program, &row, self.var);
        let body = self.lets.iter().cloned().chain([Step::Let(row), emit]).collect();
        let outermost = Step::For { var: self.var, count: self.count, mark: self.mark, body };
        let steps = self.before.iter().cloned().chain([outermost]).collect();
        let outputs = vec![Output { kind: array(vec![Dim::Size(self.count)]), sizes: Vec::new(), elems }];
        let exp = Exp::Bulk(Bulk { outputs, steps, scheduled: false });
        Stm { vars: stm.vars.clone(), certs: stm.certs.clone(), exp, span: stm.span }
    }
}

fn array(shape: Vec<Dim>) -> Kind {
    Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec: Vec::new() }
}

/// The first extent of an array of scalars, and the others.
fn extents(program: &Program, output: &Output) -> Option<(Atom, Vec<Dim>)> {
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
    let regular = shape.iter().all(|dim| matches!(dim, Dim::Size(_)));
    let scalars = output.elems.iter().all(|elem| matches!(program.ty(*elem), Type::Scalar(_)));
    let plain = rec.is_empty() && output.sizes.is_empty() && regular && scalars;
    match &shape[..] {
        [Dim::Size(outer), inner @ ..] if plain => Some((*outer, inner.to_vec())),
        _ => None,
    }
}

/// The statement that makes a row.
fn row(program: &mut Program, output: &Output, shape: Vec<Dim>, nest: Step, span: Span) -> Stm {
    let mut vars = Vec::new();
    for elem in &output.elems {
        let Type::Scalar(prim) = *program.ty(*elem) else { base::bug!("a row of scalars has other elements") };
        vars.push(program.vars.push(VarInfo::new(Name::new("row"), Type::array(prim, shape.clone()))));
    }
    let mut steps = vec![nest];
    without_first(&mut steps);
    let outputs = vec![Output { kind: array(shape), ..output.clone() }];
    Stm { vars, certs: Vec::new(), exp: Exp::Bulk(Bulk { outputs, steps, scheduled: false }), span }
}

/// Removes the first subscript of all values.
fn without_first(steps: &mut [Step]) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => without_first(body),
            Step::Emit(emit) => _ = emit.at.remove(0),
            Step::Let(_) | Step::Scan(_) => {}
        }
    }
}

/// What describes rows, and the value that is one.
fn whole(program: &mut Program, row: &Stm, index: Var) -> (Vec<Var>, Step) {
    let types: Vec<Type> = row.vars.iter().map(|row| program.ty(*row).clone()).collect();
    let elems = types.into_iter().map(|ty| program.vars.push(VarInfo::new(Name::new("x"), ty))).collect();
    let value = Block { stms: Vec::new(), result: row.vars.iter().map(|row| Atom::Var(*row)).collect() };
    (elems, Step::Emit(Emit { output: 0, at: vec![index.into()], certs: Vec::new(), value, span: row.span }))
}

/// Whether nothing else uses these arrays: then only a row is left of them, if that.
fn is_all_that_uses(uses: &Uses, reader: &Stm, arrays: &[Var]) -> bool {
    let mut here = 0;
    reader.walk(&mut |part| match part {
        Part::Use(var) | Part::Atom(Atom::Var(var)) => here += usize::from(arrays.contains(var)),
        Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
    });
    here == arrays.iter().map(|array| uses.count(*array)).sum()
}

/// Whether the values of a form can be those of one output together with rows ([`super::joining`]). Otherwise each row would
/// need memory before it is stored.
fn values_join(program: &Program, reader: &Stm, outer: Atom) -> bool {
    let Exp::Bulk(bulk) = &reader.exp else { return false };
    let joins = |output: &Output| match &output.kind {
        Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } => {
            let is_size = output.elems.iter().any(|elem| *program.ty(*elem) == Type::I64);
            rec.is_empty() && output.sizes.is_empty() && shape[..] == [Dim::Size(outer)] && !is_size
        }
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => false,
    };
    bulk.outputs.iter().all(joins)
}

/// Whether a form only reads elements of these arrays, the second index being that of a loop over a whole row in a form
/// inside of it.
fn reads_rows(reader: &Stm, arrays: &[Var], length: Atom) -> bool {
    let Exp::Bulk(bulk) = &reader.exp else { return false };
    let mut loops = Set::default();
    bulk.steps.iter().for_each(|step| {
        step.walk(&mut |part| {
            if let Part::Stm(Stm { exp: Exp::Bulk(inner), .. }) = part {
                loops.extend(inner.steps.iter().filter_map(|step| over(step, length)));
            }
        });
    });
    let (mut mentions, mut good) = (0, 0);
    reader.walk(&mut |part| match part {
        Part::Use(var) | Part::Atom(Atom::Var(var)) => mentions += usize::from(arrays.contains(var)),
        Part::Stm(Stm { exp: Exp::Index(array, at), .. }) if arrays.contains(array) => {
            good += usize::from(at.get(1).and_then(|at| at.var()).is_some_and(|at| loops.contains(&at)));
        }
        Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
    });
    mentions > 0 && mentions == good
}

/// The index of a loop of this length.
fn over(step: &Step, length: Atom) -> Option<Var> {
    match step {
        Step::For { var, count, .. } if *count == length => Some(*var),
        Step::For { .. } | Step::Let(_) | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
    }
}
