//! What the lexer makes of small texts.

use super::*;
use expect_test::{Expect, expect};

fn show(text: &str, dialect: Dialect) -> String {
    let lexed = lex(FileId(0), text, dialect);
    let mut out = String::new();
    for token in &lexed.tokens {
        let shown = match token.kind {
            T::Ident(n) => n.to_string(),
            T::Constr(n) => format!("#{n}"),
            T::Op(n, l) => format!("Op({n},{l})"),
            T::QualOp(i, _) => {
                let q = &lexed.qual_ops[i as usize];
                let quals: String = q.quals.iter().map(|q| format!("{}.", q.name)).collect();
                format!("QualOp({quals}{})", q.name.name)
            }
            T::Lit(i) => format!("{:?}", lexed.lits[i as usize]),
            T::Nat(i) => format!("Nat({:?})", lexed.lits[i as usize]),
            other => format!("{other:?}"),
        };
        out.push_str(&shown);
        out.push(' ');
    }
    for d in &lexed.diagnostics {
        out.push_str(&format!("\n{} {}", d.code, d.title));
    }
    out.trim_end().to_string()
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&show(text, Dialect::Ravel));
}

#[test]
fn names_and_brackets() {
    check("a[i] a [i] x'[0] (a)[1] in[2]", expect![[]]);
    check("_ _x __ m.x #foo #[attr] ???", expect![[]]);
}

#[test]
fn operators() {
    check("a+b a.+ m.n.*^ - -> -->", expect![[]]);
    check("x == y >>= z <= |> <|", expect![[]]);
    check("[i]=>-1 >=> =>", expect![[]]);
    expect![[]].assert_eq(&show("=> =>-", Dialect::Futhark));
    check("0..<n 0..2...n 5..>0 x.0.1", expect![[]]);
}

#[test]
fn numbers() {
    check("1 1_000i64 0xffu8 0xFF 0b1010i8 0rXIV", expect![[]]);
    check("1.5 1e3f32 1f32 0x1.8p3 0x1.8p-1f32 2.5e-3", expect![[]]);
    check("340282366920938463463374607431768211456 1x 1.5i32 0b2", expect![[]]);
}

#[test]
fn text() {
    check(r#"'a' '\n' '\'' '\65' 'a '^b '~c "x\n\x41\"" "é""#, expect![[]]);
    check("\"abc\n'' \"\\q\"", expect![[]]);
}

#[test]
fn foreign_characters() {
    check("“abc” x − y ≤ z λ α @@ §", expect![[]]);
    expect![[]].assert_eq(&show("a ; b", Dialect::Futhark));
}

#[test]
fn comments_and_docs() {
    let lexed = lex(FileId(0), "-- plain\n-- | doc one\n--  doc two\ndef -- | tail\n-- not doc", Dialect::Ravel);
    let comments: Vec<&str> = lexed.comments.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(comments, [" plain", " | doc one", "  doc two", " | tail", " not doc"]);
    assert_eq!(lexed.docs, [(0, "doc one\n doc two".to_string()), (1, "tail\nnot doc".to_string())]);
}
