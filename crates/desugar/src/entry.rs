//! Entry points: functions whose parameters and results are the components of values.

use crate::convert::Why;
use crate::form::{Form, Fresh, form_of_layout};
use crate::matching::{About, Mode};
use crate::mono::Mono;
use crate::value::{Cases, Val};
use crate::{Desugar, Made};
use base::{Name, Set};
use ir::{Block, Entry, Function, Layout, Limitation};
use std::rc::Rc;
use typed::{Body, DefId, Diet, Type, TypeParam};

impl<'t> Desugar<'t> {
    /// Translates a definition that is called from outside.
    pub(crate) fn entry(&mut self, def: DefId) -> Made<()> {
        let definition = &self.typed.defs[def];
        let Body::Expr(body) = &definition.body else {
            base::bug!("an entry point has no body");
        };
        self.env = Rc::default();
        // A type parameter of an entry point can be anything; nothing depends on it.
        for param in &definition.type_params {
            if let TypeParam::Type(var) = param {
                Rc::make_mut(&mut self.env).types.insert(*var, Mono::Record(Rc::new([])));
            }
        }
        self.b.open();
        let mut params = Fresh::default();
        let mut layouts = Vec::new();
        let mut args = Vec::new();
        let mut consumed = Set::default();
        for param in &definition.params {
            let mono = self.mono(&param.pat.ty);
            let Some(layout) = mono.layout() else {
                return self.unsupported(Limitation::EntryTakesFunctions);
            };
            let name = param.name().map_or(Name::new("x"), |local| self.typed.locals[local].name);
            let form = loose(&mono, &layout);
            let start = params.vars.len();
            args.push(self.fresh(&form, name.as_str(), &[], &mut params));
            if param.diet != Diet::Observe {
                consumed.extend(params.vars[start..].iter().filter(|v| !v.1).map(|v| v.0));
            }
            layouts.push((name, layout));
        }
        self.b.trust_params(params.vars.iter().map(|v| v.0));
        self.entry = Some(definition.name);
        self.reveal_sizes(definition, &args)?;
        let bound = self.bind_params(&definition.params, args);
        self.entry = None;
        bound?;
        let checked = self.b.certs();
        let val = self.expr(body)?;
        definition.ret.exts.iter().for_each(|local| self.unset(*local));
        let val = self.at(body.span, |d| d.matched(&definition.ret.ty, val, About::new(Mode::Result)))?;
        // Who gives values of other sizes than the entry point takes is told so, even if nothing looks at them.
        let val = self.relying(&val, &checked)?;
        let (vals, types) = self.results(val, &definition.ret.ty);
        let mut results = Fresh::default();
        let mut out = Vec::new();
        let mut result_layouts = Vec::new();
        for (val, ty) in vals.iter().zip(types) {
            let mono = self.mono(ty);
            let Some(layout) = mono.layout() else {
                return self.unsupported(Limitation::EntryReturnsFunctions);
            };
            let form = loose(&mono, &layout);
            out.extend(self.components(val, &form, Why::Checked)?.into_iter().map(|p| p.0));
            self.fresh(&form, "result", &[], &mut results);
            result_layouts.push(layout);
        }
        let stms = self.b.close();
        let fresh = results.vars.iter().map(|_| false).collect();
        let function = Function {
            name: definition.name,
            consumed: params.vars.iter().map(|v| consumed.contains(&v.0)).collect(),
            params: params.all(),
            results: results.all(),
            fresh,
            body: Block { stms, result: out },
            too_deep: None,
            span: definition.span,
        };
        let function = self.b.program.functions.push(function);
        self.b.program.entries.push(Entry {
            name: definition.name,
            function,
            params: layouts,
            results: result_layouts,
        });
        Ok(())
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

/// The form of all values of a layout.
pub(crate) fn loose(mono: &Mono, layout: &Layout) -> Form {
    let all = all_cases(mono);
    let cases = |names: &[(Name, Vec<Layout>)]| -> Cases {
        let same = |c: &&Cases| c.iter().map(|c| c.0).eq(names.iter().map(|n| n.0));
        all.iter().find(same).cloned().unwrap_or_else(|| Rc::new([]))
    };
    form_of_layout(layout, &cases)
}

fn all_cases(mono: &Mono) -> Vec<Cases> {
    match mono {
        Mono::Scalar(_) | Mono::Fun(_) => Vec::new(),
        Mono::Array(_, elem) => all_cases(elem),
        Mono::Record(fields) => fields.iter().flat_map(|f| all_cases(&f.1)).collect(),
        Mono::Sum(cases) => {
            let inner = cases.iter().flat_map(|c| &c.1).flat_map(all_cases);
            [cases.clone()].into_iter().chain(inner).collect()
        }
    }
}
