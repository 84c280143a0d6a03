//! Where `MAP_32BIT` searches began: the kernel draws it anew each time, and a log does not tell it.

use mmscope_mm::page::PAGE_SIZE;
use mmscope_mm::{Call, MapFlags, Outcome};

use super::{Import, Note};
use crate::program::{CallLine, MAP_FAILED, counted_from, target_counted_from};
use crate::watcher;

/// Finds for each `MAP_32BIT` request a beginning of its search that explains the recorded result on the first kernel.
pub(super) fn fit_random_begins(
    mut calls: Vec<CallLine>,
    bases: &[Option<u32>],
    targets: &[(u32, u32)],
    import: &mut Import,
) -> Vec<CallLine> {
    let searches = |line: &CallLine| match (line.call, line.recorded) {
        (Call::Mmap(mmap), Some(Outcome::Address(at))) => {
            mmap.flags.contains(MapFlags::BIT32)
                && !mmap.flags.contains(MapFlags::FIXED)
                && mmap.addr != at
        }
        _ => false,
    };
    if !calls.iter().any(searches) {
        return calls;
    }
    let scenario = &import.scenario;
    let Some(kernel) = scenario.kernels.first() else {
        return calls;
    };
    let Ok(mut machine) = watcher::set_up(scenario, *kernel) else {
        return calls;
    };
    let mut returned: Vec<u64> = Vec::with_capacity(calls.len());
    for (index, line) in calls.iter_mut().enumerate() {
        let base = bases[index].map_or(0, |step| returned[step as usize]);
        if let (true, Some(Outcome::Address(at)), Call::Mmap(mut mmap)) =
            (searches(line), line.recorded, line.call)
        {
            let begins = [
                None,
                Some(at),
                Some(at.wrapping_sub(PAGE_SIZE)),
                Some(LAST_BEGIN),
            ];
            let begins = begins
                .into_iter()
                .filter(|begin| begin.is_none_or(|at| RANDOM_BEGIN.contains(&at)));
            for begin in begins {
                mmap.begin_32bit = begin;
                let asked = counted_from(Call::Mmap(mmap), base);
                if watcher::run(&mut machine.clone(), &asked) == Outcome::Address(at) {
                    line.call = Call::Mmap(mmap);
                    if let Some(at) = begin {
                        import.notes.push(Note::RandomBegin {
                            at,
                            line: line.line.0,
                        });
                    }
                    break;
                }
            }
        }
        let mut asked = counted_from(line.call, base);
        let target = targets.binary_search_by_key(&(index as u32), |target| target.0);
        if let Ok(at) = target {
            asked = target_counted_from(asked, returned[targets[at].1 as usize]);
        }
        let outcome = watcher::run(&mut machine, &asked);
        returned.push(outcome.address().unwrap_or(MAP_FAILED));
    }
    calls
}

/// Where a randomized `MAP_32BIT` search may begin.
const RANDOM_BEGIN: std::ops::Range<u64> = 0x4000_0000..0x4200_0000;
/// The last page of [`RANDOM_BEGIN`].
const LAST_BEGIN: u64 = RANDOM_BEGIN.end - PAGE_SIZE;
