//! The tree as text: compact S-expressions, for tests and for looking at what the parser understood.

mod exprs;
mod modules;

pub use exprs::expr;

use crate::ast::*;

/// A whole file, one declaration per line.
pub fn file(file: &File) -> String {
    file.decs.iter().map(|d| modules::dec(d) + "\n").collect()
}

/// A type.
pub fn type_exp(ty: &TypeExp) -> String {
    match &ty.kind {
        TypeExpKind::Var(name) => qual(name),
        TypeExpKind::Apply(head, args) => list(&type_exp(head), args.iter().map(type_arg)),
        TypeExpKind::Tuple(types) => list("tuple", types.iter().map(type_exp)),
        TypeExpKind::Record(fields) => {
            list("record", fields.iter().map(|(f, t)| format!("({} {})", f.name, type_exp(t))))
        }
        TypeExpKind::Sum(constrs) => {
            list("sum", constrs.iter().map(|(c, ts)| list(&format!("#{}", c.name), ts.iter().map(type_exp))))
        }
        TypeExpKind::Array(d, elem) => format!("{}{}", dim(d), type_exp(elem)),
        TypeExpKind::Unique(inner) => format!("*{}", type_exp(inner)),
        TypeExpKind::Fun { param_name: None, param, ret } => format!("(-> {} {})", type_exp(param), type_exp(ret)),
        TypeExpKind::Fun { param_name: Some(name), param, ret } => {
            format!("(-> ({} {}) {})", name.name, type_exp(param), type_exp(ret))
        }
        TypeExpKind::Exists(sizes, body) => format!("(? {} {})", size_names(sizes), type_exp(body)),
        TypeExpKind::Parens(inner) => format!("(paren {})", type_exp(inner)),
        TypeExpKind::Error => "ERROR".into(),
    }
}

/// A pattern.
pub fn pat(pat: &Pat) -> String {
    match &pat.kind {
        PatKind::Name(name) => name.to_string(),
        PatKind::Wildcard => "_".into(),
        PatKind::Tuple(pats) => list("tuple", pats.iter().map(self::pat)),
        PatKind::Record(fields) => list(
            "record",
            fields.iter().map(|(f, p)| match p {
                Some(p) => format!("({} {})", f.name, self::pat(p)),
                None => f.name.to_string(),
            }),
        ),
        PatKind::Literal { lit: l, negative } => format!("{}{}", if *negative { "-" } else { "" }, lit(l)),
        PatKind::Constr(name, args) => list(&format!("#{}", name.name), args.iter().map(self::pat)),
        PatKind::Ascribe(inner, ty) => format!("(: {} {})", self::pat(inner), type_exp(ty)),
        PatKind::Parens(inner) => format!("(paren {})", self::pat(inner)),
        PatKind::Attr(a, inner) => format!("({} {})", attr(a), self::pat(inner)),
        PatKind::Error => "ERROR".into(),
    }
}

fn type_arg(arg: &TypeArg) -> String {
    match arg {
        TypeArg::Size(d) => dim(d),
        TypeArg::Type(t) => type_exp(t),
    }
}

fn dim(dim: &DimExp) -> String {
    match &dim.kind {
        DimExpKind::Any => "[]".into(),
        DimExpKind::Size(e) => format!("[{}]", expr(e)),
        DimExpKind::Jagged(name) => format!("[~{}]", opt(name.as_ref(), |n| n.name.to_string())),
        DimExpKind::ShapeOf(e) => format!("[..({})]", expr(e)),
        DimExpKind::Shape(name) => format!("[..{}]", opt(name.as_ref(), |n| n.name.to_string())),
    }
}

fn type_param(param: &TypeParam) -> String {
    let name = param.name.name;
    match param.kind {
        TypeParamKind::Size => format!("[{name}]"),
        TypeParamKind::Type(Lifted::No) => format!("'{name}"),
        TypeParamKind::Type(Lifted::Sizes) => format!("'~{name}"),
        TypeParamKind::Type(Lifted::Functions) => format!("'^{name}"),
        TypeParamKind::Jagged => format!("[~{name}]"),
        TypeParamKind::Shape => format!("[..{name}]"),
    }
}

/// Type parameters, parameters and result type of a definition, each with a space in front.
fn signature(type_params: &[TypeParam], params: &[Pat], ret: Option<&TypeExp>) -> String {
    let type_params = type_params.iter().map(|p| format!(" {}", type_param(p)));
    let params = params.iter().map(|p| format!(" {}", pat(p)));
    let ret = ret.map(|t| format!(" : {}", type_exp(t)));
    type_params.chain(params).chain(ret).collect()
}

fn qual(name: &QualName) -> String {
    let quals: String = name.quals.iter().map(|q| format!("{}.", q.name)).collect();
    format!("{quals}{}", name.name.name)
}

fn size_names(sizes: &[SizeName]) -> String {
    let shown = |size: &SizeName| format!("{}{}", if size.jagged { "~" } else { "" }, size.name.name);
    format!("[{}]", sizes.iter().map(shown).collect::<Vec<_>>().join(" "))
}

fn attr(attr: &Attr) -> String {
    fn body(attr: &Attr) -> String {
        let args: Vec<String> = attr.args.iter().map(body).collect();
        if args.is_empty() { attr.name.to_string() } else { format!("{}({})", attr.name, args.join(",")) }
    }
    format!("#[{}]", body(attr))
}

pub(crate) fn lit(lit: &Lit) -> String {
    let suffixed =
        |text: String, suffix: &Option<scalar::Prim>| text + &opt(suffix.as_ref(), |s| format!("{s:?}").to_lowercase());
    match lit {
        Lit::Int { value, suffix } => suffixed(value.to_string(), suffix),
        Lit::Float { value, suffix } => suffixed(format!("{value:?}"), suffix),
        Lit::Bool(value) => value.to_string(),
        Lit::Char(value) => format!("{:?}", char::from_u32(*value).unwrap_or('?')),
        Lit::Str(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
    }
}

/// `(head item item)`; the head alone when there are no items.
fn list(head: &str, items: impl Iterator<Item = String>) -> String {
    let rest: String = items.map(|i| format!(" {i}")).collect();
    format!("({head}{rest})")
}

fn opt<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or(String::new(), show)
}
