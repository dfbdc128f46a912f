//! From a program to its text.

use crate::{Arg, Entry, Expr, FailArg, FunId, Function, Home, Mode, Op, Program, Stm, Type, Var};
use base::Span;
use fault::notation::{self, quoted_name as name};
use scalar::{DimKind, Layout, UnOp};
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_with(self, true))
    }
}

/// The text of a program, with or without places in the source.
pub fn print_with(program: &Program, spans: bool) -> String {
    let mut printer = Printer { program, spans, out: String::new(), depth: 0 };
    if program.math != scalar::Math::default() {
        printer.out.push_str(&format!("math {}\n", program.math.name()));
    }
    for (id, site) in program.sites.iter() {
        printer.out.push_str(&format!("site {} {} ", id.0, site.message.fault.code()));
        notation::print(&mut printer.out, site, spans);
    }
    program.functions.iter().for_each(|(id, function)| printer.function(id, function));
    program.entries.iter().for_each(|entry| printer.entry(entry));
    printer.out
}

/// The text of an expression.
pub(crate) fn print_expr(program: &Program, expr: Expr) -> String {
    Printer { program, spans: false, out: String::new(), depth: 0 }.expr(expr)
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(prim) => write!(f, "{prim}"),
            Type::Buffer(prim) => write!(f, "[]{prim}"),
        }
    }
}

struct Printer<'a> {
    program: &'a Program,
    spans: bool,
    out: String,
    depth: usize,
}

/// The letters of a name that may stand before an id.
fn word(name: &str) -> String {
    let kept: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    if kept.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { kept } else { format!("_{kept}") }
}

/// ` @file:start-end`, or nothing.
pub(super) fn place(span: Span, shown: bool) -> String {
    if shown { format!(" @{}:{}-{}", span.file.0, span.start, span.end) } else { String::new() }
}

impl Printer<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        (0..self.depth).for_each(|_| self.out.push_str("  "));
        self.out.push_str(line.as_ref());
        self.out.push('\n');
    }

    fn var(&self, var: Var) -> String {
        let name = self.program.vars.get(var).map_or(String::new(), |info| word(info.name.as_str()));
        format!("{name}.{}", var.0)
    }

    fn typed(&self, var: Var) -> String {
        let Some(info) = self.program.vars.get(var) else { return self.var(var) };
        let (name, ty) = (self.var(var), info.ty);
        match info.home {
            Home::Any => format!("{name}: {ty}"),
            Home::New(memory) => format!("{name}: {ty} in {memory:?}"),
            Home::Local(count) => format!("{name}: {}", ty.to_string().replacen("[", &format!("[{count}"), 1)),
        }
    }

    fn fun(&self, id: FunId) -> String {
        let name = self.program.functions.get(id).map_or(String::new(), |f| word(f.name.as_str()));
        format!("{name}.{}", id.0)
    }

    fn function(&mut self, id: FunId, function: &Function) {
        let params: Vec<String> = function.params.iter().map(|p| self.typed(*p)).collect();
        let results: Vec<String> = function.results.iter().map(Type::to_string).collect();
        let deep = function.too_deep.map_or(String::new(), |site| format!(" deep {}", site.0));
        let stops = if function.stops { " stops" } else { "" };
        self.line(format!(
            "fun {}({}) -> ({}){deep}{stops}{} {{",
            self.fun(id),
            params.join(", "),
            results.join(", "),
            place(function.span, self.spans)
        ));
        self.block(&function.body);
        self.line("}");
    }

    fn entry(&mut self, entry: &Entry) {
        let params: Vec<String> = entry.params.iter().map(|(n, l)| format!("{}: {}", name(*n), layout(l))).collect();
        let results: Vec<String> = entry.results.iter().map(layout).collect();
        let consumed: Vec<String> = entry.consumed.iter().map(bool::to_string).collect();
        self.line(format!(
            "entry {} = {}({}) -> ({}) consumed({})",
            name(entry.name),
            self.fun(entry.function),
            params.join(", "),
            results.join(", "),
            consumed.join(", ")
        ));
    }

    fn block(&mut self, stms: &[Stm]) {
        self.depth += 1;
        stms.iter().for_each(|stm| self.stm(stm));
        self.depth -= 1;
    }

    /// A statement: one line, or several with its blocks.
    fn stm(&mut self, stm: &Stm) {
        match stm {
            Stm::Let(var, value) => self.line(format!("let {} = {}", self.typed(*var), self.expr(*value))),
            Stm::Declare(var) => self.line(format!("var {}", self.typed(*var))),
            Stm::Keep(var) => self.line(format!("keep {}", self.typed(*var))),
            Stm::Set(var, value) => self.line(format!("{} := {}", self.var(*var), self.expr(*value))),
            Stm::Store { buffer, at, value } => {
                self.line(format!("{}[{}] := {}", self.var(*buffer), self.expr(*at), self.expr(*value)));
            }
            Stm::Alloc { buffer, count, reuse, span: at } => {
                let reuse = reuse.map_or(String::new(), |spare| format!(" reusing {}", self.var(spare)));
                let (buffer, count, at) = (self.var(*buffer), self.expr(*count), place(*at, self.spans));
                self.line(format!("alloc {buffer} {count}{reuse}{at}"));
            }
            Stm::Grow { buffer, used, needed, span: at } => self.grow(*buffer, *used, *needed, *at),
            Stm::Pack { to, refs, words, span: at } => self.pack(*to, refs, words, *at),
            Stm::Fetch { to, from, at } => {
                self.line(format!("fetch {} = {} at {at}", self.typed(*to), self.var(*from)));
            }
            Stm::Share { to, from } => self.line(format!("share {} = {}", self.var(*to), self.var(*from))),
            Stm::Move { to, from } => self.line(format!("move {} = {}", self.var(*to), self.var(*from))),
            Stm::Release(var) => self.line(format!("release {}", self.var(*var))),
            Stm::Trim { buffer, start, count, span: at } => {
                let (buffer, start, count) = (self.var(*buffer), self.var(*start), self.expr(*count));
                self.line(format!("trim {buffer} from {start} count {count}{}", place(*at, self.spans)));
            }
            Stm::Copy { to, to_at, from, from_at, count, past } => {
                let (to, from) = (self.place_of(*to, *to_at), self.place_of(*from, *from_at));
                let past = if *past { " past" } else { "" };
                self.line(format!("copy {to} = {from} count {}{past}", self.expr(*count)));
            }
            Stm::Sort { .. } => self.sort(stm),
            Stm::Relay { chain, turn, var, next } => {
                let (var, chain) = (self.typed(*var), self.var(*chain));
                self.line(format!("relay {var} = {chain} turn {} next {}", self.expr(*turn), self.expr(*next)));
            }
            Stm::Transpose { .. } => self.transpose(stm),
            Stm::Prefetch(buffer, at) => self.line(format!("prefetch {}", self.place_of(*buffer, *at))),
            Stm::Prefix { .. } => self.prefix(stm),
            Stm::If(cond, then, otherwise) => self.choice(*cond, then, otherwise),
            Stm::For { var, from, to, mode, body } => self.counted_loop(*var, *from, *to, *mode, body),
            Stm::While { head, cond, body } => self.conditional_loop(head, *cond, body),
            Stm::Call { results, function, args, span: at } => self.call(results, *function, args, *at),
            Stm::Fail { site, args } => {
                let args: Vec<String> = args.iter().map(|a| self.fail_arg(a)).collect();
                self.line(format!("fail {}({})", site.0, args.join(", ")));
            }
            Stm::Try { stopped, body } => {
                self.line(format!("try {} {{", self.var(*stopped)));
                self.block(body);
                self.line("}");
            }
            Stm::Stop(value) => self.line(format!("stop {}", self.expr(*value))),
            Stm::Trace(form, args, at) => {
                self.line(format!("trace {} ({}){}", layout(form), self.args(args), place(*at, self.spans)));
            }
            Stm::Return(args) => self.line(format!("return ({})", self.args(args))),
        }
    }

    /// `xs.1[...]`
    fn place_of(&self, buffer: Var, at: Expr) -> String {
        format!("{}[{}]", self.var(buffer), self.expr(at))
    }

    /// `grow xs.1 used ... needed ...`
    fn grow(&mut self, buffer: Var, used: Expr, needed: Expr, at: Span) {
        let (used, needed) = (self.expr(used), self.expr(needed));
        self.line(format!("grow {} used {used} needed {needed}{}", self.var(buffer), place(at, self.spans)));
    }

    /// `pack b.1 refs (&xs.2) words (...)`
    fn pack(&mut self, to: Var, refs: &[Var], words: &[Expr], at: Span) {
        let refs: Vec<String> = refs.iter().map(|r| format!("&{}", self.var(*r))).collect();
        let words: Vec<String> = words.iter().map(|w| self.expr(*w)).collect();
        let (to, at) = (self.var(to), place(at, self.spans));
        self.line(format!("pack {to} refs ({}) words ({}){at}", refs.join(", "), words.join(", ")));
    }

    /// `sort xs.1[...] count ... descending values ys.2[...] order is.3[...]`
    fn sort(&mut self, stm: &Stm) {
        let Stm::Sort { keys, count, descending, values, order, span } = stm else { return };
        let written = |this: &Self, (buffer, at): (Var, Expr)| format!("{}[{}]", this.var(buffer), this.expr(at));
        let mut line = format!("sort {} count {}", written(self, *keys), self.expr(*count));
        if *descending {
            line.push_str(" descending");
        }
        for (word, result) in [("values", values), ("order", order)] {
            let text = result.map(|result| format!(" {word} {}", written(self, result)));
            line.push_str(&text.unwrap_or_default());
        }
        self.line(format!("{line}{}", place(*span, self.spans)));
    }

    /// `transpose ys.1[...] by ... = xs.2[...] by ... rows ... columns ...`
    fn transpose(&mut self, stm: &Stm) {
        let Stm::Transpose { to, to_stride, from, from_stride, rows, columns } = stm else { return };
        let [to, from] = [(to, to_stride), (from, from_stride)]
            .map(|((buffer, at), by)| format!("{} by {}", self.place_of(*buffer, *at), self.expr(*by)));
        let (rows, columns) = (self.expr(*rows), self.expr(*columns));
        self.line(format!("transpose {to} = {from} rows {rows} columns {columns}"));
    }

    /// `prefix ys.1[...] = xs.2[...] count ... before ... by + past ...`
    fn prefix(&mut self, stm: &Stm) {
        let Stm::Prefix { to, from, count, before, op, past } = stm else { return };
        let [to, from] = [to, from].map(|(buffer, at)| self.place_of(*buffer, *at));
        let (count, before, past) = (self.expr(*count), self.expr(*before), self.expr(*past));
        self.line(format!("prefix {to} = {from} count {count} before {before} by {op} past {past}"));
    }

    /// `if ... { ... } else { ... }`
    fn choice(&mut self, cond: Expr, then: &[Stm], otherwise: &[Stm]) {
        self.line(format!("if {} {{", self.expr(cond)));
        self.block(then);
        if !otherwise.is_empty() {
            self.line("} else {");
            self.block(otherwise);
        }
        self.line("}");
    }

    /// `for i.1 = ... to ... parallel { ... }`
    fn counted_loop(&mut self, var: Var, from: Expr, to: Expr, mode: Mode, body: &[Stm]) {
        let mode = match mode {
            Mode::Sequential => "",
            Mode::Short => "short ",
            Mode::Simd => "simd ",
            Mode::Lanes => "lanes ",
            Mode::Unrolled => "unrolled ",
            Mode::Rolled => "rolled ",
            Mode::Parallel => "parallel ",
        };
        self.line(format!("for {} = {} to {} {mode}{{", self.var(var), self.expr(from), self.expr(to)));
        self.block(body);
        self.line("}");
    }

    /// `loop { ... } while ... { ... }`
    fn conditional_loop(&mut self, head: &[Stm], cond: Expr, body: &[Stm]) {
        self.line("loop {");
        self.block(head);
        self.line(format!("}} while {} {{", self.expr(cond)));
        self.block(body);
        self.line("}");
    }

    /// `call (x.1: i64) = f.2(...)`
    fn call(&mut self, results: &[Var], function: FunId, args: &[Arg], at: Span) {
        let results: Vec<String> = results.iter().map(|r| self.typed(*r)).collect();
        let (results, at) = (results.join(", "), place(at, self.spans));
        self.line(format!("call ({results}) = {}({}){at}", self.fun(function), self.args(args)));
    }

    fn args(&self, args: &[Arg]) -> String {
        let one = |arg: &Arg| match arg {
            Arg::Scalar(expr) => self.expr(*expr),
            Arg::Buffer(var) => format!("&{}", self.var(*var)),
        };
        args.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn fail_arg(&self, arg: &FailArg) -> String {
        match arg {
            FailArg::Scalar(prim, expr) => format!("{prim} {}", self.expr(*expr)),
            FailArg::Numbers { buffer, at, count } => {
                format!("&{}[{}] count {}", self.var(*buffer), self.expr(*at), self.expr(*count))
            }
        }
    }

    fn expr(&self, expr: Expr) -> String {
        match expr {
            Expr::Const(value) => value.to_string(),
            Expr::Var(var) => self.var(var),
            Expr::Op(id) => self.program.exprs.get(id).map_or(format!("{id:?}"), |op| self.op(op)),
        }
    }

    fn op(&self, op: &Op) -> String {
        match op {
            Op::Bin(op, prim, left, right) => format!("({} {op}{prim} {})", self.expr(*left), self.expr(*right)),
            Op::Un(UnOp::Neg, prim, inner) => format!("neg.{prim}({})", self.expr(*inner)),
            Op::Un(UnOp::Not, prim, inner) => format!("not.{prim}({})", self.expr(*inner)),
            Op::Math(op, prim, args) => {
                let args: Vec<String> = args.iter().map(|a| self.expr(*a)).collect();
                format!("math.{op}.{prim}({})", args.join(", "))
            }
            Op::Convert(from, to, inner) => format!("convert.{from}.{to}({})", self.expr(*inner)),
            Op::Select(cond, yes, no) => {
                format!("({} ? {} : {})", self.expr(*cond), self.expr(*yes), self.expr(*no))
            }
            Op::Load(buffer, at) => format!("{}[{}]", self.var(*buffer), self.expr(*at)),
            Op::Threads => "threads".into(),
            Op::Sole(buffer) => format!("sole {}", self.var(*buffer)),
            Op::Attempts => "attempts".into(),
        }
    }
}

/// `[]` a size, `[~]` jagged, `[..]` any number of dimensions; records and sums with names in quotes.
fn layout(form: &Layout) -> String {
    match form {
        Layout::Scalar(prim) => prim.to_string(),
        Layout::Array(dims, elem) => {
            let dim = |kind: &DimKind| match kind {
                DimKind::Size => "[]",
                DimKind::Jagged => "[~]",
                DimKind::Shape => "[..]",
            };
            dims.iter().map(dim).collect::<String>() + &layout(elem)
        }
        Layout::Record(fields) => {
            let fields: Vec<String> = fields.iter().map(|(n, l)| format!("{}: {}", name(*n), layout(l))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Layout::Sum(constructors) => {
            let one = |(n, parts): &(base::Name, Vec<Layout>)| {
                format!("{}({})", name(*n), parts.iter().map(layout).collect::<Vec<_>>().join(", "))
            };
            format!("sum({})", constructors.iter().map(one).collect::<Vec<_>>().join(", "))
        }
    }
}
