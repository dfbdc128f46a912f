//! Functions: how they are called, and what they give back.
//!
//! A scalar or box parameter is one Kernel parameter, a descriptor two (offsets, start), an array buffer, offset and, if all its
//! dimensions are regular, a stride for each. Results likewise, except that most arrays are known to be in row-major order
//! and then have no strides. A recursive array that is being made comes with what it takes to ask for its elements. A
//! result that is only part of its memory is cut out, so that it does not keep the rest.

use crate::Low;
use crate::context::Lower;
use crate::convention::{Convention, Returned};
use crate::dims::is_regular;
use crate::expr;
use crate::rep::{Array, Desc, Rep, Strides};
use crate::slot::single_uses;
use fault::{Site, message};
use ir::traverse::Part;
use ir::{FunId, Type, Var};
use kernel::{Arg, Expr, Stm, Var as K};
use scalar::Prim;

impl Lower<'_> {
    /// Lowers all functions, callees first, so that callers know how results come back.
    pub fn functions(&mut self) -> Low<()> {
        self.code.program.sites = copied_sites(self.src);
        let order: Vec<(FunId, bool)> = crate::order::called(self.src);
        // All have their numbers before the first is lowered, so that recursive calls can be written.
        for (id, recursive) in &order {
            let source = &self.src.functions[*id];
            let function = self.code.program.functions.push(kernel::Function {
                name: source.name,
                params: Vec::new(),
                results: Vec::new(),
                body: Vec::new(),
                too_deep: None,
                stops: false,
                span: source.span,
            });
            let results = vec![Returned::Plain; source.results.len()];
            self.conventions.insert(*id, Convention { function, results, fixed: *recursive });
        }
        for (id, recursive) in order {
            self.function(id, recursive)?;
        }
        Ok(())
    }

    /// How a function is called.
    pub fn convention(&self, id: FunId) -> Convention {
        match self.conventions.get(&id) {
            Some(convention) => convention.clone(),
            None => base::bug!("a call of {id:?}, which nothing seemed to call"),
        }
    }

    fn function(&mut self, id: FunId, recursive: bool) -> Low<()> {
        let function = &self.src.functions[id];
        self.code.span = function.span;
        self.code.open();
        // A stop leaves no parallel loop.
        let stops = self.stops(id);
        (self.in_parallel, self.may_stop) = (stops, stops);
        let params = self.params(&function.params)?;
        self.stms_of(&function.body)?;
        self.code.span = function.span;
        let reps = self.homes.atoms(&function.body.result);
        let convention = self.convention(id);
        let results: Vec<Returned> =
            if convention.fixed { convention.results } else { reps.iter().map(comes_back).collect() };
        let mut returned = Vec::new();
        let last = single_uses(&reps);
        for (i, rep) in reps.into_iter().enumerate() {
            let dims = self.dims_of(function.body.result[i]);
            self.give_back(rep, &dims, results[i], last[i], &mut returned)?;
        }
        let types = returned.iter().map(|arg| self.type_of(arg)).collect();
        let mut body = self.code.close();
        body.push(Stm::Return(returned));
        function.params.iter().for_each(|param| drop(self.recs.remove(param)));
        (self.in_parallel, self.may_stop) = (false, false);
        let too_deep = recursive.then(|| self.too_deep(id));
        let function = convention.function;
        self.conventions.insert(id, Convention { function, results, fixed: true });
        let out = &mut self.code.program.functions[function];
        (out.params, out.results, out.body) = (params, types, body);
        (out.too_deep, out.stops) = (too_deep, stops);
        Ok(())
    }

    /// The type of what is returned.
    pub fn type_of(&self, arg: &Arg) -> kernel::Type {
        match arg {
            Arg::Buffer(k) | Arg::Scalar(Expr::Var(k)) => self.code.program.vars[*k].ty,
            Arg::Scalar(Expr::Const(x)) => kernel::Type::Scalar(x.prim()),
            // Everything that is handed out is a name or a constant.
            Arg::Scalar(_) => kernel::Type::Scalar(Prim::I64),
        }
    }

    fn params(&mut self, vars: &[Var]) -> Low<Vec<K>> {
        let mut params = Vec::new();
        for var in vars {
            let name = self.src.vars[*var].name.as_str();
            let rep = match self.src.ty(*var) {
                Type::Scalar(prim) => {
                    Rep::Scalar(Expr::Var(self.param(&mut params, name, kernel::Type::Scalar(*prim))))
                }
                Type::Array(prim, dims) => {
                    let buffer = self.param(&mut params, name, kernel::Type::Buffer(*prim));
                    let offset = Expr::Var(self.param(&mut params, "offset", kernel::Type::Scalar(Prim::I64)));
                    let strides = if is_regular(dims) {
                        let int = kernel::Type::Scalar(Prim::I64);
                        let stride = |_| Expr::Var(self.param(&mut params, "stride", int));
                        Strides::Explicit(dims.iter().map(stride).collect())
                    } else {
                        Strides::RowMajor
                    };
                    Rep::Array(Array { buffer, offset, strides, whole: false })
                }
                Type::Desc(_) => {
                    let offsets = self.param(&mut params, name, kernel::Type::Buffer(Prim::I64));
                    let start = Expr::Var(self.param(&mut params, "start", kernel::Type::Scalar(Prim::I64)));
                    Rep::Desc(Desc { offsets, start })
                }
                Type::Cert => Rep::Cert,
                Type::Box(_) => {
                    let k = self.param(&mut params, name, kernel::Type::Buffer(Prim::I64));
                    self.homes.boxes.insert(k);
                    Rep::Box(k)
                }
            };
            self.homes.bind(*var, rep.clone());
            self.handle_params(*var, &rep, &mut params)?;
        }
        self.merge_lent(vars);
        Ok(params)
    }

    /// Parameters that are not consumed may be the same memory.
    fn merge_lent(&mut self, vars: &[Var]) {
        let buffers: Vec<K> = vars.iter().filter_map(|v| self.homes.buffer_of(*v)).collect();
        for (i, a) in buffers.iter().enumerate() {
            for b in &buffers[i + 1..] {
                // A consumed argument has no aliases; callers that rely on this must check it.
                if self.may_be_same(*a, *b) && !self.is_consumed(vars, *a) && !self.is_consumed(vars, *b) {
                    self.aliases.merge(*a, *b);
                }
            }
        }
    }

    fn is_consumed(&self, vars: &[Var], buffer: K) -> bool {
        let function = self.src.functions.values().find(|f| f.params == vars);
        function.is_some_and(|f| {
            let is = |v: &Var| self.homes.buffer_of(*v) == Some(buffer);
            f.params.iter().zip(&f.consumed).any(|(v, consumed)| *consumed && is(v))
        })
    }

    fn param(&mut self, params: &mut Vec<K>, name: &str, ty: kernel::Type) -> K {
        let k = self.code.fresh(name, ty);
        params.push(k);
        k
    }

    /// Hands a result over to the caller.
    fn give_back(&mut self, rep: Rep, dims: &[ir::Dim], how: Returned, last: bool, out: &mut Vec<Arg>) -> Low<()> {
        match rep {
            Rep::Scalar(value) => out.push(Arg::Scalar(value)),
            Rep::Cert => {}
            Rep::Box(k) => {
                let owned = self.owned(k, last);
                out.push(Arg::Buffer(owned));
            }
            Rep::Desc(desc) => {
                let owned = self.owned(desc.offsets, last);
                out.extend([Arg::Buffer(owned), Arg::Scalar(desc.start)]);
            }
            rep @ (Rep::Vector(..) | Rep::Array(_)) => {
                let fresh = matches!(rep, Rep::Vector(..));
                let array = self.in_memory(rep);
                match how {
                    Returned::Strided => {
                        let owned = self.owned(array.buffer, last || fresh);
                        out.extend([Arg::Buffer(owned), Arg::Scalar(array.offset.clone())]);
                        out.extend(self.strides(&array, dims)?.into_iter().map(Arg::Scalar));
                    }
                    Returned::Plain => {
                        let (buffer, offset) = self.cut_out(&array, dims, last || fresh)?;
                        out.extend([Arg::Buffer(buffer), Arg::Scalar(offset)]);
                    }
                }
            }
        }
        Ok(())
    }

    /// An owned reference to a buffer.
    pub fn owned(&mut self, buffer: K, last: bool) -> K {
        if last && self.code.disown(buffer) {
            return buffer;
        }
        let prim = self.code.prim_of(buffer);
        let to = self.code.declare_buffer("result", prim);
        self.code.emit(Stm::Share { to, from: buffer });
        to
    }

    /// An owned row-major array that does not keep much more memory than it needs.
    fn cut_out(&mut self, array: &Array, dims: &[ir::Dim], last: bool) -> Low<(K, Expr)> {
        if !array.is_row_major() {
            let copy = self.copy(array, dims)?;
            return Ok((self.owned(copy.buffer, true), copy.offset));
        }
        let buffer = self.owned(array.buffer, last);
        if array.whole {
            return Ok((buffer, array.offset.clone()));
        }
        let begin = self.begin(array, dims)?;
        let count = self.count(dims)?;
        let start = self.code.variable("start", begin.clone());
        let span = self.code.span;
        self.code.emit(Stm::Trim { buffer, start, count, span });
        // What lies before the first element moved with it.
        let before = expr::sub(begin, array.offset.clone());
        let offset = self.code.name_int("offset", expr::sub(Expr::Var(start), before));
        Ok((buffer, offset))
    }

    /// What is said when the stack is full. Recursion that fills it goes through one call again and again: that is the
    /// place, the first if there are several.
    fn too_deep(&mut self, id: FunId) -> kernel::SiteId {
        let function = &self.src.functions[id];
        if let Some(site) = function.too_deep {
            return kernel::SiteId(site.0);
        }
        let others = self.src.functions.ids().filter(|other| *other != id);
        let place = std::iter::once(id).chain(others).find_map(|f| call_of(&self.src.functions[f].body, id));
        let span = place.unwrap_or(function.span);
        self.code.program.sites.push(Site::new(message::too_deep(function.name), span))
    }
}

/// Where a block first calls a function.
fn call_of(block: &ir::Block, function: FunId) -> Option<base::Span> {
    let mut found = None;
    block.walk(&mut |part| {
        if let Part::Stm(stm) = part
            && matches!(&stm.exp, ir::Exp::Call(called, _) if *called == function)
        {
            found = found.or(Some(stm.span));
        }
    });
    found
}

/// How a result should come back: a transposed whole keeps its strides, all else that is not row-major is copied.
fn comes_back(rep: &Rep) -> Returned {
    match rep {
        Rep::Array(Array { strides: Strides::Explicit(_), whole: true, .. }) => Returned::Strided,
        Rep::Array(_) | Rep::Scalar(_) | Rep::Vector(..) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => Returned::Plain,
    }
}

fn copied_sites(program: &ir::Program) -> base::IdVec<kernel::SiteId, Site> {
    let mut sites = base::IdVec::new();
    program.sites.values().for_each(|site| {
        sites.push(site.clone());
    });
    sites
}
