//! Judges in processes of their own: wrong native code may end a process, or never end.
//!
//! The parent writes a program to the child's standard input, the child tells what it does and finds line by line.

use crate::judge::{self, Finding, News, Ways};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How long a judge may be silent.
#[derive(Clone, Copy)]
pub struct Patience {
    /// While the interpreter runs: the program itself takes too long.
    meaning: Duration,
    /// At any other time: something is wrong.
    other: Duration,
}

impl Patience {
    /// For generated programs, which end by construction.
    pub const USUAL: Patience = Patience { meaning: Duration::from_secs(240), other: Duration::from_secs(240) };
    /// For changed programs, which may never end.
    pub const SHORT: Patience = Patience { meaning: Duration::from_millis(500), other: Duration::from_secs(45) };

    fn at(self, what: &str) -> Duration {
        if what.ends_with(judge::ON_INTERPRETER) { self.meaning } else { self.other }
    }
}

/// The most memory of a judge, in bytes.
const MEMORY: u64 = 6 << 30;

/// The word for the front end alone, in the place of the ways to run a program.
const FRONT: &str = "front";

/// What a judge says of a program.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// The Core constructs of each entry point.
    pub covers: Vec<Vec<String>>,
    /// What the compiler said that it cannot translate.
    pub unsupported: Vec<String>,
    /// How many runs there were.
    pub runs: usize,
    /// How many of them ended with an error on the interpreter.
    pub failed: usize,
}

/// A judge in a process of its own, made anew when it dies.
pub struct Judge {
    command: fn() -> Command,
    patience: Patience,
    running: Option<Running>,
}

struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Judge {
    /// The judge that a command starts: a program that calls [`serve`].
    pub fn new(command: fn() -> Command, patience: Patience) -> Judge {
        Judge { command, patience, running: None }
    }

    /// Has a program judged.
    pub fn ask(&mut self, text: &str, ways: Ways) -> Verdict {
        self.order(text, &ways.names())
    }

    /// Whether the front end does not reject a program. What else goes wrong shows when the program is judged.
    pub fn accepts(&mut self, text: &str) -> bool {
        !self.order(text, FRONT).findings.iter().any(Finding::is_rejection)
    }

    fn order(&mut self, text: &str, ways: &str) -> Verdict {
        let mut verdict = Verdict::default();
        if self.running.is_none() {
            match start(self.command) {
                Ok(running) => self.running = Some(running),
                Err(error) => {
                    let detail = format!("no judge can be started: {error}");
                    verdict.findings.push(Finding { class: "judge".into(), entry: String::new(), detail });
                    return verdict;
                }
            }
        }
        let Some(running) = &mut self.running else { return verdict };
        let sent = writeln!(running.input, "{} {ways}", text.len())
            .and_then(|()| running.input.write_all(text.as_bytes()))
            .and_then(|()| running.input.flush());
        let mut at = String::from("start");
        let why = loop {
            if sent.is_err() {
                break "crash";
            }
            match running.lines.recv_timeout(self.patience.at(&at)) {
                Ok(line) => {
                    if line == "done" {
                        return verdict;
                    }
                    hear(&line, &mut verdict, &mut at);
                }
                Err(RecvTimeoutError::Timeout) => break "hang",
                Err(RecvTimeoutError::Disconnected) => break "crash",
            }
        };
        if why == "hang" && at.ends_with(judge::ON_INTERPRETER) {
            // The program itself takes too long, whoever runs it.
            verdict.unsupported.push("a run takes too long".into());
            self.stop();
            return verdict;
        }
        let mut words = at.split(" with ").next().unwrap_or_default().split_whitespace();
        let entry = words.next().unwrap_or_default().to_owned();
        let rest: Vec<&str> = words.collect();
        verdict.findings.push(Finding { class: format!("{why}: {}", rest.join(" ")), entry, detail: at });
        self.stop();
        verdict
    }

    fn stop(&mut self) {
        if let Some(mut running) = self.running.take() {
            running.child.kill().ok();
            running.child.wait().ok();
        }
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        self.stop();
    }
}

fn start(command: fn() -> Command) -> std::io::Result<Running> {
    let mut child = command().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let missing = || std::io::Error::other("no pipe");
    let input = child.stdin.take().ok_or_else(missing)?;
    let output = child.stdout.take().ok_or_else(missing)?;
    let (send, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    Ok(Running { child, input, lines })
}

fn hear(line: &str, verdict: &mut Verdict, at: &mut String) {
    let fields: Vec<&str> = line.split('\t').collect();
    match fields.as_slice() {
        ["at", what] => *at = unescaped(what),
        ["found", class, entry, detail] => verdict.findings.push(Finding {
            class: unescaped(class),
            entry: unescaped(entry),
            detail: unescaped(detail),
        }),
        ["covers", keys] => verdict.covers.push(keys.split(' ').map(str::to_owned).collect()),
        ["unsupported", what] => verdict.unsupported.push(unescaped(what)),
        ["ran", failed] => {
            verdict.runs += 1;
            verdict.failed += usize::from(*failed == "true");
        }
        _ => {}
    }
}

/// The child's side: judges programs from standard input until that ends.
pub fn serve() -> std::io::Result<()> {
    // A program that wants more than that shall not take it from others.
    rlimit::setrlimit(rlimit::Resource::AS, MEMORY, MEMORY)?;
    judge::keep_places_of_panics();
    let mut input = BufReader::new(std::io::stdin());
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let (length, ways) = line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""));
        let mut text = vec![0; length.parse().map_err(std::io::Error::other)?];
        input.read_exact(&mut text)?;
        let text = String::from_utf8(text).map_err(std::io::Error::other)?;
        if ways == FRONT {
            judge::check(&text, &mut |news| say(&news));
        } else {
            let ways = Ways::parse(ways).map_err(std::io::Error::other)?;
            judge::judge(&text, ways, &mut |news| say(&news));
        }
        println!("done");
    }
}

fn say(news: &News) {
    match news {
        News::At(what) => println!("at\t{}", escaped(what)),
        News::Found(f) => println!("found\t{}\t{}\t{}", escaped(&f.class), escaped(&f.entry), escaped(&f.detail)),
        News::Covers(keys) => println!("covers\t{}", keys.join(" ")),
        News::Unsupported(what) => println!("unsupported\t{}", escaped(what)),
        News::Ran { failed } => println!("ran\t{failed}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "")
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            _ => out.push(c),
        }
    }
    out
}
