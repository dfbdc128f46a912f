//! Feeds damaged input to the compiler and to the readers of values; none of it may cause a panic.

use crate::mutate;
use crate::random::Random;
use driver::InMemory;
use scalar::Prim;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use value::{Dim, ValueType, Values};

/// The programs and value files that are damaged.
#[derive(Debug, Default)]
pub struct Corpus {
    programs: Vec<String>,
}

impl Corpus {
    /// All programs below these folders.
    pub fn read(folders: &[&Path]) -> Corpus {
        let mut corpus = Corpus::default();
        folders.iter().for_each(|f| corpus.add(f));
        corpus.programs.sort();
        corpus
    }

    fn add(&mut self, path: &Path) {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            entries.for_each(|e| self.add(&e.path()));
        } else if path.extension().is_some_and(|e| e == "rv" || e == "fut")
            && let Ok(text) = std::fs::read_to_string(path)
        {
            self.programs.push(text);
        }
    }

    /// Whether there are no programs.
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }
}

/// A try that caused a panic.
#[derive(Debug)]
pub struct Finding {
    /// Which try, from the seed.
    pub seed: u64,
    /// The part that was tested.
    pub what: String,
    /// The input.
    pub input: Vec<u8>,
    /// The message of the panic.
    pub panic: String,
}

/// One try, determined by the seed. `before` gets the input first, in case the process crashes.
pub fn attempt(corpus: &Corpus, seed: u64, before: &mut dyn FnMut(&[u8])) -> Result<(), Finding> {
    let mut random = Random::new(seed);
    match random.below(10) {
        0..=4 => {
            let text = random
                .pick(&corpus.programs)
                .map_or(String::new(), |p| mutate::program(p, &corpus.programs, &mut random.clone()));
            before(text.as_bytes());
            guarded(seed, "a damaged program", text.as_bytes(), || compile(&text, seed.is_multiple_of(8)))
        }
        5 | 6 => {
            let original = random.pick(&corpus.programs).map_or(&[][..], |p| p.as_bytes());
            let bytes = if random.one_in(3) { noise(&mut random) } else { mutate::bytes(original, &mut random) };
            before(&bytes);
            guarded(seed, "bytes as a program", &bytes, || match String::from_utf8(bytes.clone()) {
                Ok(text) => compile(&text, seed.is_multiple_of(8)),
                Err(_) => drop(syntax::decode(base::FileId(0), bytes.clone())),
            })
        }
        _ => {
            let original = VALUES[random.below(VALUES.len())];
            let bytes = if random.one_in(4) { noise(&mut random) } else { mutate::bytes(original, &mut random) };
            before(&bytes);
            let expected = value_type(&mut random);
            guarded(seed, "a damaged file of values", &bytes, || read_values(&bytes, expected.as_ref()))
        }
    }
}

fn guarded(seed: u64, what: &str, input: &[u8], work: impl FnOnce()) -> Result<(), Finding> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
        Finding { seed, what: what.into(), input: input.to_vec(), panic: text.unwrap_or_default() }
    })
}

/// Compiles a text and renders the diagnostics.
fn compile(text: &str, futhark: bool) {
    let path = if futhark { "damaged.fut" } else { "damaged.rv" };
    let compiled = driver::compile(&InMemory::new([(path, text)]), path);
    driver::render::render_all(&compiled.sources, &compiled.diagnostics, false);
}

fn read_values(bytes: &[u8], expected: Option<&ValueType>) {
    let mut values = Values::new(bytes);
    for _ in 0..100 {
        match values.next_value(expected) {
            Some(Ok(value)) => drop(value.to_string()),
            Some(Err(_)) | None => break,
        }
    }
    for value in [value::npy::read(bytes, None), value::npz::read(bytes, None)].into_iter().flatten() {
        drop(value.to_string());
    }
    // Damage to an archive is usually found by its checksums. So also try damaged members in intact archives.
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let members = [("offsets1", first), ("data", second), ("shape", bytes)];
    for count in 1..=members.len() {
        let members: Vec<_> = members[..count].iter().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect();
        if let Ok(value) = value::npz::pack(&members).map(|archive| value::npz::read(&archive, None)) {
            drop(value.map(|value| value.to_string()));
        }
    }
}

fn noise(random: &mut Random) -> Vec<u8> {
    (0..random.below(200)).map(|_| random.number() as u8).collect()
}

fn value_type(random: &mut Random) -> Option<ValueType> {
    let prim = Prim::ALL[random.below(Prim::ALL.len())];
    Some(match random.below(6) {
        0 => return None,
        1 => ValueType::Scalar(prim),
        2 => ValueType::AnyRank(prim),
        3 => ValueType::Array(vec![Dim::Regular, Dim::Jagged], prim),
        n => ValueType::regular(n - 3, prim),
    })
}

/// Whole value files to be damaged: text, binary, `.npy`, two `.npy` that make a jagged array, and an empty `.npz`.
const VALUES: &[&[u8]] = &[
    b"[[1, 2, 3], [4, 5, 6]] 3.5f32 true \"text\" empty([0][3]i64)",
    b"[[1], [], [2, 3]] empty([3][~]i64) [f64.nan, -f64.inf, 1e-3]",
    b"[(1, 2.0), (3, 4.0)] {x = 1, y = [true]} #some 3i8",
    b"b\x02\x01 i32\x03\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00",
    b"b\x02\x00 f64\x00\x00\x00\x00\x00\x00\xf0\x3f",
    b"b\x02\x02bool\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00",
    b"\x93NUMPY\x01\x00\x46\x00{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }             \n\x01\x00\x00\x00\x02\x00\x00\x00",
    b"\x93NUMPY\x01\x00\x46\x00{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }             \n\x00\x01\x01\x04\
      \x93NUMPY\x01\x00\x46\x00{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }             \n\x01\x02\x03\x04",
    b"PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
];
