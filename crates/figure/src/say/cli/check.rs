//! The words of `mmscope check`.

use crate::say::num;

/// Where there is no such kernel.
pub const NOT_HERE: &str = "check needs Linux on x86-64: it compares with the running kernel";

/// What came of all programs.
pub struct Summary<'a> {
    /// What `uname -r` prints.
    pub uname: &'a str,
    /// The model's kernel.
    pub kernel: &'a str,
    /// Programs run.
    pub programs: u64,
    /// Those of them with address randomization.
    pub randomized: u64,
    /// Calls compared.
    pub compared: u64,
    /// Programs that differ.
    pub different: u64,
    /// Programs that differed once, and not again.
    pub unsteady: u64,
}

/// What came of all programs, as text.
pub fn summary(summary: &Summary<'_>) -> String {
    let Summary {
        uname,
        kernel,
        programs,
        randomized,
        compared,
        different,
        unsteady,
    } = summary;
    let mut text = format!(
        "Linux {uname} beside the model of {kernel}: {}, {randomized} of them with address randomization.\n\
         {} compared in result, maps and smaps; {}.\n",
        num::count(*programs, "program", "programs"),
        num::count(*compared, "call", "calls"),
        num::count(*different, "difference", "differences"),
    );
    if *unsteady > 0 {
        text.push_str(&format!(
            "{} differed once and not again: what other processes do shows in page counts.\n",
            num::count(*unsteady, "program", "programs")
        ));
    }
    text
}

/// Programs that ended at a call which the model does not cover.
pub fn not_modelled(what: &str, times: u64) -> String {
    format!(
        "{} ended at a call that is not modelled: {what}.\n",
        num::count(times, "program", "programs")
    )
}

/// Calls that the kernel was built without; nothing if there are none.
pub fn left_out(kinds: &[&str]) -> String {
    if kinds.is_empty() {
        return String::new();
    }
    format!(
        "Left out, for this kernel was built without: {}.\n",
        kinds.join(", ")
    )
}

/// The title of the shrunk program.
pub fn title(seed: u32) -> String {
    format!("The model differs from the running kernel (mmscope check --seed {seed})")
}

/// Results that differ.
pub fn result(kernel: &str, model: &str) -> String {
    format!("The last call: the kernel returns {kernel}, the model {model}.")
}

/// A program that differs, with the lines that say in what.
pub fn one(number: u64, call: &str, lines: &[String]) -> String {
    let mut text = format!("program {number}: {call}\n");
    for line in lines {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

/// A line of maps or smaps that only the kernel prints.
pub fn kernel_only(line: &str) -> String {
    format!("kernel: {line}")
}

/// A line of maps or smaps that only the model prints.
pub fn model_only(line: &str) -> String {
    format!("model:  {line}")
}

/// There is no model of a release.
pub fn no_profile(uname: &str) -> String {
    format!("check can't be done here: there is no model of Linux {uname}, the oldest is 6.0")
}

/// A setting of the machine that the model does not cover.
pub fn out_of_reach(path: &str, value: &str) -> String {
    format!("check can't be done here: {path} is {value}, and the model covers only 0")
}

/// The process to observe does not start.
pub fn cannot_start(step: &str, errno: i32) -> String {
    let help = match (step, errno) {
        ("traceme", _) => {
            "; ptrace is forbidden here: it takes a container with --cap-add=SYS_PTRACE or a seccomp profile that \
             allows it, or kernel.yama.ptrace_scope below 3"
        }
        ("exec" | "memfd_create" | "memfd", _) => {
            "; programs may not be run from memory here (vm.memfd_noexec, or a security module)"
        }
        _ => "",
    };
    format!(
        "check can't be done here: the process to observe does not start: {step}, error {errno}{help}"
    )
}

/// The process can't be observed.
pub fn cannot_trace(step: &str, error: &str) -> String {
    let help = match step {
        "smaps" => {
            "; it takes the right to read /proc of other processes: no hidepid, or CAP_SYS_PTRACE as root"
        }
        _ => "",
    };
    format!("check can't be done here: {step}: {error}{help}")
}
