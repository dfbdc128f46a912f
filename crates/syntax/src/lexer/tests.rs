//! What the lexer makes of small texts.

use super::*;
use expect_test::{Expect, expect};

fn show(text: &str, dialect: Dialect) -> String {
    let lexed = lex(FileId(0), text, dialect);
    let mut shown_tokens = Vec::new();
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
            T::Lit(i) => crate::dump::lit(&lexed.lits[i as usize]),
            T::Nat(i) => format!("Nat({})", crate::dump::lit(&lexed.lits[i as usize])),
            other => format!("{other:?}"),
        };
        shown_tokens.push(shown);
    }
    let mut out = shown_tokens.join(" ");
    for d in &lexed.diagnostics {
        out.push_str(&format!("\n{} {}", d.code, d.title));
    }
    out
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&show(text, Dialect::Ravel));
}

#[test]
fn names_and_brackets() {
    check(
        "a[i] a [i] x'[0] (a)[1] in[2]",
        expect![
            "a Index i RBracket a LBracket i RBracket x' Index Nat(0) RBracket LParen a RParen Index Nat(1) RBracket In LBracket Nat(2) RBracket End"
        ],
    );
    check("_ _x __ m.x #foo #[attr] ???", expect!["Underscore _x __ m Dot x #foo HashBracket attr RBracket Hole End"]);
}

#[test]
fn operators() {
    check("a+b a.+ m.n.*^ - -> -->", expect!["a Op(+,13) b QualOp(a.+) QualOp(m.n.*^) Minus Arrow End"]);
    check("x == y >>= z <= |> <|", expect!["x Op(==,10) y Op(>>=,12) z LessEq Op(|>,6) Op(<|,7) End"]);
    check("[i]=>-1 >=> =>", expect!["LBracket i RBracket FatArrow Minus Nat(1) Op(>=>,10) FatArrow End"]);
    expect!["Op(=>,10) Op(=>-,10) End"].assert_eq(&show("=> =>-", Dialect::Futhark));
    check(
        "0..<n 0..2...n 5..>0 x.0.1",
        expect![
            "Nat(0) DotsLess n Nat(0) TwoDots Nat(2) ThreeDots n Nat(5) DotsGreater Nat(0) x Dot Nat(0) Dot Nat(1) End"
        ],
    );
}

#[test]
fn numbers() {
    check("1 1_000i64 0xffu8 0xFF 0b1010i8 0rXIV", expect!["Nat(1) 1000i64 255u8 255 10i8 14 End"]);
    check("1.5 1e3f32 1f32 0x1.8p3 0x1.8p-1f32 2.5e-3", expect!["1.5 1000.0f32 1.0f32 12.0 0.75f32 0.0025 End"]);
    check(
        "340282366920938463463374607431768211456 1x 1.5i32 0b2",
        expect![[r#"
            Nat(0) 1 1.5 0 End
            E0003 this number is too big
            E0002 `x` does not belong to the number before it
            E0002 a number with a fraction or exponent cannot have the type `i32`
            E0002 `b2` does not belong to the number before it"#]],
    );
}

#[test]
fn text() {
    check(
        r#"'a' '\n' '\'' '\65' 'a '^b '~c "x\n\x41\"" "é""#,
        expect![[r#"'a' '\n' '\'' 'A' Quote a QuoteHat b QuoteTilde c "x\nA\"" "é" End"#]],
    );
    check(
        "\"abc\n'' \"\\q\"",
        expect![[r#"
            "abc" '\0' "" End
            E0004 this string is not closed
            E0005 an empty character literal
            E0006 `\q` is not an escape"#]],
    );
}

#[test]
fn foreign_characters() {
    check(
        "“abc” x − y ≤ z λ α @@ §",
        expect![[r#"
            "abc" x Minus y LessEq z Backslash α Error Error End
            E0001 strings are not written with typographic quotes
            E0001 `−` is not an operator
            E0001 `≤` is not an operator
            E0001 `λ` is not an operator
            E0001 `α` cannot be a name
            E0001 `@` means nothing here
            E0001 `§` means nothing here"#]],
    );
    expect![[r#"
        a b End
        E0001 `;` means nothing here"#]]
    .assert_eq(&show("a ; b", Dialect::Futhark));
}

#[test]
fn comments_and_docs() {
    let lexed = lex(FileId(0), "-- plain\n-- | doc one\n--  doc two\ndef -- | tail\n-- not doc", Dialect::Ravel);
    let comments: Vec<&str> = lexed.comments.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(comments, [" plain", " | doc one", "  doc two", " | tail", " not doc"]);
    assert_eq!(lexed.docs, [(0, "doc one\n doc two".to_string()), (1, "tail\nnot doc".to_string())]);
}
