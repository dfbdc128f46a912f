//! Measuring the time of loops, for `ravel run --stats`.
//!
//! ```text
//! rv_timer rv_timer_0 = rv_begin(t, 3);
//! for (int64_t i_1 = 0, ..) { .. }
//! rv_finish(t, &rv_timer_0);
//! ```
//!
//! The outermost loops of a function are measured, and all loops that are parallel or contain a parallel one. What is in
//! the body of a parallel loop is not: it may take less time than reading the clock.

use crate::emitter::Emitter;
use base::Span;
use kernel::{Expr, Mode, Program, Stm};

impl Emitter<'_> {
    /// Measures loops from now on. Those of shared library functions are shown where the functions are called.
    pub(crate) fn measure(&mut self) {
        self.clock.is_on = true;
        let program = self.program;
        let ids = program.functions.ids();
        self.shown_at_calls.extend(ids.filter(|id| has_shared_loop(program, &program.functions[*id].body)));
    }

    /// Writes a loop, and measures it if that is wanted.
    pub(crate) fn measured(&mut self, stm: &Stm, write: impl FnOnce(&mut Self)) {
        let wanted = self.clock.is_on && (self.clock.loops == 0 || has_parallel(stm));
        let Some(span) = wanted.then(|| origin(self.program, stm)).flatten() else {
            return self.inside_loop(write);
        };
        let (timer, place) = (format!("rv_timer_{}", self.clock.timers), self.place(span));
        self.clock.timers += 1;
        self.out.line(format!("rv_timer {timer} = rv_begin(t, {place});"));
        self.inside_loop(write);
        self.out.line(format!("rv_finish(t, &{timer});"));
    }

    fn inside_loop(&mut self, write: impl FnOnce(&mut Self)) {
        self.clock.loops += 1;
        write(self);
        self.clock.loops -= 1;
    }

    /// Writes code that is not measured.
    pub(crate) fn unmeasured<R>(&mut self, write: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.clock.is_on, false);
        let result = write(self);
        self.clock.is_on = outer;
        result
    }
}

/// The place of a loop in the source.
fn origin(program: &Program, stm: &Stm) -> Option<Span> {
    let var = match stm {
        Stm::For { var, .. } | Stm::While { cond: Expr::Var(var), .. } => var,
        Stm::Sort { span, .. } => return Some(*span),
        _ => return None,
    };
    program.origins.get(var).map(|origin| origin.span)
}

fn has_shared_loop(program: &Program, body: &[Stm]) -> bool {
    let mut found = false;
    kernel::walk::for_each_stm(body, &mut |stm| found |= origin(program, stm) == Some(Span::OF_CALLER));
    found
}

fn has_parallel(stm: &Stm) -> bool {
    let mut found = false;
    kernel::walk::for_each_stm(std::slice::from_ref(stm), &mut |stm| {
        found |= matches!(stm, Stm::For { mode: Mode::Parallel, .. });
    });
    found
}
