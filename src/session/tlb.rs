//! How the person looks at the TLBs: through which one the walk goes, how far, in which pages, and the chosen set.

use mmscope_figure::tlb::SetChoice;
use mmscope_lab::streams::PageChoice;
use mmscope_lab::streams::tlb::{Level, StructureId};

/// What of the TLBs is shown.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct TlbLook {
    /// Another TLB than the scenario's: the name of a preset, or a geometry. What a person typed, right or wrong.
    pub(crate) tlb: Option<String>,
    /// Accesses done; `None` for all.
    pub(crate) at: Option<u64>,
    /// The pages that the walk meets.
    pub(crate) pages: PageChoice,
    /// The chosen set.
    pub(crate) set: Option<SetChoice>,
}

const PAGES: [(PageChoice, &str); 3] = [
    (PageChoice::AsMapped, "mapped"),
    (PageChoice::Small, "4K"),
    (PageChoice::Huge, "2M"),
];

/// The word for a choice of pages.
pub(crate) fn pages_name(pages: PageChoice) -> &'static str {
    PAGES
        .iter()
        .find(|(choice, _)| *choice == pages)
        .map_or("", |(_, name)| name)
}

/// The choice of this word.
pub(crate) fn pages_named(name: &str) -> Option<PageChoice> {
    let found = PAGES.iter().find(|(_, word)| *word == name);
    found.map(|(choice, _)| *choice)
}

impl TlbLook {
    /// Chooses a set, or leaves the one that is chosen.
    pub(crate) fn press(&mut self, choice: SetChoice) {
        self.set = (self.set != Some(choice)).then_some(choice);
    }

    /// As it stands in a link: words of a letter and a value, the TLB last, for it may hold anything.
    pub(crate) fn print(&self) -> String {
        let mut words = Vec::new();
        if let Some(at) = self.at {
            words.push(format!("@{at}"));
        }
        if self.pages != PageChoice::AsMapped {
            words.push(format!("p{}", pages_name(self.pages)));
        }
        if let Some(SetChoice {
            lane,
            structure: StructureId { level, at },
            set,
        }) = self.set
        {
            let level = level as u8 + 1;
            words.push(format!("s{lane}.{level}.{at}.{set}"));
        }
        if let Some(tlb) = &self.tlb {
            words.push(format!("={tlb}"));
        }
        words.join(" ")
    }

    /// Reads what [`print`](Self::print) wrote, for so many lanes.
    pub(crate) fn parse(text: &str, lanes: usize) -> Option<TlbLook> {
        let mut look = TlbLook::default();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(tlb) = rest.strip_prefix('=') {
                look.tlb = Some(tlb.to_owned());
                break;
            }
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            let value = word.get(1..)?;
            match word.get(..1)? {
                "@" => look.at = Some(value.parse().ok()?),
                "p" => look.pages = pages_named(value)?,
                "s" => look.set = Some(set(value).filter(|set| set.lane < lanes)?),
                _ => return None,
            }
            rest = after;
        }
        Some(look)
    }
}

fn set(text: &str) -> Option<SetChoice> {
    let mut numbers = text.split('.');
    let mut number = || numbers.next()?.parse::<u32>().ok();
    let choice = SetChoice {
        lane: number()? as usize,
        structure: StructureId {
            level: match number()? {
                1 => Level::First,
                2 => Level::Second,
                _ => return None,
            },
            at: number()?,
        },
        set: number()?,
    };
    numbers.next().is_none().then_some(choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_comes_back_from_a_link() {
        let mut look = TlbLook::default();
        assert_eq!(TlbLook::parse(&look.print(), 1), Some(look.clone()));
        look.at = Some(17);
        look.pages = PageChoice::Huge;
        look.tlb = Some("4K:16x4:lru/4K:128x8:lru/32-4-2 and more".to_owned());
        look.press(SetChoice {
            lane: 1,
            structure: StructureId {
                level: Level::Second,
                at: 0,
            },
            set: 37,
        });
        assert_eq!(
            look.print(),
            "@17 p2M s1.2.0.37 =4K:16x4:lru/4K:128x8:lru/32-4-2 and more"
        );
        assert_eq!(TlbLook::parse(&look.print(), 2), Some(look.clone()));
        assert_eq!(TlbLook::parse(&look.print(), 1), None);
        for bad in ["@", "@x", "p8K", "s1.3.0.0", "s0.1.0", "s0.1.0.0.0", "x"] {
            assert_eq!(TlbLook::parse(bad, 2), None, "{bad}");
        }
    }
}
