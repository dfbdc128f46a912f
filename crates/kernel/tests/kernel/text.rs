//! Programs as text: they print as they were written, and parse to what was printed.

const ALL: &str = r#"site 0 R001 "index {0} is \{out} of {1:shape} {0=-1?none|some {2=3?a|b}}" @0:3-5
  at "here"
  note "n\"n"
  help "do it"
  in "f" @1:2-3
site 1 R018 "" @0:0-0
fun plain.0(n.0: i64, xs.1: []f64) -> ([]f64) deep 1 @0:0-9 {
  var ys.2: []f64 in m3
  alloc ys.2 n.0 @0:3-5
  var zs.8: []f64
  alloc zs.8 n.0 reusing ys.2 @0:3-5
  move ys.2 = zs.8
  let start.3: i64 = (0i64 +i64 convert.i32.i64(-1i32))
  for i.4 = 0i64 to n.0 parallel {
    keep spare.9: []f64
    ys.2[i.4] := (xs.1[i.4] *f64 math.max.f64(1e-7f64, -f64.inf))
  }
  grow ys.2 used n.0 needed (n.0 +i64 1i64) @0:3-5
  trim ys.2 from start.3 count n.0 @0:3-5
  copy ys.2[0i64] = xs.1[1i64] count 0i64
  for j.5 = 0i64 to n.0 simd {
    ys.2[j.5] := 0.0f64
  }
  for k.6 = 0i64 to 4i64 unrolled {
    for l.7 = 0i64 to k.6 short {
      ys.2[l.7] := 1.0f64
    }
  }
  if (n.0 >>>i64 3i64 ==i64 2i64) {
    fail 0(i64 n.0, f64 f64.nan, bool true)
  } else {
    start.3 := neg.i64(n.0)
  }
  return (&ys.2)
}
"#;

const REST: &str = r#"site 0 R001 "x" @0:0-0
  at "y"
fun rest.0(n.0: i64, xs.1: []i64) -> (i64, []i64) @0:0-9 {
  var stopped.2: i64
  try stopped.2 {
    if not.bool((n.0 <i64 0i64)) {
      stop (n.0 >i64 0i64 ? n.0 : 0i64)
    }
  }
  loop {
    let half.3: i64 = (stopped.2 //i64 2i64)
  } while (half.3 >i64 0i64) {
    stopped.2 := half.3
    call (r.4: i64, ys.5: []i64 in m0) = rest.0(half.3, &xs.1) @0:2-7
    var zs.6: []i64
    move zs.6 = ys.5
    release zs.6
  }
  var t.8: [8]i64
  t.8[7i64] := n.0
  var copy.7: []i64
  share copy.7 = xs.1
  trace {"0": []i64, "b": sum("none"(), "some"([][~]f32, [..]u8))} (n.0, &xs.1) @0:0-0
  if (n.0 ==i64 0i64) {
    fail 0(&xs.1[0i64] count n.0)
  }
  return (n.0, &copy.7)
}
entry "rest" = rest.0("xs": []i64) -> ([]i64) consumed(false, true)
"#;

/// The expression with two operators needs parentheses of its own.
fn well_formed(text: &str) -> String {
    text.replace("(n.0 >>>i64 3i64 ==i64 2i64)", "((n.0 >>>i64 3i64) ==i64 2i64)")
        .replace("(n.0 >i64 0i64 ? n.0 : 0i64)", "((n.0 >i64 0i64) ? n.0 : 0i64)")
}

#[test]
fn text_comes_back() {
    for text in [well_formed(ALL), well_formed(REST), format!("math strict\n{}", well_formed(REST))] {
        let program = kernel::text::parse(&text).unwrap();
        assert_eq!(program.to_string(), text);
    }
}

#[test]
fn places_may_be_left_out() {
    for text in [well_formed(ALL), well_formed(REST)] {
        let program = kernel::text::parse(&text).unwrap();
        let plain = kernel::text::print_with(&program, false);
        assert!(!plain.contains('@'), "{plain}");
        assert_eq!(kernel::text::print_with(&kernel::text::parse(&plain).unwrap(), false), plain);
    }
}

#[test]
fn mistakes_are_told_with_their_line() {
    let cases = [
        ("fun f.0() -> () @0:0-0 {\n  jump\n}", "line 2: jump is no statement"),
        ("fun f.0() -> () @0:0-0 {\n  stop 3x\n}", "line 2: 3x is no constant"),
        ("fun f.1() -> ()", "line 1: functions must be numbered in order"),
        ("fun f.0() -> () @0:0-0 {\n  return (", "line 2: expected an expression, found End"),
        ("entry \"", "line 1: a text without end"),
        ("math exact", "line 1: expected `fast` or `strict`"),
        ("site 0 R001 \"{x}\" @0:0-0", "line 1: expected a number"),
        ("site 0 R800 \"\" @0:0-0", "line 1: there is no run-time error `R800`"),
    ];
    for (text, expected) in cases {
        assert_eq!(kernel::text::parse(text).unwrap_err().to_string(), expected);
    }
    assert!(kernel::text::parse(&format!("fun f.0() -> () @0:0-0 {{ stop {}", "(".repeat(100_000))).is_err());
}
