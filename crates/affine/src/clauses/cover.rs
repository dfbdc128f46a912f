//! Elements of a large array that nothing defines.

use super::{Array, Fault, Form, Prepared};
use crate::boxes::{Coverage, StridedBox, first_gap};
use crate::progression::Progression;
use crate::range::Range;
use crate::solve::gcd;
use crate::space::Loop;

/// The first element outside everything the clauses may define.
pub(super) fn gap(array: &Array) -> Option<Fault> {
    let regions: Vec<StridedBox> = array.clauses.iter().filter_map(|clause| region(array.shape, clause)).collect();
    match first_gap(array.shape, &regions) {
        Coverage::Gap(element) => Some(Fault::Gap { element }),
        Coverage::Full | Coverage::Unknown => None,
    }
}

/// A box with every element the clause may define, and no others if there are no guards and each
/// dimension has a loop variable of its own. `None` if the clause can define nothing inside the shape.
pub(super) fn region(shape: &[i64], clause: &Prepared) -> Option<StridedBox> {
    let sides = clause.subscript.iter().zip(shape).map(|(form, extent)| {
        let whole = Progression::interval(0, *extent)?;
        match form.as_ref().and_then(|form| values(form, clause.loops)) {
            Some(side) => side.intersect(&whole),
            None => Some(whole),
        }
    });
    Some(StridedBox::new(sides.collect::<Option<_>>()?))
}

/// A progression with every value of the form; `None` if it does not fit.
fn values(form: &Form, loops: &[Loop]) -> Option<Progression> {
    if let [(variable, coefficient)] = form.terms() {
        return Progression::image(loops.get(variable.0)?, *coefficient, form.constant_part());
    }
    let range = Range::of_linear(form, |v| loops.get(v.0).map_or(Range::ALL, Loop::range));
    let (lo, hi) = range.lo.zip(range.hi)?;
    let strides = form.terms().iter().map(|(v, c)| Some(i128::from(*c) * i128::from(loops.get(v.0)?.step())));
    let stride = strides.collect::<Option<Vec<_>>>()?.into_iter().fold(0, gcd);
    let stride = i64::try_from(stride.max(1)).ok()?;
    Progression::new(lo, stride, (hi.checked_sub(lo)? / stride).checked_add(1)?)
}
