//! Why two ranges were not joined, and what a merge joined.

use mmscope_mm::{MergeForm, MergeRefusal, Side};

use super::{num, vm_flags};

/// The condition that kept a range and its neighbour apart, as half a sentence.
pub fn refusal(side: Side, refusal: MergeRefusal) -> String {
    let (place, toward) = match side {
        Side::Prev => ("below", "below"),
        Side::Next => ("above", "above"),
    };
    match refusal {
        MergeRefusal::NoNeighbour => format!("nothing is mapped {place} it"),
        MergeRefusal::Gap(bytes) => format!("{} free {place} it", num::size(bytes)),
        MergeRefusal::Flags(bits) => format!("the mapping {toward} differs in {}", vm_flags(bits)),
        MergeRefusal::Special(bits) => format!(
            "the mapping {toward} is special ({}) and never merges",
            vm_flags(bits)
        ),
        MergeRefusal::File => format!("the mapping {toward} does not show the same file"),
        MergeRefusal::Name => format!("the mapping {toward} has another name, or none"),
        MergeRefusal::Pgoff { is, needed } => {
            format!("vm_pgoff of the mapping {toward} is {is:#x}, {needed:#x} would continue")
        }
        MergeRefusal::AnonPgoff { is, needed } => {
            format!("anon_pgoff of the mapping {toward} is {is:#x}, {needed:#x} would continue")
        }
        MergeRefusal::AnonVmaDiffers(a, b) => {
            format!(
                "written to apart from the mapping {toward}: anon_vma {} and {}",
                a.0, b.0
            )
        }
        MergeRefusal::FaultedIntoUnfaulted => {
            format!(
                "it was written to and the mapping {toward} was not, which this kernel takes for a difference"
            )
        }
        MergeRefusal::Inherited => format!(
            "it or the mapping {toward} was written to before a fork, and its pages may still be a parent\u{2019}s"
        ),
        MergeRefusal::StaysBehind => format!(
            "the mapping {toward} is the one it comes from, which MREMAP_DONTUNMAP leaves in place"
        ),
    }
}

/// The comparison behind a refusal, in the kernel's terms.
pub fn condition(refusal: MergeRefusal) -> Option<String> {
    match refusal {
        MergeRefusal::NoNeighbour => None,
        MergeRefusal::Gap(bytes) => {
            Some(format!("the ranges touch = false: {bytes:#x} bytes apart"))
        }
        MergeRefusal::Flags(bits) => Some(format!(
            "vm_flags equal = false: {} differs",
            vm_flags(bits)
        )),
        MergeRefusal::Special(bits) => Some(format!("vm_flags & VM_SPECIAL = {}", vm_flags(bits))),
        MergeRefusal::File => Some("vm_file equal = false".to_owned()),
        MergeRefusal::Name => Some("anon_vma_name equal = false".to_owned()),
        MergeRefusal::Pgoff { is, needed } => {
            Some(format!("vm_pgoff {is:#x} == {needed:#x} = false"))
        }
        MergeRefusal::AnonPgoff { is, needed } => {
            Some(format!("anon_pgoff {is:#x} == {needed:#x} = false"))
        }
        MergeRefusal::AnonVmaDiffers(a, b) => Some(format!("anon_vma {} == {} = false", a.0, b.0)),
        MergeRefusal::FaultedIntoUnfaulted => {
            Some("anon_vma of both sides alike = false: one has none".to_owned())
        }
        MergeRefusal::Inherited => Some("list_is_singular(anon_vma_chain) = false".to_owned()),
        MergeRefusal::StaysBehind => Some("flags & MREMAP_DONTUNMAP = true".to_owned()),
    }
}

/// What a merge joined, as half a sentence.
pub fn form(form: MergeForm) -> &'static str {
    match form {
        MergeForm::NewIntoPrev => "joined the mapping below",
        MergeForm::NewIntoNext => "joined the mapping above",
        MergeForm::NewBetween => "joined both neighbours into one",
        MergeForm::WholeIntoPrev => "the whole mapping joined the one below",
        MergeForm::WholeIntoNext => "the whole mapping joined the one above",
        MergeForm::WholeBetween => "the whole mapping joined both neighbours",
        MergeForm::HeadIntoPrev => "its lower part joined the mapping below",
        MergeForm::TailIntoNext => "its upper part joined the mapping above",
    }
}

/// The same where there is little room.
pub fn form_short(form: MergeForm) -> &'static str {
    match form {
        MergeForm::NewIntoPrev | MergeForm::WholeIntoPrev | MergeForm::HeadIntoPrev => {
            "joined below"
        }
        MergeForm::NewIntoNext | MergeForm::WholeIntoNext | MergeForm::TailIntoNext => {
            "joined above"
        }
        MergeForm::NewBetween | MergeForm::WholeBetween => "joined both",
    }
}
