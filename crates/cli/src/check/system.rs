//! The machine that this runs on: its kernel and its settings.

use std::fs::read_to_string;

use mmscope_mm::{Defrag, Limit, Overcommit, Rlimits, Settings, Thp, ThpSize};
use nix::unistd::Pid;

const THP: &str = "/sys/kernel/mm/transparent_hugepage";

/// What `uname -r` prints.
pub(super) fn release() -> String {
    line("/proc/sys/kernel/osrelease")
}

/// A setting that keeps this machine from being compared, and its value.
pub(super) fn out_of_reach() -> Option<(&'static str, String)> {
    for path in [
        "/proc/sys/vm/nr_hugepages",
        "/proc/sys/vm/nr_overcommit_hugepages",
    ] {
        let value = line(path);
        if !value.is_empty() && value != "0" {
            return Some((path, value));
        }
    }
    None
}

/// The settings that a process of this machine runs under. `pid` is one that was set up to be observed.
pub(super) fn settings(pid: Pid) -> Settings {
    let usual = Settings::default();
    let memory = read_to_string("/proc/meminfo").unwrap_or_default();
    let status = read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let effective = field(&status, "CapEff:").and_then(|word| u64::from_str_radix(word, 16).ok());
    let may = |capability: u32| effective.unwrap_or(0) >> capability & 1 != 0;
    let kilobytes = |name| field(&memory, name).and_then(|word| word.parse().ok());
    Settings {
        thp: match chosen(&format!("{THP}/enabled")).as_str() {
            "always" => Thp::Always,
            "madvise" => Thp::Madvise,
            _ => Thp::Never,
        },
        thp_sizes: sizes(),
        thp_defrag: match chosen(&format!("{THP}/defrag")).as_str() {
            "always" => Defrag::Always,
            "defer" => Defrag::Defer,
            "defer+madvise" => Defrag::DeferMadvise,
            "never" => Defrag::Never,
            _ => Defrag::Madvise,
        },
        use_zero_page: line(&format!("{THP}/use_zero_page")) != "0",
        overcommit: match line("/proc/sys/vm/overcommit_memory").as_str() {
            "1" => Overcommit::Always,
            "2" => Overcommit::Never,
            _ => Overcommit::Guess,
        },
        mem_total_kb: kilobytes("MemTotal:").unwrap_or(usual.mem_total_kb),
        swap_total_kb: kilobytes("SwapTotal:").unwrap_or(0),
        max_map_count: number("/proc/sys/vm/max_map_count", usual.max_map_count),
        mmap_min_addr: number("/proc/sys/vm/mmap_min_addr", usual.mmap_min_addr),
        stack_guard_gap: guard_gap().unwrap_or(usual.stack_guard_gap),
        rlimits: rlimits(&read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default()),
        hugetlb: std::path::Path::new("/proc/sys/vm/nr_hugepages").exists(),
        cap_ipc_lock: may(14),
        cap_sys_rawio: may(17),
        legacy_layout: line("/proc/sys/vm/legacy_va_layout") == "1",
        ..usual
    }
}

/// `transparent_hugepage/hugepages-<size>kB/enabled`; without such files, before 6.8, all is as if inherited.
fn sizes() -> [ThpSize; 8] {
    let mut sizes = Settings::default().thp_sizes;
    for (order, size) in (2..).zip(&mut sizes) {
        let path = format!("{THP}/hugepages-{}kB/enabled", 4u32 << order);
        match chosen(&path).as_str() {
            "always" => *size = ThpSize::Always,
            "madvise" => *size = ThpSize::Madvise,
            "inherit" => *size = ThpSize::Inherit,
            "never" => *size = ThpSize::Never,
            _ => {}
        }
    }
    sizes
}

/// `stack_guard_gap=` of the kernel's command line, in pages.
fn guard_gap() -> Option<u64> {
    let command = read_to_string("/proc/cmdline").ok()?;
    let mut words = command.split_whitespace();
    words
        .find_map(|word| word.strip_prefix("stack_guard_gap="))?
        .parse()
        .ok()
}

fn rlimits(text: &str) -> Rlimits {
    let values = |name: &str| -> Option<(Limit, Limit)> {
        let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
        let mut words = rest.split_whitespace().map(|word| word.parse().ok());
        Some((words.next()?, words.next()?))
    };
    let usual = Rlimits::default();
    let soft = |name, usual| values(name).map_or(usual, |(soft, _)| soft);
    let (data, data_max) = values("Max data size").unwrap_or((usual.data, usual.data_max));
    Rlimits {
        address_space: soft("Max address space", usual.address_space),
        data,
        data_max,
        stack: soft("Max stack size", usual.stack),
        memlock: soft("Max locked memory", usual.memlock),
    }
}

/// The second word of the line that begins with `name`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()
}

fn line(path: &str) -> String {
    read_to_string(path).unwrap_or_default().trim().to_owned()
}

fn number(path: &str, usual: u64) -> u64 {
    line(path).parse().unwrap_or(usual)
}

/// The word in brackets.
fn chosen(path: &str) -> String {
    let all = line(path);
    let inside = all
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or_else(String::new, |(word, _)| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
                    Max data size             unlimited            unlimited            bytes     \n\
                    Max stack size            8388608              unlimited            bytes     \n\
                    Max locked memory         65536                8388608              bytes     \n";
        let limits = rlimits(text);
        assert_eq!(limits.stack, Some(8 << 20));
        assert_eq!(limits.memlock, Some(65536));
        assert_eq!((limits.data, limits.address_space), (None, None));
    }
}
