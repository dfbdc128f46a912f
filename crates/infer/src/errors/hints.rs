//! What to do about types that do not agree.

use crate::Checker;
use base::Span;
use scalar::Prim;
use typed::{Dim, Expr, ExprKind, FunType, Type};

/// Why `for x in xs` needs an array.
pub(crate) const IN_ARRAY: &str = "`in` runs over the elements of an array";
/// Why a shape is no number.
pub(crate) const SHAPE_IS_VECTOR: &str = "a shape is a vector of `i64`";

impl Checker<'_> {
    /// How to get from the type found to the one that is wanted.
    pub(super) fn conversion(&self, wanted: &Type, found: &Type) -> Option<String> {
        let (wanted, found) = (self.metas.shallow(wanted), self.metas.shallow(found));
        match (&wanted, &found) {
            (Type::Prim(w), Type::Prim(f)) if w != f => Some(format!("convert it: `{}.{} (...)`", w.name(), f.name())),
            (Type::Prim(p), Type::Array(Dim::Shape(_), elem)) if matches!(&**elem, Type::Prim(q) if p == q) => {
                Some(format!("if it always is a single `{0}`, write `e :> {0}`, which checks that", p.name()))
            }
            (Type::Prim(_), Type::Array(..)) => Some("index the array, or `map` over it".into()),
            (Type::Array(..), Type::Prim(_)) => Some("an array of one element is written `[x]`".into()),
            (Type::Array(..), Type::Array(..)) => self.array_conversion(&wanted, &found),
            (Type::Prim(_) | Type::Array(..) | Type::Record(_) | Type::Sum(_), Type::Fun(fun)) => {
                Some(self.missing_argument(fun))
            }
            _ => None,
        }
    }

    /// `[i for i in n]` and `array n { ... }`, where `n` is a number.
    pub(super) fn number_for_array(&self, why: &str, found: &Type, span: Span) -> Option<String> {
        let Type::Prim(prim) = self.metas.shallow(found) else { return None };
        let text = self.sources.slice(span);
        match why {
            IN_ARRAY if prim.is_int() => Some(format!("to count from 0 to {text} - 1 write `i < {text}`")),
            // Types write `[n][m]`.
            SHAPE_IS_VECTOR if text.starts_with('[') && text.contains("][") => {
                Some(format!("for several dimensions write `{}`", text.replace("][", ", ")))
            }
            SHAPE_IS_VECTOR => Some(format!("for one dimension write `[{text}]`")),
            _ => None,
        }
    }

    fn array_conversion(&self, wanted: &Type, found: &Type) -> Option<String> {
        let ((want, want_elem), (have, have_elem)) = (self.metas.spine(wanted), self.metas.spine(found));
        match want.len().cmp(&have.len()) {
            std::cmp::Ordering::Less => Some("take one row, such as `a[i]`, or `map` over the rows".into()),
            std::cmp::Ordering::Greater => {
                Some("give an array of rows, such as `[[1, 2], [3, 4]]`; an array with one row is written `[a]`".into())
            }
            std::cmp::Ordering::Equal => match (self.metas.shallow(&want_elem), self.metas.shallow(&have_elem)) {
                (Type::Prim(w), Type::Prim(f)) if w != f && want.len() == 1 => {
                    Some(format!("convert each element: `map {}.{} xs`", w.name(), f.name()))
                }
                (Type::Prim(w), Type::Prim(f)) if w != f => {
                    Some(format!("convert each element, with `map` and `{}.{}`", w.name(), f.name()))
                }
                _ => None,
            },
        }
    }

    /// "both are arrays": how many dimensions each of them has.
    pub(super) fn ranks(&self, wanted: &Type, found: &Type) -> Option<String> {
        let (want, have) = (self.metas.spine(wanted).0.len(), self.metas.spine(found).0.len());
        let known = !self.show(wanted).contains("..") && !self.show(found).contains("..");
        let count = |n: usize| if n == 1 { "1 dimension".to_string() } else { format!("{n} dimensions") };
        (known && want != have && want > 0 && have > 0)
            .then(|| format!("`{}` has {}, `{}` has {}", self.show(wanted), count(want), self.show(found), count(have)))
    }

    /// For a function where its result was meant.
    pub(super) fn missing_argument(&self, fun: &FunType) -> String {
        let mut missing = Vec::new();
        let mut next = Some(fun.clone());
        while let Some(fun) = next {
            let ty = self.show(&fun.param);
            missing.push(match fun.name {
                Some(name) => format!("`{}: {ty}`", self.program.locals[name].name),
                None => format!("one of type `{ty}`"),
            });
            next = match self.metas.shallow(&fun.ret.ty) {
                Type::Fun(fun) => Some((*fun).clone()),
                _ => None,
            };
        }
        match missing.as_slice() {
            [one] => format!("this is a function: the argument {one} is missing"),
            many => format!("this is a function: the arguments {} are missing", many.join(" and ")),
        }
    }

    /// `map f a` where the rank of `a` is not known.
    pub(super) fn any_rank(&self, fun: &Expr, found: &Type) -> Option<String> {
        let ExprKind::Global(def, _) = &*fun.kind else { return None };
        let def = &self.program.defs[*def];
        let (dims, _) = self.metas.spine(found);
        let maps = matches!(def.name.as_str(), "map" | "map2") && self.is_std_span(def.span);
        (maps && matches!(dims.first(), Some(typed::Dim::Shape(_)))).then(|| {
            format!("for arrays of any rank there is `generic.{}`, and operators work on them: `a + 1`", def.name)
        })
    }

    /// `map (- 1) xs`: the section of subtraction that is not there.
    pub(super) fn negated(&self, wanted: &Type, arg: &Expr) -> Option<String> {
        let amount = self.sources.slice(arg.span).trim_start_matches('(').strip_prefix('-')?.trim_end_matches(')');
        let wants_function = matches!(self.metas.shallow(wanted), Type::Fun(_));
        let amount = amount.trim();
        wants_function
            .then(|| format!("`(- {amount})` is a number; a function that subtracts is `(\\x -> x - {amount})`"))
    }

    /// A tuple where the function takes one argument after the other: how to write it.
    pub(crate) fn curried(&self, fun: &Expr, index: usize, arg: &Expr) -> Option<String> {
        let ExprKind::Record(fields) = &*arg.kind else { return None };
        arg.ty.as_tuple().filter(|t| t.len() > 1)?;
        let mut params = 0;
        let mut ty = self.metas.shallow(&fun.ty);
        while let Type::Fun(f) = ty {
            params += 1;
            ty = self.metas.shallow(&f.ret.ty);
        }
        if index > 0 || params < fields.len() {
            return None;
        }
        let text: Vec<String> = fields.iter().map(|f| self.argument_text(f.1.span)).collect();
        Some(format!(
            "arguments follow the function, without commas: `{} {}`",
            self.sources.slice(fun.span),
            text.join(" ")
        ))
    }

    /// Which of two operands to convert: the one whose type the other's can hold.
    pub(super) fn widening(&self, a: Prim, b: Prim) -> String {
        let weight = |p: Prim| (p.is_float(), p.is_int(), p.bytes(), p.name().starts_with('i'));
        let (to, from) = if weight(a) >= weight(b) { (a, b) } else { (b, a) };
        format!("convert the `{}`: `{}.{} (...)`", from.name(), to.name(), from.name())
    }
}
