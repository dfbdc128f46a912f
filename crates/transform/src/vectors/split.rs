//! Carries the components of vectors in place of the vectors.

use base::{Set, Span};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Dim, Exp, Kind, Program, Region, Step, Stm, Type, Var};
use scalar::Prim;

/// Longer vectors stay vectors.
const LONGEST: i64 = 8;

/// Statements in place of one.
pub(super) fn split(program: &mut Program, mut stm: Stm) -> Vec<Stm> {
    let mut split = Split::new(program, stm.span);
    match &mut stm.exp {
        Exp::Bulk(bulk) => split.bulk(bulk, &mut stm.vars),
        Exp::Loop { params, body, .. } => split.repetition(params, body, &mut stm.vars),
        _ => {}
    }
    let Split { before, after, .. } = split;
    before.into_iter().chain([stm]).chain(after).collect()
}

pub(super) struct Split<'p> {
    pub program: &'p mut Program,
    span: Span,
    /// What stands before and behind the statement.
    before: Vec<Stm>,
    after: Vec<Stm>,
}

impl<'p> Split<'p> {
    pub fn new(program: &'p mut Program, span: Span) -> Self {
        Split { program, span, before: Vec::new(), after: Vec::new() }
    }

    /// The reductions of a form.
    fn bulk(&mut self, bulk: &mut Bulk, vars: &mut Vec<Var>) {
        let mut bound: Vec<Var> = Vec::new();
        let mut rest = std::mem::take(vars);
        for (number, output) in bulk.outputs.iter_mut().enumerate() {
            let behind = rest.split_off(output.bound());
            let own = std::mem::replace(&mut rest, behind);
            if let Kind::Reduce { op, neutral, .. } = &mut output.kind
                && output.elems.iter().any(|elem| self.short(*elem).is_some())
                && self.only_elements(&op.params, &op.body)
            {
                self.region(op);
                *neutral = self.atoms(neutral);
                output.elems = output.elems.iter().flat_map(|elem| self.components(*elem)).collect();
                for_each_value(&mut bulk.steps, number, &mut |value| self.values(value));
                bound.extend(self.results(&own));
            } else {
                bound.extend(own);
            }
        }
        *vars = bound;
    }

    /// The variables of a loop.
    fn repetition(&mut self, params: &mut Vec<(Var, Atom)>, body: &mut Block, vars: &mut Vec<Var>) {
        let vectors: Vec<Var> = params.iter().map(|(param, _)| *param).collect();
        if !vectors.iter().any(|param| self.short(*param).is_some()) || !self.only_elements(&vectors, body) {
            return;
        }
        let inits: Vec<Atom> = params.iter().map(|(_, init)| *init).collect();
        let inits = self.atoms(&inits);
        let mut region = Region { params: vectors, body: std::mem::take(body) };
        self.region(&mut region);
        *params = region.params.into_iter().zip(inits).collect();
        *body = region.body;
        *vars = self.results(vars);
    }

    /// Whether the short ones of these vectors are only read, element by element, none is the shape of another, and the
    /// results that take their place are made inside.
    fn only_elements(&self, params: &[Var], body: &Block) -> bool {
        let vectors: Set<Var> = params.iter().filter(|var| self.short(**var).is_some()).copied().collect();
        let mut shapes = false;
        params
            .iter()
            .for_each(|param| self.program.ty(*param).for_each_var(&mut |var| shapes |= vectors.contains(&var)));
        if shapes {
            return false;
        }
        let (mut reads, mut uses) = (0, 0);
        body.walk(&mut |part| match part {
            Part::Stm(Stm { exp: Exp::Index(array, _), .. }) => reads += usize::from(vectors.contains(array)),
            Part::Atom(Atom::Var(var)) | Part::Use(var) => uses += usize::from(vectors.contains(var)),
            _ => {}
        });
        let made = |stm: &Stm| matches!(stm.exp, Exp::Bulk(_) | Exp::Literal(..));
        let is_made = |var: Var| body.stms.iter().any(|stm| made(stm) && stm.vars.contains(&var));
        let short = body.result.iter().filter_map(|atom| atom.var()).filter(|var| self.short(*var).is_some());
        reads == uses && short.into_iter().all(is_made)
    }

    fn short(&self, var: Var) -> Option<(Prim, i64)> {
        short(self.program, var)
    }

    /// New variables for the components of a short vector; of anything else, itself.
    pub fn components(&mut self, var: Var) -> Vec<Var> {
        let Some((prim, count)) = self.short(var) else { return vec![var] };
        let mut info = self.program.vars[var].clone();
        info.ty = Type::Scalar(prim);
        (0..count).map(|_| self.program.vars.push(info.clone())).collect()
    }

    /// Parameters: components, of which the body makes the vectors again; and results.
    fn region(&mut self, region: &mut Region) {
        let mut made = Vec::new();
        let mut params = Vec::new();
        for param in std::mem::take(&mut region.params) {
            let components = self.components(param);
            made.extend(self.vector(param, &components));
            params.extend(components);
        }
        region.params = params;
        made.append(&mut region.body.stms);
        region.body.stms = made;
        self.values(&mut region.body);
    }

    /// Makes a block give components.
    pub fn values(&mut self, block: &mut Block) {
        let mut reads = Vec::new();
        block.result = block.result.iter().flat_map(|atom| self.reads(*atom, &mut reads)).collect();
        block.stms.extend(reads);
    }

    /// The components of values from outside.
    fn atoms(&mut self, atoms: &[Atom]) -> Vec<Atom> {
        let mut reads = Vec::new();
        let components = atoms.iter().flat_map(|atom| self.reads(*atom, &mut reads)).collect();
        self.before.extend(reads);
        components
    }

    /// Variables for the components of results, of which vectors are made afterwards.
    fn results(&mut self, vars: &[Var]) -> Vec<Var> {
        let mut results = Vec::new();
        for var in vars {
            let components = self.components(*var);
            let vector = self.vector(*var, &components);
            self.after.extend(vector);
            results.extend(components);
        }
        results
    }

    /// Reads the components of a value.
    fn reads(&mut self, atom: Atom, out: &mut Vec<Stm>) -> Vec<Atom> {
        let Some(var) = atom.var().filter(|var| self.short(*var).is_some()) else { return vec![atom] };
        let components = self.components(var);
        for (at, component) in (0..).zip(&components) {
            out.push(self.stm(*component, Exp::Index(var, vec![Atom::size(at)])));
        }
        components.into_iter().map(Atom::Var).collect()
    }

    /// Makes a short vector of its components.
    pub fn vector(&self, var: Var, components: &[Var]) -> Option<Stm> {
        let (prim, _) = self.short(var)?;
        Some(self.stm(var, Exp::Literal(prim, components.iter().copied().map(Atom::Var).collect())))
    }

    pub fn stm(&self, var: Var, exp: Exp) -> Stm {
        Stm { vars: vec![var], certs: Vec::new(), exp, span: self.span }
    }
}

/// The element type and length of a vector that is short.
pub(super) fn short(program: &Program, var: Var) -> Option<(Prim, i64)> {
    let Type::Array(prim, dims) = program.ty(var) else { return None };
    let [Dim::Size(count)] = dims[..] else { return None };
    let count = count.as_size().filter(|count| (1..=LONGEST).contains(count))?;
    Some((*prim, count))
}

/// Calls `f` on the values of an output.
pub(super) fn for_each_value(steps: &mut [Step], output: usize, f: &mut dyn FnMut(&mut Block)) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => for_each_value(body, output, f),
            Step::Emit(emit) if emit.output == output => f(&mut emit.value),
            Step::Let(_) | Step::Scan(_) | Step::Emit(_) => {}
        }
    }
}
