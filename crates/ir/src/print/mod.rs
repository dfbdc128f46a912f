//! Core as text.
//!
//! ```text
//! fn halves(n: i64, xs: [n]f64) -> (m: i64, fresh ys: [m]f64) {
//!   let ok: bool = n > 0
//!   let c: cert = assert ok else R003(n)
//!   let <c> ys.1: [n]f64 = bulk {
//!     out gen [n] of (y: f64)
//!     for i < n {
//!       let x: f64 = xs[i]
//!       emit [i] {
//!         let half: f64 = x * 0.5f64
//!         => half
//!       }
//!     }
//!   }
//!   => n, ys.1
//! }
//!
//! entry halves = halves(xs: []f64) -> ([]f64)
//!
//! site R003 "{0} is not positive"
//! ```
//!
//! Kinds of boxes stand before the functions: `boxes f { case (n: i64) case () }`.
//!
//! A `*` marks parameters that are consumed, `pending 2` recursive arrays that are being made and whose elements are at
//! two indices (`numbered` if they differ in size), `size` parameters and results that are never
//! negative, `fresh` results that share memory with nothing. `<c>` are the
//! checks that something relies on, `=>` stands before the results of a block. Constants say their type except for
//! `i64` and `bool`. Operators work at the type of their first operand; ` at t` says it where it is another one.
//! [`parse`](mod@crate::parse) reads exactly this.

mod bulk;
mod exp;
mod names;
mod site;

use crate::{Atom, Block, BoxId, BoxKind, Dim, Entry, FunId, Function, Layout, Pending, Program, Stm, Type, Var};
use base::Span;
pub(crate) use exp::implied_prim;
use names::{Names, written_plainly};

/// What to show.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether places in the source are shown, as `@file:start-end` with the file's number.
    pub spans: bool,
}

/// The text of a program. Sites that no function mentions are left out.
pub fn print(program: &Program) -> String {
    print_with(program, Options::default())
}

/// The text of a layout, as entry points have it.
pub fn print_layout(layout: &Layout) -> String {
    let nothing = Program::default();
    let mut printer = Printer::new(&nothing, Options::default());
    printer.layout(layout);
    printer.out
}

/// The text of a program with options.
pub fn print_with(program: &Program, options: Options) -> String {
    let mut printer = Printer::new(program, options);
    for id in program.boxes.ids() {
        printer.paragraph();
        printer.boxes(id);
    }
    for function in program.functions.ids() {
        printer.paragraph();
        printer.function(function);
    }
    for (i, entry) in program.entries.iter().enumerate() {
        if i == 0 {
            printer.paragraph();
        }
        printer.entry(entry);
    }
    printer.sites();
    printer.out
}

/// The text of a statement, with the names that it has in the text of its function.
pub fn print_stm(program: &Program, function: FunId, stm: &Stm) -> String {
    let mut printer = Printer::of_function(program, function);
    printer.out.clear();
    printer.stm(stm);
    printer.out.trim().to_string()
}

/// The name that a variable has in the text of its function.
pub fn print_var(program: &Program, function: FunId, var: Var) -> String {
    Printer::of_function(program, function).names.var(program, var).to_string()
}

/// The text of a type, with the names that its variables have in the text of a function.
pub fn print_type(program: &Program, function: FunId, ty: &Type) -> String {
    let mut printer = Printer::of_function(program, function);
    printer.out.clear();
    printer.ty(ty);
    printer.out
}

/// Text under construction.
struct Printer<'p> {
    program: &'p Program,
    options: Options,
    names: Names,
    out: String,
    depth: usize,
}

impl<'p> Printer<'p> {
    fn new(program: &'p Program, options: Options) -> Printer<'p> {
        Printer { program, options, names: Names::new(program), out: String::new(), depth: 0 }
    }

    /// With the text of a function, and thus with the names of its variables.
    fn of_function(program: &'p Program, function: FunId) -> Printer<'p> {
        let mut printer = Printer::new(program, Options::default());
        printer.function(function);
        printer
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Begins a line.
    fn line(&mut self) {
        self.put("\n");
        self.put(&"  ".repeat(self.depth));
    }

    /// An empty line, except at the very beginning.
    fn paragraph(&mut self) {
        if !self.out.is_empty() {
            self.put("\n");
        }
    }

    /// Items with commas between.
    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut Self, T)) {
        for (i, x) in items.into_iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            item(self, x);
        }
    }

    fn var(&mut self, var: Var) {
        let name = self.names.var(self.program, var);
        self.out.push_str(name);
    }

    fn atom(&mut self, atom: Atom) {
        match atom {
            Atom::Var(var) => self.var(var),
            Atom::Const(scalar::Scalar::I64(n)) => self.put(&n.to_string()),
            Atom::Const(x) => self.put(&x.to_string()),
        }
    }

    fn atoms(&mut self, atoms: &[Atom]) {
        self.list(atoms, |p, atom| p.atom(*atom));
    }

    fn dims(&mut self, dims: &[Dim]) {
        for dim in dims {
            self.put("[");
            match dim {
                Dim::Size(n) => self.atom(*n),
                Dim::Jagged(d) => {
                    self.put("~");
                    self.var(*d);
                }
                Dim::Shape(v) => {
                    self.put("..");
                    self.var(*v);
                }
            }
            self.put("]");
        }
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Scalar(prim) => self.put(prim.name()),
            Type::Array(prim, dims) => {
                self.dims(dims);
                self.put(prim.name());
            }
            Type::Desc(dims) => {
                self.put("desc ");
                self.dims(dims);
            }
            Type::Cert => self.put("cert"),
            Type::Box(id) => {
                let name = self.names.boxes(*id).to_string();
                self.put(&format!("box {name}"));
            }
        }
    }

    fn binder(&mut self, var: Var) {
        self.var(var);
        self.put(": ");
        match self.program.vars.get(var) {
            Some(info) => {
                if let Some(Pending { dims, numbered }) = info.pending {
                    self.put(&format!("pending {dims} {}", if numbered { "numbered " } else { "" }));
                }
                if info.size {
                    self.put("size ");
                }
                self.ty(&info.ty);
            }
            None => self.put("cert"),
        }
    }

    fn binders(&mut self, vars: &[Var]) {
        self.put("(");
        self.list(vars, |p, var| p.binder(*var));
        self.put(")");
    }

    fn span(&mut self, span: Span) {
        if self.options.spans {
            self.put(&format!(" @{}:{}-{}", span.file.0, span.start, span.end));
        }
    }

    fn boxes(&mut self, id: BoxId) {
        let Some(BoxKind { name: _, cases }) = self.program.boxes.get(id) else { return };
        self.names.forget_vars();
        let name = self.names.boxes(id).to_string();
        self.put(&format!("boxes {name} {{"));
        for case in cases {
            self.put("\n  case ");
            self.binders(case);
        }
        self.put("\n}\n");
    }

    fn function(&mut self, id: FunId) {
        let Some(function) = self.program.functions.get(id) else { return };
        let Function { name: _, params, consumed, results, fresh, body, too_deep, span, remarks: _ } = function;
        self.names.forget_vars();
        let name = self.names.function(id).to_string();
        self.put(&format!("fn {name}("));
        self.list(params.iter().enumerate(), |p, (i, var)| {
            p.put(if consumed.get(i) == Some(&true) { "*" } else { "" });
            p.binder(*var);
        });
        self.put(") -> (");
        self.list(results.iter().enumerate(), |p, (i, var)| {
            p.put(if fresh.get(i) == Some(&true) { "fresh " } else { "" });
            p.binder(*var);
        });
        self.put(")");
        self.span(*span);
        if let Some(site) = too_deep {
            let name = self.names.site(self.program, *site).to_string();
            self.put(&format!(" deep {name}"));
        }
        self.block(body);
        self.put("\n");
    }

    fn entry(&mut self, entry: &Entry) {
        let Entry { name, function, params, results } = entry;
        let called = self.names.function(*function).to_string();
        self.put(&format!("entry {} = {called}(", written_plainly(name.as_str())));
        self.list(params, |p, (name, layout)| {
            p.put(&written_plainly(name.as_str()));
            p.put(": ");
            p.layout(layout);
        });
        self.put(") -> (");
        self.list(results, |p, layout| p.layout(layout));
        self.put(")\n");
    }

    /// ` { ... }`, on one line if there are only results.
    fn block(&mut self, block: &Block) {
        let Block { stms, result } = block;
        self.put(" {");
        self.depth += 1;
        for stm in stms {
            self.line();
            self.stm(stm);
        }
        if stms.is_empty() {
            self.put(" ");
        } else {
            self.line();
        }
        self.results(result);
        self.depth -= 1;
        if stms.is_empty() {
            self.put(" ");
        } else {
            self.line();
        }
        self.put("}");
    }

    fn results(&mut self, result: &[Atom]) {
        self.put(if result.is_empty() { "=>" } else { "=> " });
        self.atoms(result);
    }

    fn certs(&mut self, certs: &[Var]) {
        if !certs.is_empty() {
            self.put("<");
            self.list(certs, |p, cert| p.var(*cert));
            self.put("> ");
        }
    }

    fn stm(&mut self, stm: &Stm) {
        let Stm { vars, certs, exp, span } = stm;
        self.put("let ");
        self.certs(certs);
        match vars[..] {
            [var] => self.binder(var),
            _ => self.binders(vars),
        }
        self.put(" = ");
        self.exp(exp);
        self.span(*span);
    }
}
