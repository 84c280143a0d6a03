//! Makes a program that fails as short as it gets (delta debugging).

use mmscope_lab::CallLine;
use mmscope_mm::Call;

use super::random::TOP;

/// Takes calls away as long as `fails` says that the rest still does. `addresses` are those of the calls when the
/// program was run as a whole: an address that counts from a call that goes away is counted from `top` instead.
pub(super) fn shrink(
    calls: &[CallLine],
    addresses: &Addresses,
    mut fails: impl FnMut(&[CallLine]) -> bool,
) -> Vec<CallLine> {
    let mut kept: Vec<usize> = (0..calls.len()).collect();
    let mut chunk = kept.len().div_ceil(2);
    loop {
        let mut at = 0;
        let mut shorter = false;
        while at < kept.len() {
            let end = (at + chunk).min(kept.len());
            let mut rest = kept.clone();
            rest.drain(at..end);
            if !rest.is_empty() && fails(&without(calls, &rest, addresses)) {
                kept = rest;
                shorter = true;
            } else {
                at = end;
            }
        }
        match chunk {
            1 if !shorter => return without(calls, &kept, addresses),
            1 => {}
            _ => chunk = chunk.div_ceil(2),
        }
    }
}

/// Where the calls of a program were, in its first run.
pub(super) struct Addresses {
    /// The calls as they were made.
    pub(super) made: Vec<Call>,
    /// What [`TOP`] stood for.
    pub(super) top: u64,
}

/// Only the calls with these numbers.
fn without(calls: &[CallLine], kept: &[usize], addresses: &Addresses) -> Vec<CallLine> {
    let mut names: Vec<&str> = Vec::new();
    let mut out = Vec::with_capacity(kept.len());
    for &index in kept {
        let mut line = calls[index].clone();
        let lost =
            |name: &Option<String>| name.as_deref().is_some_and(|name| !names.contains(&name));
        let made = addresses.made.get(index);
        // Without `top` too there is only the address itself.
        let (base, from) = if names.contains(&TOP) {
            (Some(TOP.to_owned()), addresses.top)
        } else {
            (None, 0)
        };
        if let (true, Some(was)) = (lost(&line.relative_to), made.and_then(address)) {
            if let Some(addr) = line.call.addr_mut() {
                *addr = was.wrapping_sub(from);
            }
            line.relative_to.clone_from(&base);
        }
        if let (true, Some(Call::Mremap(was))) = (lost(&line.new_relative_to), made) {
            if let Call::Mremap(remap) = &mut line.call {
                remap.new_addr = was.new_addr.wrapping_sub(from);
            }
            line.new_relative_to = base;
        }
        if let Some(name) = &calls[index].name {
            names.push(name);
        }
        out.push(line);
    }
    out
}

fn address(call: &Call) -> Option<u64> {
    let mut call = *call;
    call.addr_mut().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn munmap(len: u64) -> CallLine {
        CallLine::new(Call::Munmap { addr: 0, len })
    }

    fn lens(calls: &[CallLine]) -> Vec<u64> {
        calls
            .iter()
            .filter_map(|line| match line.call {
                Call::Munmap { len, .. } => Some(len),
                _ => None,
            })
            .collect()
    }

    fn addresses(calls: &[CallLine]) -> Addresses {
        Addresses {
            made: calls.iter().map(|line| line.call).collect(),
            top: 0x7000,
        }
    }

    #[test]
    fn what_does_not_matter_goes() {
        let calls: Vec<CallLine> = (0..50).map(munmap).collect();
        let mut tried = 0;
        let short = shrink(&calls, &addresses(&calls), |calls| {
            tried += 1;
            let lens = lens(calls);
            [7, 31, 49].iter().all(|needed| lens.contains(needed))
        });
        assert_eq!(lens(&short), [7, 31, 49]);
        assert!(tried < 150, "{tried}");
    }

    #[test]
    fn an_address_outlives_the_call_that_it_was_counted_from() {
        let named = |name: &str| {
            let mut line = CallLine::new(Call::Mmap(mmscope_mm::Mmap::anonymous(4096)));
            line.name = Some(name.into());
            line
        };
        let mut last = CallLine::new(Call::Munmap {
            addr: 0x1000,
            len: 4096,
        });
        last.relative_to = Some("a".into());
        let calls = vec![named(TOP), named("a"), last];
        let made = Addresses {
            made: vec![
                calls[0].call,
                calls[1].call,
                Call::Munmap {
                    addr: 0x6000,
                    len: 4096,
                },
            ],
            top: 0x7000,
        };
        let kept = without(&calls, &[0, 2], &made);
        assert_eq!(kept[1].relative_to.as_deref(), Some(TOP));
        assert_eq!(address(&kept[1].call), Some(0x1000u64.wrapping_neg()));
        let alone = without(&calls, &[2], &made);
        assert_eq!(alone[0].relative_to, None);
        assert_eq!(address(&alone[0].call), Some(0x6000));
    }
}
