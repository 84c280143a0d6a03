//! How the person looks at the maple trees: which lanes, and which nodes are opened or closed by hand.

use mmscope_figure::maple_tree::{self, NodeAt};
use mmscope_figure::scene::Target;

/// More nodes than this are not kept: the first ones opened are forgotten.
const MOST_NODES: usize = 64;

/// The part of the page under the address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Part {
    /// Why, ledger and calls.
    #[default]
    Why,
    /// The maple trees.
    Tree,
    /// The page tables.
    Pages,
    /// The text of maps and smaps.
    Maps,
    /// A walk through a TLB.
    Tlb,
}

impl Part {
    pub(crate) const ALL: [Part; 5] = [Part::Why, Part::Tree, Part::Pages, Part::Maps, Part::Tlb];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Why => "why",
            Part::Tree => "tree",
            Part::Pages => "pages",
            Part::Maps => "maps",
            Part::Tlb => "tlb",
        }
    }

    pub(crate) fn find(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }

    /// Whether this build of the app has it. The build that comes first has what the first lesson needs.
    pub(crate) fn is_here(self) -> bool {
        cfg!(feature = "full") || self == Part::Why
    }
}

/// What of the trees is shown.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct TreeLook {
    /// The only lane shown, from 0; `None` for all.
    pub(crate) lane: Option<usize>,
    /// Nodes opened and closed by hand, the latest last.
    pub(crate) toggled: Vec<NodeAt>,
}

impl TreeLook {
    /// Opens the node that was pressed, or closes it.
    pub(crate) fn press(&mut self, target: Target) {
        maple_tree::press(&mut self.toggled, target);
        let over = self.toggled.len().saturating_sub(MOST_NODES);
        self.toggled.drain(..over);
    }

    /// As it stands in a link: the lane or `all`, then a word for each node.
    pub(crate) fn print(&self) -> String {
        let mut text = match self.lane {
            Some(lane) => lane.to_string(),
            None => "all".to_owned(),
        };
        for node in &self.toggled {
            let open = if node.open { '+' } else { '-' };
            let apart = if node.apart { "!" } else { "" };
            text.push_str(&format!(
                " {open}{apart}{:x}.{:x}.{:x}",
                node.lane, node.level, node.index
            ));
        }
        text
    }

    /// Reads what [`print`](Self::print) wrote, for so many lanes.
    pub(crate) fn parse(text: &str, lanes: usize) -> Option<TreeLook> {
        let mut words = text.split(' ');
        let lane = match words.next()? {
            "all" => None,
            number => Some(number.parse().ok().filter(|lane| *lane < lanes)?),
        };
        let mut look = TreeLook {
            lane,
            toggled: Vec::new(),
        };
        for word in words {
            let node = node(word).filter(|node| node.lane < lanes)?;
            look.toggled.push(node);
        }
        (look.toggled.len() <= MOST_NODES).then_some(look)
    }
}

fn node(word: &str) -> Option<NodeAt> {
    let (open, word) = match word.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('-')?),
    };
    let (apart, word) = match word.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let (lane, word) = word.split_once('.')?;
    let (level, index) = word.split_once('.')?;
    let hex = |text| u64::from_str_radix(text, 16).ok();
    Some(NodeAt {
        lane: hex(lane)? as usize,
        level: u8::try_from(hex(level)?).ok()?,
        index: hex(index)?,
        apart,
        open,
    })
}

#[cfg(test)]
mod tests {
    use mmscope_mm::Range;

    use super::*;

    fn node(level: u8, open: bool, start: u64) -> Target {
        Target::Node {
            lane: 1,
            level,
            range: Range {
                start,
                end: u64::MAX,
            },
            apart: level == 2,
            open,
        }
    }

    #[test]
    fn a_look_comes_back_from_a_link() {
        let mut look = TreeLook {
            lane: Some(1),
            toggled: Vec::new(),
        };
        for (level, open) in [(0, false), (1, false), (2, true), (0, true)] {
            look.press(node(level, open, 0x7fff_f000));
        }
        assert_eq!(look.print(), "1 +1.1.7ffff000 -!1.2.7ffff000 -1.0.7ffff000");
        assert_eq!(TreeLook::parse(&look.print(), 2), Some(look.clone()));
        assert_eq!(TreeLook::parse(&look.print(), 1), None);
        let all = TreeLook::default();
        assert_eq!(TreeLook::parse(&all.print(), 1), Some(all));
    }

    #[test]
    fn nonsense_is_refused_and_many_nodes_are_bounded() {
        for text in [
            "",
            "2",
            "all x",
            "all +1",
            "all +1.2",
            "all *1.2.3",
            "all +0.fff.1",
        ] {
            assert_eq!(TreeLook::parse(text, 2), None, "{text}");
        }
        let mut look = TreeLook::default();
        for index in 0..1000 {
            look.press(node(1, false, index));
        }
        assert_eq!(look.toggled.len(), MOST_NODES);
        assert_eq!(look.toggled.last().map(|node| node.index), Some(999));
    }
}
