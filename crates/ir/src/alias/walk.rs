//! The walk through a function's statements.

use super::data::{Aliases, Fault, FaultKind, Origins};
use crate::traverse::Part;
use crate::{Atom, Block, Dim, Exp, FunId, Function, Program, Region, Stm, Var};
use base::{Map, Set};

/// The state of the walk.
pub(super) struct Walk<'p> {
    pub(super) program: &'p Program,
    pub(super) aliases: Aliases,
    pub(super) faults: Vec<Fault<'p>>,
    /// Origins whose memory is gone.
    pub(super) consumed: Set<Var>,
    /// Origins that may not be consumed here: parameters that the caller keeps.
    frozen: Set<Var>,
    /// How many walls stand around each origin. What runs many times, or again, has a wall around it.
    born: Map<Var, usize>,
    /// How many walls stand around this place.
    pub(super) walls: usize,
    stms: Vec<&'p Stm>,
}

impl<'p> Walk<'p> {
    pub(super) fn new(program: &'p Program) -> Walk<'p> {
        Walk {
            program,
            aliases: Aliases::default(),
            faults: Vec::new(),
            consumed: Set::default(),
            frozen: Set::default(),
            born: Map::default(),
            walls: 0,
            stms: Vec::new(),
        }
    }

    pub(super) fn function(&mut self, function: &'p Function) {
        let fresh = self.body(function);
        let said = function.fresh.iter().zip(fresh).zip(&function.results);
        for ((_, _), var) in said.filter(|((said, is), _)| **said && !is) {
            self.fault(FaultKind::Fresh, *var);
        }
    }

    /// Walks a function; for each result, whether it is fresh.
    pub(super) fn body(&mut self, function: &'p Function) -> Vec<bool> {
        let Function { name: _, params, consumed, results: _, fresh: _, body, too_deep: _, span: _, remarks: _ } =
            function;
        for (i, param) in params.iter().enumerate() {
            self.bind_new(*param);
            if consumed.get(i) != Some(&true) {
                self.frozen.insert(*param);
            }
        }
        let results = self.block(body);
        let lone = |i: usize| {
            let others = results.iter().enumerate().filter(|(j, _)| *j != i);
            results[i].is_disjoint(&others.flat_map(|(_, origins)| origins.clone()).collect())
        };
        let own = |i: usize| results[i].iter().all(|origin| !self.frozen.contains(origin));
        (0..results.len()).map(|i| own(i) && lone(i)).collect()
    }

    pub(super) fn fault(&mut self, kind: FaultKind, var: Var) {
        self.faults.push(Fault { stm: self.stms.last().copied(), kind, var });
    }

    pub(super) fn holds_memory(&self, var: Var) -> bool {
        self.program.vars.get(var).is_some_and(|info| info.ty.holds_memory())
    }

    pub(super) fn origins(&self, atom: Atom) -> Origins {
        atom.var().and_then(|var| self.aliases.origins.get(&var)).cloned().unwrap_or_default()
    }

    pub(super) fn bind(&mut self, var: Var, origins: Origins) {
        if self.holds_memory(var) {
            self.aliases.origins.insert(var, origins);
        }
    }

    /// New memory.
    pub(super) fn bind_new(&mut self, var: Var) {
        self.new_origin(var);
        self.bind(var, [var].into());
    }

    /// New memory that may not be consumed.
    pub(super) fn bind_frozen(&mut self, var: Var) {
        self.bind_new(var);
        self.frozen.insert(var);
    }

    pub(super) fn new_origin(&mut self, var: Var) {
        self.born.insert(var, self.walls);
    }

    /// The memory of an origin was that of others before.
    pub(super) fn was(&mut self, origin: Var, earlier: &Origins) {
        self.aliases.earlier.entry(origin).or_default().extend(earlier);
    }

    /// Whether an origin was made outside of what is now inside of `walls`.
    pub(super) fn is_outside(&self, origin: Var, walls: usize) -> bool {
        self.frozen.contains(&origin) || self.born.get(&origin).is_none_or(|born| *born < walls)
    }

    pub(super) fn read(&mut self, atom: Atom) {
        let Atom::Var(var) = atom else { return };
        if self.aliases.origins.get(&var).is_some_and(|o| o.iter().any(|origin| self.consumed.contains(origin))) {
            self.fault(FaultKind::Read, var);
        }
        // Reading an array of unknown rank reads its shape.
        let dims = self.program.vars.get(var).map_or(&[][..], |info| info.ty.dims());
        for dim in dims {
            if let Dim::Shape(shape) = dim
                && *shape != var
            {
                self.read((*shape).into());
            }
        }
    }

    pub(super) fn read_all(&mut self, atoms: &[Atom]) {
        atoms.iter().for_each(|atom| self.read(*atom));
    }

    pub(super) fn consume(&mut self, var: Var) {
        let origins = self.origins(var.into());
        if origins.iter().any(|origin| self.is_outside(*origin, self.walls)) {
            self.fault(FaultKind::Foreign, var);
        }
        if origins.iter().any(|origin| self.consumed.contains(origin)) {
            self.fault(FaultKind::Shared, var);
        }
        self.consumed.extend(origins);
    }

    /// Walks a block; the origins of its results.
    pub(super) fn block(&mut self, block: &'p Block) -> Vec<Origins> {
        let Block { stms, result } = block;
        stms.iter().for_each(|stm| self.stm(stm));
        self.read_all(result);
        result.iter().map(|atom| self.origins(*atom)).collect()
    }

    /// Walks what may run many times.
    pub(super) fn walled<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.walls += 1;
        let result = inner(self);
        self.walls -= 1;
        result
    }

    pub(super) fn region(&mut self, region: &'p Region) -> Vec<Origins> {
        self.walled(|walk| {
            region.params.iter().for_each(|param| walk.bind_frozen(*param));
            walk.block(&region.body)
        })
    }

    pub(super) fn stm(&mut self, stm: &'p Stm) {
        self.stms.push(stm);
        let Stm { vars, certs: _, exp, span: _ } = stm;
        match exp {
            Exp::If(cond, then, otherwise) | Exp::Choose(cond, then, otherwise) => {
                self.read(*cond);
                self.branches(vars, &[then, otherwise]);
            }
            Exp::Ensure { cond, otherwise } => {
                self.read(*cond);
                // It changes nothing of what is outside, since what follows runs only where it did not.
                self.walled(|walk| walk.block(otherwise));
            }
            Exp::Open(x, cases) => self.opened(vars, *x, cases),
            Exp::Loop { params, form, body, .. } => self.repetition(vars, params, form, body),
            Exp::Bulk(bulk) => self.bulk(vars, bulk),
            Exp::Call(function, args) => self.call(vars, *function, args),
            Exp::Sort(count, order) => {
                self.read(*count);
                self.region(order);
                vars.iter().for_each(|var| self.bind_new(*var));
            }
            _ => self.simple(vars, exp),
        }
        self.stms.pop();
    }

    /// Expressions without blocks: views, and what makes memory of its own.
    fn simple(&mut self, vars: &[Var], exp: &'p Exp) {
        exp.for_each_part(&mut |part| match part {
            Part::Atom(atom) => self.read(*atom),
            Part::Use(var) => self.read((*var).into()),
            Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
        });
        let views = exp.views();
        let origins: Origins = views.iter().flat_map(|var| self.origins((*var).into())).collect();
        for var in vars {
            if views.is_empty() { self.bind_new(*var) } else { self.bind(*var, origins.clone()) }
        }
    }

    fn call(&mut self, vars: &[Var], function: FunId, args: &[Atom]) {
        self.read_all(args);
        let Some(callee) = self.program.functions.get(function) else { return };
        let consumed = |i: usize| callee.consumed.get(i) == Some(&true);
        let (mut taken, mut kept) = (Origins::new(), Origins::new());
        for (i, arg) in args.iter().enumerate() {
            if consumed(i) { &mut taken } else { &mut kept }.extend(self.origins(*arg));
        }
        for arg in args.iter().enumerate().filter(|(i, _)| consumed(*i)).filter_map(|(_, arg)| arg.var()) {
            if !self.origins(arg.into()).is_disjoint(&kept) {
                self.fault(FaultKind::Shared, arg);
            }
            self.consume(arg);
        }
        self.results_of_call(vars, &callee.fresh, &taken, &kept);
    }

    /// A fresh result is alone; the others may share what the call got and whatever else it made.
    fn results_of_call(&mut self, vars: &[Var], fresh: &[bool], taken: &Origins, kept: &Origins) {
        let mut common = None;
        for (i, var) in vars.iter().enumerate() {
            if !self.holds_memory(*var) {
                continue;
            }
            self.new_origin(*var);
            self.was(*var, taken);
            if fresh.get(i) == Some(&true) {
                self.bind(*var, [*var].into());
            } else {
                let common = *common.get_or_insert(*var);
                self.bind(*var, kept.iter().copied().chain([common]).collect());
            }
        }
    }
}
