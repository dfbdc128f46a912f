//! A loop over all elements of a flattened nest becomes a nest.
//!
//! ```text
//! let a: [n][m]f64 = bulk { .. }                   let a: [n][m]f64 = bulk { .. }
//! let <c> b: [t]f64 = reshape a                    let ys: [n][m]f64 = bulk {
//! let ys: [t]f64 = bulk {                            out gen [n][m] of (y: f64)
//!   out gen [t] of (y: f64)                  =>      for i < n { for j < m {
//!   for k < t { let x = b[k]; emit [k] => .. }         let <c> x = a[i, j]; emit [i, j] => ..
//! }                                                  } }
//!                                                  }
//!                                                  let <c> ys: [t]f64 = reshape ys
//! ```
//!
//! Then it can be merged with the loops that make `a`, without a division for each element (section 8.2 of the thesis, in
//! both directions: what is made there is a flattened nest again). Where the number of an element is used for something
//! else, it is `i*m + j`.
//!
//! A form that makes the elements of a vector in a nest is such a nest already ([`numbered`]).
//!
//! A form that changes the elements of an array in the order of its turns stays as it is. So do running combinations in loops
//! inside. So do filters and running combinations over rows of different lengths, because their turns could not be shared by threads then.
//! A row of such an array is as long as its descriptor says, and the number of its element `j` is `desc_offset d[i] + j`.

use super::chain::Chain;
use super::equal_sizes::EqualSizes;
use super::lengths;
use super::merge::{OneLoop, in_block};
use super::numbered;
use base::{Map, Name, Set, Span};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Dim, Exp, Kind, Mark, Output, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// Changes the loops of a function.
pub(super) fn nests(program: &mut Program, body: &mut Block) {
    let (made, views, totals) = (Set::default(), Map::default(), Map::default());
    let sizes = EqualSizes::default();
    let mut flat = Flat { program, made, views, totals, sizes, splits: false };
    body.replace_stms(&mut |stm| flat.stm(stm));
    if flat.splits {
        without_views(body);
        without_totals(program, body);
    }
}

/// Removes views that nothing reads any more: they would keep their arrays.
fn without_views(body: &mut Block) {
    let mut used = Set::default();
    body.walk(&mut |part| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            used.insert(*var);
        }
    });
    let is_view = |stm: &Stm| matches!(stm.exp, Exp::Reshape(_));
    body.replace_stms(&mut |stm| if is_view(&stm) && !used.contains(&stm.vars[0]) { vec![] } else { vec![stm] });
}

/// Removes numbers of elements that nothing needs any more: they would keep descriptors.
fn without_totals(program: &Program, body: &mut Block) {
    let mut used = Set::default();
    body.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => _ = used.insert(*var),
        Part::Bind(var) => program.ty(*var).for_each_var(&mut |size| _ = used.insert(size)),
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
    });
    let is_total = |stm: &Stm| matches!(stm.exp, Exp::Total(_));
    body.replace_stms(&mut |stm| if is_total(&stm) && !used.contains(&stm.vars[0]) { vec![] } else { vec![stm] });
}

/// The arrays before a statement.
struct Flat<'p> {
    program: &'p mut Program,
    /// Those of which a loop makes each row or element, and those whose elements do not lie one after the other, so that
    /// a flattened one would be a copy.
    made: Set<Var>,
    /// Those that are others whose first dimensions became one.
    views: Map<Var, View>,
    /// Numbers of elements, with the extents that they belong to.
    totals: Map<Var, Vec<Atom>>,
    sizes: EqualSizes,
    /// Whether something was changed.
    splits: bool,
}

/// An array whose first dimensions became one.
#[derive(Clone)]
struct View {
    /// The array.
    root: Var,
    /// Those dimensions: sizes, or rows of different lengths.
    extents: Vec<Dim>,
    /// The checks that the view relies on.
    certs: Vec<Var>,
}

impl Flat<'_> {
    fn stm(&mut self, mut stm: Stm) -> Vec<Stm> {
        if let Some(total) = lengths::total(self.program, &stm) {
            stm.exp = total;
        }
        self.sizes.note(&stm);
        match &stm.exp {
            Exp::Reshape(root) => {
                self.views.extend(self.view(stm.vars[0], *root, &stm.certs).map(|view| (stm.vars[0], view)));
                vec![stm]
            }
            Exp::Rearrange(..) => {
                self.made.extend(&stm.vars);
                vec![stm]
            }
            Exp::Slice(_, ranges) if ranges.len() > 1 => {
                self.made.extend(&stm.vars);
                vec![stm]
            }
            Exp::Retype(from) | Exp::Slice(from, _) if self.made.contains(from) => {
                self.made.extend(&stm.vars);
                vec![stm]
            }
            Exp::Bulk(bulk) => match (self.to_split(&stm, bulk), numbered::loops(bulk, &self.totals)) {
                (Some(view), _) => self.split(stm, &view),
                (None, Some(loops)) => self.without_numbers(stm, &loops),
                (None, None) => {
                    self.note(&stm.vars, bulk);
                    let mut stm = stm;
                    self.read_by_nest(&mut stm);
                    vec![stm]
                }
            },
            Exp::Total(_) => {
                self.totals.extend(numbered::total(&stm));
                vec![stm]
            }
            _ => vec![stm],
        }
    }

    /// A form whose values stand at the numbers of the turns of its nest, with values at the indices of these loops.
    fn without_numbers(&mut self, mut stm: Stm, loops: &[(Var, Atom)]) -> Vec<Stm> {
        self.read_by_nest(&mut stm);
        if let Exp::Bulk(bulk) = &mut stm.exp {
            numbered::at_indices(bulk, loops);
        }
        let extents = loops.iter().map(|(_, count)| Dim::Size(*count)).collect();
        let view = View { root: stm.vars[0], extents, certs: Vec::new() };
        self.with_views(stm, &view)
    }

    /// Notes the arrays that a form makes row by row.
    fn note(&mut self, vars: &[Var], bulk: &Bulk) {
        // One array behind another is read where it is made, too.
        if let ([Output { kind: Kind::Gen { .. }, .. }], [Step::For { .. }, Step::For { .. }]) =
            (&bulk.outputs[..], &bulk.steps[..])
        {
            self.made.extend(vars);
        }
        if OneLoop::of(bulk).is_none() {
            return;
        }
        let mut rest = vars;
        for output in &bulk.outputs {
            let (bound, more) = rest.split_at(output.bound());
            rest = more;
            let is_jagged = matches!(&output.kind, Kind::Gen { shape, .. }
                if shape.iter().any(is_row) || !output.sizes.is_empty());
            let is_made = |var: &Var| is_jagged || Chain::to(vars, bulk, &[*var]).is_some();
            self.made.extend(bound.iter().copied().filter(is_made));
        }
    }

    /// What an array is, if it is another one with fewer dimensions.
    fn view(&self, array: Var, root: Var, certs: &[Var]) -> Option<View> {
        let (own, whole) = (self.program.ty(array).dims(), self.program.ty(root).dims());
        let more = whole.len().checked_sub(own.len()).filter(|more| *more > 0)?;
        let regular = own.iter().all(|dim| matches!(dim, Dim::Size(_)));
        let known = !whole.iter().any(|dim| matches!(dim, Dim::Shape(_)));
        let same = regular && known && !own.is_empty() && own[1..] == whole[more + 1..];
        same.then(|| View { root, extents: whole[..=more].to_vec(), certs: certs.to_vec() })
    }

    /// The view of an array made by a loop that a form reads element by element, if its loop can become a nest.
    fn to_split(&self, stm: &Stm, bulk: &Bulk) -> Option<View> {
        let one = OneLoop::of(bulk)?;
        let index = Atom::Var(one.var);
        let fits = !analysis::emits::scans_in_loops(one.body)
            && bulk.outputs.iter().enumerate().all(|(number, output)| is_in_turn(bulk, number, output, &one));
        fits.then_some(())?;
        let (mut mentions, mut reads) = (Vec::new(), Vec::new());
        stm.walk(&mut |part| match part {
            Part::Stm(Stm { exp: Exp::Index(array, at), .. }) if at.first() == Some(&index) => reads.push(*array),
            Part::Atom(Atom::Var(var)) | Part::Use(var) => mentions.push(*var),
            _ => {}
        });
        let times = |list: &[Var], var: Var| list.iter().filter(|other| **other == var).count();
        let good = |array: &Var| {
            let fits = |view: &&View| self.made.contains(&view.root) && (!view.is_jagged() || may_be_jagged(bulk));
            let view = self.views.get(array).filter(fits)?;
            let is_all = times(&mentions, *array) == times(&reads, *array);
            let same = self.sizes.why(&stm.certs, self.first(*array)?, one.count).filter(|_| is_all)?;
            Some(View { certs: view.certs.iter().copied().chain(same).collect(), ..view.clone() })
        };
        reads.iter().find_map(good)
    }

    fn first(&self, array: Var) -> Option<Atom> {
        match self.program.ty(array).dims() {
            [Dim::Size(first), ..] => Some(*first),
            _ => None,
        }
    }

    /// The form with a nest in place of its loop, and its arrays as views of those that the nest makes.
    fn split(&mut self, mut stm: Stm, view: &View) -> Vec<Stm> {
        let span = stm.span;
        let Exp::Bulk(bulk) = &mut stm.exp else { base::bug!("a form is split") };
        let Some(Step::For { var, body, .. }) = bulk.steps.pop() else { base::bug!("a form with one loop is split") };
        let indices: Vec<Var> = view.extents.iter().map(|_| self.integer("i")).collect();
        let mut body = in_block(body, |block| self.read_roots(block, var, &indices, view));
        at_indices(&mut body, var, &indices, &view.certs);
        let mut inner = self.number(var, &indices, view, span);
        inner.retain(|_| uses(&body, var));
        rely_on(&mut body, var, &view.certs);
        inner.append(&mut body);
        let nest = (0..indices.len()).rev().fold(inner, |body, level| self.level(&indices[..=level], view, body, span));
        bulk.steps.extend(nest);
        self.with_views(stm, view)
    }

    /// The innermost of some loops of a nest, and the length of the row that it goes through.
    fn level(&mut self, indices: &[Var], view: &View, body: Vec<Step>, span: Span) -> Vec<Step> {
        let Some((var, around)) = indices.split_last() else { return body };
        let (length, count) = match view.extents[around.len()] {
            Dim::Size(count) => (None, count),
            Dim::Jagged(d) | Dim::Shape(d) => {
                let length = self.integer("len");
                let exp = Exp::DescLength(d, around.iter().copied().map(Atom::Var).collect());
                let stm = Stm { vars: vec![length], certs: view.certs.clone(), exp, span };
                (Some(Step::Let(stm)), length.into())
            }
        };
        length.into_iter().chain([Step::For { var: *var, count, mark: Mark::Open, body }]).collect()
    }

    /// A form whose arrays get these first dimensions, and their views under the names that they had.
    fn with_views(&mut self, mut stm: Stm, view: &View) -> Vec<Stm> {
        self.splits = true;
        let arrays = shaped(&mut stm, &view.extents);
        let views: Vec<Stm> = arrays.into_iter().map(|array| self.as_view(&mut stm, array, view)).collect();
        if let Exp::Bulk(bulk) = &stm.exp {
            self.note(&stm.vars, bulk);
        }
        [stm].into_iter().chain(views).collect()
    }

    fn integer(&mut self, name: &str) -> Var {
        self.program.vars.push(VarInfo::new(Name::new(name), Type::I64))
    }

    /// Reads arrays with these dimensions at the indices of the nest.
    fn read_roots(&self, block: &mut Block, index: Var, indices: &[Var], split: &View) {
        block.for_each_stm_mut(&mut |stm| {
            let Exp::Index(array, at) = &stm.exp else { return };
            let Some(view) = self.views.get(array).filter(|view| view.extents == split.extents) else { return };
            if at.first() == Some(&Atom::Var(index)) {
                let front = indices.iter().map(|var| Atom::Var(*var));
                stm.exp = Exp::Index(view.root, front.chain(at[1..].iter().copied()).collect());
                stm.rely_on(&view.certs);
            }
        });
    }

    /// Reads flattened arrays at `i*m + j`, where `i` and `j` are counters of loops through the whole array, at `[i, j]`.
    fn read_by_nest(&self, stm: &mut Stm) {
        let (mut counts, mut defs) = (Map::default(), Map::default());
        let Exp::Bulk(bulk) = &stm.exp else { return };
        note_loops(&bulk.steps, &mut counts);
        stm.walk(&mut |part| {
            if let Part::Stm(Stm { vars, exp: Exp::Bin(op, Prim::I64, a, b), .. }) = part {
                defs.insert(vars[0], (*op, *a, *b));
            }
        });
        let operands = |atom: Atom, wanted: BinOp| match atom.var().and_then(|var| defs.get(&var)) {
            Some((op, a, b)) if *op == wanted => Some((*a, *b)),
            Some(_) | None => None,
        };
        let nest = |at: &[Atom], extents: &[Dim]| {
            let ([at], [Dim::Size(rows), Dim::Size(columns)]) = (at, extents) else { return None };
            let (before, j) = operands(*at, BinOp::Add)?;
            let (i, length) = operands(before, BinOp::Mul)?;
            let counts = |atom: Atom, count: &Atom| atom.var().and_then(|var| counts.get(&var)) == Some(count);
            (length == *columns && counts(i, rows) && counts(j, columns)).then(|| vec![i, j])
        };
        let mut block = Block { stms: vec![stm.clone()], result: Vec::new() };
        block.for_each_stm_mut(&mut |stm| {
            let Exp::Index(array, at) = &stm.exp else { return };
            let Some(view) = self.views.get(array) else { return };
            if let Some(at) = nest(at, &view.extents) {
                stm.exp = Exp::Index(view.root, at);
                stm.rely_on(&view.certs);
            }
        });
        block.stms.pop().into_iter().for_each(|changed| *stm = changed);
    }

    /// Steps that bind the index of the loop to the number of the element in the nest.
    fn number(&mut self, index: Var, indices: &[Var], view: &View, span: Span) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut number = Atom::Var(indices[0]);
        let mut bind = |var: Var, exp: Exp| {
            steps.push(Step::Let(Stm { vars: vec![var], certs: Vec::new(), exp, span }));
        };
        let first = view.extents.iter().rposition(is_row).unwrap_or(1);
        for (place, (inner, extent)) in indices.iter().zip(&view.extents).enumerate().skip(first) {
            let before = self.integer("t");
            let own = if place + 1 == indices.len() { index } else { self.integer("t") };
            let around = || indices[..place].iter().copied().map(Atom::Var).collect();
            bind(
                before,
                match extent {
                    Dim::Size(extent) => Exp::Bin(BinOp::Mul, Prim::I64, number, *extent),
                    Dim::Jagged(d) | Dim::Shape(d) => Exp::DescOffset(*d, around()),
                },
            );
            bind(own, Exp::Bin(BinOp::Add, Prim::I64, before.into(), Atom::Var(*inner)));
            number = own.into();
        }
        steps
    }

    /// Gives the array of this number that a form binds more dimensions, and its name to a view of it.
    fn as_view(&mut self, stm: &mut Stm, array: usize, view: &View) -> Stm {
        let name = stm.vars[array];
        let info = self.program.vars[name].clone();
        let front = view.extents.iter().copied();
        let dims = front.chain(info.ty.dims()[1..].iter().copied()).collect();
        let Some(prim) = info.ty.prim() else { base::bug!("an array of a form is no array") };
        stm.vars[array] = self.program.vars.push(VarInfo { ty: Type::Array(prim, dims), ..info });
        self.views.insert(name, View { root: stm.vars[array], ..view.clone() });
        let certs = stm.certs.iter().chain(&view.certs).copied().collect();
        Stm { vars: vec![name], certs, exp: Exp::Reshape(stm.vars[array]), span: stm.span }
    }
}

/// Notes how many turns loops have, by their counters.
fn note_loops(steps: &[Step], counts: &mut Map<Var, Atom>) {
    for step in steps {
        match step {
            Step::For { var, count, body, .. } => {
                counts.insert(*var, *count);
                note_loops(body, counts);
            }
            Step::Guard(_, body) => note_loops(body, counts),
            Step::Let(_) | Step::Scan(_) | Step::Emit(_) => {}
        }
    }
}

impl View {
    fn is_jagged(&self) -> bool {
        self.extents.iter().any(is_row)
    }
}

fn is_row(dim: &Dim) -> bool {
    matches!(dim, Dim::Jagged(_))
}

/// Whether the loop of a form may become one over rows of different lengths: threads share its rows then, at least.
fn may_be_jagged(bulk: &Bulk) -> bool {
    let parallel = |output: &Output| matches!(output.kind, Kind::Gen { .. } | Kind::Reduce { .. });
    analysis::emits::scans(&bulk.steps).is_empty() && bulk.outputs.iter().all(parallel)
}

/// Whether each turn gives the element or row of a new array with its own number, or values that need no place, or that have
/// one which is not that of the turn.
fn is_in_turn(bulk: &Bulk, number: usize, output: &Output, one: &OneLoop<'_>) -> bool {
    let emits = analysis::emits::all(&bulk.steps);
    let mut own = emits.iter().filter(|emit| emit.output == number);
    let index = Atom::Var(one.var);
    match &output.kind {
        Kind::Gen { shape, otherwise: None, .. } => {
            let regular = shape.iter().all(|dim| matches!(dim, Dim::Size(_))) && output.sizes.is_empty();
            regular && shape[0] == Dim::Size(one.count) && own.all(|emit| emit.at[0] == index)
        }
        Kind::Gen { .. } => false,
        Kind::Update { .. } | Kind::Accum { .. } => own.all(|emit| !emit.at.contains(&index)),
        Kind::Reduce { .. } | Kind::Keep => true,
    }
}

/// Gives values at the index of the loop the indices of the nest.
fn at_indices(steps: &mut [Step], index: Var, indices: &[Var], certs: &[Var]) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => at_indices(body, index, indices, certs),
            Step::Emit(emit) if emit.at.first() == Some(&Atom::Var(index)) => {
                emit.at.splice(..1, indices.iter().map(|var| Atom::Var(*var)));
                emit.certs.extend(certs);
            }
            Step::Emit(_) | Step::Let(_) | Step::Scan(_) => {}
        }
    }
}

fn uses(steps: &[Step], index: Var) -> bool {
    let mut found = false;
    for step in steps {
        step.walk(&mut |part| found |= matches!(part, Part::Atom(Atom::Var(var)) if *var == index));
    }
    found
}

/// Makes all that depends on the number of an element rely on the checks which say that there are so many.
fn rely_on(steps: &mut Vec<Step>, index: Var, certs: &[Var]) {
    let mut depends: Set<Var> = [index].into_iter().collect();
    *steps = in_block(std::mem::take(steps), |block| {
        block.for_each_stm_mut(&mut |stm| {
            let mut uses = false;
            stm.walk(&mut |part| uses |= matches!(part, Part::Atom(Atom::Var(var)) if depends.contains(var)));
            if uses {
                depends.extend(&stm.vars);
                if stm.exp.is_partial() {
                    stm.rely_on(certs);
                }
            }
        });
    });
}

/// Gives the new arrays of a form the extents of the nest. Returns their numbers among what it binds.
fn shaped(stm: &mut Stm, extents: &[Dim]) -> Vec<usize> {
    let Exp::Bulk(bulk) = &mut stm.exp else { base::bug!("a form is split") };
    let (mut arrays, mut next) = (Vec::new(), 0);
    for output in &mut bulk.outputs {
        let bound = output.bound();
        if let Kind::Gen { shape, .. } = &mut output.kind {
            shape.splice(..1, extents.iter().copied());
            arrays.extend(next..next + bound);
        }
        next += bound;
    }
    arrays
}
