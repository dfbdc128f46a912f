//! Bulk forms: outputs, what they bind, and the values handed to them.

use super::rule::Rule;
use super::scope::Verifier;
use crate::facts::elements::Filling;
use crate::facts::terms::Poly;
use crate::rename::Substitution;
use crate::tree::{self, Tree};
use crate::{Atom, Block, Bulk, Coverage, Dim, Emit, Kind, Mark, Output, Region, Scan, SiteId, Step, Type, Var};
use scalar::Prim;

impl<'p> Verifier<'p> {
    pub(super) fn bulk(&mut self, vars: &[Var], bulk: &'p Bulk) {
        let Bulk { outputs, steps, scheduled } = bulk;
        let count: usize = outputs.iter().map(Output::bound).sum();
        if count != vars.len() {
            return self.fail(Rule::Count, format!("{} variables for {count} results", vars.len()));
        }
        let mut rest = vars;
        for output in outputs {
            let (bound, more) = rest.split_at(output.bound());
            self.output(output, bound);
            rest = more;
        }
        let filling = self.facts.fill(vars, bulk);
        let outer = self.filling.replace(filling);
        for (number, output) in outputs.iter().enumerate() {
            if let Kind::Gen { otherwise: Some(value), shape: _, coverage: _, rec: _ } = &output.kind {
                self.value(value, number, &[], outputs);
            }
        }
        self.cut_alike(outputs);
        self.nests(steps, outputs);
        let cut = |tree: &Tree| matches!(tree, Tree::Parts(_) | Tree::Tables(_));
        let in_parts = outputs.iter().any(|o| matches!(&o.kind, Kind::Accum { tree, .. } if cut(tree)));
        let may = !in_parts || tree::may_have_parts(self.program, bulk);
        self.check(may, Rule::Tree, || "parts take one loop of scalars, and new arrays beside".into());
        let recursive = outputs.iter().any(|output| !output.rec().is_empty());
        let arrays = outputs.iter().all(|output| matches!(output.kind, Kind::Gen { .. } | Kind::Update { .. }));
        self.check(!recursive || arrays, Rule::Recursive, || "a recursive form makes nothing but arrays".into());
        self.scans(steps, recursive);
        self.schedule(outputs, recursive, *scheduled);
        self.steps(steps, outputs);
        self.exact(bulk);
        if let Some(filling) = std::mem::replace(&mut self.filling, outer) {
            self.reductions(&filling, bulk);
            self.running(&filling, steps, steps);
            self.facts.full(filling, vars, outputs);
        }
    }

    /// Only what needs no look ahead can be computed in the order of the steps.
    fn schedule(&mut self, outputs: &[Output], recursive: bool, scheduled: bool) {
        let plain = |output: &Output| match &output.kind {
            Kind::Gen { otherwise, coverage, .. } => otherwise.is_none() && *coverage == Coverage::Exact,
            Kind::Update { skip, rec, .. } => !skip && !rec.is_empty(),
            Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => false,
        };
        let in_order = recursive && outputs.iter().all(|output| output.sizes.is_empty() && plain(output));
        self.check(!scheduled || in_order, Rule::Recursive, || {
            "only recursive arrays of one size that clauses define exactly are scheduled".into()
        });
    }

    fn output(&mut self, output: &'p Output, bound: &[Var]) {
        let Output { kind, sizes, elems } = output;
        let mark = self.enter();
        sizes.iter().chain(elems).for_each(|var| self.bind_formal(*var, output));
        self.leave(mark);
        for size in sizes {
            let fits = matches!(self.ty(*size), Type::I64 | Type::Desc(_));
            self.check(fits, Rule::Output, || "sizes are i64 or descriptors".into());
        }
        let varying = matches!(kind, Kind::Gen { .. } | Kind::Keep);
        self.check(varying || sizes.is_empty(), Rule::Output, || "values of this kind have one size".into());
        match kind {
            // The value of other elements is checked when all names of recursive arrays are known.
            Kind::Gen { shape, otherwise, coverage, rec } => {
                self.shape(shape);
                let plain = otherwise.is_none() && rec.is_empty() && *coverage == Coverage::Exact;
                let jagged = shape.iter().any(is_jagged) || self.has_given_rows(output);
                self.check(plain || !jagged, Rule::Output, || "values define all of given rows exactly".into());
                self.arrays_of(output, bound, shape);
                self.coverage_sites(*coverage);
                self.rec_names(rec, bound);
            }
            Kind::Update { arrays, skip: _, rec } => {
                self.consumed_arrays(arrays, elems, bound);
                self.rec_names(rec, bound);
            }
            Kind::Accum { arrays, skip: _, op, tree } => {
                self.consumed_arrays(arrays, elems, bound);
                self.operator(op, elems, |_| {});
                let no_blocks = tree.chunks().is_none();
                self.check(no_blocks, Rule::Tree, || "elements are combined in any order, in order or in parts".into());
                self.tree(*tree, op);
            }
            Kind::Reduce { op, neutral, commutes: _, tree } => {
                self.neutral(neutral, elems);
                self.check(!matches!(tree, Tree::Parts(_) | Tree::Tables(_) | Tree::Uncut), Rule::Tree, || {
                    "a reduction has no parts".into()
                });
                self.tree(*tree, op);
                let results: Vec<Atom> = bound.iter().copied().map(Atom::Var).collect();
                self.fit(&results, elems, Rule::Result);
            }
            Kind::Keep => {
                let Some((count, arrays)) = bound.split_first() else { return };
                self.same((*count).into(), &self.ty(*count), &Type::I64, Rule::Result);
                self.arrays_of(output, arrays, &[Dim::Size((*count).into())]);
            }
        }
    }

    /// The operators of reductions, which see what is outside of the bulk form, and of their operands what holds of all values.
    fn reductions(&mut self, filling: &Filling, bulk: &'p Bulk) {
        for (number, output) in bulk.outputs.iter().enumerate() {
            if let Kind::Reduce { op, .. } = &output.kind {
                self.operator(op, &output.elems, |facts| facts.reduces(filling, number, bulk));
            }
        }
    }

    /// The operators of running combinations see what is outside of the bulk form: all their values have one size.
    fn running(&mut self, filling: &Filling, steps: &'p [Step], all: &'p [Step]) {
        for step in steps {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.running(filling, body, all),
                Step::Let(_) | Step::Emit(_) => {}
                Step::Scan(scan) => {
                    self.operator(&scan.op, &scan.vars, |facts| facts.combines(filling, scan, all));
                }
            }
        }
    }

    /// Running combinations but for their values and operators.
    fn scans(&mut self, steps: &'p [Step], recursive: bool) {
        for step in steps {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.scans(body, recursive),
                Step::Let(_) | Step::Emit(_) => {}
                Step::Scan(Scan { vars, op, neutral, tree, value: _, span: _ }) => {
                    let mark = self.enter();
                    self.bind_all(vars);
                    self.leave(mark);
                    self.neutral(neutral, vars);
                    self.tree(*tree, op);
                    let one_lane = tree.chunks().is_none_or(|chunks| chunks.width() == 1);
                    let running =
                        one_lane && !recursive && !matches!(tree, Tree::Parts(_) | Tree::Tables(_) | Tree::Uncut);
                    self.check(running, Rule::Tree, || "a running combination is in order, or in plain blocks".into());
                }
            }
        }
    }

    /// The bits do not depend on what a tree leaves open, and no operands are exchanged that must not be.
    fn tree(&mut self, tree: Tree, op: &Region) {
        match tree {
            Tree::Free => self.check(tree::is_exact(op), Rule::Tree, || "the operator is not exact".into()),
            Tree::Tables(tables) => {
                self.check(tree::is_exact(op), Rule::Tree, || "the operator is not exact".into());
                self.check(tables.each > 0, Rule::Tree, || "there are no tables".into());
            }
            Tree::Chunks(chunks) => {
                self.check(chunks.is_sound(), Rule::Tree, || "numbers are powers of two, and lanes fit a block".into());
                let may = chunks.width() == 1 || tree::identities(op).is_some();
                self.check(may, Rule::Tree, || "lanes exchange operands, and the operator is not known".into());
            }
            Tree::Parts(parts) => self.check(parts.parts > 0, Rule::Tree, || "there are no parts".into()),
            Tree::InOrder | Tree::Uncut => {}
        }
    }

    /// All reductions of a bulk form are cut alike: they run in one loop. So are all whose values are combined with elements.
    fn cut_alike(&mut self, outputs: &[Output]) {
        let trees = outputs.iter().filter_map(|output| match &output.kind {
            Kind::Reduce { tree: tree @ Tree::Chunks(_), .. } | Kind::Accum { tree: tree @ Tree::Parts(_), .. } => {
                Some(*tree)
            }
            _ => None,
        });
        let trees: Vec<Tree> = trees.collect();
        let fits = |a: &Tree, b: &Tree| a == b || std::mem::discriminant(a) != std::mem::discriminant(b);
        let alike = trees.iter().all(|a| trees.iter().all(|b| fits(a, b)));
        self.check(alike, Rule::Tree, || "outputs of one form are cut in different ways".into());
    }

    /// On several threads, or in the lanes of a vector, nothing depends on the order of turns.
    fn marked(&mut self, mark: Mark, outputs: &[Output], body: &[Step]) {
        let in_order = |output: &Output| match &output.kind {
            Kind::Reduce { tree, .. } => *tree == Tree::InOrder,
            Kind::Gen { rec, .. } | Kind::Update { rec, .. } => !rec.is_empty(),
            Kind::Accum { .. } | Kind::Keep => false,
        };
        let free =
            matches!(mark, Mark::Open | Mark::Sequential(_)) || !outputs.iter().any(in_order) && !runs_in_order(body);
        self.check(free, Rule::Mark, || "turns that run at once are combined in order".into());
    }

    /// Binds a name for a part of one value. Its dimensions may be given by descriptors of the whole output: what they are
    /// like inside of the output's shape shows in the types of what is bound.
    fn bind_formal(&mut self, var: Var, output: &Output) {
        let given = |dim: &Dim| matches!(dim, Dim::Jagged(d) if !output.sizes.contains(d));
        if matches!(output.kind, Kind::Gen { .. }) && self.ty(var).dims().iter().any(given) {
            for dim in self.ty(var).dims().iter().filter(|dim| given(dim)) {
                if let Dim::Jagged(d) = dim {
                    self.use_var(*d);
                }
            }
            self.bind_unchecked(var);
        } else {
            self.bind(var);
        }
    }

    /// Whether a descriptor that is there already gives lengths of rows.
    fn has_given_rows(&self, output: &Output) -> bool {
        let given = |dim: &Dim| matches!(dim, Dim::Jagged(d) if !output.sizes.contains(d));
        value_of(output).iter().any(|var| self.ty(*var).dims().iter().any(given))
    }

    /// Extents, of which later ones may be jagged, or one vector of them.
    fn shape(&mut self, shape: &[Dim]) {
        let regular = shape.iter().all(|dim| !matches!(dim, Dim::Shape(_)));
        let unknown = matches!(shape, [Dim::Shape(_)]);
        self.check(regular || unknown, Rule::Output, || "a shape is extents or one vector of them".into());
        if let Some(problem) = self.dims_problem(shape) {
            self.fail(Rule::Type, format!("a shape with {problem}"));
        }
    }

    fn coverage_sites(&mut self, coverage: Coverage) {
        match coverage {
            Coverage::Exact => {}
            Coverage::Checked { collision, gap, cycle, called } => {
                for site in [collision, gap, cycle] {
                    self.site_exists(site);
                }
                if let Some(called) = called {
                    self.expect(called, &Type::I64);
                }
            }
        }
    }

    pub(super) fn site_exists(&mut self, site: SiteId) {
        let exists = self.program.sites.get(site).is_some();
        self.check(exists, Rule::Site, || format!("there is no {site:?}"));
    }

    fn neutral(&mut self, neutral: &[Atom], elems: &[Var]) {
        neutral.iter().for_each(|atom| self.use_atom(*atom));
        self.fit(neutral, elems, Rule::Operand);
    }

    /// Arrays of values inside of `outer` dimensions: what is a size of one value is a descriptor of the whole.
    fn arrays_of(&mut self, output: &Output, bound: &[Var], outer: &[Dim]) {
        let (descs, arrays) = bound.split_at(output.sizes.len().min(bound.len()));
        let desc_of = |var: Var| output.sizes.iter().position(|size| *size == var).map(|i| Dim::Jagged(descs[i]));
        let whole = |dims: &[Dim]| -> Vec<Dim> {
            let inner = dims.iter().map(|dim| match dim {
                Dim::Size(Atom::Var(var)) | Dim::Jagged(var) => desc_of(*var).unwrap_or(*dim),
                Dim::Size(Atom::Const(_)) | Dim::Shape(_) => *dim,
            });
            outer.iter().copied().chain(inner).collect()
        };
        for (desc, size) in descs.iter().zip(&output.sizes) {
            match self.ty(*size) {
                Type::Desc(dims) => {
                    self.same((*desc).into(), &self.ty(*desc), &Type::Desc(whole(&dims)), Rule::Result);
                }
                // Where it lies is up to the values that mention it; their types say so.
                Type::Scalar(_) | Type::Array(..) | Type::Cert | Type::Box(_) => {
                    if !matches!(self.ty(*desc), Type::Desc(_)) {
                        self.fail(Rule::Result, format!("`{}` is no descriptor", self.name(*desc)));
                    }
                }
            }
        }
        for (array, elem) in arrays.iter().zip(&output.elems) {
            let ty = self.ty(*elem);
            match ty.prim() {
                Some(prim) => {
                    let should = Type::array(prim, whole(ty.dims()));
                    self.same((*array).into(), &self.ty(*array), &should, Rule::Result);
                }
                None => self.fail(Rule::Output, "values are scalars and arrays".into()),
            }
        }
    }

    /// Arrays that are changed in place: the values are what their inner dimensions hold.
    fn consumed_arrays(&mut self, arrays: &[Var], elems: &[Var], bound: &[Var]) {
        if arrays.len() != elems.len() {
            return self.fail(Rule::Count, format!("{} arrays for values of {}", arrays.len(), elems.len()));
        }
        for ((array, elem), var) in arrays.iter().zip(elems).zip(bound) {
            self.use_var(*array);
            let Some((prim, dims)) = self.array(*array) else { continue };
            let ty = self.ty(*elem);
            let inner = dims.len().checked_sub(ty.dims().len()).map(|outer| &dims[outer..]);
            let fits = ty.prim() == Some(prim) && inner.is_some_and(|inner| self.same_dims(inner, ty.dims()));
            self.check(fits, Rule::Output, || "the values are not what the arrays hold".into());
            self.same((*var).into(), &self.ty(*var), &self.ty(*array), Rule::Result);
        }
    }

    /// Names of recursive arrays have the types of what the statement binds.
    fn rec_names(&mut self, rec: &[Var], bound: &[Var]) {
        if !rec.is_empty() && rec.len() != bound.len() {
            self.fail(Rule::Count, format!("{} names for {} arrays", rec.len(), bound.len()));
        }
        let mark = self.enter();
        // Descriptors among them replace those of the statement in the types that follow.
        let mut names = Substitution::default();
        rec.iter().zip(bound).for_each(|(name, var)| names.insert(*name, *var));
        for (name, var) in rec.iter().zip(bound) {
            self.bind_unchecked(*name);
            self.same((*name).into(), &names.ty(&self.ty(*name)), &self.ty(*var), Rule::Output);
        }
        self.leave(mark);
    }

    fn steps(&mut self, steps: &'p [Step], outputs: &'p [Output]) {
        let mark = self.enter();
        for step in steps {
            match step {
                Step::For { var, count, mark, body } => {
                    self.marked(*mark, outputs, body);
                    self.expect(*count, &Type::I64);
                    let inside = self.enter();
                    self.bind(*var);
                    self.same((*var).into(), &self.ty(*var), &Type::I64, Rule::Operand);
                    self.facts.counts(*var, *count);
                    self.steps(body, outputs);
                    self.leave(inside);
                }
                Step::Let(stm) => self.stm(stm),
                Step::Guard(cond, body) => {
                    self.expect(*cond, &Type::Scalar(Prim::Bool));
                    let inside = self.enter();
                    self.facts.suppose(*cond, true);
                    self.steps(body, outputs);
                    self.leave(inside);
                }
                Step::Scan(scan) => {
                    self.block(&scan.value, |verifier| {
                        verifier.fit(&scan.value.result, &scan.vars, Rule::Result);
                        if let Some(filling) = &mut verifier.filling {
                            verifier.facts.runs(filling, scan);
                        }
                    });
                    scan.vars.iter().for_each(|var| self.show_in_scope(*var));
                    if let Some(filling) = &self.filling {
                        self.facts.has_run(filling, scan);
                        self.facts.numbered(filling, scan, steps);
                    }
                }
                Step::Emit(emit) => self.emit(emit, outputs),
            }
        }
        self.leave(mark);
    }

    fn emit(&mut self, emit: &'p Emit, outputs: &'p [Output]) {
        let Emit { output, at, certs, value, span: _ } = emit;
        self.certs(certs);
        let Some(to) = outputs.get(*output) else {
            return self.fail(Rule::Output, format!("there is no output {output}"));
        };
        let mark = self.facts.mark();
        self.facts.rely_on(certs);
        self.subscripts(to, at);
        self.value(value, *output, at, outputs);
        self.facts.forget(mark);
    }

    /// A value for an output: it sees the names of all recursive arrays.
    fn value(&mut self, value: &'p Block, number: usize, at: &[Atom], outputs: &[Output]) {
        let Some(to) = outputs.get(number) else { return };
        let mark = self.enter();
        let names: Vec<Var> = outputs.iter().flat_map(Output::rec).copied().collect();
        names.iter().for_each(|name| self.show_in_scope(*name));
        self.rec.extend(&names);
        self.block(value, |verifier| {
            verifier.value_fits(&value.result, to, at);
            if let Some(mut filling) = verifier.filling.take() {
                verifier.facts.filled(&mut filling, number, to, value);
                verifier.filling = Some(filling);
            }
        });
        names.iter().for_each(|name| {
            self.rec.remove(name);
        });
        self.leave(mark);
    }

    /// Checks the components of a value at a place of an output. Rows whose lengths a descriptor of the whole output gives
    /// are the rows at that place.
    fn value_fits(&mut self, result: &[Atom], to: &Output, at: &[Atom]) {
        let formals = value_of(to);
        if result.len() != formals.len() || !self.has_given_rows(to) {
            return self.fit(result, &formals, Rule::Result);
        }
        let names = Substitution::new(&formals, result);
        let at = self.facts.terms.all(at);
        for (atom, formal) in result.iter().zip(&formals) {
            let (is, mut should) = (self.atom_ty(*atom), names.ty(&self.ty(*formal)));
            if let Type::Array(_, dims) | Type::Desc(dims) = &mut should {
                for (k, (dim, own)) in dims.iter_mut().zip(is.dims()).enumerate() {
                    if self.is_row_of(*dim, *own, k, &at) {
                        *dim = *own;
                    }
                }
            }
            self.same(*atom, &is, &should, Rule::Result);
        }
    }

    /// Whether dimension `k` of a value is what a descriptor of the whole output says at these indices.
    fn is_row_of(&mut self, dim: Dim, own: Dim, k: usize, at: &[Poly]) -> bool {
        match (dim, own) {
            (Dim::Jagged(d), Dim::Size(n)) if k == 0 => {
                let (n, length) = (self.facts.terms.poly(n), self.facts.terms.length(d, at.to_vec()));
                n.sub(&length).is_some_and(|difference| self.facts.some_zero(&[difference]))
            }
            (Dim::Jagged(d), Dim::Jagged(own)) if k > 0 => {
                let part = self.facts.terms.part(d, at.to_vec());
                let lengths = [d, own].map(|d| self.facts.row_length(d).map(|n| self.facts.terms.poly(n)));
                part.is_some_and(|part| self.facts.same_rows(part, own))
                    || lengths[0].is_some() && lengths[0] == lengths[1]
            }
            (_, _) => false,
        }
    }

    fn subscripts(&mut self, output: &Output, at: &[Atom]) {
        let outer: Vec<Dim> = match &output.kind {
            Kind::Gen { shape, otherwise: _, coverage: _, rec: _ } => shape.clone(),
            Kind::Update { arrays, skip: _, rec: _ } | Kind::Accum { arrays, .. } => {
                let (Some(array), Some(elem)) = (arrays.first(), output.elems.first()) else { return };
                let (mut dims, inner) = (self.ty(*array).dims().to_vec(), self.ty(*elem).dims().len());
                dims.truncate(dims.len().saturating_sub(inner));
                dims
            }
            Kind::Reduce { .. } | Kind::Keep => Vec::new(),
        };
        // Where nothing is written, nothing can be written outside.
        let skips = output.elems.is_empty()
            || matches!(&output.kind, Kind::Update { skip: true, .. } | Kind::Accum { skip: true, .. });
        match (&outer[..], at) {
            ([Dim::Shape(_), ..], [Atom::Var(at)]) => {
                self.vector(*at);
                if !skips {
                    self.vector_in_bounds(&outer, *at);
                }
            }
            ([Dim::Shape(_), ..], _) => self.fail(Rule::Output, "the subscript is one vector".into()),
            _ => {
                let fits = outer.len() == at.len();
                self.check(fits, Rule::Output, || format!("{} subscripts, not {}", at.len(), outer.len()));
                self.expect_all(at, Prim::I64);
                if fits && !skips {
                    self.in_bounds(&outer, at);
                }
            }
        }
    }
}

/// Whether a running combination among steps takes one value after the other.
fn runs_in_order(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => runs_in_order(body),
        Step::Scan(scan) => scan.tree == Tree::InOrder,
        Step::Let(_) | Step::Emit(_) => false,
    })
}

fn is_jagged(dim: &Dim) -> bool {
    matches!(dim, Dim::Jagged(_))
}

/// What describes one value of an output.
fn value_of(output: &Output) -> Vec<Var> {
    output.sizes.iter().chain(&output.elems).copied().collect()
}
