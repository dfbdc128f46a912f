//! Declarations, modules and module types as text.

use super::exprs::{attr, expr, list, opt, qual, signature, type_exp, type_param};
use crate::ast::*;

/// A declaration with what stands before it.
pub fn dec(dec: &Dec) -> String {
    let doc = opt(dec.doc.as_ref(), |d| format!("(doc {d:?}) "));
    let attrs: String = dec.attrs.iter().map(|a| attr(a) + " ").collect();
    let local = if dec.local { "local " } else { "" };
    format!("{doc}{attrs}{local}{}", dec_kind(&dec.kind))
}

fn dec_kind(kind: &DecKind) -> String {
    match kind {
        DecKind::Value(v) => {
            let word = if v.entry { "entry" } else { "def" };
            let rec = if v.rec { " rec" } else { "" };
            let head = signature(&v.type_params, &v.params, v.ret.as_ref());
            format!("({word}{rec} {}{head} = {})", v.name.name, expr(&v.body))
        }
        DecKind::Type(t) => type_dec(t),
        DecKind::ModuleType { name, body } => format!("(modtype {} {})", name.name, mod_type(body)),
        DecKind::Module { name, params, ascription, body } => {
            let params: String = params.iter().map(|p| format!(" {}", param(p))).collect();
            let ascription = opt(ascription.as_ref(), |t| format!(" : {}", mod_type(t)));
            format!("(module {}{params}{ascription} = {})", name.name, mod_exp(body))
        }
        DecKind::Open(m) => format!("(open {})", mod_exp(m)),
        DecKind::Import { path, span: _ } => format!("(import {path:?})"),
        DecKind::Error => "ERROR".into(),
    }
}

fn type_dec(dec: &TypeDec) -> String {
    let lifted = match dec.lifted {
        Lifted::No => "",
        Lifted::Sizes => "~",
        Lifted::Functions => "^",
    };
    let params: String = dec.params.iter().map(|p| format!(" {}", type_param(p))).collect();
    let body = opt(dec.body.as_ref(), |t| format!(" = {}", type_exp(t)));
    format!("(type{lifted} {}{params}{body})", dec.name.name)
}

fn param(param: &ModParam) -> String {
    format!("({} {})", param.name.name, mod_type(&param.ty))
}

fn mod_exp(module: &ModExp) -> String {
    match &module.kind {
        ModExpKind::Var(name) => qual(name),
        ModExpKind::Decs(decs) => list("decs", decs.iter().map(dec)),
        ModExpKind::Import(path) => format!("(import {path:?})"),
        ModExpKind::Ascribe(m, t) => format!("(: {} {})", mod_exp(m), mod_type(t)),
        ModExpKind::Lambda(p, t, body) => {
            let ty = opt(t.as_ref(), |t| format!(" : {}", mod_type(t)));
            format!("(\\ {}{ty} -> {})", param(p), mod_exp(body))
        }
        ModExpKind::Apply(f, m) => format!("({} {})", mod_exp(f), mod_exp(m)),
        ModExpKind::Parens(m) => format!("(paren {})", mod_exp(m)),
        ModExpKind::Error => "ERROR".into(),
    }
}

fn mod_type(ty: &ModTypeExp) -> String {
    match &ty.kind {
        ModTypeExpKind::Var(name) => qual(name),
        ModTypeExpKind::Specs(specs) => list("specs", specs.iter().map(spec)),
        ModTypeExpKind::With { base, name, params, ty } => {
            let params: String = params.iter().map(|p| format!(" {}", type_param(p))).collect();
            format!("(with {} {}{params} = {})", mod_type(base), qual(name), type_exp(ty))
        }
        ModTypeExpKind::Arrow(name, from, to) => {
            let name = opt(name.as_ref(), |n| format!("{}: ", n.name));
            format!("(-> {name}{} {})", mod_type(from), mod_type(to))
        }
        ModTypeExpKind::Parens(inner) => format!("(paren {})", mod_type(inner)),
        ModTypeExpKind::Error => "ERROR".into(),
    }
}

fn spec(spec: &Spec) -> String {
    let doc = opt(spec.doc.as_ref(), |d| format!("(doc {d:?}) "));
    let body = match &spec.kind {
        SpecKind::Value { name, type_params, ty } => {
            format!("(val {}{} : {})", name.name, signature(type_params, &[], None), type_exp(ty))
        }
        SpecKind::Type(t) => type_dec(t),
        SpecKind::Module(name, t) => format!("(module {} : {})", name.name, mod_type(t)),
        SpecKind::Include(t) => format!("(include {})", mod_type(t)),
        SpecKind::Error => "ERROR".into(),
    };
    format!("{doc}{body}")
}
