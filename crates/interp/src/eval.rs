//! Evaluating expressions.

use crate::code::*;
use crate::column::{Array, Column};
use crate::error::Eval;
use crate::faults;
use crate::last_use::is_place;
use crate::lift;
use crate::machine::Machine;
use crate::matching::Mode;
use crate::val::{Closure, Constr, Fun, Value};
use base::Span;
use scalar::Scalar;
use std::rc::Rc;

impl Machine<'_> {
    /// The value of an expression. Bodies of `let` and branches are reached by looping, not by recursion.
    pub fn eval(&mut self, node: &Node) -> Eval<Value> {
        let mut node = node;
        loop {
            node = match node {
                Node::Let(code) => {
                    self.eval_let(code)?;
                    &code.body
                }
                Node::If(parts) => {
                    if self.condition(&parts.0)? {
                        &parts.1
                    } else {
                        &parts.2
                    }
                }
                Node::Assert(code) => {
                    if !self.condition(&code.cond)? {
                        return Err(faults::assertion(&code.text, code.span));
                    }
                    &code.body
                }
                Node::Match(code) => self.choose(code)?,
                Node::LetRec(code) => {
                    self.let_rec(code)?;
                    &code.body
                }
                _ => return self.eval_plain(node),
            }
        }
    }

    /// The commonest expressions, kept apart from the others so that a deep recursion takes little stack.
    fn eval_plain(&mut self, node: &Node) -> Eval<Value> {
        match node {
            Node::Const(value) => Ok(value.clone()),
            Node::Read(read, span) => self.read(*read, *span),
            Node::Binary(op, pair, span) => {
                let left = self.eval(&pair.0)?;
                let right = self.eval(&pair.1)?;
                match (&left, &right) {
                    (Value::Scalar(x), Value::Scalar(y)) => match scalar::eval_bin(*op, *x, *y) {
                        Ok(z) => Ok(Value::Scalar(z)),
                        Err(error) => Err(faults::scalar(error, *span)),
                    },
                    _ => compare(*op, left, right, *span),
                }
            }
            Node::Call(call) => self.call(call),
            Node::Index(code) => self.eval_index(code),
            Node::Project(inner, field) => self.project(inner, *field),
            other => self.eval_other(other),
        }
    }

    #[inline(never)]
    fn eval_other(&mut self, node: &Node) -> Eval<Value> {
        match node {
            Node::Hole(span) => Err(faults::hole(*span)),
            Node::Constant(def) => self.constant(*def),
            Node::Global(def, types, span) => {
                let types = self.type_args(types)?;
                self.global(*def, types, *span)
            }
            Node::Instance(read, types, span) => self.instance(*read, types, *span),
            Node::Operator(op) => Ok(Value::Fun(Rc::new(Fun::Operator(*op, Vec::new())))),
            Node::Record(fields) => self.record(fields),
            Node::Array(items, ty, span) => self.literal(items, ty, *span),
            Node::Range(code) => self.range(code),
            Node::Apply(fun, args, span) => self.eval_apply(fun, args, *span),
            Node::Constr(name, args) => {
                let args = self.eval_all(args)?;
                Ok(Value::Constr(Rc::new(Constr { name: *name, args })))
            }
            Node::Lifted(op, pair, span) => {
                let left = self.eval(&pair.0)?;
                let right = self.eval(&pair.1)?;
                lift::lifted(*op, &left, &right, *span)
            }
            Node::And(pair) => Ok(Value::bool(self.condition(&pair.0)? && self.condition(&pair.1)?)),
            Node::Or(pair) => Ok(Value::bool(self.condition(&pair.0)? || self.condition(&pair.1)?)),
            Node::Unary(op, inner, span) => {
                let value = self.eval(inner)?;
                lift::unary(*op, &value, *span)
            }
            Node::Lambda(code, captures) => Ok(self.closure(code, captures)),
            Node::Loop(code) => self.eval_loop(code),
            Node::With(code) => self.eval_with(code),
            Node::Coerce(code) => self.coerce(code),
            Node::Comprehension(code) => self.comprehension(code),
            Node::ArrayBy(code) => self.array_by(code),
            Node::Update(code) => self.update(code),
            Node::Accum(code) => self.accum(code),
            Node::Exts(code) => {
                code.slots.iter().for_each(|slot| self.set(*slot, Value::Unset));
                let value = self.eval(&code.value)?;
                self.match_sizes(&code.sizes, &value, Mode::Bind, code.span)?;
                Ok(value)
            }
            Node::Const(_) | Node::Read(..) | Node::Binary(..) | Node::Call(_) | Node::Index(_) | Node::Project(..) => {
                self.eval_plain(node)
            }
            Node::Let(_) | Node::If(_) | Node::Assert(_) | Node::Match(_) | Node::LetRec(_) => self.eval(node),
        }
    }

    #[inline(always)]
    fn read(&mut self, read: Read, span: Span) -> Eval<Value> {
        let place = self.base + read.slot as usize;
        let value = match (&self.stack[place], read.last) {
            (Value::Unset, _) => return Err(faults::internal("a variable without a value", span)),
            (Value::Scalar(x), _) => Value::Scalar(*x),
            (_, true) => std::mem::take(&mut self.stack[place]),
            (value, false) => value.clone(),
        };
        Ok(value)
    }

    pub fn condition(&mut self, node: &Node) -> Eval<bool> {
        match self.eval(node)? {
            Value::Scalar(Scalar::Bool(b)) => Ok(b),
            _ => Err(faults::internal("a condition that is no bool", Span::new(base::FileId(0), 0, 0))),
        }
    }

    #[inline(never)]
    fn eval_let(&mut self, code: &LetCode) -> Eval<()> {
        let value = self.eval(&code.value)?;
        code.sizes.iter().for_each(|slot| self.set(*slot, Value::Unset));
        self.bind(&code.pat, value)
    }

    /// The body of the case that matches.
    #[inline(never)]
    fn choose<'c>(&mut self, code: &'c MatchCode) -> Eval<&'c Node> {
        let value = self.eval(&code.value)?;
        match code.cases.iter().find(|(pat, _)| matches(pat, &value)) {
            Some((pat, body)) => {
                self.bind(pat, value)?;
                Ok(body)
            }
            None => Err(faults::no_case(&value.describe(), code.span)),
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

    fn record(&mut self, fields: &[(usize, Node)]) -> Eval<Value> {
        let in_order = fields.iter().enumerate().all(|(i, f)| i == f.0);
        if let ([(_, a), (_, b)], true) = (fields, in_order) {
            let pair = [self.eval(a)?, self.eval(b)?];
            return Ok(Value::Record(Rc::new(pair)));
        }
        let mut values = vec![Value::Unset; fields.len()];
        for (place, node) in fields {
            values[*place] = self.eval(node)?;
        }
        Ok(Value::Record(values.into()))
    }

    fn literal(&mut self, items: &[Node], ty: &TypeCode, span: Span) -> Eval<Value> {
        let mut builder = crate::builder::Builder::new(items.len());
        for item in items {
            let value = self.eval(item)?;
            builder.push(value);
        }
        self.finish(builder, ty, span)
    }

    /// The value in a variable or in a field of one, without a reference of its own.
    pub fn place(&self, node: &Node) -> Option<&Value> {
        match node {
            Node::Read(read, _) => Some(self.slot(read.slot)).filter(|v| !matches!(v, Value::Unset)),
            Node::Project(inner, field) => match self.place(inner)? {
                Value::Record(fields) => fields.get(*field),
                _ => None,
            },
            _ => None,
        }
    }

    /// Lets go of a variable that was read in place for the last time.
    pub fn release(&mut self, node: &Node) {
        match node {
            Node::Read(read, _) if read.last => drop(self.take(read.slot)),
            Node::Project(inner, _) => self.release(inner),
            _ => {}
        }
    }

    #[inline(never)]
    fn project(&mut self, inner: &Node, field: usize) -> Eval<Value> {
        if is_place(inner)
            && !read_last(inner)
            && let Some(Value::Record(fields)) = self.place(inner)
        {
            return Ok(fields.get(field).cloned().unwrap_or_default());
        }
        Ok(self.eval(inner)?.into_field(field))
    }

    fn eval_apply(&mut self, fun: &Node, args: &[Node], span: Span) -> Eval<Value> {
        let fun = self.eval(fun)?;
        match args {
            [arg] => {
                let arg = self.eval(arg)?;
                self.apply1(&fun, arg, span)
            }
            [left, right] => {
                let left = self.eval(left)?;
                let right = self.eval(right)?;
                self.apply2(&fun, left, right, span)
            }
            _ => {
                let args = self.eval_all(args)?;
                self.apply(fun, args, span)
            }
        }
    }

    fn closure(&mut self, code: &Rc<Code>, captures: &[Read]) -> Value {
        // A size that no value has shown yet is captured as such.
        let value = |m: &mut Self, r: &Read| if r.last { m.take(r.slot) } else { m.slot(r.slot).clone() };
        let captures = captures.iter().map(|r| value(self, r)).collect();
        Value::Fun(Rc::new(Fun::Closure(Closure { code: code.clone(), captures, types: Vec::new(), args: Vec::new() })))
    }

    fn instance(&mut self, read: Read, types: &[TypeArgCode], span: Span) -> Eval<Value> {
        let types = self.type_args(types)?;
        match self.read(read, span)? {
            Value::Fun(fun) => {
                let mut fun = (*fun).clone();
                if let Fun::Closure(closure) = &mut fun {
                    closure.types = types;
                }
                Ok(Value::Fun(Rc::new(fun)))
            }
            other => Ok(other),
        }
    }

    fn eval_loop(&mut self, code: &LoopCode) -> Eval<Value> {
        let mut value = self.eval(&code.init)?;
        match &code.form {
            LoopForm::For(slot, limit) => {
                let limit = self.eval(limit)?;
                let Some(limit) = limit.as_scalar().filter(|x| x.as_int().is_some()) else {
                    return Err(faults::internal("a loop bound that is no integer", code.span));
                };
                let turns = limit.as_int().unwrap_or(0);
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

    fn coerce(&mut self, code: &CoerceCode) -> Eval<Value> {
        let value = self.eval(&code.value)?;
        if let Some(rank) = code.rank
            && rank != rank_of(&value)
        {
            return Err(faults::coerced_rank(&value.describe(), &code.text, code.span));
        }
        self.match_coercion(code, &value)?;
        Ok(match value {
            // Rows that were found to agree are regular from here on.
            Value::Array(array) if has_jagged(&array.rows) => {
                let (len, rows) = match Rc::try_unwrap(array) {
                    Ok(array) => (array.len, array.rows),
                    Err(shared) => (shared.len, shared.rows.clone()),
                };
                Array { len, rows: rows.tidy(len) }.into()
            }
            other => other,
        })
    }
}

/// A comparison of whole values, out of the way of scalars.
#[inline(never)]
fn compare(op: scalar::BinOp, left: Value, right: Value, span: Span) -> Eval<Value> {
    lift::binary(op, &left, &right, span)
}

fn has_jagged(column: &Column) -> bool {
    match column {
        Column::Jagged(..) => true,
        Column::Regular(_, inner) => has_jagged(inner),
        Column::Record(fields) => fields.iter().any(has_jagged),
        Column::Prim(_) | Column::Boxed(_) => false,
    }
}

/// How many dimensions a value has.
pub(crate) fn rank_of(value: &Value) -> usize {
    fn below(column: &Column) -> usize {
        match column {
            Column::Regular(_, inner) | Column::Jagged(_, inner) => 1 + below(inner),
            Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => 0,
        }
    }
    match value {
        Value::Array(array) => 1 + below(&array.rows),
        _ => 0,
    }
}

/// Whether the variable of a place is read for the last time.
fn read_last(node: &Node) -> bool {
    match node {
        Node::Read(read, _) => read.last,
        Node::Project(inner, _) => read_last(inner),
        _ => false,
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
