//! Pictures as values: what to paint, in which order, and what in it can be pointed at.
//!
//! A scene knows no colour and no browser. Each shape has a [`Role`], which becomes a class; `palette` says what the
//! classes look like. All coordinates are whole pixels, so that edges are sharp and two machines print the same text.

use std::fmt::Write as _;

use mmscope_lab::streams::tlb::StructureId;
use mmscope_mm::{Range, VmaId};

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// Width in pixels.
    pub width: i32,
    /// Height in pixels.
    pub height: i32,
    /// What it shows, in a few words.
    pub title: String,
    /// What is to be seen, in a sentence or a few.
    pub description: String,
    /// What to paint, the undermost first.
    pub shapes: Vec<Shape>,
    /// What can be pointed at or focused, in reading order.
    pub items: Vec<Item>,
}

/// Something to paint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An outline in the path language of SVG. Equal things share one path.
    Path {
        /// What it is.
        role: Role,
        /// Path data.
        d: String,
    },
    /// A rectangle.
    Rect {
        /// What it is.
        role: Role,
        /// Where.
        area: Area,
        /// Radius of its corners.
        round: i32,
    },
    /// A straight line.
    Line {
        /// What it is.
        role: Role,
        /// One end.
        from: (i32, i32),
        /// The other.
        to: (i32, i32),
    },
    /// A line of text.
    Text {
        /// What it is.
        role: Role,
        /// The point on the base line that `anchor` speaks of.
        at: (i32, i32),
        /// Which part of the text lies there.
        anchor: Anchor,
        /// How large.
        size: TextSize,
        /// Set in the fixed-width face: addresses, sizes, names of the kernel.
        mono: bool,
        /// Turned by 90 degrees around its position: it runs upwards.
        turned: bool,
        /// The text.
        text: String,
    },
}

impl Shape {
    /// What it is.
    pub fn role(&self) -> Role {
        match self {
            Shape::Path { role, .. }
            | Shape::Rect { role, .. }
            | Shape::Line { role, .. }
            | Shape::Text { role, .. } => *role,
        }
    }
}

/// A rectangle of whole pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Area {
    /// Left edge.
    pub x: i32,
    /// Upper edge.
    pub y: i32,
    /// Width.
    pub w: i32,
    /// Height.
    pub h: i32,
}

impl Area {
    /// Whether the point lies in it.
    pub fn contains(self, x: i32, y: i32) -> bool {
        (self.x..self.x + self.w).contains(&x) && (self.y..self.y + self.h).contains(&y)
    }

    /// The area with a border of `by` pixels more on each side.
    #[must_use]
    pub fn grown(self, by: i32) -> Area {
        Area {
            x: self.x - by,
            y: self.y - by,
            w: self.w + 2 * by,
            h: self.h + 2 * by,
        }
    }
}

/// Which part of a text its position speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

impl Anchor {
    /// The value of SVG's `text-anchor`.
    pub fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

/// The sizes of type in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextSize {
    /// 12 pixels: the smallest there is.
    Small,
    /// 14 pixels.
    Normal,
    /// 16 pixels.
    Large,
}

impl TextSize {
    /// In pixels.
    pub fn px(self) -> i32 {
        match self {
            TextSize::Small => 12,
            TextSize::Normal => 14,
            TextSize::Large => 16,
        }
    }

    /// The class that sets it.
    pub fn class(self) -> &'static str {
        match self {
            TextSize::Small => "t12",
            TextSize::Normal => "t14",
            TextSize::Large => "t16",
        }
    }
}

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident = $class:literal,)*) => {
        /// What a shape is. Becomes a class, which the palette gives its look.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Role {
            $($(#[$doc])* $name,)*
        }

        impl Role {
            /// All roles.
            pub const ALL: &'static [Role] = &[$(Role::$name,)*];

            /// The class.
            pub fn class(self) -> &'static str {
                match self { $(Role::$name => $class,)* }
            }
        }
    };
}

roles! {
    /// The ground of the picture.
    Ground = "ground",
    /// The ground of a strip: space that is free.
    Strip = "strip",
    /// Anonymous memory.
    VmaAnon = "vma-anon",
    /// A file.
    VmaFile = "vma-file",
    /// The heap.
    VmaHeap = "vma-heap",
    /// The stack.
    VmaStack = "vma-stack",
    /// Made by the kernel itself: `[vdso]`, `[vvar]`.
    VmaSpecial = "vma-special",
    /// Several mappings too small to be told apart.
    Many = "many",
    /// Hatch over a mapping that allows no access.
    Guard = "guard",
    /// The dotted upper edge that marks files apart from colour.
    FileDots = "file-dots",
    /// Anonymous memory, in the overview.
    DotAnon = "dot-anon",
    /// A file, in the overview.
    DotFile = "dot-file",
    /// The heap, in the overview.
    DotHeap = "dot-heap",
    /// The stack, in the overview.
    DotStack = "dot-stack",
    /// The kernel's own mappings, in the overview.
    DotSpecial = "dot-special",
    /// The letter or size on anonymous memory.
    OnAnon = "on-anon",
    /// The same on a file.
    OnFile = "on-file",
    /// The same on the heap.
    OnHeap = "on-heap",
    /// The same on the stack.
    OnStack = "on-stack",
    /// The same on a special mapping.
    OnSpecial = "on-special",
    /// The same on a block of many.
    OnMany = "on-many",
    /// The same where no access is allowed: a plate under the text keeps it readable on the hatch.
    Plate = "plate",
    /// Free space between mappings, as an outline.
    Gap = "gap",
    /// The size of a gap.
    GapLabel = "gap-label",
    /// Why a gap is there.
    GapReason = "gap-reason",
    /// The zig-zag where a hole is folded away.
    Fold = "fold",
    /// The size of a folded hole.
    FoldLabel = "fold-label",
    /// Every 2 MiB: what one PMD entry maps.
    PmdTick = "pmd",
    /// Every 1 GiB: what one PUD entry maps.
    PudTick = "pud",
    /// The flag of a mapping that starts on a 2 MiB boundary.
    PmdFlag = "pmd-flag",
    /// The edge of what the call mapped or changed.
    Changed = "changed",
    /// The dashed ghost of what the call removed.
    Removed = "removed",
    /// The edge of what is selected.
    Selected = "selected",
    /// The same addresses in the other lanes.
    SelectedElsewhere = "selected-elsewhere",
    /// Lane A's name and stroke.
    LaneA = "lane-a",
    /// Lane B's.
    LaneB = "lane-b",
    /// Lane C's.
    LaneC = "lane-c",
    /// The letter on a lane's badge.
    OnLane = "on-lane",
    /// The kernel of a lane.
    LaneName = "lane-name",
    /// What came of the call in a lane.
    LaneResult = "lane-result",
    /// The same, if it is an error.
    LaneError = "lane-error",
    /// Lines of a scale.
    Axis = "axis",
    /// Addresses on a scale.
    AxisLabel = "axis-label",
    /// The window of the lens, in the overview.
    Window = "window",
    /// The rays from the window to the lens.
    WindowRay = "window-ray",
    /// The box of a node of a tree.
    Node = "node",
    /// The edge of a node, or of what a slot holds, that the call changed in place.
    NodeChanged = "node-changed",
    /// The edge of a node that is used again under a new parent.
    NodeReused = "node-reused",
    /// A pointer from a slot to a child; the outline of what points; a slot that is not in use.
    Wire = "wire",
    /// A numbered step of a path through a tree.
    Step = "step",
    /// A sign that says what the edges say: new, changed, reused, dead, largest.
    Mark = "mark",
    /// The line under the largest gap of a node.
    Largest = "largest",
    /// A page of the process's own that was written to.
    PageAnon = "page-anon",
    /// One that holds only zeros.
    PageZeros = "page-zeros",
    /// A page of a file or of shared memory.
    PageFile = "page-file",
    /// The shared zero page.
    PageZero = "page-zero",
    /// A guard marker.
    PageGuard = "page-guard",
    /// No page.
    PageNone = "page-none",
    /// The sign on a page that is shared with a child.
    PageForked = "page-forked",
    /// The sign on a page that `MADV_FREE` gave up.
    PageLazy = "page-lazy",
    /// The line below the pages of one folio.
    Folio = "folio",
    /// What the first mapping of a walk holds of a TLB, and each seventh one after it.
    Tenant0 = "tenant-0",
    /// The second.
    Tenant1 = "tenant-1",
    /// The third.
    Tenant2 = "tenant-2",
    /// The fourth.
    Tenant3 = "tenant-3",
    /// The fifth.
    Tenant4 = "tenant-4",
    /// The sixth.
    Tenant5 = "tenant-5",
    /// The seventh.
    Tenant6 = "tenant-6",
    /// A bar of pages that were looked for and not found.
    Miss = "miss",
    /// A bar of pages that were found.
    Hit = "hit",
    /// The ground of an address bit that chooses the set.
    IndexBit = "index-bit",
    /// A heading.
    Title = "title",
    /// Text that explains.
    Note = "note",
}

impl Role {
    /// The role of lane 0, 1, 2.
    pub fn lane(lane: usize) -> Role {
        match lane {
            0 => Role::LaneA,
            1 => Role::LaneB,
            _ => Role::LaneC,
        }
    }
}

/// Names an item within its scene: its place in [`Scene::items`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemId(pub u16);

/// Something that can be pointed at, focused and chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its place in the scene.
    pub id: ItemId,
    /// Where it is.
    pub area: Area,
    /// What it is, as a sentence to be read out or shown as a tooltip.
    pub name: String,
    /// What it stands for. Use this, not the id, to find the same thing in the next scene.
    pub target: Target,
}

/// What an item stands for. Lanes are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A mapping.
    Vma {
        /// The lane.
        lane: usize,
        /// The mapping.
        id: VmaId,
        /// Its whole range.
        range: Range,
    },
    /// Free space between mappings.
    Gap {
        /// The lane.
        lane: usize,
        /// Where.
        range: Range,
    },
    /// Several mappings and gaps drawn as one.
    Many {
        /// The lane.
        lane: usize,
        /// Where.
        range: Range,
    },
    /// A hole folded away, the same in all lanes.
    Fold {
        /// Where.
        range: Range,
    },
    /// A block of 2 MiB of a mapping, as its page tables have it.
    Block {
        /// The lane.
        lane: usize,
        /// The part of it that lies in the mapping.
        range: Range,
    },
    /// A set of a TLB.
    Set {
        /// The lane.
        lane: usize,
        /// The structure.
        structure: StructureId,
        /// The set.
        set: u32,
    },
    /// A row of pages in a block.
    Pages {
        /// The lane.
        lane: usize,
        /// Where.
        range: Range,
    },
    /// A node of a lane's maple tree.
    Node {
        /// The lane.
        lane: usize,
        /// Its level, 0 for the root.
        level: u8,
        /// What it covers.
        range: Range,
        /// Not in the tree: not yet, or not any more.
        apart: bool,
        /// Whether its slots are shown.
        open: bool,
    },
    /// The name of a lane.
    Lane {
        /// The lane.
        lane: usize,
    },
    /// The window of the lens in the overview: may be dragged.
    Window {
        /// What the lens shows.
        range: Range,
    },
}

impl Target {
    /// The lane it belongs to, if to one.
    pub fn lane(self) -> Option<usize> {
        match self {
            Target::Vma { lane, .. }
            | Target::Gap { lane, .. }
            | Target::Many { lane, .. }
            | Target::Block { lane, .. }
            | Target::Pages { lane, .. }
            | Target::Set { lane, .. }
            | Target::Node { lane, .. }
            | Target::Lane { lane } => Some(lane),
            Target::Fold { .. } | Target::Window { .. } => None,
        }
    }

    /// The addresses it covers, if it has any.
    pub fn range(self) -> Option<Range> {
        match self {
            Target::Vma { range, .. }
            | Target::Gap { range, .. }
            | Target::Many { range, .. }
            | Target::Block { range, .. }
            | Target::Pages { range, .. }
            | Target::Node { range, .. }
            | Target::Fold { range }
            | Target::Window { range } => Some(range),
            Target::Lane { .. } | Target::Set { .. } => None,
        }
    }
}

/// How far beside a narrow item a pointer may be and still mean it.
const REACH: i32 = 5;

impl Scene {
    /// An empty picture.
    pub fn new(width: i32, height: i32) -> Scene {
        Scene {
            width,
            height,
            title: String::new(),
            description: String::new(),
            shapes: Vec::new(),
            items: Vec::new(),
        }
    }

    /// The item at a point: the smallest one there, or else the nearest within a few pixels.
    pub fn hit(&self, x: i32, y: i32) -> Option<ItemId> {
        let smallest = self
            .items
            .iter()
            .filter(|item| item.area.contains(x, y))
            .min_by_key(|item| item.area.w * item.area.h);
        let nearest = || {
            self.items
                .iter()
                .filter(|item| item.area.grown(REACH).contains(x, y))
                .min_by_key(|item| {
                    distance(x, item.area.x, item.area.w) + distance(y, item.area.y, item.area.h)
                })
        };
        smallest.or_else(nearest).map(|item| item.id)
    }

    /// The item with this id.
    pub fn item(&self, id: ItemId) -> Option<&Item> {
        self.items.get(usize::from(id.0))
    }

    /// The item for this target.
    pub fn find(&self, target: Target) -> Option<&Item> {
        self.items.iter().find(|item| item.target == target)
    }

    /// Adds an item.
    pub(crate) fn add_item(&mut self, area: Area, name: String, target: Target) {
        if let Ok(id) = u16::try_from(self.items.len()) {
            self.items.push(Item {
                id: ItemId(id),
                area,
                name,
                target,
            });
        }
    }

    pub(crate) fn rect(&mut self, role: Role, area: Area) {
        self.shapes.push(Shape::Rect {
            role,
            area,
            round: 0,
        });
    }

    pub(crate) fn line(&mut self, role: Role, from: (i32, i32), to: (i32, i32)) {
        self.shapes.push(Shape::Line { role, from, to });
    }

    /// Adds a path unless it is empty.
    pub(crate) fn path(&mut self, role: Role, d: String) {
        if !d.is_empty() {
            self.shapes.push(Shape::Path { role, d });
        }
    }
}

fn distance(at: i32, from: i32, len: i32) -> i32 {
    (from - at).max(at - (from + len - 1)).max(0)
}

/// Adds a rectangle to path data.
pub(crate) fn push_rect(d: &mut String, area: Area) {
    let _ = write!(
        d,
        "M{} {}h{}v{}h-{}z",
        area.x, area.y, area.w, area.h, area.w
    );
}

impl std::fmt::Display for Scene {
    /// A line per shape and item, for tests and for curious people.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}x{} {}", self.width, self.height, self.title)?;
        for shape in &self.shapes {
            let class = shape.role().class();
            match shape {
                Shape::Path { d, .. } => writeln!(f, "path {class} {d}")?,
                Shape::Rect { area, .. } => writeln!(
                    f,
                    "rect {class} {} {} {}x{}",
                    area.x, area.y, area.w, area.h
                )?,
                Shape::Line { from, to, .. } => {
                    writeln!(f, "line {class} {} {} to {} {}", from.0, from.1, to.0, to.1)?
                }
                Shape::Text {
                    at, text, anchor, ..
                } => {
                    writeln!(
                        f,
                        "text {class} {} {} {} {text:?}",
                        at.0,
                        at.1,
                        anchor.name()
                    )?;
                }
            }
        }
        for item in &self.items {
            let Area { x, y, w, h } = item.area;
            writeln!(f, "item {x} {y} {w}x{h} {:?}", item.name)?;
        }
        Ok(())
    }
}
