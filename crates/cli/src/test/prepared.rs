//! Cases that run in this process. Translations are kept from case to case, and native code is made at once for all tested
//! entry points of a file: the C compiler takes most of the time, and most of that on code that all programs share.

use crate::backend::Backend;
use crate::compiled::{self, Ready, Stopped, Translated};
use base::{Diagnostic, Map, Span};
use driver::Compiled;
use fault::Fault;
use std::cell::RefCell;
use std::rc::Rc;
use typed::{DefId, Program};
use value::Value;

/// Which entry points of which program.
type Key = (*const Compiled, Vec<DefId>);

/// A program and its translations so far.
pub struct Prepared<'a> {
    backend: Backend,
    /// The program of the file, and the entry points that are tested.
    main: (&'a Compiled, Vec<DefId>),
    cores: Kept<ir::Program>,
    codes: Kept<(Translated, Vec<Ready>)>,
}

/// The translation of some entry points.
struct Kept<T>(RefCell<Map<Key, Result<Rc<T>, Diagnostic>>>);

impl<T> Kept<T> {
    fn get(&self, key: &Key, make: impl FnOnce(&[DefId]) -> Result<T, Diagnostic>) -> Result<Rc<T>, Diagnostic> {
        if let Some(known) = self.0.borrow().get(key) {
            return known.clone();
        }
        let made = make(&key.1).map(Rc::new);
        self.0.borrow_mut().insert(key.clone(), made.clone());
        made
    }
}

impl<'a> Prepared<'a> {
    /// Without translations yet.
    pub fn new(backend: Backend, main: (&'a Compiled, Vec<DefId>)) -> Prepared<'a> {
        Prepared { backend, main, cores: Kept(RefCell::default()), codes: Kept(RefCell::default()) }
    }

    /// Runs an entry point.
    pub fn run(
        &self,
        compiled: &Compiled,
        program: &Program,
        entry: DefId,
        args: Vec<Value>,
    ) -> Result<Vec<Value>, Diagnostic> {
        match self.backend {
            Backend::Interp => self.backend.run(compiled, program, entry, args),
            Backend::Core => {
                let make = |entries: &[DefId]| driver::core(compiled, program, entries);
                let core = self.cores.get(&(compiled, vec![entry]), make)?;
                let name = program.defs[entry].name.as_str();
                driver::interpret_core(compiled, &core, name, args, &crate::out::trace)
            }
            Backend::C => self.native(compiled, program, entry, args, false),
            Backend::Multicore => self.native(compiled, program, entry, args, true),
        }
    }

    fn native(
        &self,
        compiled: &Compiled,
        program: &Program,
        entry: DefId,
        args: Vec<Value>,
        parallel: bool,
    ) -> Result<Vec<Value>, Diagnostic> {
        let translate = |entries: &[DefId]| compiled::translate(compiled, program, entries);
        let make = |entries: &[DefId]| {
            let translated = translate(entries)?;
            let ready = translated.compile(parallel)?;
            Ok((translated, ready))
        };
        // If one entry point cannot be translated, translate the others without it.
        if let Some(place) = self.place(compiled, entry)
            && let Ok(code) = self.codes.get(&(compiled, self.main.1.clone()), make)
        {
            let (together, ready) = &*code;
            let stopped = match call(&ready[place], args.clone(), program.defs[entry].span)? {
                Ok(values) => return Ok(values),
                Err(stopped) if ready.len() == 1 => return Err(together.explain(stopped)),
                Err(stopped) => stopped,
            };
            // A message lists the calls that lead to a check as long as there is only one path. With other entry points
            // there may be more paths, so the message is that of a translation of this entry point alone.
            if let Some(error) = together.explain_as(stopped, &translate(&[entry])?) {
                return Err(error);
            }
        }
        let code = self.codes.get(&(compiled, vec![entry]), make)?;
        let (alone, ready) = &*code;
        call(&ready[0], args, program.defs[entry].span)?.map_err(|stopped| alone.explain(stopped))
    }

    /// The index among the tested entry points.
    fn place(&self, compiled: &Compiled, entry: DefId) -> Option<usize> {
        let (main, tested) = &self.main;
        let found = tested.iter().position(|known| *known == entry);
        found.filter(|_| std::ptr::eq(*main, compiled))
    }
}

/// Calls an entry point. Leaked memory is a bug in Ravel.
fn call(ready: &Ready, args: Vec<Value>, span: Span) -> Result<Result<Vec<Value>, Stopped>, Diagnostic> {
    match ready.call_counting(args, None) {
        (given, 0) => Ok(given),
        (_, left) => {
            let what = format!("{left} blocks of memory were not freed");
            Err(Diagnostic::error(Fault::Internal.code(), what, span, "this entry point"))
        }
    }
}
