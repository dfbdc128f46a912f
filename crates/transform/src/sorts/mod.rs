//! Sorts that compare one number of each element sort these numbers by their bits: a radix sort.
//!
//! ```text
//! let order: [n]i64 = sort n by (i, j) {               let (values: [n]i32, order: [n]i64) = sort_keys xs giving values order
//!   let a: i32 = xs[i]
//!   let b: i32 = xs[j]
//!   let t: bool = a <= b                        =>
//!   => t
//! }
//! let o: i64 = order[k]                                let o: i64 = order[k]
//! let x: i32 = xs[o]                                   let x: i32 = values[k]
//! let y: f64 = ys[o]                                   let y: f64 = ys[o]
//! ```
//!
//! The comparison is `key i <= key j` or `key i >= key j`, or says the same in other words (`!(key i > key j)`,
//! `key i < key j || key i == key j`), where `key` is any computation that cannot fail: if it is more than
//! an element of a vector, the keys are computed first. Numbers that are only needed in sorted order are not read through
//! `order`; `sweep` drops it where nothing uses it.
//!
//! Comparing floats with `<=` is no order if some are NaN. The natural order, `a <= b || isnan b`, has them last; for a plain
//! `<=` the program decides when it runs:
//!
//! ```text
//! let nan: bool = bulk { out reduce (||) .. for i < n { .. isnan xs[i] .. } }
//! let order: [n]i64 = if nan { sort n by (i, j) { .. } } else { sort_keys xs giving order }
//! ```

mod keys;
mod reads;

use base::{Name, Set};
use ir::rename::{Substitution, copy_block};
use ir::traverse::Part;
use ir::{
    Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Mark, Output, Program, Region, SortKeys, Sorted, Step, Stm,
    Tree, Type, Var, VarInfo,
};
use keys::Found;
use reads::Reads;
use scalar::{BinOp, MathOp, Prim};

/// Runs the pass on all functions.
pub fn sorts(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let recursive = recursive_names(program, &body);
        let reads = reads::redirect(program, &recursive, &mut body);
        let mut sorts = Sorts { program, recursive, reads };
        body.replace_stms(&mut |stm| sorts.stm(stm));
        program.functions[fun].body = body;
    }
}

struct Sorts<'p> {
    program: &'p mut Program,
    recursive: Set<Var>,
    /// The sorted numbers that are read, by the variable of the order.
    reads: Reads,
}

impl Sorts<'_> {
    /// The statements in place of one.
    fn stm(&mut self, stm: Stm) -> Vec<Stm> {
        let Exp::Sort(count, region) = &stm.exp else { return vec![stm] };
        match keys::recognised(&self.recursive, region) {
            Some(found) => self.sorted(&stm, *count, region, &found),
            None => vec![stm],
        }
    }

    fn sorted(&mut self, stm: &Stm, count: Atom, region: &Region, found: &Found) -> Vec<Stm> {
        let order = stm.vars[0];
        let mut out = Vec::new();
        let keys = self.keys(&mut out, stm, count, region, found);
        let (vars, gives) = match self.reads.values.get(&order) {
            Some(values) => (vec![*values, order], Sorted::Both),
            None => (vec![order], Sorted::Order),
        };
        let exp = Exp::SortKeys(SortKeys { keys, descending: found.descending, gives });
        if found.total {
            out.push(Stm { vars, exp, ..stm.clone() });
            return out;
        }
        let nan = self.has_nan(&mut out, stm, count, keys, found.prim);
        let fast = self.renamed(&vars, |vars| vec![Stm { vars, exp, ..stm.clone() }]);
        let values = self.reads.values.get(&order).map(|_| keys);
        let slow = self.compared(stm, count, &vars, values);
        out.push(Stm { vars, exp: Exp::If(nan, slow, fast), ..stm.clone() });
        out
    }

    /// A block that binds copies of variables, which are its results.
    fn renamed(&mut self, vars: &[Var], stms: impl FnOnce(Vec<Var>) -> Vec<Stm>) -> Block {
        let own = ir::rename::copies(&mut self.program.vars, vars);
        let result = own.iter().map(|var| Atom::Var(*var)).collect();
        Block { stms: stms(own), result }
    }

    /// The sort by comparisons, and the numbers in its order if they are wanted.
    fn compared(&mut self, stm: &Stm, count: Atom, vars: &[Var], keys: Option<Var>) -> Block {
        let own = ir::rename::copies(&mut self.program.vars, vars);
        let order = own[own.len() - 1];
        let mut stms = vec![Stm { vars: vec![order], ..stm.clone() }];
        if let Some(keys) = keys {
            let prim = self.program.ty(keys).prim().unwrap_or_else(|| base::bug!("keys without a type"));
            let gather = self.tabulated(count, prim, stm, |this, i| {
                let (o, x) = (this.var("o", Type::I64), this.var("x", Type::Scalar(prim)));
                let read = |var, array, at| Stm { vars: vec![var], exp: Exp::Index(array, vec![at]), ..stm.clone() };
                Block { stms: vec![read(o, order, i), read(x, keys, o.into())], result: vec![x.into()] }
            });
            stms.push(Stm { vars: vec![own[0]], exp: gather, ..stm.clone() });
        }
        Block { stms, result: own.iter().map(|var| Atom::Var(*var)).collect() }
    }

    /// The numbers by which elements are sorted, as a vector.
    fn keys(&mut self, out: &mut Vec<Stm>, stm: &Stm, count: Atom, region: &Region, found: &Found) -> Var {
        let ty = Type::Array(found.prim, vec![Dim::Size(count)]);
        let mut certs = stm.certs.clone();
        let exp = match keys::vector(self.program, count, region, found.key) {
            Some(vector) if vector.at.is_empty() => return vector.array,
            Some(vector) => {
                certs.extend(vector.certs);
                Exp::Index(vector.array, vector.at)
            }
            None => self.tabulated(count, found.prim, stm, |this, i| {
                let block = Block { stms: region.body.stms.clone(), result: vec![found.key] };
                // The second element is not looked at.
                let indices = Substitution::new(&region.params, &[i, i]);
                copy_block(&mut this.program.vars, &block, indices)
            }),
        };
        let keys = self.var("keys", ty);
        out.push(Stm { vars: vec![keys], certs, exp, span: stm.span });
        keys
    }

    /// An array of scalars from their indices.
    fn tabulated(&mut self, count: Atom, prim: Prim, stm: &Stm, value: impl FnOnce(&mut Self, Atom) -> Block) -> Exp {
        let (i, x) = (self.var("i", Type::I64), self.var("x", Type::Scalar(prim)));
        let value = value(self, i.into());
        let shape = vec![Dim::Size(count)];
        let kind = Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec: Vec::new() };
        looped(i, count, kind, x, vec![i.into()], value, stm)
    }

    /// Whether some of the numbers are NaN.
    fn has_nan(&mut self, out: &mut Vec<Stm>, stm: &Stm, count: Atom, keys: Var, prim: Prim) -> Atom {
        let truth = Type::Scalar(Prim::Bool);
        let (i, x) = (self.var("i", Type::I64), self.var("x", Type::Scalar(prim)));
        let [a, b, c, one, is_nan, all] = ["a", "b", "c", "p", "p", "nan"].map(|name| self.var(name, truth.clone()));
        let bind = |var, exp| Stm { vars: vec![var], exp, ..stm.clone() };
        let either = bind(c, Exp::Bin(BinOp::LogOr, Prim::Bool, a.into(), b.into()));
        let op = Region { params: vec![a, b], body: Block { stms: vec![either], result: vec![c.into()] } };
        let kind = Kind::Reduce { op, neutral: vec![Atom::bool(false)], commutes: true, tree: Tree::Free };
        let read = bind(x, Exp::Index(keys, vec![i.into()]));
        let test = bind(is_nan, Exp::Math(MathOp::Isnan, prim, vec![x.into()]));
        let value = Block { stms: vec![read, test], result: vec![is_nan.into()] };
        out.push(bind(all, looped(i, count, kind, one, Vec::new(), value, stm)));
        all.into()
    }

    fn var(&mut self, name: &str, ty: Type) -> Var {
        self.program.vars.push(VarInfo::new(Name::new(name), ty))
    }
}

/// A form with one loop and one output.
fn looped(i: Var, count: Atom, kind: Kind, elem: Var, at: Vec<Atom>, value: Block, stm: &Stm) -> Exp {
    let emit = Step::Emit(Emit { output: 0, at, certs: stm.certs.clone(), value, span: stm.span });
    let steps = vec![Step::For { var: i, count, mark: Mark::Open, body: vec![emit] }];
    let outputs = vec![Output { kind, sizes: Vec::new(), elems: vec![elem] }];
    Exp::Bulk(Bulk { outputs, steps, scheduled: false })
}

fn recursive_names(program: &Program, body: &Block) -> Set<Var> {
    let mut names: Set<Var> = Set::default();
    body.walk(&mut |part| match part {
        Part::Stm(Stm { exp: Exp::Bulk(bulk), .. }) => names.extend(bulk.outputs.iter().flat_map(Output::rec)),
        Part::Bind(var) if program.vars[*var].pending.is_some() => drop(names.insert(*var)),
        _ => {}
    });
    names
}
