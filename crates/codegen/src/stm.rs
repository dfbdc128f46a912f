//! Statements.

use crate::emitter::Emitter;
use crate::types::{c_type, prim_number};
use crate::{copies, rare, units};
use base::Span;
use kernel::{Arg, Expr, Exprs, FailArg, FunId, Mode, SiteId, Stm, Type, Var};
use scalar::{BinOp, Layout, Prim};

/// Braces inside of one another from which on choices do without.
const DEEP: usize = 48;

impl Emitter<'_> {
    pub(crate) fn stms(&mut self, stms: &[Stm]) {
        // Variables whose declaration waits for their first value.
        let mut waiting: Vec<Var> = Vec::new();
        for stm in stms {
            if let Stm::Declare(var) = stm {
                waiting.push(*var);
                continue;
            }
            if !self.declared_with(stm, &waiting) {
                waiting.drain(..).for_each(|var| self.declare(var));
                self.stm(stm);
                continue;
            }
            waiting.retain(|var| Some(*var) != first_value(stm));
        }
        waiting.into_iter().for_each(|var| self.declare(var));
    }

    /// Writes a statement that gives one of the waiting variables its first value, and uses none of them, as a declaration.
    fn declared_with(&mut self, stm: &Stm, waiting: &[Var]) -> bool {
        let Some(var) = first_value(stm).filter(|var| waiting.contains(var)) else { return false };
        let exprs = &self.program.exprs;
        let unused = |value: Expr| !waiting.iter().any(|var| uses(exprs, value, *var));
        match stm {
            Stm::Set(_, value) if unused(*value) => self.assign(&self.declaration(var), *value),
            Stm::Alloc { count, reuse, span, .. }
                if unused(*count) && reuse.is_none_or(|spare| !waiting.contains(&spare)) =>
            {
                self.declare_alloc(var, *count, *reuse, *span);
            }
            Stm::Share { from, .. } if !waiting.contains(from) => self.declare_share(var, *from),
            Stm::Move { from, .. } if !waiting.contains(from) => self.declare_move(var, *from),
            _ => return false,
        }
        true
    }

    fn stm(&mut self, stm: &Stm) {
        match stm {
            Stm::Let(var, value) => self.assign(&self.declaration(*var), *value),
            Stm::Declare(var) => self.declare(*var),
            // It is declared before the turns of the loop.
            Stm::Keep(_) => {}
            Stm::Set(var, value) => self.assign(&self.var(*var), *value),
            Stm::Store { buffer, at, value } => {
                let at = self.plain(*at);
                self.assign(&format!("{}[{at}]", self.var(*buffer)), *value);
            }
            Stm::Alloc { buffer, count, reuse, span } => self.alloc(*buffer, *count, *reuse, *span),
            Stm::Grow { buffer, used, needed, span } => self.grow(*buffer, *used, *needed, *span),
            Stm::Pack { to, refs, words, span } => self.pack(*to, refs, words, *span),
            Stm::Fetch { to, from, at } => self.fetch(*to, *from, *at),
            Stm::Share { to, from } => self.share(*to, *from),
            Stm::Move { to, from } => self.hand_over(*to, *from),
            Stm::Release(var) => self.release(*var),
            Stm::Trim { buffer, start, count, span } => self.trim(*buffer, *start, *count, *span),
            Stm::Copy { to, to_at, from, from_at, count, past } => {
                self.copy((*to, *to_at), (*from, *from_at), *count, *past)
            }
            Stm::Transpose { .. } => self.transpose(stm),
            Stm::Prefetch(buffer, at) => {
                let place = self.address((*buffer, *at));
                self.out.line(format!("__builtin_prefetch({place});"));
            }
            Stm::Sort { .. } => self.measured(stm, |emitter| emitter.sort(stm)),
            Stm::Relay { chain, turn, var, next } => self.relay(*chain, *turn, *var, *next),
            Stm::Prefix { .. } => self.prefix(stm),
            Stm::If(cond, then, otherwise) => self.choice(*cond, then, otherwise),
            Stm::For { .. } | Stm::While { .. } => self.measured(stm, |emitter| emitter.repetition(stm)),
            Stm::Call { results, function, args, span } => self.call(results, *function, args, *span),
            Stm::Fail { site, args } => self.fail(*site, args),
            Stm::Try { stopped, body } => self.attempt(*stopped, body),
            Stm::Stop(value) => {
                let value = self.plain(*value);
                self.out.line(format!("rv_stop(t, {value});"));
            }
            Stm::Trace(layout, args, span) => self.trace(layout, args, *span),
            Stm::Return(args) => self.leave(args),
        }
    }

    /// The declaration of a variable, without a value.
    pub(crate) fn declaration(&self, var: Var) -> String {
        match self.program.vars[var].ty {
            Type::Scalar(prim) => format!("{} {}", c_type(prim), self.var(var)),
            Type::Buffer(prim) => format!("{} *{}", c_type(prim), self.var(var)),
        }
    }

    fn assign(&mut self, target: &str, value: Expr) {
        let value = self.plain(value);
        self.out.line(format!("{target} = {value};"));
    }

    fn choice(&mut self, cond: Expr, then: &[Stm], otherwise: &[Stm]) {
        if self.out.depth() >= DEEP && !otherwise.is_empty() {
            return self.deep_choice(cond, then, otherwise);
        }
        let cond = self.plain(cond);
        self.out.open(format!("if ({cond}) {{"));
        self.stms(then);
        if !otherwise.is_empty() {
            self.out.between("} else {");
            self.stms(otherwise);
        }
        self.out.close("}");
    }

    /// A choice whose second branch needs no braces of its own: C compilers take only so many inside of one another,
    /// and a chain of choices may be long. Variables are declared once in the whole program.
    fn deep_choice(&mut self, cond: Expr, then: &[Stm], otherwise: &[Stm]) {
        let label = format!("done{}", self.labels);
        self.labels += 1;
        let cond = self.plain(cond);
        self.out.open(format!("if ({cond}) {{"));
        self.stms(then);
        self.out.line(format!("goto {label};"));
        self.out.close("}");
        self.stms(otherwise);
        self.out.line(format!("{label}:;"));
    }

    fn sort(&mut self, stm: &Stm) {
        let Stm::Sort { keys, count, descending, values, order, span } = stm else { return };
        let Type::Buffer(prim) = self.program.vars[keys.0].ty else { base::bug!("keys that are no buffer") };
        self.needs.sorts.insert(prim.bytes());
        let from = self.address(*keys);
        let to = [*values, *order].map(|result| result.map_or("NULL".into(), |result| self.address(result)));
        let (count, place) = (self.plain(*count), self.place(*span));
        let (size, prim, [values, order]) = (prim.bytes(), prim_number(prim), to);
        let call = format!("rv_sort_{size}(t, {prim}, {descending}, {from}, {count}, {values}, {order}, {place});");
        self.out.line(call);
    }

    fn transpose(&mut self, stm: &Stm) {
        let Stm::Transpose { to, to_stride, from, from_stride, rows, columns } = stm else { return };
        let Type::Buffer(prim) = self.program.vars[to.0].ty else { base::bug!("no buffer") };
        self.needs.transposes.insert(prim.bytes());
        let (to, from) = (self.address(*to), self.address(*from));
        let [to_stride, from_stride, rows, columns] =
            [to_stride, from_stride, rows, columns].map(|number| self.plain(*number));
        let size = prim.bytes();
        self.out.line(format!("rv_transpose_{size}({to}, {to_stride}, {from}, {from_stride}, {rows}, {columns});"));
    }

    fn relay(&mut self, chain: Var, turn: Expr, var: Var, next: Expr) {
        let Type::Scalar(prim) = self.program.vars[var].ty else { base::bug!("a buffer is handed on") };
        let (chain, turn) = (self.var(chain), self.plain(turn));
        self.out.line(format!("{} = ({})rv_receive(t, {chain}, {turn});", self.declaration(var), c_type(prim)));
        let next = self.expr(next).operand();
        self.out.line(format!("rv_hand_on({chain}, {turn}, (int64_t){next});"));
    }

    fn prefix(&mut self, stm: &Stm) {
        let Stm::Prefix { to, from, count, before, op, past } = stm else { return };
        let Type::Buffer(prim) = self.program.vars[to.0].ty else { base::bug!("no buffer") };
        let bits = 8 * prim.bytes();
        let (word, index) = (format!("uint{bits}_t"), format!("int{bits}_t"));
        let (name, neutral, symbol) = match op {
            BinOp::Add => ("sums", "0", "+"),
            BinOp::And => ("ands", "-1", "&"),
            BinOp::Or => ("ors", "0", "|"),
            BinOp::Xor => ("xors", "0", "^"),
            _ => base::bug!("an operator without running combinations"),
        };
        let name = format!("rv_{name}_{bits}");
        self.needs.prefix = true;
        self.needs.function(&name, "RV_PREFIX", &[&word, &index, neutral, symbol]);
        let (from, to) = (self.address(*from), self.address(*to));
        let (count, before, past) = (self.plain(*count), self.plain(*before), self.plain(*past));
        let call = format!("{name}((const {word} *)({from}), ({word} *)({to}), {count}, ({word}){before}, {past});");
        self.out.line(call);
    }

    /// The place of an element in memory.
    fn address(&mut self, (buffer, at): (Var, Expr)) -> String {
        format!("{} + {}", self.var(buffer), self.expr(at).operand())
    }

    /// The bound is evaluated once.
    fn repetition(&mut self, stm: &Stm) {
        match stm {
            Stm::For { var, from, to, mode: Mode::Parallel, body } => self.parallel_loop(*var, *from, *to, body),
            Stm::For { mode: Mode::Sequential | Mode::Simd | Mode::Lanes | Mode::Rolled, .. } | Stm::While { .. }
                if self.leads && !units::leads(stm) =>
            {
                self.outlined_loop(stm);
            }
            Stm::For { var, from, to, mode, body } => self.plain_loop(*var, *from, *to, *mode, body),
            Stm::While { head, cond, body } => self.endless_loop(head, *cond, body),
            _ => base::bug!("only loops repeat"),
        }
    }

    fn plain_loop(&mut self, var: Var, from: Expr, to: Expr, mode: Mode, body: &[Stm]) {
        if !matches!(mode, Mode::Simd | Mode::Lanes) || !self.has_rare_version(body) {
            return self.one_loop(var, from, to, mode, body);
        }
        let number = self.labels;
        self.labels += 1;
        let [wide, narrow] = [Prim::F64, Prim::F32].map(|prim| rare::flag(number, prim));
        self.out.line(format!("uint64_t {wide} = 0;"));
        self.out.line(format!("uint32_t {narrow} = 0;"));
        self.repeated = Some(number);
        self.one_loop(var, from, to, mode, body);
        self.repeated = None;
        self.out.open(format!("if ({wide} | {narrow}) {{"));
        self.one_loop(var, from, to, mode, body);
        self.out.close("}");
    }

    fn one_loop(&mut self, var: Var, from: Expr, to: Expr, mode: Mode, body: &[Stm]) {
        match mode {
            // C compilers make lanes of the loop around it only where this one stays a loop.
            Mode::Sequential | Mode::Short if self.in_lanes => self.out.line("RV_UNROLL(1)"),
            Mode::Sequential | Mode::Short | Mode::Parallel => {}
            Mode::Simd | Mode::Lanes => match copies::of_vectors(self.program, var, from, to, body) {
                Some(copies) => self.out.line(format!("RV_SIMD RV_UNROLL({copies})")),
                None => self.out.line("RV_SIMD"),
            },
            Mode::Rolled => self.out.line("RV_SIMD RV_UNROLL(1)"),
            Mode::Unrolled => {
                let count = kernel::facts::constant_count(from, to).unwrap_or(1);
                self.out.line(format!("RV_UNROLL({count})"));
            }
        }
        let (index, from, to) = (self.var(var), self.plain(from), self.plain(to));
        self.out
            .open(format!("for (int64_t {index} = {from}, {index}_end = {to}; {index} < {index}_end; {index}++) {{"));
        let around = self.in_lanes;
        self.in_lanes |= matches!(mode, Mode::Simd | Mode::Lanes | Mode::Rolled);
        if mode == Mode::Short && !around {
            self.out.line("RV_SHORT;");
        }
        self.stms(body);
        self.in_lanes = around;
        self.out.close("}");
    }

    fn endless_loop(&mut self, head: &[Stm], cond: Expr, body: &[Stm]) {
        if head.is_empty() {
            let cond = self.plain(cond);
            self.out.open(format!("while ({cond}) {{"));
        } else {
            self.out.open("for (;;) {");
            self.stms(head);
            let cond = self.expr(cond).operand();
            self.out.line(format!("if (!{cond}) break;"));
        }
        self.stms(body);
        self.out.close("}");
    }

    fn call(&mut self, results: &[Var], function: FunId, args: &[Arg], span: Span) {
        if span != Span::OF_CALLER && self.shown_at_calls.contains(&function) {
            let place = self.place(span);
            self.out.line(format!("t->place = {place};"));
        }
        let counted =
            |(index, _): (usize, &Arg)| self.counted.contains(&self.program.functions[function].params[index]);
        let counted: Vec<bool> = args.iter().enumerate().map(counted).collect();
        let call = format!("{}(t{})", self.function_name(function), self.arguments(args, &counted));
        match results {
            [] => self.out.line(format!("{call};")),
            [only] if matches!(self.program.vars[*only].ty, Type::Scalar(_)) => {
                self.out.line(format!("{} = {call};", self.declaration(*only)));
            }
            [first, ..] => {
                let all = format!("rv_results_{}", first.0);
                self.out.line(format!("{}_results {all} = {call};", self.function_name(function)));
                for (index, var) in results.iter().enumerate() {
                    self.out.line(format!("{} = {all}.r{index};", self.declaration(*var)));
                    if let Type::Buffer(_) = self.program.vars[*var].ty {
                        self.out.line(format!("rv_block *{} = {all}.b{index};", self.block(*var)));
                    }
                }
            }
        }
    }

    /// Arguments or results, each with a comma before it; buffers with their blocks where they are counted.
    fn arguments(&mut self, args: &[Arg], counted: &[bool]) -> String {
        let mut out = String::new();
        for (arg, counted) in args.iter().zip(counted) {
            out.push_str(", ");
            match arg {
                Arg::Scalar(expr) => out.push_str(&self.plain(*expr)),
                Arg::Buffer(var) if *counted => out.push_str(&format!("{}, {}", self.var(*var), self.block(*var))),
                Arg::Buffer(var) => out.push_str(&self.var(*var)),
            }
        }
        out
    }

    fn leave(&mut self, args: &[Arg]) {
        let function = self.function.as_deref().unwrap_or_default().to_owned();
        match args {
            [] => self.out.line("return;"),
            [Arg::Scalar(value)] => {
                let value = self.plain(*value);
                self.out.line(format!("return {value};"));
            }
            _ => {
                let all = self.arguments(args, &vec![true; args.len()]);
                let all = all.trim_start_matches(", ");
                self.out.line(format!("return ({function}_results){{{all}}};"));
            }
        }
    }

    pub(crate) fn fail(&mut self, site: SiteId, args: &[FailArg]) {
        if args.is_empty() {
            return self.out.line(format!("rv_fail(t, {}, 0, NULL);", site.0));
        }
        let list: Vec<String> = args.iter().map(|arg| self.fail_arg(arg)).collect();
        self.out.line(format!("rv_fail(t, {}, {}, (rv_arg[]){{{}}});", site.0, args.len(), list.join(", ")));
    }

    fn fail_arg(&mut self, arg: &FailArg) -> String {
        match arg {
            FailArg::Scalar(prim, expr) => {
                let bits = self.as_bits(*prim, *expr);
                format!("{{.prim = {}, .bits = {bits}}}", prim_number(*prim))
            }
            FailArg::Numbers { buffer, at, count } => {
                let (at, count) = (self.expr(*at).operand(), self.plain(*count));
                format!("{{.prim = RV_NUMBERS, .numbers = {} + {at}, .count = {count}}}", self.var(*buffer))
            }
        }
    }

    /// A scalar as its bits, zeros above.
    pub(crate) fn as_bits(&mut self, prim: Prim, expr: Expr) -> String {
        let value = self.expr(expr);
        match prim {
            Prim::F32 | Prim::F64 => format!("{}({})", self.bits_of(prim), value.plain()),
            Prim::I8 | Prim::I16 | Prim::I32 => format!("({}){}", crate::types::unsigned_type(prim), value.operand()),
            Prim::Bool | Prim::I64 | Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 | Prim::F16 => {
                format!("(uint64_t){}", value.operand())
            }
        }
    }

    fn trace(&mut self, layout: &Layout, args: &[Arg], span: Span) {
        let number = self.traces.len();
        self.traces.push((layout.clone(), span));
        let mut list = Vec::with_capacity(args.len());
        for (arg, prim) in args.iter().zip(component_prims(layout)) {
            list.push(match arg {
                Arg::Scalar(expr) => format!("{{.bits = {}}}", self.as_bits(prim, *expr)),
                Arg::Buffer(var) => format!("{{.data = {}}}", self.var(*var)),
            });
        }
        if list.is_empty() {
            list.push("{0}".into());
        }
        self.out.line(format!("rv_trace(t, {number}, (rv_value[]){{{}}});", list.join(", ")));
    }
}

/// The primitive type of each component.
fn component_prims(layout: &Layout) -> Vec<Prim> {
    let prim = |component: &scalar::Component| match component {
        scalar::Component::Data(prim, _) => *prim,
        scalar::Component::Size | scalar::Component::Rank | scalar::Component::Shape | scalar::Component::Desc(_) => {
            Prim::I64
        }
    };
    layout.components().iter().map(prim).collect()
}

/// The variable to which a statement gives a value.
fn first_value(stm: &Stm) -> Option<Var> {
    match stm {
        Stm::Set(var, _) | Stm::Alloc { buffer: var, .. } => Some(*var),
        Stm::Share { to, .. } | Stm::Move { to, .. } => Some(*to),
        _ => None,
    }
}

fn uses(exprs: &Exprs, value: Expr, var: Var) -> bool {
    let mut found = false;
    value.for_each_var(exprs, &mut |used| found |= used == var);
    found
}
