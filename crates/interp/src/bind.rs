//! Patterns, `match` and loops: what binds variables to parts of a value.

use crate::code::*;
use crate::data::{Constr, Value};
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use scalar::Scalar;
use std::rc::Rc;
use typed::matching::Mode;

impl Machine<'_> {
    /// The body of the case that matches.
    #[inline(never)]
    pub fn choose<'c>(&mut self, code: &'c MatchCode) -> Eval<&'c Node> {
        let value = self.eval(&code.value)?;
        match code.cases.iter().find(|(pat, _)| matches(pat, &value)) {
            Some((pat, body)) => {
                self.bind(pat, value)?;
                Ok(body)
            }
            None => Err(faults::internal(&format!("no case matches {}", value.describe()), code.span)),
        }
    }

    /// Binds the variables of a pattern that matches the value.
    pub fn bind(&mut self, pat: &PatCode, value: Value) -> Eval<()> {
        match pat {
            PatCode::Wild | PatCode::Literal(_) => {}
            PatCode::Bind(slot) => self.set(*slot, value),
            PatCode::Record(fields) => self.bind_fields(fields, value)?,
            PatCode::Constr(_, args) => {
                if let Value::Constr(constr) = value {
                    let values = match Rc::try_unwrap(constr) {
                        Ok(constr) => constr.args,
                        Err(shared) => shared.args.clone(),
                    };
                    for (pat, value) in args.iter().zip(values) {
                        self.bind(pat, value)?;
                    }
                }
            }
            PatCode::Sized(inner, sizes, span) => {
                self.match_sizes(sizes, &value, Mode::Full, *span)?;
                let mut value = value;
                self.fit_missing_rows(sizes, &mut value);
                self.bind(inner, value)?;
            }
        }
        Ok(())
    }

    fn bind_fields(&mut self, pats: &[(usize, PatCode)], value: Value) -> Eval<()> {
        let Value::Record(mut fields) = value else {
            return Ok(());
        };
        match Rc::get_mut(&mut fields) {
            Some(fields) => {
                for (place, pat) in pats {
                    self.bind(pat, std::mem::take(&mut fields[*place]))?;
                }
            }
            None => {
                for (place, pat) in pats {
                    self.bind(pat, fields[*place].clone())?;
                }
            }
        }
        Ok(())
    }

    /// Takes the value that a pattern bound back out of its slots.
    fn unbind(&mut self, pat: &PatCode) -> Value {
        match pat {
            PatCode::Wild => Value::Unset,
            PatCode::Bind(slot) => self.take(*slot),
            PatCode::Literal(x) => Value::Scalar(*x),
            PatCode::Record(fields) => {
                let mut values = vec![Value::Unset; fields.len()];
                for (place, pat) in fields {
                    values[*place] = self.unbind(pat);
                }
                Value::Record(values.into())
            }
            PatCode::Constr(name, args) => {
                let args = args.iter().map(|p| self.unbind(p)).collect();
                Value::Constr(Rc::new(Constr { name: *name, args }))
            }
            PatCode::Sized(inner, _, _) => self.unbind(inner),
        }
    }

    pub fn eval_loop(&mut self, code: &LoopCode) -> Eval<Value> {
        let mut value = self.eval(&code.init)?;
        match &code.form {
            LoopForm::For(slot, limit) => {
                let limit = self.eval(limit)?;
                let Some((limit, turns)) = limit.as_scalar().and_then(|x| Some((x, x.as_int()?))) else {
                    return Err(faults::internal("a loop bound that is no integer", code.span));
                };
                let mut i: i128 = 0;
                while i < turns {
                    self.turn(code, value)?;
                    self.set(*slot, Value::Scalar(Scalar::from_i128(limit.prim(), i)));
                    value = self.eval(&code.body)?;
                    i += 1;
                }
                Ok(value)
            }
            LoopForm::ForIn(pat, array) => {
                let array = self.eval(array)?;
                let Value::Array(array) = array else {
                    return Err(faults::internal("a loop over no array", code.span));
                };
                for i in 0..array.len {
                    self.turn(code, value)?;
                    self.bind(pat, array.get(i))?;
                    value = self.eval(&code.body)?;
                }
                Ok(value)
            }
            LoopForm::While(cond) => loop {
                self.turn(code, value)?;
                if !self.condition(cond)? {
                    return Ok(self.unbind(&code.pat));
                }
                value = self.eval(&code.body)?;
            },
        }
    }

    /// Binds the loop value for one turn.
    fn turn(&mut self, code: &LoopCode, value: Value) -> Eval<()> {
        code.sizes.iter().for_each(|slot| self.set(*slot, Value::Unset));
        self.bind(&code.pat, value)
    }
}

/// Whether a value has the form that a pattern asks for.
fn matches(pat: &PatCode, value: &Value) -> bool {
    match (pat, value) {
        (PatCode::Wild | PatCode::Bind(_), _) => true,
        (PatCode::Sized(inner, _, _), value) => matches(inner, value),
        (PatCode::Literal(x), Value::Scalar(y)) => x == y,
        (PatCode::Record(pats), Value::Record(fields)) => pats.iter().all(|(i, pat)| matches(pat, &fields[*i])),
        (PatCode::Constr(name, pats), Value::Constr(constr)) => {
            *name == constr.name && pats.iter().zip(&constr.args).all(|(p, v)| matches(p, v))
        }
        (PatCode::Literal(_) | PatCode::Record(_) | PatCode::Constr(..), _) => false,
    }
}
