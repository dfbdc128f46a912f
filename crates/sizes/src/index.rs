//! Indexing, slicing and `with`.

use super::canon;
use super::cx::Cx;
use super::demand::Rows;
use super::unify::Mode;
use super::vars::Kind;
use base::Span;
use scalar::BinOp;
use typed::{Dim, Expr, Index, LocalId, Size, Step, Type, size, walk};

/// What to do about the size of a slice that no expression says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slices {
    /// It is a new unknown size.
    Exact,
    /// It is open: the value written there decides.
    Open,
}

impl Cx<'_> {
    /// Checks the expressions in indices.
    pub(super) fn indices(&mut self, indices: &mut [Index]) {
        for index in indices {
            match index {
                Index::At(e) | Index::Vector(e) => self.expr(e),
                Index::Slice { start, end, stride, span: _ } => {
                    [start, end, stride].into_iter().flatten().for_each(|e| self.expr(e));
                }
            }
        }
    }

    /// The type of `a[indices]`.
    pub(super) fn index(
        &mut self,
        array: &Type,
        indices: &[Index],
        template: &Type,
        span: Span,
    ) -> (Type, Vec<LocalId>) {
        let array = self.norm(array);
        if indices.iter().any(|i| matches!(i, Index::Vector(_))) {
            return self.vector_index(&array, template, span);
        }
        let mut exts = Vec::new();
        let ty = self.slice_type(&array, indices, Slices::Exact, span, &mut exts);
        (ty, exts)
    }

    /// A vector index takes away the outer dimensions; how many, pass 1 has said.
    fn vector_index(&mut self, array: &Type, template: &Type, span: Span) -> (Type, Vec<LocalId>) {
        let ((dims, elem), (kept, _)) = (walk::spine(array), walk::spine(template));
        if dims.len() >= kept.len() && !dims.iter().chain(&kept).any(|d| matches!(d, Dim::Shape(_))) {
            return self.row_type(&walk::wrap(dims[dims.len() - kept.len()..].to_vec(), elem), None, span);
        }
        let mut exts = Vec::new();
        let dims = kept.iter().map(|dim| match dim {
            Dim::Shape(_) => {
                let s = self.unknown("s", span, "the shape of what the index selects");
                exts.push(s);
                Dim::Shape(typed::Shape::Local(s))
            }
            Dim::Size(_) | Dim::Jagged(_) => {
                let n = self.unknown("n", span, "a size of what the index selects");
                exts.push(n);
                Dim::Size(Size::Local(n))
            }
        });
        let dims: Vec<Dim> = dims.collect();
        (walk::wrap(dims, elem), exts)
    }

    fn slice_type(
        &mut self,
        array: &Type,
        indices: &[Index],
        slices: Slices,
        span: Span,
        exts: &mut Vec<LocalId>,
    ) -> Type {
        let (dims, elem) = walk::spine(array);
        let mut kept = Vec::new();
        let mut taken = false;
        for (dim, index) in dims.iter().zip(indices) {
            match index {
                Index::At(_) | Index::Vector(_) => taken = true,
                Index::Slice { start, end, stride, span: _ } => {
                    let size = match dim {
                        Dim::Size(size) if slices == Slices::Exact => self.slice_size(size, start, end, stride, span),
                        Dim::Size(_) | Dim::Jagged(_) | Dim::Shape(_) => None,
                    };
                    kept.push(match (size, slices) {
                        (Some(size), _) => Dim::Size(size),
                        (None, Slices::Open) => Dim::Size(Size::Local(self.free("n", span, "the size of the slice"))),
                        (None, Slices::Exact) => {
                            let n = self.unknown("n", span, "the size of the slice");
                            exts.push(n);
                            Dim::Size(Size::Local(n))
                        }
                    });
                }
            }
        }
        let rest = dims.get(indices.len()..).unwrap_or(&[]).to_vec();
        let sliced = !kept.is_empty();
        let ty = walk::wrap(rest, elem);
        let ty = if !self.ravel {
            ty
        } else if taken && !sliced && slices == Slices::Exact {
            let at = self.index_key(indices);
            let (ty, more) = self.row_type(&ty, at.as_deref(), span);
            exts.extend(more);
            ty
        } else if sliced {
            self.other_rows(&ty, span, exts)
        } else {
            ty
        };
        walk::wrap(kept, ty)
    }

    /// Slicing takes some of the rows: their lengths are no longer those of all rows.
    fn other_rows(&mut self, ty: &Type, span: Span, exts: &mut Vec<LocalId>) -> Type {
        walk::map_dims(ty, true, &mut |dim, under| match self.norm_dim(dim, under) {
            Dim::Jagged(_) => {
                let k = self.unknown_function(span, "the lengths of the rows selected");
                exts.push(k);
                Dim::Jagged(Some(k))
            }
            dim @ (Dim::Size(_) | Dim::Shape(_)) => dim,
        })
    }

    /// A text that is equal for indices that select the same row.
    fn index_key(&self, indices: &[Index]) -> Option<String> {
        let keys = indices.iter().map(|index| match index {
            Index::At(e) if !canon::has_binding(e) => Some(canon::key(e, &self.definitions)),
            Index::At(_) | Index::Vector(_) | Index::Slice { .. } => None,
        });
        keys.collect::<Option<Vec<String>>>().map(|keys| keys.join(","))
    }

    /// The length of a row selected: the same row has the same length each time.
    fn selected_length(&mut self, k: Option<LocalId>, at: Option<&str>, span: Span) -> LocalId {
        let key = k.zip(at);
        let known = key.and_then(|(k, at)| {
            let same = |s: &&(LocalId, String, LocalId)| s.0 == k && s.1 == at;
            self.selected.iter().rev().find(same).map(|s| s.2)
        });
        // A size made further inside is not known here.
        if let Some(n) = known.filter(|n| self.vars.get(n).is_some_and(|v| v.level <= self.level)) {
            return n;
        }
        let n = self.unknown("n", span, "the length of the row selected");
        if let Some((k, at)) = key {
            self.selected.push((k, at.to_string(), n));
        }
        n
    }

    /// One row of an array: where rows differ, it has a length of its own. `at` says which row it is.
    pub(super) fn row_type(&mut self, row: &Type, at: Option<&str>, span: Span) -> (Type, Vec<LocalId>) {
        let mut exts = Vec::new();
        if !self.ravel {
            return (row.clone(), exts);
        }
        let ty = walk::map_dims(row, false, &mut |dim, under| {
            let dim = self.norm_dim(dim, true);
            match &dim {
                Dim::Jagged(_) if under => {
                    let k = self.unknown_function(span, "row lengths inside the row selected");
                    exts.push(k);
                    Dim::Jagged(Some(k))
                }
                Dim::Jagged(k) => {
                    let n = self.selected_length(*k, at, span);
                    exts.push(n);
                    Dim::Size(Size::Local(n))
                }
                Dim::Size(Size::Local(l)) if self.is_open(*l) && self.rows(self.root(*l)) == Rows::MayDiffer => {
                    self.occurrences += 1;
                    let copy = Kind::Copy(self.root(*l), self.occurrences);
                    Dim::Size(Size::Local(self.fresh(copy, "n", span, "the length of the row selected")))
                }
                Dim::Size(_) | Dim::Shape(_) => dim,
            }
        });
        (ty, exts)
    }

    fn slice_size(
        &mut self,
        size: &Size,
        start: &Option<Expr>,
        end: &Option<Expr>,
        stride: &Option<Expr>,
        span: Span,
    ) -> Option<Size> {
        let constant = |e: &Option<Expr>| {
            e.as_ref().map(|e| match size::from_expr(e) {
                Size::Const(n) => Some(n),
                Size::Local(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown => None,
            })
        };
        let size_of = |e: &Option<Expr>| e.as_ref().map(|e| self.size_of(e));
        let minus = |a: Size, b: Size| Some(canon::combine(BinOp::Sub, &a, &b, span));
        match (constant(start), constant(stride)) {
            (None | Some(Some(0)), None | Some(Some(1))) => match size_of(end) {
                None => Some(size.clone()),
                Some(end) => end,
            },
            (Some(_), None | Some(Some(1))) => {
                let from = size_of(start)??;
                let to = match size_of(end) {
                    None => size.clone(),
                    Some(end) => end?,
                };
                minus(to, from)
            }
            (None, Some(Some(-1))) if end.is_none() => Some(size.clone()),
            (Some(_), Some(Some(-1))) if end.is_some() => minus(size_of(start)??, size_of(end)??),
            _ => None,
        }
    }

    /// `source with path = value`.
    pub(super) fn with(&mut self, source: &mut Expr, path: &mut [Step], value: &mut Expr, span: Span) -> Type {
        self.expr(source);
        for step in path.iter_mut() {
            match step {
                Step::Field(_) => {}
                Step::Index(indices) => self.indices(indices),
            }
        }
        self.expr(value);
        let ty = self.norm(&source.ty);
        if path.iter().all(|s| matches!(s, Step::Field(_))) {
            return replace_field(&ty, path, &value.ty);
        }
        let mut target = ty.clone();
        let mut exts = Vec::new();
        for step in path.iter() {
            target = match (step, &target) {
                (Step::Field(name), Type::Record(fields)) => {
                    fields.iter().find(|f| f.0 == *name).map_or(Type::Error, |f| f.1.clone())
                }
                (Step::Field(_), _) => Type::Error,
                (Step::Index(indices), _) if indices.iter().any(|i| matches!(i, Index::Vector(_))) => {
                    self.vector_index(&target, &value.ty.clone(), span).0
                }
                (Step::Index(indices), _) => self.slice_type(&target, indices, Slices::Open, span, &mut exts),
            };
        }
        let found = self.norm(&value.ty);
        let mode = if self.ravel { Mode::Checked } else { Mode::Strict };
        if let Err(mismatch) = self.unify(&target, &found, value.span, mode) {
            self.mismatch(value.span, "what is replaced", &target, &found, mismatch);
        }
        self.norm(&ty)
    }
}

/// The record type with one field, deep inside, of another type.
fn replace_field(ty: &Type, path: &[Step], new: &Type) -> Type {
    let Some((Step::Field(name), rest)) = path.split_first() else { return new.clone() };
    match ty {
        Type::Record(fields) => {
            let replaced =
                |(n, t): &(base::Name, Type)| (*n, if n == name { replace_field(t, rest, new) } else { t.clone() });
            Type::Record(fields.iter().map(replaced).collect())
        }
        other => other.clone(),
    }
}
