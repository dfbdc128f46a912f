//! Expressions as text.

use super::Printer;
use crate::{Atom, Exp, LoopForm, Program, Range, Region, Type, Var};
use scalar::Prim;

/// The type that an operator works at if nothing is said: that of its first operand.
pub(crate) fn implied_prim(program: &Program, atom: Atom) -> Option<Prim> {
    match atom {
        Atom::Const(x) => Some(x.prim()),
        Atom::Var(var) => match program.vars.get(var)?.ty {
            Type::Scalar(prim) => Some(prim),
            Type::Array(..) | Type::Desc(_) | Type::Cert | Type::Box(_) => None,
        },
    }
}

impl Printer<'_> {
    pub(super) fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Atom(a) => self.atom(*a),
            Exp::Bin(op, prim, a, b) => {
                self.atom(*a);
                self.put(&format!(" {op} "));
                self.atom(*b);
                self.at_prim(*prim, *a);
            }
            Exp::Un(op, prim, a) => {
                self.put(match op {
                    scalar::UnOp::Neg => "neg ",
                    scalar::UnOp::Not => "not ",
                });
                self.atom(*a);
                self.at_prim(*prim, *a);
            }
            Exp::Math(op, prim, args) => self.call(&format!("{prim}.{op}"), args),
            Exp::Convert(from, to, a) => {
                self.atom(*a);
                self.put(&format!(" as {to}"));
                self.at_prim(*from, *a);
            }
            Exp::Select(c, a, b) => self.call("select", &[*c, *a, *b]),
            Exp::Literal(prim, atoms) => {
                self.put(prim.name());
                self.indices(atoms);
            }
            Exp::Index(x, at) => {
                self.var(*x);
                self.indices(at);
            }
            Exp::IndexVector(x, at) => {
                self.var(*x);
                self.put("[..");
                self.var(*at);
                self.put("]");
            }
            Exp::Slice(x, parts) => {
                self.word("slice", *x);
                self.ranges(parts);
            }
            Exp::Rearrange(x, order) => {
                self.word("rearrange", *x);
                self.put(" (");
                self.list(order, |p, i| p.put(&i.to_string()));
                self.put(")");
            }
            Exp::Reshape(x) => self.word("reshape", *x),
            Exp::Copy(x) => self.word("copy", *x),
            Exp::Retype(x) => self.word("retype", *x),
            Exp::Total(dims) => {
                self.put("total ");
                self.dims(dims);
            }
            Exp::Unrank { index, shape } => {
                self.put("unrank ");
                self.atom(*index);
                self.put(" in ");
                self.var(*shape);
            }
            Exp::DescUniform(n) => {
                self.put("desc_uniform ");
                self.atom(*n);
            }
            Exp::DescOf(x) => self.word("desc_of", *x),
            Exp::DescLengths(d) => self.word("desc_lengths", *d),
            Exp::DescLength(d, at) => {
                self.word("desc_length", *d);
                self.indices(at);
            }
            Exp::DescIndex(d, at) => {
                self.word("desc_index", *d);
                self.indices(at);
            }
            Exp::DescSlice(d, parts) => {
                self.word("desc_slice", *d);
                self.ranges(parts);
            }
            Exp::DescEqual(d, e) => self.call("desc_equal", &[(*d).into(), (*e).into()]),
            Exp::Assert { cond, site, args } => {
                self.put("assert ");
                self.atom(*cond);
                let site = self.names.site(self.program, *site).to_string();
                self.put(" else ");
                self.call(&site, args);
            }
            Exp::Pack(id, case, parts) => {
                let name = self.names.boxes(*id).to_string();
                self.call(&format!("pack {name} {case} "), parts);
            }
            Exp::Open(x, cases) => {
                self.word("open", *x);
                self.put(" {");
                self.depth += 1;
                for case in cases {
                    self.line();
                    self.put("case ");
                    self.region(case);
                }
                self.depth -= 1;
                self.line();
                self.put("}");
            }
            Exp::Call(function, args) => {
                let name = self.names.function(*function).to_string();
                self.call(&name, args);
            }
            Exp::If(cond, then, otherwise) => {
                self.put("if ");
                self.atom(*cond);
                self.block(then);
                self.put(" else");
                self.block(otherwise);
            }
            Exp::Loop { params, form, body } => {
                self.loop_head(params, form);
                self.block(body);
            }
            Exp::Bulk(bulk) => self.bulk(bulk),
            Exp::Sort(count, order) => {
                self.put("sort ");
                self.atom(*count);
                self.put(" by ");
                self.region(order);
            }
            Exp::Trace(layout, args) => {
                self.put("trace ");
                self.layout(layout);
                self.call(" ", args);
            }
        }
    }

    fn loop_head(&mut self, params: &[(Var, Atom)], form: &LoopForm) {
        self.put("loop (");
        self.list(params, |p, (var, init)| {
            p.binder(*var);
            p.put(" = ");
            p.atom(*init);
        });
        self.put(") ");
        match form {
            LoopForm::For(var, bound) => {
                self.put("for ");
                self.var(*var);
                self.put(" < ");
                self.atom(*bound);
            }
            LoopForm::While(cond) => {
                self.put("while");
                self.block(cond);
                self.put(" do");
            }
        }
    }

    pub(super) fn region(&mut self, region: &Region) {
        self.binders(&region.params);
        self.block(&region.body);
    }

    fn call(&mut self, name: &str, args: &[Atom]) {
        self.put(name);
        self.put("(");
        self.atoms(args);
        self.put(")");
    }

    fn word(&mut self, word: &str, var: Var) {
        self.put(word);
        self.put(" ");
        self.var(var);
    }

    pub(super) fn indices(&mut self, at: &[Atom]) {
        self.put("[");
        self.atoms(at);
        self.put("]");
    }

    /// `[start; count; stride]`, without a stride of 1.
    fn ranges(&mut self, ranges: &[Range]) {
        self.put("[");
        self.list(ranges, |p, Range { start, count, stride }| {
            p.atom(*start);
            p.put("; ");
            p.atom(*count);
            if *stride != Atom::size(1) {
                p.put("; ");
                p.atom(*stride);
            }
        });
        self.put("]");
    }

    fn at_prim(&mut self, prim: Prim, operand: Atom) {
        if implied_prim(self.program, operand) != Some(prim) {
            self.put(&format!(" at {prim}"));
        }
    }
}
