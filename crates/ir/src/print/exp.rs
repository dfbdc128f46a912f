//! Expressions as text.

use super::Printer;
use crate::turns::{Rounds, Tiles};
use crate::{
    Atom, Block, BoxId, Exp, FunId, Layout, LoopForm, Program, Range, Region, SiteId, SortKeys, Sorted, Turns, Type,
    Var,
};
use scalar::{BinOp, Prim, UnOp};

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
    /// One arm for every expression; those with more than a word and operands have functions below.
    pub(super) fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Atom(a) => self.atom(*a),
            Exp::Bin(op, prim, a, b) => self.bin(*op, *prim, *a, *b),
            Exp::Un(op, prim, a) => self.un(*op, *prim, *a),
            Exp::Math(op, prim, args) => self.call(&format!("{prim}.{op}"), args),
            Exp::Convert(from, to, a) => self.convert(*from, *to, *a),
            Exp::Select(c, a, b) => self.call("select", &[*c, *a, *b]),
            Exp::Literal(prim, atoms) => self.literal(*prim, atoms),
            Exp::Uninit => self.put("uninit"),
            Exp::Index(x, at) => self.index(*x, at),
            Exp::IndexVector(x, at) => self.index_vector(*x, *at),
            Exp::Slice(x, parts) => self.slice("slice", *x, parts),
            Exp::Rearrange(x, order) => self.rearrange(*x, order),
            Exp::Reshape(x) => self.word("reshape", *x),
            Exp::Copy(x) => self.word("copy", *x),
            Exp::Retype(x) => self.word("retype", *x),
            Exp::Total(dims) => {
                self.put("total ");
                self.dims(dims);
            }
            Exp::Unrank { index, shape } => self.unrank(*index, *shape),
            Exp::DescUniform(n) => {
                self.put("desc_uniform ");
                self.atom(*n);
            }
            Exp::DescOf(x) => self.word("desc_of", *x),
            Exp::DescLengths(d) => self.word("desc_lengths", *d),
            Exp::DescLength(d, at) => self.part("desc_length", *d, at),
            Exp::DescOffset(d, at) => self.part("desc_offset", *d, at),
            Exp::DescRow(d, element) => self.part("desc_row", *d, &[*element]),
            Exp::DescIndex(d, at) => self.part("desc_index", *d, at),
            Exp::DescSlice(d, parts) => self.slice("desc_slice", *d, parts),
            Exp::DescEqual(d, e) => self.call("desc_equal", &[(*d).into(), (*e).into()]),
            Exp::Assert { cond, site, args } => self.assertion(*cond, *site, args),
            Exp::Ensure { cond, otherwise } => {
                self.put("ensure ");
                self.atom(*cond);
                self.put(" else");
                self.block(otherwise);
            }
            Exp::Pack(id, case, parts) => self.pack(*id, *case, parts),
            Exp::Open(x, cases) => self.open(*x, cases),
            Exp::Call(function, args) => self.function_call(*function, args),
            Exp::If(cond, then, otherwise) => self.choice(("if ", " else"), *cond, then, otherwise),
            Exp::Choose(cond, one, other) => self.choice(("choose ", " or"), *cond, one, other),
            Exp::Loop { params, form, turns, body } => {
                self.loop_head(params, form);
                self.turns(*turns);
                self.block(body);
            }
            Exp::Bulk(bulk) => self.bulk(bulk),
            Exp::Sort(count, order) => self.sort(*count, order),
            Exp::SortKeys(sort) => self.sort_keys(*sort),
            Exp::Trace(layout, args) => self.trace(layout, args),
        }
    }

    /// `assert c else site(a, b)`
    fn assertion(&mut self, cond: Atom, site: SiteId, args: &[Atom]) {
        self.put("assert ");
        self.atom(cond);
        let site = self.names.site(self.program, site).to_string();
        self.put(" else ");
        self.call(&site, args);
    }

    /// `pack box 0 (a, b)`
    fn pack(&mut self, id: BoxId, case: usize, parts: &[Atom]) {
        let name = self.names.boxes(id).to_string();
        self.call(&format!("pack {name} {case} "), parts);
    }

    /// `open x { case (a) { .. } }`
    fn open(&mut self, x: Var, cases: &[Region]) {
        self.word("open", x);
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

    /// `f(a, b)`
    fn function_call(&mut self, function: FunId, args: &[Atom]) {
        let name = self.names.function(function).to_string();
        self.call(&name, args);
    }

    /// `if c { .. } else { .. }`
    fn choice(&mut self, (head, between): (&str, &str), cond: Atom, then: &Block, otherwise: &Block) {
        self.put(head);
        self.atom(cond);
        self.block(then);
        self.put(between);
        self.block(otherwise);
    }

    /// `sort n by (i, j) { .. }`
    fn sort(&mut self, count: Atom, order: &Region) {
        self.put("sort ");
        self.atom(count);
        self.put(" by ");
        self.region(order);
    }

    /// `sort_keys xs descending giving values order`
    fn sort_keys(&mut self, sort: SortKeys) {
        self.word("sort_keys", sort.keys);
        if sort.descending {
            self.put(" descending");
        }
        self.put(match sort.gives {
            Sorted::Values => " giving values",
            Sorted::Order => " giving order",
            Sorted::Both => " giving values order",
        });
    }

    /// `trace layout (a, b)`
    fn trace(&mut self, layout: &Layout, args: &[Atom]) {
        self.put("trace ");
        self.layout(layout);
        self.call(" ", args);
    }

    /// `a + b at i64`
    fn bin(&mut self, op: BinOp, prim: Prim, a: Atom, b: Atom) {
        self.atom(a);
        self.put(&format!(" {op} "));
        self.atom(b);
        self.at_prim(prim, a);
    }

    /// `neg a at i64`
    fn un(&mut self, op: UnOp, prim: Prim, a: Atom) {
        self.put(match op {
            UnOp::Neg => "neg ",
            UnOp::Not => "not ",
        });
        self.atom(a);
        self.at_prim(prim, a);
    }

    /// `a as i32 at i64`
    fn convert(&mut self, from: Prim, to: Prim, a: Atom) {
        self.atom(a);
        self.put(&format!(" as {to}"));
        self.at_prim(from, a);
    }

    /// `i64[a, b]`
    fn literal(&mut self, prim: Prim, atoms: &[Atom]) {
        self.put(prim.name());
        self.indices(atoms);
    }

    /// `x[a, b]`
    fn index(&mut self, x: Var, at: &[Atom]) {
        self.var(x);
        self.indices(at);
    }

    /// `x[..v]`
    fn index_vector(&mut self, x: Var, at: Var) {
        self.var(x);
        self.put("[..");
        self.var(at);
        self.put("]");
    }

    /// `slice x[start; count]`, with another word of descriptors.
    fn slice(&mut self, word: &str, x: Var, parts: &[Range]) {
        self.word(word, x);
        self.ranges(parts);
    }

    /// `rearrange x (1, 0)`
    fn rearrange(&mut self, x: Var, order: &[usize]) {
        self.word("rearrange", x);
        self.put(" (");
        self.list(order, |p, i| p.put(&i.to_string()));
        self.put(")");
    }

    /// `unrank i in shape`
    fn unrank(&mut self, index: Atom, shape: Var) {
        self.put("unrank ");
        self.atom(index);
        self.put(" in ");
        self.var(shape);
    }

    /// `desc_length d[a, b]`, or another word.
    fn part(&mut self, word: &str, d: Var, at: &[Atom]) {
        self.word(word, d);
        self.indices(at);
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

    /// `blocks 32 tiles 8 16 from 128`, `rounds 10 from 4194304 rows 512 share 16`, or nothing.
    fn turns(&mut self, turns: Turns) {
        match turns {
            Turns::InOrder => {}
            Turns::Blocks(Tiles { turns, rows, columns, least }) => {
                self.put(&format!(" blocks {turns} tiles {rows} {columns} from {least}"));
            }
            Turns::Rounds(Rounds { turns, bytes, row_bytes, share }) => {
                self.put(&format!(" rounds {turns} from {bytes} rows {row_bytes} share {share}"));
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
