//! Evaluating expressions.

use crate::code::*;
use crate::data::{Array, Closure, Constr, Fun, Value};
use crate::error::{Eval, Stop};
use crate::faults;
use crate::lift;
use crate::machine::Machine;
use base::Span;
use scalar::Scalar;
use std::rc::Rc;
use typed::matching::Mode;
use value::PrimVec;

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

    /// The most common expressions. The others have a function of their own, so that deep recursion takes little stack.
    fn eval_plain(&mut self, node: &Node) -> Eval<Value> {
        match node {
            Node::Const(x) => Ok(Value::Scalar(*x)),
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
            Node::Scalar(code) => self.scalar(code),
            Node::Index(code) => self.eval_index(code),
            Node::Project(inner, field) => self.project(inner, *field),
            other => self.eval_other(other),
        }
    }

    #[inline(never)]
    fn eval_other(&mut self, node: &Node) -> Eval<Value> {
        match node {
            Node::Hole(span) => Err(faults::hole(*span)),
            Node::Blank(ty, span) => self.blank(ty, *span),
            Node::Size(read, unknown) => match self.slot(read.slot) {
                Value::Unset => Ok(unseen(*unknown)),
                size => Ok(size.clone()),
            },
            Node::Bytes(bytes) => Ok(Value::array(PrimVec::from(bytes.clone()))),
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
            Node::Const(_) | Node::Read(..) | Node::Binary(..) | Node::Call(_) => self.eval_plain(node),
            Node::Scalar(_) | Node::Index(_) | Node::Project(..) => self.eval_plain(node),
            Node::Let(_) | Node::If(_) | Node::Assert(_) | Node::Match(_) | Node::LetRec(_) => self.eval(node),
        }
    }

    #[inline(never)]
    fn scalar(&mut self, code: &ScalarCode) -> Eval<Value> {
        let mut args = [Scalar::Bool(false); ScalarOp::MOST_ARGS];
        for (arg, node) in args.iter_mut().zip(&code.args) {
            match self.eval(node)? {
                Value::Scalar(x) => *arg = x,
                other => return Err(not_a_number(&other, code)),
            }
        }
        match code.op {
            ScalarOp::Convert(to) => Ok(Value::Scalar(scalar::convert(args[0], to))),
            ScalarOp::Math(op) => match scalar::eval_math(op, &args[..code.args.len()]) {
                Ok(x) => Ok(Value::Scalar(x)),
                Err(error) => Err(in_calls(faults::scalar(error, code.calls[0].1), code)),
            },
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

    /// Drops the value of a variable that was read in place for the last time.
    pub fn release(&mut self, node: &Node) {
        match node {
            Node::Read(read, _) if read.last => drop(self.take(read.slot)),
            Node::Project(inner, _) => self.release(inner),
            _ => {}
        }
    }

    #[inline(never)]
    fn project(&mut self, inner: &Node, field: usize) -> Eval<Value> {
        if inner.is_place()
            && !read_last(inner)
            && let Some(Value::Record(fields)) = self.place(inner)
        {
            return Ok(fields[field].clone());
        }
        Ok(self.eval(inner)?.into_field(field))
    }

    fn eval_apply(&mut self, fun: &Node, args: &[Node], span: Span) -> Eval<Value> {
        if fun.takes_types() {
            // Arguments come first: they may bring sizes into being that the type arguments mention.
            let args = self.eval_all(args)?;
            let fun = self.eval(fun)?;
            return self.apply(fun, args, span);
        }
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

    fn coerce(&mut self, code: &CoerceCode) -> Eval<Value> {
        let value = self.eval(&code.value)?;
        if let Some(rank) = code.rank
            && rank != value.rank()
        {
            return Err(faults::coerced_rank(&value.describe(), &code.text, code.span));
        }
        self.match_coercion(code, &value)?;
        let mut value = match value {
            // Rows that were found to agree are regular from here on.
            Value::Array(array) if array.rows.has_jagged() => {
                let Array { len, rows } = Array::owned(array);
                Array { len, rows: rows.tidy(len) }.into()
            }
            other => other,
        };
        self.fit_missing_rows(&code.sizes, &mut value);
        Ok(value)
    }
}

/// A comparison of whole values, apart from the fast path for scalars.
#[inline(never)]
fn compare(op: scalar::BinOp, left: Value, right: Value, span: Span) -> Eval<Value> {
    lift::binary(op, &left, &right, span)
}

/// Adds the calls that an operation on scalars replaces.
#[cold]
fn in_calls(stop: Stop, code: &ScalarCode) -> Stop {
    code.calls.iter().fold(stop, |stop, (name, span)| stop.in_call(*name, *span))
}

#[cold]
fn not_a_number(found: &Value, code: &ScalarCode) -> Stop {
    let text = format!("a number is expected here, not {}", found.describe());
    in_calls(faults::internal(&text, code.calls[0].1), code)
}

/// Whether the variable of a place is read for the last time.
fn read_last(node: &Node) -> bool {
    match node {
        Node::Read(read, _) => read.last,
        Node::Project(inner, _) => read_last(inner),
        _ => false,
    }
}

/// The value of a size parameter that no value shows.
fn unseen(size: Unseen) -> Value {
    match size {
        Unseen::Zero => Value::i64(0),
        Unseen::Empty => Value::i64s([]),
    }
}
