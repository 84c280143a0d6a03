//! How the person looks at the maple trees: which lanes, and which nodes are opened or closed by hand.

use mmscope_figure::maple_tree::NodeAt;

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
}

impl Part {
    pub(crate) const ALL: [Part; 2] = [Part::Why, Part::Tree];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Why => "why",
            Part::Tree => "tree",
        }
    }

    pub(crate) fn find(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
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
    /// Opens or closes a node.
    pub(crate) fn toggle(&mut self, node: NodeAt) {
        self.toggled.retain(|other| !same_place(*other, node));
        self.toggled.push(node);
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
            look.toggle(node(word).filter(|node| node.lane < lanes)?);
        }
        Some(look)
    }
}

fn same_place(a: NodeAt, b: NodeAt) -> bool {
    (a.lane, a.level, a.index, a.apart) == (b.lane, b.level, b.index, b.apart)
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
    use super::*;

    fn at(level: u8, open: bool) -> NodeAt {
        NodeAt {
            lane: 1,
            level,
            index: 0x7fff_f000,
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
        for node in [at(0, true), at(1, true), at(2, false), at(0, false)] {
            look.toggle(node);
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
            look.toggle(NodeAt {
                index,
                ..at(1, true)
            });
        }
        assert_eq!(look.toggled.len(), MOST_NODES);
        assert_eq!(look.toggled.last().map(|node| node.index), Some(999));
    }
}
