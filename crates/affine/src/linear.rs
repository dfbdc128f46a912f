//! Linear forms `c + k1*s1 + k2*s2 + ...` over symbols of any ordered type.
//!
//! A form is canonical: terms are sorted by symbol and no coefficient is zero, so two forms are
//! equal as values exactly when they are equal as polynomials. That makes them usable as map keys
//! and as sizes in types. Arithmetic is checked: a result that does not fit gives `None`.

use std::fmt;

/// A canonical linear form with integer coefficients.
///
/// ```
/// use affine::Linear;
/// let n = Linear::symbol("n");
/// let e = n.add(&n).unwrap().add_constant(-1).unwrap();
/// assert_eq!(e.display(|s| s.to_string()).to_string(), "2*n - 1");
/// assert_eq!(e.eval(|_| Some(10)), Some(19));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Linear<S> {
    terms: Vec<(S, i64)>,
    constant: i64,
}

impl<S> From<i64> for Linear<S> {
    fn from(constant: i64) -> Self {
        Linear { terms: Vec::new(), constant }
    }
}

impl<S> Linear<S> {
    /// The form that is always `value`.
    pub fn constant(value: i64) -> Self {
        Linear::from(value)
    }

    /// The form that is just the symbol `symbol`.
    pub fn symbol(symbol: S) -> Self {
        Linear { terms: vec![(symbol, 1)], constant: 0 }
    }

    /// The part without symbols.
    pub fn constant_part(&self) -> i64 {
        self.constant
    }

    /// The terms, sorted by symbol; no coefficient is zero.
    pub fn terms(&self) -> &[(S, i64)] {
        &self.terms
    }

    /// The symbols that occur, in order.
    pub fn symbols(&self) -> impl Iterator<Item = &S> {
        self.terms.iter().map(|(symbol, _)| symbol)
    }

    /// The value, if no symbol occurs.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The symbol, if the form is exactly one symbol with coefficient 1 and no constant.
    pub fn as_symbol(&self) -> Option<&S> {
        match self.terms.as_slice() {
            [(symbol, 1)] if self.constant == 0 => Some(symbol),
            _ => None,
        }
    }

    /// The value under `lookup`; `None` if a symbol has no value or the result does not fit.
    pub fn eval(&self, mut lookup: impl FnMut(&S) -> Option<i64>) -> Option<i64> {
        // Wide intermediates: a sum may leave the range of i64 and come back.
        let mut total = i128::from(self.constant);
        for (symbol, coefficient) in &self.terms {
            let term = i128::from(*coefficient) * i128::from(lookup(symbol)?);
            total = total.checked_add(term)?;
        }
        i64::try_from(total).ok()
    }

    /// `-self`.
    pub fn neg(&self) -> Option<Self>
    where
        S: Clone,
    {
        self.scale(-1)
    }

    /// `factor * self`.
    pub fn scale(&self, factor: i64) -> Option<Self>
    where
        S: Clone,
    {
        if factor == 0 {
            return Some(Linear::constant(0));
        }
        let scaled = |(symbol, coefficient): &(S, i64)| Some((symbol.clone(), coefficient.checked_mul(factor)?));
        let terms = self.terms.iter().map(scaled).collect::<Option<Vec<_>>>()?;
        Some(Linear { terms, constant: self.constant.checked_mul(factor)? })
    }

    /// `self + value`.
    pub fn add_constant(&self, value: i64) -> Option<Self>
    where
        S: Clone,
    {
        Some(Linear { terms: self.terms.clone(), constant: self.constant.checked_add(value)? })
    }

    /// A value that prints the form, each symbol as `print` says.
    pub fn display<P: Fn(&S) -> String>(&self, print: P) -> Display<'_, S, P> {
        Display { form: self, print }
    }
}

impl<S: Clone + Ord> Linear<S> {
    /// The sum of `coefficient * symbol` over `terms` (in any order, with repetitions) and a constant.
    pub fn from_terms(terms: impl IntoIterator<Item = (S, i64)>, constant: i64) -> Option<Self> {
        let mut terms: Vec<(S, i64)> = terms.into_iter().collect();
        terms.sort_by(|a, b| a.0.cmp(&b.0));
        let mut merged: Vec<(S, i64)> = Vec::with_capacity(terms.len());
        for (symbol, coefficient) in terms {
            match merged.last_mut() {
                Some(last) if last.0 == symbol => last.1 = last.1.checked_add(coefficient)?,
                _ => merged.push((symbol, coefficient)),
            }
        }
        merged.retain(|(_, coefficient)| *coefficient != 0);
        Some(Linear { terms: merged, constant })
    }

    /// The coefficient of `symbol`, zero if it does not occur.
    pub fn coefficient(&self, symbol: &S) -> i64 {
        self.position(symbol).map_or(0, |at| self.terms[at].1)
    }

    /// Whether `symbol` occurs.
    pub fn mentions(&self, symbol: &S) -> bool {
        self.position(symbol).is_some()
    }

    /// `self + other`.
    pub fn add(&self, other: &Self) -> Option<Self> {
        let terms = self.terms.iter().chain(&other.terms).cloned();
        Self::from_terms(terms, self.constant.checked_add(other.constant)?)
    }

    /// `self - other`.
    pub fn sub(&self, other: &Self) -> Option<Self> {
        let mut terms = self.terms.clone();
        for (symbol, coefficient) in &other.terms {
            terms.push((symbol.clone(), coefficient.checked_neg()?));
        }
        Self::from_terms(terms, self.constant.checked_sub(other.constant)?)
    }

    /// `self * other`, if one of them is constant (the product is not linear otherwise).
    pub fn mul(&self, other: &Self) -> Option<Self> {
        match (self.as_constant(), other.as_constant()) {
            (Some(factor), _) => other.scale(factor),
            (None, Some(factor)) => self.scale(factor),
            (None, None) => None,
        }
    }

    /// The form with every occurrence of `symbol` replaced by `value`.
    pub fn substitute(&self, symbol: &S, value: &Self) -> Option<Self> {
        let Some(at) = self.position(symbol) else { return Some(self.clone()) };
        let mut rest = self.clone();
        let (_, coefficient) = rest.terms.remove(at);
        rest.add(&value.scale(coefficient)?)
    }

    /// The form with every symbol replaced at once by what `value` says.
    pub fn map<T: Clone + Ord>(&self, mut value: impl FnMut(&S) -> Option<Linear<T>>) -> Option<Linear<T>> {
        let mut result = Linear::constant(self.constant);
        for (symbol, coefficient) in &self.terms {
            result = result.add(&value(symbol)?.scale(*coefficient)?)?;
        }
        Some(result)
    }

    /// Solves `self == 0` for `symbol`, if its coefficient is 1 or -1: the form equal to the symbol.
    ///
    /// ```
    /// use affine::Linear;
    /// let (n, m) = (Linear::symbol('n'), Linear::symbol('m'));
    /// let difference = m.sub(&n).unwrap().add_constant(3).unwrap(); // m - n + 3 == 0
    /// assert_eq!(difference.isolate(&'n'), m.add_constant(3));
    /// ```
    pub fn isolate(&self, symbol: &S) -> Option<Self> {
        let at = self.position(symbol)?;
        let mut rest = self.clone();
        match rest.terms.remove(at).1 {
            1 => rest.neg(),
            -1 => Some(rest),
            _ => None,
        }
    }

    fn position(&self, symbol: &S) -> Option<usize> {
        self.terms.binary_search_by(|(s, _)| s.cmp(symbol)).ok()
    }
}

/// Prints a [`Linear`]: made by [`Linear::display`].
pub struct Display<'a, S, P> {
    form: &'a Linear<S>,
    print: P,
}

impl<S, P: Fn(&S) -> String> fmt::Display for Display<'_, S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (symbol, coefficient) in &self.form.terms {
            sign(f, first, *coefficient < 0)?;
            if coefficient.unsigned_abs() != 1 {
                write!(f, "{}*", coefficient.unsigned_abs())?;
            }
            f.write_str(&(self.print)(symbol))?;
            first = false;
        }
        if first || self.form.constant != 0 {
            sign(f, first, self.form.constant < 0)?;
            write!(f, "{}", self.form.constant.unsigned_abs())?;
        }
        Ok(())
    }
}

fn sign(f: &mut fmt::Formatter<'_>, first: bool, negative: bool) -> fmt::Result {
    f.write_str(match (first, negative) {
        (true, true) => "-",
        (true, false) => "",
        (false, true) => " - ",
        (false, false) => " + ",
    })
}

impl<S: fmt::Display> fmt::Display for Linear<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(|symbol| symbol.to_string()).fmt(f)
    }
}
