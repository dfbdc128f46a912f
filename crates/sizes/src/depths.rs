//! A size function belongs to one level of nesting.
//!
//! In `[n][~k]t` the function `k` gives `n` row lengths, in `[n][~k][~l]t` the function `l` gives one for every row of
//! every row. Constraints may bring one function to two levels: in `map (\xss -> map2 (map2 (+)) xss yss) xsss` every
//! `xss` has the row lengths of `yss`. From outside these are two functions, and what relates them is checked at run time.

use super::cx::Cx;
use super::demand::Rows;
use super::vars::{Kind, Origin};
use base::Span;
use typed::{Dim, LocalId, Param, PatKind, Size, Type, walk};

/// Which function is used for which one at another level.
struct Levels {
    /// The level at which a function was met first.
    first: Vec<(LocalId, u32)>,
    /// What is used for it at other levels.
    others: Vec<(LocalId, u32, LocalId)>,
}

impl Cx<'_> {
    /// Parts the size functions of a function's type that stand at several levels; gives the type of the result.
    pub(super) fn separate_levels(&mut self, params: &mut [Param], ret: &Type, span: Span) -> Type {
        if !self.ravel {
            return ret.clone();
        }
        let mut levels = Levels { first: Vec::new(), others: Vec::new() };
        for param in params.iter_mut() {
            param.pat.for_each_mut(&mut |p| {
                p.ty = self.at_levels(&p.ty, &mut levels, true, span);
                if let PatKind::Ascribe(_, written) = &mut p.kind {
                    *written = self.at_levels(written, &mut levels, true, span);
                }
            });
        }
        self.at_levels(ret, &mut levels, false, span)
    }

    fn at_levels(&mut self, ty: &Type, levels: &mut Levels, given: bool, span: Span) -> Type {
        let ty = self.norm(ty);
        walk::map_dims_at(&ty, 0, &mut |dim, depth| {
            let function = match dim {
                Dim::Jagged(Some(k)) => *k,
                Dim::Size(Size::Local(l)) if depth > 0 && self.is_open(*l) && self.rows(*l) == Rows::MayDiffer => *l,
                Dim::Size(_) | Dim::Jagged(None) | Dim::Shape(_) => return dim.clone(),
            };
            match levels.first.iter().find(|f| f.0 == function) {
                None => levels.first.push((function, depth)),
                Some((_, first)) if *first == depth => {}
                Some(_) => return Dim::Jagged(Some(self.at_level(function, depth, levels, given, span))),
            }
            dim.clone()
        })
    }

    fn at_level(&mut self, k: LocalId, depth: u32, levels: &mut Levels, given: bool, span: Span) -> LocalId {
        if let Some((_, _, known)) = levels.others.iter().find(|o| o.0 == k && o.1 == depth) {
            return *known;
        }
        let new = if given {
            self.given_function(span)
        } else {
            self.unknown_function(span, "row lengths of the result, known only at run time")
        };
        levels.others.push((k, depth, new));
        new
    }

    /// Row lengths that a caller gives and that have no name yet.
    pub(super) fn given_function(&mut self, span: Span) -> LocalId {
        let new = self.fresh(Kind::Function(Origin::Anonymous), "k", span, "the row lengths of a parameter");
        let rows = self.unknown("n", span, "the number of rows");
        self.types.insert(new, super::scheme::Scheme::plain(Type::array(Dim::Size(Size::Local(rows)), Type::I64)));
        new
    }
}
