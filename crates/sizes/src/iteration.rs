//! Iterations: the sizes of the current row inside of them, and what these are outside, for all rows.
//!
//! ```text
//! [map f xs for xs in xss]      xss: [n][~k]a     inside xs: [k_i]a for one unknown k_i; outside the rows have the lengths k
//! ```

use super::cx::Cx;
use super::demand::Rows;
use super::unify::Mode;
use super::vars::{Kind, Origin, Round};
use base::Span;
use typed::{Dim, ExprKind, Generator, LocalId, Qual, Size, Type, walk};

/// What iterating brings into scope.
#[derive(Default)]
pub(super) struct Iteration {
    /// Names bound by generators and `let`.
    names: Vec<LocalId>,
    /// Names that run through an array that has a name itself.
    through: Vec<(LocalId, LocalId)>,
    /// The level around.
    around: u32,
    /// Size functions, what they are for the current row, and at which level of the row.
    rows: Vec<(LocalId, LocalId, u32)>,
    /// Open row lengths, each with the size of the current row.
    open_rows: Vec<(LocalId, LocalId, u32)>,
    /// Size functions of the rows that are run through.
    deep: Vec<LocalId>,
    /// How many `for`.
    pub loops: usize,
    /// Whether some elements are left out.
    pub filtered: bool,
    /// How often the first `for` runs, if that is a size.
    pub extent: Option<Size>,
    /// How many locals there were before.
    mark: usize,
}

impl Iteration {
    /// The size function that says for all rows what this dimension is for the current one.
    fn said_of_all(&self, dim: &Dim, depth: u32) -> Option<LocalId> {
        let (Dim::Size(Size::Local(row)) | Dim::Jagged(Some(row))) = dim else { return None };
        self.rows.iter().find(|r| r.1 == *row && r.2 == depth).map(|r| r.0)
    }
}

impl Cx<'_> {
    pub(super) fn quals(&mut self, quals: &mut [Qual]) -> Iteration {
        let mut iteration = Iteration { mark: self.program.locals.len(), around: self.level, ..Iteration::default() };
        for qual in quals {
            self.level += 1;
            match qual {
                Qual::For(generators, span) => {
                    let extents: Vec<Option<Size>> =
                        generators.iter_mut().map(|g| self.generator(g, &mut iteration)).collect();
                    self.equal_extents(&extents, *span);
                    iteration.loops += 1;
                    if iteration.loops == 1 {
                        iteration.extent = extents.into_iter().flatten().min_by_key(|size| self.how_unknown(size));
                    }
                }
                Qual::Let(pat, value) => {
                    self.expr(value);
                    let ty = self.norm(&value.ty);
                    self.value_pat(pat, &ty, &[]);
                    iteration.names.extend(Cx::pat_names(pat));
                }
                Qual::If(condition) => {
                    self.expr(condition);
                    iteration.filtered = true;
                }
            }
            self.level += 1;
        }
        iteration
    }

    /// How much is left open by a size: of generators that advance together the first one that leaves least open says how
    /// many elements there are.
    fn how_unknown(&self, size: &Size) -> u32 {
        match self.norm_size(size) {
            Size::Const(_) => 0,
            Size::Local(l) if self.is_unknown(l) => 3,
            Size::Local(l) if self.is_open(l) => 1,
            Size::Local(_) => 0,
            Size::Expr(_) => 2,
            Size::Meta(_) | Size::Unknown => 4,
        }
    }

    /// Binds what a generator binds and gives the number of its values, if that is a size.
    fn generator(&mut self, generator: &mut Generator, iteration: &mut Iteration) -> Option<Size> {
        match generator {
            Generator::In(pat, array) => {
                self.expr(array);
                let Type::Array(dim, elem) = self.norm(&array.ty) else { return None };
                walk::deep_locals(&elem, 1, &mut iteration.deep);
                let row = self.current_row(&elem, iteration, array.span);
                self.value_pat(pat, &row, &[]);
                iteration.names.extend(Cx::pat_names(pat));
                if let (Some(name), ExprKind::Local(source, _)) = (pat.name(), &*array.kind) {
                    iteration.through.push((name, *source));
                }
                match dim {
                    Dim::Size(size) => Some(size),
                    Dim::Jagged(_) | Dim::Shape(_) => None,
                }
            }
            Generator::Range { lo, var, hi, step, vector, span: _ } => {
                lo.iter_mut().for_each(|e| self.expr(e));
                self.expr(hi);
                step.iter_mut().for_each(|e| self.expr(e));
                iteration.names.push(*var);
                if *vector {
                    let bounds = [Some(&*hi), lo.as_ref(), step.as_ref()];
                    let array = bounds.into_iter().flatten().find(|e| matches!(e.ty, Type::Array(..)));
                    let ty = array.map_or(Type::array(Dim::Size(Size::Unknown), Type::I64), |e| self.norm(&e.ty));
                    self.bind(*var, ty);
                    return None;
                }
                self.bind(*var, hi.ty.clone());
                if lo.is_some() || step.is_some() {
                    return None;
                }
                self.size_of(hi)
            }
        }
    }

    /// One row of what a generator runs through.
    fn current_row(&mut self, elem: &Type, iteration: &mut Iteration, span: Span) -> Type {
        walk::map_dims_at(elem, 0, &mut |dim, depth| match self.norm_dim(dim, true) {
            Dim::Jagged(Some(k)) if depth == 0 && self.is_anonymous(k) => {
                Dim::Size(Size::Local(self.open_row(k, depth, iteration, span)))
            }
            Dim::Jagged(Some(k)) => {
                let row = self.row_local(k, depth, iteration, span);
                if depth > 0 { Dim::Jagged(Some(row)) } else { Dim::Size(Size::Local(row)) }
            }
            Dim::Jagged(None) if depth == 0 => Dim::Size(Size::Unknown),
            Dim::Size(Size::Local(l)) if self.is_open(l) && self.rows(self.root(l)) == Rows::MayDiffer => {
                Dim::Size(Size::Local(self.open_row(l, depth, iteration, span)))
            }
            dim => dim,
        })
    }

    /// What a size function is for the current row: the length of the row, or the row lengths inside it.
    fn row_local(&mut self, k: LocalId, depth: u32, iteration: &mut Iteration, span: Span) -> LocalId {
        if let Some(known) = iteration.rows.iter().find(|r| r.0 == k && r.2 == depth) {
            return known.1;
        }
        let name = self.program.locals[k].name;
        let kind = if depth > 0 { Kind::Function(Origin::Computed) } else { Kind::Unknown };
        let row = self.fresh(kind, name.as_str(), span, "the length of the current row");
        if let Some(var) = self.vars.get_mut(&row) {
            var.round = Round::RowOf(k);
        }
        iteration.rows.push((k, row, depth));
        row
    }

    /// A size for the current row where it is open what the row lengths are.
    fn open_row(&mut self, rows: LocalId, depth: u32, iteration: &mut Iteration, span: Span) -> LocalId {
        if let Some(known) = iteration.open_rows.iter().find(|r| r.0 == rows && r.2 == depth) {
            return known.1;
        }
        let row = self.free("n", span, "the length of the current row");
        if depth == 0 {
            self.one_inside(&Type::array(Dim::Size(Size::Local(row)), Type::I64), iteration.around);
        }
        if let Some(var) = self.vars.get_mut(&row) {
            var.round = Round::Anew;
        }
        iteration.open_rows.push((rows, row, depth));
        row
    }

    /// What was found of the current row, said of all rows.
    pub(super) fn close_open_rows(&mut self, iteration: &Iteration, span: Span) {
        for (rows, row, depth) in &iteration.open_rows {
            let found = self.norm_dim(&Dim::Size(Size::Local(*row)), true);
            let found = iteration.said_of_all(&found, *depth).map_or(found, |k| Dim::Jagged(Some(k)));
            let mode = if self.depends(&found, iteration) { Mode::Common } else { Mode::Strict };
            let vector = |dim: Dim| Type::array(Dim::Size(Size::Unknown), Type::array(dim, Type::I64));
            let (expected, found) = (vector(Dim::Size(Size::Local(*rows))), vector(found));
            if let Err(mismatch) = self.unify(&expected, &found, span, mode) {
                self.mismatch(span, "the rows", &expected, &found, mismatch);
            }
        }
    }

    /// Generators that advance together have one extent: known to be, or checked.
    fn equal_extents(&mut self, extents: &[Option<Size>], span: Span) {
        let known: Vec<&Size> = extents.iter().flatten().collect();
        for pair in known.windows(2) {
            let vector = |size: &Size| Type::array(Dim::Size(size.clone()), Type::I64);
            let (a, b) = (vector(pair[0]), vector(pair[1]));
            if let Err(mismatch) = self.unify(&a, &b, span, Mode::Checked) {
                self.extents_differ(span, mismatch);
            }
        }
    }

    /// The type of elements made one by one, as seen from outside the iteration: what depends on the iteration differs
    /// from row to row.
    pub(super) fn close_rows(
        &mut self,
        ty: &Type,
        iteration: &Iteration,
        aligned: bool,
        span: Span,
        exts: &mut Vec<LocalId>,
    ) -> Type {
        let mut made: Vec<(Dim, LocalId)> = Vec::new();
        let ty = walk::map_dims_at(ty, 0, &mut |dim, depth| {
            let dim = self.norm_dim(dim, true);
            if let (true, Some(k)) = (aligned, iteration.said_of_all(&dim, depth)) {
                return Dim::Jagged(Some(k));
            }
            let varies = match &dim {
                Dim::Jagged(Some(k)) => {
                    let made_here = self.is_unknown(*k) && k.0 as usize >= iteration.mark;
                    !aligned || made_here || iteration.names.contains(k)
                }
                Dim::Jagged(None) => true,
                Dim::Shape(_) => false,
                Dim::Size(Size::Unknown) => true,
                Dim::Size(Size::Local(l)) if self.is_open(*l) => {
                    let root = self.root(*l);
                    if aligned || self.rows(root) != Rows::MayDiffer {
                        return dim;
                    }
                    self.occurrences += 1;
                    let copy = Kind::Copy(root, self.occurrences);
                    return Dim::Size(Size::Local(self.fresh(copy, "n", span, "row lengths")));
                }
                Dim::Size(Size::Local(l)) => {
                    if let (true, Some((_, array))) = (aligned, iteration.through.iter().find(|t| t.0 == *l)) {
                        return Dim::Jagged(Some(*array));
                    }
                    self.depends(&dim, iteration)
                }
                Dim::Size(_) => self.depends(&dim, iteration),
            };
            if !varies {
                return dim;
            }
            let known = made.iter().find(|(d, _)| self.same_dim(d, &dim)).map(|m| m.1);
            let k = known.unwrap_or_else(|| {
                let k = self.unknown_function(span, "the lengths of rows that are computed one by one");
                made.push((dim.clone(), k));
                k
            });
            Dim::Jagged(Some(k))
        });
        exts.extend(made.into_iter().map(|m| m.1));
        ty
    }

    /// Whether a size changes from one iteration to the next.
    fn depends(&self, dim: &Dim, iteration: &Iteration) -> bool {
        let mut locals = Vec::new();
        walk::dim_locals(dim, &mut locals);
        let row = matches!(dim, Dim::Size(size) if self.has_row(size) || self.adds_up(size, &iteration.deep));
        row || locals
            .iter()
            .any(|l| iteration.names.contains(l) || (self.is_unknown(*l) && l.0 as usize >= iteration.mark))
    }
}
