//! Calls: definitions, closures, operators and constants.

use crate::code::{BodyCode, CallCode, Code, DimCode, Matcher, Node, ParamCode, Slot};
use crate::data::{Closure, Fun, Value};
use crate::error::{Eval, Stop};
use crate::machine::{Constant, Machine};
use crate::{faults, lift, missing};
use base::id::Id;
use base::{Name, Span};
use fault::{Text, message};
use std::rc::Rc;
use typed::DefId;
use typed::matching::Mode;

impl Machine<'_> {
    /// The value of a constant definition.
    pub fn constant(&mut self, def: DefId) -> Eval<Value> {
        match &self.constants[def.index()] {
            Constant::Done(value) => return Ok(value.clone()),
            Constant::Running => {
                let definition = &self.program.defs[def];
                return Err(faults::too_deep(definition.name, definition.span));
            }
            Constant::Untouched => {}
        }
        self.constants[def.index()] = Constant::Running;
        let code = self.code(def);
        let start = self.stack.len();
        let result = self.enter(&code, start, &[], code.span);
        self.constants[def.index()] = match &result {
            Ok(value) => Constant::Done(value.clone()),
            Err(_) => Constant::Untouched,
        };
        result.map_err(|stop| stop.in_constant(code.span))
    }

    /// Runs code whose arguments and type arguments lie on the stack from `start` on.
    pub fn enter(&mut self, code: &Rc<Code>, start: usize, captures: &[Value], span: Span) -> Eval<Value> {
        if self.limit.reached() {
            return Err(faults::too_deep(code.name, span));
        }
        self.stack.resize(start + code.slots, Value::Unset);
        let base = std::mem::replace(&mut self.base, start);
        self.calls.push(span);
        for (slot, value) in code.captures.iter().zip(captures) {
            self.set(*slot, value.clone());
        }
        let result = self.run(code, span);
        self.calls.pop();
        match result {
            Ok(value) => {
                self.stack.truncate(start);
                self.base = base;
                Ok(value)
            }
            Err(stop) => {
                self.stack.truncate(start);
                self.base = base;
                Err(stop.in_call(code.name, span))
            }
        }
    }

    fn run(&mut self, code: &Rc<Code>, span: Span) -> Eval<Value> {
        self.bind_params(code, span)?;
        match &code.body {
            BodyCode::Node(node) => {
                let mut value = self.eval(node)?;
                self.match_sizes(&code.result, &value, Mode::Result, code.span)?;
                self.fit_missing_rows(&code.result, &mut value);
                Ok(value)
            }
            BodyCode::Intrinsic(intrinsic, ty) => self.intrinsic(*intrinsic, ty, span),
        }
    }

    #[inline(never)]
    fn bind_params(&mut self, code: &Rc<Code>, span: Span) -> Eval<()> {
        for (i, param) in code.params.iter().enumerate() {
            self.bind_param(i, param, span).map_err(|stop| self.with_arguments(stop, code))?;
        }
        if code.late_checks {
            for (i, param) in code.params.iter().enumerate() {
                let value = self.slot(i as Slot).clone();
                if !matches!(value, Value::Unset) {
                    self.match_argument(param, &value, Mode::Late, span)?;
                    self.keep_fitted(i as Slot, &param.sizes, value);
                }
            }
        }
        Ok(())
    }

    /// Says which arrays the arguments are, so that a clash of sizes names all shapes involved.
    #[cold]
    fn with_arguments(&self, stop: Stop, code: &Code) -> Stop {
        let Stop::Error(mut error) = stop else {
            return stop;
        };
        let shape = |(i, param): (usize, &ParamCode)| match (param.name, self.slot(i as Slot)) {
            (Some(name), value @ Value::Array(_)) => Some((name, Text::words(value.describe()))),
            // An array of unknown rank, which is 0.
            (Some(name), value) if matches!(param.sizes, Matcher::Array(DimCode::Shape(_), _)) => {
                Some((name, Text::words(value.describe())))
            }
            (_, _) => None,
        };
        let shapes: Vec<(Name, Text)> = code.params.iter().enumerate().filter_map(shape).collect();
        if shapes.len() > 1 {
            error.notes.push(message::arguments(code.name, shapes).fill(&[]));
        }
        Stop::Error(error)
    }

    fn bind_param(&mut self, index: usize, param: &ParamCode, span: Span) -> Eval<()> {
        if !matches!(param.sizes, Matcher::Nothing) {
            let value = self.slot(index as Slot).clone();
            self.match_argument(param, &value, Mode::Check, span)?;
            self.keep_fitted(index as Slot, &param.sizes, value);
        }
        if let Some(pat) = &param.pat {
            let value = self.take(index as Slot);
            self.bind(pat, value)?;
        }
        Ok(())
    }

    /// Puts an argument that was matched back into its slot, if rows of it that are not there have a length now.
    #[inline]
    fn keep_fitted(&mut self, slot: Slot, sizes: &Matcher, mut value: Value) {
        if missing::lacks_rows(sizes, &value) {
            self.fit_missing_rows(sizes, &mut value);
            self.set(slot, value);
        }
    }

    /// Applies a function to one argument.
    pub fn apply1(&mut self, fun: &Value, arg: Value, span: Span) -> Eval<Value> {
        if let Value::Fun(f) = fun
            && let Fun::Closure(closure) = &**f
            && closure.args.is_empty()
            && closure.code.params.len() == 1
        {
            let start = self.stack.len();
            self.stack.push(arg);
            self.stack.extend_from_slice(&closure.types);
            return self.enter(&closure.code, start, &closure.captures, span);
        }
        self.apply(fun.clone(), vec![arg], span)
    }

    /// Applies a function to two arguments.
    pub fn apply2(&mut self, fun: &Value, left: Value, right: Value, span: Span) -> Eval<Value> {
        if let Value::Fun(f) = fun {
            match &**f {
                Fun::Operator(op, args) if args.is_empty() => return lift::binary(*op, &left, &right, span),
                Fun::Closure(closure) if closure.args.is_empty() && closure.code.params.len() == 2 => {
                    let start = self.stack.len();
                    self.stack.push(left);
                    self.stack.push(right);
                    self.stack.extend_from_slice(&closure.types);
                    return self.enter(&closure.code, start, &closure.captures, span);
                }
                Fun::Operator(..) | Fun::Closure(_) => {}
            }
        }
        self.apply(fun.clone(), vec![left, right], span)
    }

    /// Applies a function to any number of arguments: too few give a function again.
    pub fn apply(&mut self, fun: Value, args: Vec<Value>, span: Span) -> Eval<Value> {
        let mut fun = fun;
        let mut args = args.into_iter();
        while args.len() > 0 {
            let Value::Fun(f) = &fun else {
                return Err(faults::internal("what is applied is no function", span));
            };
            let missing = match &**f {
                Fun::Closure(closure) => closure.code.params.len() - closure.args.len(),
                Fun::Operator(_, given) => 2 - given.len(),
            };
            let now: Vec<Value> = args.by_ref().take(missing).collect();
            fun = if now.len() < missing { with_args(f, now) } else { self.saturated(f, now, span)? };
        }
        Ok(fun)
    }

    fn saturated(&mut self, fun: &Rc<Fun>, args: Vec<Value>, span: Span) -> Eval<Value> {
        match &**fun {
            Fun::Operator(op, given) => {
                let all: Vec<&Value> = given.iter().chain(&args).collect();
                lift::binary(*op, all[0], all[1], span)
            }
            Fun::Closure(closure) => {
                let start = self.stack.len();
                self.stack.extend_from_slice(&closure.args);
                self.stack.extend(args);
                self.stack.extend_from_slice(&closure.types);
                self.enter(&closure.code, start, &closure.captures, span)
            }
        }
    }

    /// A definition as a function value, or the value of a constant with type parameters.
    pub fn global(&mut self, def: DefId, types: Vec<Value>, span: Span) -> Eval<Value> {
        let code = self.code(def);
        if !code.params.is_empty() {
            let closure = Closure { code, captures: Vec::new(), types, args: Vec::new() };
            return Ok(Value::Fun(Rc::new(Fun::Closure(closure))));
        }
        let start = self.stack.len();
        self.stack.extend(types);
        self.enter(&code, start, &[], span)
    }

    /// A call of a definition with all its arguments.
    #[inline(never)]
    pub fn call(&mut self, call: &CallCode) -> Eval<Value> {
        let code = self.code(call.def);
        let start = self.stack.len();
        for arg in &call.args {
            let value = self.eval(arg)?;
            self.stack.push(value);
        }
        // Arguments come first: they may bring sizes into being that the type arguments mention.
        let more = self.eval_all(&call.more)?;
        for ty in &call.types {
            let value = self.type_arg(ty)?;
            self.stack.push(value);
        }
        let result = self.enter(&code, start, &[], call.span)?;
        if more.is_empty() {
            return Ok(result);
        }
        self.apply(result, more, call.span)
    }

    pub fn eval_all(&mut self, nodes: &[Node]) -> Eval<Vec<Value>> {
        nodes.iter().map(|n| self.eval(n)).collect()
    }
}

/// The function with more of its arguments.
fn with_args(fun: &Rc<Fun>, more: Vec<Value>) -> Value {
    let mut fun = (**fun).clone();
    match &mut fun {
        Fun::Closure(closure) => closure.args.extend(more),
        Fun::Operator(_, args) => args.extend(more),
    }
    Value::Fun(Rc::new(fun))
}
