//! The reference interpreter of checked programs. It defines the language: every back end must agree with it.
//!
//! A definition is first translated to [`code`], where each variable is a numbered slot, and then run by a [`machine`]
//! with one stack of values. For example `\x -> let y = x + 1 in y * y` becomes
//!
//! ```text
//! slot 0 = argument; slot 1 = slot 0 + 1; result = slot 1 * slot 1 (the last read moves the value out)
//! ```
//!
//! | Step | Files | Content |
//! |---|---|---|
//! | data | [`rtype`], [`code`], [`data`], [`error`] | types, code, values, errors |
//! | values | [`val`], [`column`], [`leaf`], [`builder`], [`lift`], [`select`], [`cells`], [`shapes`], [`order`], [`rec_read`] | making values and computing on them, without a machine |
//! | resolve | [`resolve`], then [`last_use`] with [`slots`] | typed program to code |
//! | state | [`machine`], [`stack`] | the stack of values, what was resolved and computed so far |
//! | evaluation | [`eval`], [`call`], [`bind`], [`index`], [`replace`], [`comprehension`], [`clauses`], [`intrinsics`] | one file a topic |
//! | recursive arrays | [`letrec`] | evaluation by demand |
//! | sizes | [`matching`], [`missing`], [`types`] | binding and checking the sizes in types |
//! | outside | [`convert`], [`faults`], this file | values in and out, messages, entry points |
//!
//! Imports go upwards in this table. An array that has no other reference is changed in place; for this, variables are
//! moved out of their slots at their last use. Reductions combine blocks of elements from the first to the last, then
//! the results of the blocks in pairs, as compiled code does, so that floating-point results are the same bits.
//!
//! [`core`] is the interpreter of Core, which judges the passes of the compiler.

mod bind;
mod blank;
mod builder;
mod call;
mod cells;
mod clauses;
mod code;
mod column;
mod comprehension;
mod convert;
pub mod core;
mod data;
mod error;
mod eval;
mod faults;
mod index;
mod intrinsics;
mod last_use;
mod leaf;
mod letrec;
mod lift;
mod machine;
mod matching;
mod missing;
mod order;
mod rec_read;
mod replace;
mod resolve;
mod rtype;
mod select;
mod shapes;
mod slots;
mod stack;
mod tracer;
mod types;
mod val;

pub use convert::expected_type;
pub use error::{Frame, RuntimeError};
pub use stack::with_stack;
pub use tracer::Tracer;

use data::Value;
use fault::Fault;
use machine::Machine;
use typed::recursion::Recursion;
use typed::{DefId, Program, Type};

/// Runs entry points of one program; constants are computed once for all of them.
pub struct Interpreter<'p> {
    program: &'p Program,
    machine: Machine<'p>,
}

impl<'p> Interpreter<'p> {
    /// An interpreter for a program. Deep recursion needs a deep stack: see [`with_stack`].
    pub fn new(program: &'p Program, tracer: &'p Tracer<'p>) -> Interpreter<'p> {
        Interpreter { program, machine: Machine::new(program, tracer) }
    }

    /// Runs a definition with all its arguments. A tuple as the result gives several values.
    pub fn call(&mut self, def: DefId, args: Vec<value::Value>) -> Result<Vec<value::Value>, Box<RuntimeError>> {
        let definition = &self.program.defs[def];
        if args.len() != definition.params.len() {
            let (wanted, given) = (definition.params.len(), args.len());
            let title = format!("entry point `{}` takes {wanted} arguments, not {given}", definition.name);
            return Err(Box::new(faults::argument(&title, definition.span)));
        }
        let mut values = Vec::with_capacity(args.len());
        for (i, (param, arg)) in definition.params.iter().zip(args).enumerate() {
            convert::check_rows(self.program, &param.pat.ty, &arg)
                .map_err(|error| Box::new(faults::argument(&error.in_argument(i).0, definition.span)))?;
            values.push(convert::import(self.program, &param.pat.ty, arg).map_err(|why| {
                let name = param.name().map_or(String::new(), |n| format!(" `{}`", self.program.locals[n].name));
                let ty = self.program.show_type(&param.pat.ty);
                let title = format!("argument {}{name} of `{}` must be of type {ty}: {why}", i + 1, definition.name);
                Box::new(faults::argument(&title, param.pat.span))
            })?);
        }
        let result = self.run(def, values)?;
        self.export(&definition.ret.ty, &result)
            .map_err(|why| Box::new(faults::argument(&format!("`{}`: {why}", definition.name), definition.span)))
    }

    fn run(&mut self, def: DefId, args: Vec<Value>) -> Result<Value, Box<RuntimeError>> {
        let mark = self.machine.mark();
        let span = self.program.defs[def].span;
        let result = if args.is_empty() && self.program.defs[def].type_params.is_empty() {
            self.machine.constant(def)
        } else {
            let code = self.machine.code(def);
            let start = self.machine.stack.len();
            self.machine.stack.extend(args);
            self.machine.enter(&code, start, &[], span)
        };
        result.map_err(|stop| {
            self.machine.rewind(mark);
            let mut error = Box::<RuntimeError>::from(stop);
            // That the entry point itself is running needs no mention.
            error.trace.pop_if(|frame| frame.call == span);
            if error.fault == Fault::TooDeep {
                self.recursion(&mut error);
            }
            if error.span == span && error.at == faults::IN_CALL {
                error.at = "called from outside with these arguments".into();
            }
            error
        })
    }

    /// Recursion that is too deep is shown by what the text says: where exactly the stack was full, and how it came
    /// there, would be another place in compiled code.
    fn recursion(&self, error: &mut RuntimeError) {
        let calls = std::iter::once(error.span).chain(error.trace.iter().map(|frame| frame.call));
        let recursion = Recursion::new(self.program);
        if let Some(deep) = calls.into_iter().find_map(|call| recursion.too_deep_at(call)) {
            error.title = fault::message::too_deep(deep.name).title.fill(&[]);
            error.span = deep.call;
        }
        error.trace.clear();
    }

    fn export(&self, ty: &Type, value: &Value) -> Result<Vec<value::Value>, String> {
        let ty = self.program.concrete(ty);
        match (ty.as_tuple(), value) {
            (Some(types), Value::Record(fields)) if types.len() > 1 => {
                types.into_iter().zip(fields.iter()).map(|(t, v)| convert::export(self.program, t, v)).collect()
            }
            _ => Ok(vec![convert::export(self.program, &ty, value)?]),
        }
    }
}

/// Runs one entry point with a deep stack. A tuple as the result gives several values.
pub fn run_entry(
    program: &Program,
    entry: DefId,
    args: Vec<value::Value>,
    tracer: &Tracer<'_>,
) -> Result<Vec<value::Value>, Box<RuntimeError>> {
    with_stack(|| Interpreter::new(program, tracer).call(entry, args))
}
