//! The observed process: it does one call at a time, and is asked what its address space looks like.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::process::{Child, Command, Stdio};

use mmscope_mm::{Access, Outcome, Signal};
use nix::errno::Errno;
use nix::libc::user_regs_struct;
use nix::sys::ptrace;
use nix::sys::signal::Signal as Sig;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use super::image;
use super::syscall::Ask;

/// Why there is no process to observe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unavailable {
    /// A step of its start failed.
    Start {
        /// Which, in the words of [`super::child`].
        step: String,
        /// Why.
        errno: i32,
    },
    /// Something else went wrong with it.
    Trace {
        /// What was asked of it.
        step: &'static str,
        /// Why.
        error: String,
    },
}

/// A process that stands still between calls. It ends when this is dropped.
pub(super) struct Tracee {
    child: Child,
    pid: Pid,
    /// Its registers at the start, of which each call changes some.
    registers: user_regs_struct,
    smaps: File,
    /// Whether it can go on: not after a call that took its code away.
    alive: bool,
}

/// What a call came to in the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// What the model has a word for.
    Known(Outcome),
    /// A number that no call of the model returns.
    Number(i64),
    /// A signal that the model does not know: its name, its code, and where.
    Signal(String, i32, u64),
    /// The process ended.
    Ended,
}

fn trace<T>(step: &'static str, result: Result<T, Errno>) -> Result<T, Unavailable> {
    result.map_err(|errno| Unavailable::Trace {
        step,
        error: errno.desc().to_owned(),
    })
}

fn io<T>(step: &'static str, result: std::io::Result<T>) -> Result<T, Unavailable> {
    result.map_err(|error| Unavailable::Trace {
        step,
        error: error.to_string(),
    })
}

impl Tracee {
    /// Starts a process, with the files that stand open in this one.
    pub(super) fn start(randomize: bool) -> Result<Tracee, Unavailable> {
        let mut child = io(
            "exec",
            Command::new("/proc/self/exe")
                .arg(super::real::CHILD)
                .arg(if randomize { "random" } else { "fixed" })
                .env_clear()
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn(),
        )?;
        let pid = Pid::from_raw(child.id() as i32);
        let stopped = trace("waitpid", waitpid(pid, None))?;
        if stopped != WaitStatus::Stopped(pid, Sig::SIGTRAP) {
            return Err(failed_start(&mut child));
        }
        let tracee = Tracee {
            smaps: match File::open(format!("/proc/{pid}/smaps")) {
                Ok(smaps) => smaps,
                Err(error) => {
                    let _ = child.kill();
                    let _ = waitpid(pid, None);
                    return io("smaps", Err(error));
                }
            },
            child,
            pid,
            registers: trace("getregs", ptrace::getregs(pid))?,
            alive: true,
        };
        trace(
            "setoptions",
            ptrace::setoptions(pid, ptrace::Options::PTRACE_O_EXITKILL),
        )?;
        Ok(tracee)
    }

    /// Its process id.
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Where its stack is used from on.
    pub(super) fn stack_pointer(&self) -> u64 {
        self.registers.rsp
    }

    /// Whether it can do another call.
    pub(super) fn is_alive(&self) -> bool {
        self.alive
    }

    /// Does what is asked.
    pub(super) fn run(&mut self, ask: &Ask) -> Result<Answer, Unavailable> {
        match *ask {
            Ask::Syscall {
                number,
                args,
                address,
                ref memory,
            } => {
                for (at, word) in (image::SCRATCH..).step_by(8).zip(memory) {
                    let at = std::ptr::without_provenance_mut(at as usize);
                    trace("poke", ptrace::write(self.pid, at, *word as i64))?;
                }
                let returned = self.syscall(number, args)?;
                Ok(returned.map_or(Answer::Ended, |value| answer(value, address)))
            }
            Ask::Touch {
                addr,
                count,
                stride,
                access,
            } => self.touch(addr, count, stride, access),
        }
    }

    /// A system call; `None` if the process did not live to see its end.
    pub(super) fn syscall(
        &mut self,
        number: u64,
        args: [u64; 6],
    ) -> Result<Option<i64>, Unavailable> {
        let registers = user_regs_struct {
            rip: image::SYSCALL,
            rax: number,
            rdi: args[0],
            rsi: args[1],
            rdx: args[2],
            r10: args[3],
            r8: args[4],
            r9: args[5],
            ..self.registers
        };
        let Some((signal, registers)) = self.go(registers)? else {
            return Ok(None);
        };
        // A call that takes the code away still returns; the next instruction is not there any more.
        self.alive = signal == Sig::SIGTRAP;
        Ok(Some(registers.rax as i64))
    }

    fn touch(
        &mut self,
        addr: u64,
        count: u64,
        stride: u64,
        access: Access,
    ) -> Result<Answer, Unavailable> {
        if count == 0 {
            return Ok(Answer::Known(Outcome::Touched(0)));
        }
        let registers = user_regs_struct {
            rip: match access {
                Access::Write => image::WRITE,
                Access::Read => image::READ,
            },
            rax: 1,
            rcx: count,
            rdx: stride,
            rdi: addr,
            ..self.registers
        };
        let Some((signal, registers)) = self.go(registers)? else {
            return Ok(Answer::Ended);
        };
        if signal == Sig::SIGTRAP {
            return Ok(Answer::Known(Outcome::Touched(count)));
        }
        let info = trace("getsiginfo", ptrace::getsiginfo(self.pid))?;
        let at = registers.rdi;
        let known = match (signal, info.si_code) {
            (Sig::SIGSEGV, SEGV_MAPERR) => Some(Signal::SegvMaperr),
            (Sig::SIGSEGV, SEGV_ACCERR) => Some(Signal::SegvAccerr),
            (Sig::SIGBUS, BUS_ADRERR) => Some(Signal::BusAdrerr),
            _ => None,
        };
        Ok(match known {
            Some(signal) => Answer::Known(Outcome::Signal {
                touched: count - registers.rcx,
                signal,
                at,
            }),
            None => Answer::Signal(signal.to_string(), info.si_code, at),
        })
    }

    /// Goes on until the next stop: the signal of it, and the registers there.
    fn go(
        &mut self,
        registers: user_regs_struct,
    ) -> Result<Option<(Sig, user_regs_struct)>, Unavailable> {
        let registers = user_regs_struct {
            // No system call is to be restarted.
            orig_rax: u64::MAX,
            ..registers
        };
        trace("setregs", ptrace::setregs(self.pid, registers))?;
        trace("cont", ptrace::cont(self.pid, None))?;
        match trace("waitpid", waitpid(self.pid, None))? {
            WaitStatus::Stopped(_, signal) => {
                Ok(Some((signal, trace("getregs", ptrace::getregs(self.pid))?)))
            }
            _ => {
                self.alive = false;
                Ok(None)
            }
        }
    }

    /// `/proc/PID/smaps`, whose first lines of each mapping are those of `maps`.
    pub(super) fn smaps(&mut self, text: &mut String) -> Result<(), Unavailable> {
        text.clear();
        io("smaps", self.smaps.seek(SeekFrom::Start(0)))?;
        io("smaps", self.smaps.read_to_string(text))?;
        Ok(())
    }
}

// The kernel's numbers for why a signal came.
const SEGV_MAPERR: i32 = 1;
const SEGV_ACCERR: i32 = 2;
const BUS_ADRERR: i32 = 2;

fn answer(value: i64, address: bool) -> Answer {
    if (-4095..0).contains(&value) {
        let name = format!("{:?}", Errno::from_raw(-value as i32));
        return match mmscope_mm::Errno::from_name(&name) {
            Some(errno) => Answer::Known(Outcome::Error(errno)),
            None => Answer::Number(value),
        };
    }
    match value {
        _ if address => Answer::Known(Outcome::Address(value as u64)),
        0 => Answer::Known(Outcome::Done),
        _ => Answer::Number(value),
    }
}

/// What the child wrote before it ended.
fn failed_start(child: &mut Child) -> Unavailable {
    let mut told = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        let _ = child.kill();
        let _ = stderr.read_to_string(&mut told);
    }
    let mut words = told.split_whitespace();
    let step = words.next().unwrap_or("start").to_owned();
    let errno = words.next().and_then(|word| word.parse().ok());
    Unavailable::Start {
        step,
        errno: errno.unwrap_or(0),
    }
}

impl Drop for Tracee {
    fn drop(&mut self) {
        let _ = self.child.kill();
        // Until it is gone for good; a stop in between does not count.
        while let Ok(WaitStatus::Stopped(..) | WaitStatus::PtraceEvent(..)) =
            waitpid(self.pid, None)
        {}
    }
}
