//! Entry points: arguments and results as components.

use super::levels;
use super::machine::Machine;
use super::stop::{self, Run, Stop};
use super::val::{Array, Desc, Val};
use ir::{Component as Kind, Layout, Type, Var};
use value::components::Component;
use value::{Element, PrimVec};

impl<'p> Machine<'p> {
    pub(super) fn entry(&mut self, name: &str, args: Vec<Component>) -> Run<Vec<Component>> {
        let Some(entry) = self.program.entries.iter().find(|entry| entry.name.as_str() == name) else {
            return Err(stop::no_entry(name).into());
        };
        let Some(function) = self.program.functions.get(entry.function) else {
            return self.internal("an entry point without a function");
        };
        (self.span, self.function) = (function.span, function.name);
        if args.len() != function.params.len() {
            let why = format!("{} components for {} parameters", args.len(), function.params.len());
            return Err(stop::argument(&why, self.span).into());
        }
        self.enter(entry.function);
        for (param, arg) in function.params.iter().zip(args) {
            // Components that do not fit are a mistake of the caller, not of the program.
            let val = self.parameter(*param, arg).and_then(|val| self.bind(*param, val));
            val.map_err(|_| {
                Stop::from(stop::argument(&format!("`{}` is not of its type", self.name(*param)), self.span))
            })?;
        }
        let mut results = self.block(&function.body)?.into_iter();
        let mut out = Vec::with_capacity(results.len());
        for layout in &entry.results {
            let own = results.by_ref().take(layout.components().len()).collect();
            out.extend(self.components(layout, own)?);
        }
        if results.next().is_some() {
            return self.internal("more results than the entry point has");
        }
        Ok(out)
    }

    /// The value of a parameter.
    fn parameter(&self, param: Var, arg: Component) -> Run<Val> {
        match (self.ty(param), arg) {
            (Type::Scalar(_), Component::Scalar(x)) => Ok(Val::Scalar(x)),
            (Type::Array(_, dims), Component::Numbers(items)) => {
                Ok(Val::Array(self.make(self.levels_of(dims)?, items)?))
            }
            (Type::Array(_, dims), Component::Data(data)) => Ok(Val::Array(self.make(self.levels_of(dims)?, data)?)),
            (Type::Desc(dims), Component::Numbers(items) | Component::Data(PrimVec::I64(items))) => {
                let levels = self.levels_of(dims)?;
                let fits = items.first() == Some(&0)
                    && items.windows(2).all(|w| w[0] <= w[1])
                    && items.len() == levels::total(&levels).saturating_add(1);
                if !fits {
                    return self.internal("offsets that do not fit");
                }
                let offsets = items.iter().map(|n| *n as usize).collect();
                Ok(Val::Desc(Desc { levels: levels.into(), offsets }))
            }
            (Type::Scalar(_) | Type::Array(..) | Type::Desc(_) | Type::Cert | Type::Box(_), _) => {
                self.internal("an argument of another kind")
            }
        }
    }

    /// The components of a value of a layout.
    pub(super) fn components(&self, layout: &Layout, vals: Vec<Val>) -> Run<Vec<Component>> {
        let kinds = layout.components();
        if kinds.len() != vals.len() {
            return self.internal("components of another layout");
        }
        let component = |(kind, val): (Kind, Val)| match (kind, val) {
            (Kind::Size | Kind::Rank, Val::Scalar(x)) => Ok(Component::Scalar(x)),
            (Kind::Shape, Val::Array(Array { levels: _, data })) => {
                Ok(Component::Numbers(i64::items(&data).unwrap_or(&[]).to_vec()))
            }
            (Kind::Desc(_), Val::Desc(desc)) => {
                Ok(Component::Numbers(desc.offsets.iter().map(|offset| *offset as i64).collect()))
            }
            (Kind::Data(..), Val::Scalar(x)) => Ok(Component::Scalar(x)),
            (Kind::Data(..), Val::Array(Array { levels: _, data })) => {
                Ok(Component::Data(std::rc::Rc::unwrap_or_clone(data)))
            }
            (Kind::Size | Kind::Rank | Kind::Shape | Kind::Desc(_) | Kind::Data(..), _) => {
                self.internal("a component of another kind")
            }
        };
        kinds.into_iter().zip(vals).map(component).collect()
    }
}
