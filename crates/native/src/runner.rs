//! A thread with a large stack, on which compiled code runs.

use crate::NativeError;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// Sizes of the stack, in MiB; smaller ones where the system has no space for the larger.
const STACKS: [usize; 4] = [512, 128, 32, 8];

/// Work to be done. It need not own what it uses: the sender waits for its end.
type Job = Box<dyn FnOnce() + Send>;

/// The thread. It lives as long as this.
pub(crate) struct Runner {
    jobs: Option<Sender<Job>>,
    done: Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

impl Runner {
    pub fn new() -> Result<Runner, NativeError> {
        let mut last = None;
        for size in STACKS {
            let (jobs, inbox) = channel::<Job>();
            let (finished, done) = channel();
            let work = move || {
                while let Ok(job) = inbox.recv() {
                    job();
                    if finished.send(()).is_err() {
                        return;
                    }
                }
            };
            match std::thread::Builder::new().name("ravel".into()).stack_size(size << 20).spawn(work) {
                Ok(thread) => return Ok(Runner { jobs: Some(jobs), done, thread: Some(thread) }),
                Err(error) => last = Some(error),
            }
        }
        Err(NativeError::Load(format!("no thread can be started: {}", last.map_or(String::new(), |e| e.to_string()))))
    }

    /// Runs some work and waits for its end.
    pub fn run<'a>(&self, work: impl FnOnce() + Send + 'a) {
        let job: Box<dyn FnOnce() + Send + 'a> = Box::new(work);
        // SAFETY: the job has ended, or was dropped, when this function returns: `done` tells.
        let job: Job = unsafe { std::mem::transmute(job) };
        if let Some(jobs) = &self.jobs
            && jobs.send(job).is_ok()
        {
            self.done.recv().ok();
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}
