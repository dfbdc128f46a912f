//! Entry points: functions whose parameters and results are the components of values.

use crate::context::{Desugar, Made};
use crate::data::form::{Fresh, loose};
use crate::data::types::Mono;
use crate::data::value::{Env, Val};
use crate::faults::Why;
use base::{Name, Set, bug};
use ir::{Atom, Block, Entry, Function, Layout, Limitation};
use std::rc::Rc;
use typed::{Body, Def, DefId, Diet, Type, TypeParam};

impl<'t> Desugar<'t> {
    /// Translates a definition that is called from outside.
    pub(crate) fn entry(&mut self, def: DefId) -> Made<()> {
        let definition = &self.typed.defs[def];
        let Body::Expr(body) = &definition.body else {
            bug!("an entry point has no body");
        };
        // A type parameter of an entry point can be anything; nothing depends on it.
        let types = definition.type_params.iter().filter_map(|param| match param {
            TypeParam::Type(var) => Some((*var, Mono::Record(Rc::new([])))),
            TypeParam::Size(_) | TypeParam::Jagged(_) | TypeParam::Shape(_) => None,
        });
        self.env = Rc::new(Env { types: types.collect(), ..Env::default() });
        let mut function = Function::new(definition.name, definition.span);
        let (stms, (result, params, results)) = self.block(|d| {
            let params = d.entry_params(definition, &mut function)?;
            let checked = d.b.certs();
            let val = d.result(&definition.ret, body)?;
            // Arguments of wrong sizes are reported even if nothing reads them.
            let val = d.relying(&val, &checked)?;
            let (result, results) = d.entry_results(val, &definition.ret.ty, &mut function)?;
            Ok((result, params, results))
        })?;
        function.body = Block { stms, result };
        let function = self.b.program.functions.push(function);
        self.b.program.entries.push(Entry { name: definition.name, function, params, results });
        Ok(())
    }

    /// Variables for the parameters, which are bound to them; how the outside gives them.
    fn entry_params(&mut self, definition: &'t Def, function: &mut Function) -> Made<Vec<(Name, Layout)>> {
        let (mut fresh, mut consumed) = (Fresh::default(), Set::default());
        let (mut layouts, mut args) = (Vec::new(), Vec::new());
        for param in &definition.params {
            let mono = self.mono(&param.pat.ty);
            let Some((layout, form)) = loose(&mono) else {
                return self.unsupported(Limitation::EntryTakesFunctions);
            };
            let name = param.name().map_or(Name::new("x"), |local| self.typed.locals[local].name);
            let start = fresh.vars.len();
            args.push(self.fresh(&form, name.as_str(), &[], &mut fresh));
            if param.diet != Diet::Observe {
                consumed.extend(fresh.vars[start..].iter().filter(|v| !v.1).map(|v| v.0));
            }
            layouts.push((name, layout));
        }
        function.params = fresh.all();
        function.consumed = function.params.iter().map(|var| consumed.contains(var)).collect();
        self.b.trust_params(function.params.iter().copied());
        self.entry = Some(definition.name);
        let bound = self.reveal_sizes(definition, &args).and_then(|()| self.bind_params(&definition.params, args));
        self.entry = None;
        bound.map(|()| layouts)
    }

    /// The atoms of the results, and how the outside gets them.
    fn entry_results(&mut self, val: Val<'t>, ty: &'t Type, function: &mut Function) -> Made<(Vec<Atom>, Vec<Layout>)> {
        let (vals, types) = self.results(val, ty);
        let mut fresh = Fresh::default();
        let (mut atoms, mut layouts) = (Vec::new(), Vec::new());
        for (val, ty) in vals.iter().zip(types) {
            let mono = self.mono(ty);
            let Some((layout, form)) = loose(&mono) else {
                return self.unsupported(Limitation::EntryReturnsFunctions);
            };
            atoms.extend(self.atoms_of(val, &form, Why::Checked)?);
            self.fresh(&form, "result", &[], &mut fresh);
            layouts.push(layout);
        }
        function.results = fresh.all();
        function.fresh = vec![false; function.results.len()];
        Ok((atoms, layouts))
    }

    /// A tuple is several results, one a line.
    fn results(&mut self, val: Val<'t>, ty: &'t Type) -> (Vec<Val<'t>>, Vec<&'t Type>) {
        let ty = self.concrete(ty);
        match (&val, ty.as_tuple()) {
            (Val::Record(fields), Some(types)) if !types.is_empty() => (fields.to_vec(), types),
            (_, _) => (vec![val], vec![ty]),
        }
    }
}
