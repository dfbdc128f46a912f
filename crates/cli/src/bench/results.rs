//! Measurements as data and as JSON.

use super::statistics::Summary;
use crate::disk;
use serde_json::{Value, json};
use std::path::Path;

/// The measurements of a program.
#[derive(Debug)]
pub struct Results {
    /// The program's file, as it was named.
    pub program: String,
    pub measurements: Vec<Measurement>,
}

/// The times of a case on a back end.
#[derive(Clone, PartialEq, Debug)]
pub struct Measurement {
    pub entry: String,
    /// Which case of that entry point, counted from zero.
    pub case: usize,
    pub name: Option<String>,
    pub backend: String,
    /// The number of threads, if it was chosen.
    pub threads: Option<usize>,
    /// In seconds, in the order of the runs; at least one.
    pub times: Vec<f64>,
    /// The most bytes that arrays took at one time, without arguments; none if unknown.
    pub peak: Option<u64>,
}

impl Measurement {
    pub fn summary(&self) -> Summary {
        Summary::of(&self.times)
    }

    /// `main #0 "large"`, as `ravel test` names cases.
    pub fn title(&self) -> String {
        let name = self.name.as_ref().map_or(String::new(), |name| format!(" \"{name}\""));
        format!("{} #{}{name}", self.entry, self.case)
    }

    /// The back end, with the number of threads if it was chosen.
    pub fn place(&self) -> String {
        self.threads.map_or(self.backend.clone(), |n| format!("{} x{n}", self.backend))
    }

    fn to_json(&self) -> Value {
        let Summary { median, low, high } = self.summary();
        json!({
            "entry": self.entry, "case": self.case, "name": self.name, "backend": self.backend, "threads": self.threads,
            "median": median, "low": low, "high": high, "times": self.times, "peak_memory": self.peak,
        })
    }

    fn from_json(value: &Value) -> Option<Measurement> {
        let times: Option<Vec<f64>> = value["times"].as_array()?.iter().map(Value::as_f64).collect();
        Some(Measurement {
            entry: value["entry"].as_str()?.into(),
            case: value["case"].as_u64()? as usize,
            name: value["name"].as_str().map(String::from),
            backend: value["backend"].as_str()?.into(),
            threads: value["threads"].as_u64().map(|n| n as usize),
            times: times.filter(|times| !times.is_empty())?,
            peak: value["peak_memory"].as_u64(),
        })
    }
}

impl Results {
    pub fn new(file: &Path, measurements: Vec<Measurement>) -> Results {
        Results { program: file.display().to_string(), measurements }
    }

    /// Writes them to a file.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let text = format!("{:#}\n", self.to_json());
        std::fs::write(path, text).map_err(|e| format!("{}: {}", path.display(), disk::reason(&e)))
    }

    /// Reads what `write` wrote.
    pub fn read(path: &Path) -> Result<Results, String> {
        let wrong = |why: String| format!("{}: {why}", path.display());
        let text = std::fs::read_to_string(path).map_err(|e| wrong(disk::reason(&e)))?;
        let foreign = || wrong("this is not a file that `ravel bench --json` wrote".into());
        let value: Value = serde_json::from_str(&text).map_err(|_| foreign())?;
        Results::from_json(&value).ok_or_else(foreign)
    }

    fn to_json(&self) -> Value {
        let measurements: Vec<Value> = self.measurements.iter().map(Measurement::to_json).collect();
        json!({ "ravel": env!("CARGO_PKG_VERSION"), "program": self.program, "measurements": measurements })
    }

    fn from_json(value: &Value) -> Option<Results> {
        let measurements = value["measurements"].as_array()?.iter().map(Measurement::from_json);
        Some(Results { program: value["program"].as_str()?.into(), measurements: measurements.collect::<Option<_>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_reads_back() {
        let one = Measurement {
            entry: "main".into(),
            case: 2,
            name: Some("large".into()),
            backend: "multicore".into(),
            threads: Some(2),
            times: vec![0.25, 0.5, 0.125],
            peak: Some(1 << 40),
        };
        let two = Measurement { name: None, threads: None, peak: None, ..one.clone() };
        let results = Results { program: "p.rv".into(), measurements: vec![one, two] };
        let again = Results::from_json(&results.to_json()).unwrap();
        assert_eq!((again.program, again.measurements), (results.program, results.measurements));
    }
}
