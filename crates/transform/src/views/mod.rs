//! Arrays that are made by reading all of another array are that array.
//!
//! ```text
//! let (ys: [n][~d]f64, zs: [n][~d]f64) = bulk {         let ys: [n][~d]f64 = xss
//!   out gen [n] of (y: [~d]f64, z: [~d]f64)             let zs: [n][~d]f64 = bulk {
//!   for i < n {                                           out gen [n] of (z: [~d]f64)
//!     let len: i64 = desc_length d[i]             =>      for i < n {
//!     let row: [len]f64 = xss[i]                            ..
//!     emit [i] { .. => row, doubled }                       emit [i] { .. => doubled }
//!   }                                                     }
//! }                                                     }
//! ```
//!
//! So `map2 zip xss yss` copies no rows. The name is bound before the construction, because that may consume the array; if
//! the memory is consumed while it is still read, the pass `copies` makes a copy.
//!
//! An array of rows whose dimensions are exchanged is another array whose dimensions are exchanged ([`row`]): `map transpose
//! xss` is `rearrange xss (0, 2, 1)`.
//!
//! A copy of a new array that nothing else uses is that array, too.
//!
//! A construction that selects elements or rows of another array, such as every second row, is a view of it ([`select`]).
//!
//! Limits: the loops must run through the whole shape, and the types must be the same.

mod readers;
mod row;
mod select;
mod selection;
mod without;

use base::{Map, Set, Span};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Output, Program, Step, Stm, Type, Var, VarInfo};
use row::Row;
use without::without;

/// Runs the pass on all functions.
pub fn views(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let recursive = recursive_names(program, &body);
        let uses = uses(&body);
        Views { program, recursive: &recursive, uses }.block(&mut body);
        program.functions[fun].body = body;
        select::select(program, fun, &recursive);
    }
}

struct Views<'p> {
    program: &'p mut Program,
    /// Names of recursive arrays: they are only read in part.
    recursive: &'p Set<Var>,
    /// How often the function uses each variable.
    uses: Map<Var, usize>,
}

/// An array that is a view of another one, and the statements that make the view; the last binds the array.
struct Named {
    array: Var,
    stms: Vec<Stm>,
}

impl Views<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.stms.len());
        let mut new = Set::default();
        for mut stm in std::mem::take(&mut block.stms) {
            out.extend(self.stm(&mut stm));
            self.not_copied(&mut stm, &mut new);
            out.push(stm);
        }
        block.stms = out;
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        let mut out = Vec::with_capacity(steps.len());
        let mut new = Set::default();
        for mut step in std::mem::take(steps) {
            match &mut step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => {
                    out.extend(self.stm(stm).into_iter().map(Step::Let));
                    self.not_copied(stm, &mut new);
                }
                Step::Scan(scan) => {
                    self.block(&mut scan.op.body);
                    self.block(&mut scan.value);
                }
                Step::Emit(emit) => self.block(&mut emit.value),
            }
            out.push(step);
        }
        *steps = out;
    }

    /// Gives the name of a copy to what is copied, if that is an array of the same list that nothing else uses. `new` are
    /// the arrays that the list makes.
    fn not_copied(&self, stm: &mut Stm, new: &mut Set<Var>) {
        match &stm.exp {
            Exp::Copy(array) if new.contains(array) && self.uses.get(array) == Some(&1) => {
                stm.exp = Exp::Atom((*array).into());
            }
            Exp::Bulk(bulk) => {
                let own = bulk.outputs.iter().all(|output| matches!(output.kind, Kind::Gen { .. } | Kind::Keep));
                new.extend(stm.vars.iter().filter(|_| own));
            }
            _ => {}
        }
    }

    /// The names of arrays that a statement need not make.
    fn stm(&mut self, stm: &mut Stm) -> Vec<Stm> {
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) => self.steps(steps),
        });
        let Exp::Bulk(bulk) = &stm.exp else { return Vec::new() };
        let (mut named, mut first) = (Vec::new(), 0);
        for (number, output) in bulk.outputs.iter().enumerate() {
            let own = &stm.vars[first..first + output.bound()];
            named.extend(self.named(bulk, number, own, stm.span));
            first += output.bound();
        }
        let arrays: Vec<Var> = named.iter().map(|named| named.array).collect();
        let mut names: Vec<Stm> = named.into_iter().flat_map(|named| named.stms).collect();
        if !arrays.is_empty() && arrays.len() == stm.vars.len() && !computes(stm) {
            // Nothing is left to make: the last name takes the place of the statement.
            *stm = names.pop().unwrap_or_else(|| base::bug!("a statement without names"));
            return names;
        }
        // What may fail still runs, for the sake of one array at least.
        if arrays.len() == stm.vars.len() {
            return Vec::new();
        }
        without(stm, &arrays);
        names
    }

    /// The components of an output that are views of other arrays, unless all of them are and there are more outputs.
    fn named(&mut self, bulk: &Bulk, number: usize, own: &[Var], span: Span) -> Vec<Named> {
        let output = &bulk.outputs[number];
        let sizes = own.len() - output.elems.len();
        let arrays = own[sizes..].iter().enumerate();
        let rows = arrays.filter_map(|(elem, var)| Some((*var, self.row(bulk, number, elem, *var)?)));
        let rows: Vec<(Var, Row)> = rows.collect();
        if rows.len() == output.elems.len() && bulk.outputs.len() > 1 {
            return Vec::new();
        }
        rows.into_iter().map(|(array, row)| Named { array, stms: self.whole(array, row, span) }).collect()
    }

    /// What each element of a component of an output is, if all of them together are a view of another array.
    fn row(&self, bulk: &Bulk, number: usize, elem: usize, var: Var) -> Option<Row> {
        let output = &bulk.outputs[number];
        let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
        let plain = rec.is_empty() && output.sizes.is_empty() && analysis::emits::count(&bulk.steps, number) == 1;
        if !plain {
            return None;
        }
        let mut path = Path::default();
        let (emit, stms) = covering(&bulk.steps, number, shape, &mut path)?;
        let row = Row::of(self.program, &stms, emit.value.result[elem].var()?, &emit.at)?;
        let is_inside =
            |var: &Var| stms.iter().any(|stm| stm.vars.contains(var)) || path.indices.contains(&Atom::Var(*var));
        let outside = !is_inside(&row.array) && row.front.iter().all(|at| !at.var().is_some_and(|var| is_inside(&var)));
        let there = !self.recursive.contains(&row.array) && self.program.vars[row.array].pending.is_none();
        (outside && there && row.dims(self.program)? == self.program.ty(var).dims()).then_some(row)
    }

    /// The statements that make an array the view that a row is of another one.
    fn whole(&mut self, array: Var, row: Row, span: Span) -> Vec<Stm> {
        let bind = |var: Var, exp: Exp| Stm { vars: vec![var], certs: Vec::new(), exp, span };
        if row.is_same() {
            return vec![bind(array, Exp::Atom(row.array.into()))];
        }
        if row.front.is_empty() {
            return vec![bind(array, Exp::Rearrange(row.array, row.order))];
        }
        let info = self.program.vars[row.array].clone();
        let Type::Array(prim, dims) = &info.ty else { base::bug!("a part of what is no array") };
        let ty = Type::Array(*prim, dims[row.front.len()..].to_vec());
        let part = self.program.vars.push(VarInfo { ty, ..info });
        vec![bind(part, Exp::Index(row.array, row.front)), bind(array, Exp::Rearrange(part, row.order))]
    }
}

/// The loops and bindings around a step.
#[derive(Default)]
struct Path<'b> {
    indices: Vec<Atom>,
    stms: Vec<&'b Stm>,
}

/// The value for an output, if loops around it run through a whole shape and it stands at their indices; with all
/// statements that it is computed from.
fn covering<'b>(
    steps: &'b [Step],
    number: usize,
    shape: &[Dim],
    path: &mut Path<'b>,
) -> Option<(&'b Emit, Vec<&'b Stm>)> {
    for step in steps {
        match step {
            Step::Let(stm) => path.stms.push(stm),
            Step::For { var, count, body, .. } if analysis::emits::count(body, number) > 0 => {
                if !is_extent(*count, *shape.get(path.indices.len())?, path) {
                    return None;
                }
                path.indices.push(Atom::Var(*var));
                return covering(body, number, shape, path);
            }
            Step::Emit(emit) if emit.output == number => {
                let complete = path.indices.len() == shape.len() && emit.at == path.indices;
                let stms = path.stms.iter().copied().chain(&emit.value.stms);
                return complete.then(|| (emit, stms.collect()));
            }
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => {}
        }
    }
    None
}

/// Whether a loop has as many turns as there are elements in the next dimension.
fn is_extent(count: Atom, dim: Dim, path: &Path) -> bool {
    match dim {
        Dim::Size(n) => n == count,
        Dim::Jagged(d) => path.stms.iter().any(|stm| {
            let Exp::DescLength(of, at) = &stm.exp else { return false };
            stm.vars.first().copied().map(Atom::Var) == Some(count) && *of == d && *at == path.indices
        }),
        Dim::Shape(_) => false,
    }
}

/// Whether a construction does more than reading parts of arrays.
fn computes(stm: &Stm) -> bool {
    let mut found = false;
    stm.walk(&mut |part| {
        if let Part::Stm(inner) = part {
            let pure = matches!(
                inner.exp,
                Exp::Atom(_)
                    | Exp::Index(..)
                    | Exp::Rearrange(..)
                    | Exp::DescLength(..)
                    | Exp::DescIndex(..)
                    | Exp::Retype(_)
            );
            found |= !pure;
        }
    });
    found
}

fn uses(body: &Block) -> Map<Var, usize> {
    let mut uses: Map<Var, usize> = Map::default();
    body.walk(&mut |part| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            *uses.entry(*var).or_default() += 1;
        }
    });
    uses
}

fn recursive_names(program: &Program, body: &Block) -> Set<Var> {
    let mut names: Set<Var> = Set::default();
    body.walk(&mut |part| match part {
        Part::Stm(Stm { exp: Exp::Bulk(bulk), .. }) => names.extend(bulk.outputs.iter().flat_map(Output::rec)),
        Part::Bind(var) if program.vars[*var].pending.is_some() => drop(names.insert(*var)),
        _ => {}
    });
    names
}
