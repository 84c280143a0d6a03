//! The one observer that lab runs machines with.
//!
//! What it does is chosen at run time, so that the model is compiled once and not once for each purpose: three times
//! the model cost the page 20 kB.

use mmscope_maple::{GapLook, Id, Node, NodeId, Root, Witness};
use mmscope_mm::{
    Call, Event, Journal, Kernel, Machine, Mapped, Observer, Outcome, Process, Shmem, ShmemId,
    StartError, Vma, VmaId,
};

use crate::scenario::Scenario;
use crate::timeline::watch::Watch;

/// Sets up a scenario's process under one kernel.
pub(crate) fn set_up(scenario: &Scenario, kernel: Kernel) -> Result<Machine, StartError> {
    let (settings, files) = (scenario.settings.clone(), scenario.files.clone());
    Machine::set_up(
        kernel,
        settings,
        files,
        &scenario.start,
        &mut Watcher::Nobody,
    )
}

/// Does a call unwatched.
pub(crate) fn run(machine: &mut Machine, call: &Call) -> Outcome {
    machine.run(call, &mut Watcher::Nobody)
}

/// Does a call and counts what it did.
pub(crate) fn survey(machine: &mut Machine, call: &Call) -> (Outcome, Watch) {
    let mut watcher = Watcher::Survey(Watch::default());
    let outcome = machine.run(call, &mut watcher);
    match watcher {
        Watcher::Survey(watch) => (outcome, watch),
        _ => (outcome, Watch::default()),
    }
}

/// Does a call and keeps everything about it.
pub(crate) fn tell(machine: &mut Machine, call: &Call) -> Journal {
    let mut watcher = Watcher::Journal(Journal::new());
    machine.run(call, &mut watcher);
    match watcher {
        Watcher::Journal(journal) => journal,
        _ => Journal::new(),
    }
}

/// Who watches a machine.
enum Watcher {
    /// Nobody: decisions are not even built.
    Nobody,
    /// A survey, which counts.
    Survey(Watch),
    /// A journal, which keeps everything.
    Journal(Journal),
}

impl Observer for Watcher {
    fn event(&mut self, make: impl FnOnce() -> Event) {
        match self {
            Watcher::Nobody => {}
            Watcher::Survey(watch) => watch.event(&make()),
            Watcher::Journal(journal) => {
                let event = make();
                journal.event(|| event);
            }
        }
    }
}

impl Witness<Vma> for Watcher {
    fn before_edit(&mut self, id: VmaId, old: Option<&Vma>) {
        match self {
            Watcher::Nobody => {}
            Watcher::Survey(watch) => watch.before_edit(old),
            Watcher::Journal(journal) => journal.before_edit(id, old),
        }
    }
}

impl Witness<Process> for Watcher {
    fn before_edit(&mut self, id: Id<Process>, old: Option<&Process>) {
        if let Watcher::Journal(journal) = self {
            journal.before_edit(id, old);
        }
    }
}

impl Witness<Shmem> for Watcher {
    fn before_edit(&mut self, id: ShmemId, old: Option<&Shmem>) {
        if let Watcher::Journal(journal) = self {
            journal.before_edit(id, old);
        }
    }
}

impl mmscope_maple::Observer<VmaId> for Watcher {
    fn node(&mut self, id: NodeId<VmaId>, old: Option<&Node<VmaId>>) {
        if let Watcher::Journal(journal) = self {
            journal.node(id, old);
        }
    }

    fn root(&mut self, old: Root<VmaId>) {
        if let Watcher::Journal(journal) = self {
            journal.root(old);
        }
    }

    fn gap(&mut self, look: GapLook) {
        if let Watcher::Journal(journal) = self {
            <Journal as mmscope_maple::Observer<VmaId>>::gap(journal, look);
        }
    }
}

impl mmscope_maple::Observer<Mapped> for Watcher {
    fn node(&mut self, id: NodeId<Mapped>, old: Option<&Node<Mapped>>) {
        if let Watcher::Journal(journal) = self {
            journal.node(id, old);
        }
    }

    fn root(&mut self, old: Root<Mapped>) {
        if let Watcher::Journal(journal) = self {
            journal.root(old);
        }
    }
}
