//! All colours, and what each role looks like: the one place for both.
//!
//! The categories are those of Okabe and Ito. Where one of them is too pale for its ground, a darker edge of the same hue
//! carries the contrast. Dark is a designed pair, not an inversion. Letters, hatches, dots, dashes and thickness say
//! the same things again, so that no colour is ever alone.

use std::fmt::Write as _;

use crate::scene::Role;

macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident = $css:literal $light:literal $dark:literal;)*) => {
        /// A colour by its use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Token {
            $($(#[$doc])* $name,)*
        }

        impl Token {
            /// All tokens.
            pub const ALL: &'static [Token] = &[$(Token::$name,)*];

            /// The name of the custom property, without the leading dashes.
            pub fn name(self) -> &'static str {
                match self { $(Token::$name => $css,)* }
            }

            /// The colour on a light page, `0xRRGGBB`.
            pub fn light(self) -> u32 {
                match self { $(Token::$name => $light,)* }
            }

            /// The colour on a dark page.
            pub fn dark(self) -> u32 {
                match self { $(Token::$name => $dark,)* }
            }
        }
    };
}

tokens! {
    /// The page.
    Ground = "ground" 0xffffff 0x15181d;
    /// Panels and bars.
    Panel = "panel" 0xf6f7f9 0x1b1f25;
    /// A strip of the address space where nothing is mapped.
    Strip = "strip" 0xf0f2f5 0x22272e;
    /// Hairlines between parts of the page: nothing depends on seeing them.
    Line = "line" 0xd9dde2 0x363d46;
    /// The 2 MiB grid behind the mappings: the marks below it carry the meaning.
    Grid = "grid" 0xd3d8de 0x3a424c;
    /// Marks on a scale, outlines of controls.
    Tick = "tick" 0x7f868e 0x7d8791;
    /// Text.
    Text = "text" 0x1c1e21 0xe6e8eb;
    /// Text of the second rank.
    Muted = "muted" 0x5b6168 0x9aa3ad;
    /// What can be pressed, what has the focus.
    Accent = "accent" 0x0067a3 0x56b4e9;
    /// Text on the accent.
    OnAccent = "on-accent" 0xffffff 0x101418;
    /// Errors, as text.
    Error = "error" 0xb23f00 0xff9a5c;
    /// Anonymous memory.
    Anon = "anon" 0x0072b2 0x56b4e9;
    /// Its edge.
    AnonEdge = "anon-edge" 0x005a8f 0x8fd0f5;
    /// Text on it.
    OnAnon = "on-anon" 0xffffff 0x101418;
    /// A file.
    File = "file" 0x009e73 0x35c79b;
    /// Its edge.
    FileEdge = "file-edge" 0x00785a 0x7fe3c4;
    /// Text on it.
    OnFile = "on-file" 0x101418 0x101418;
    /// The heap.
    Heap = "heap" 0xe69f00 0xf5b83d;
    /// Its edge.
    HeapEdge = "heap-edge" 0x9c6400 0xffd98a;
    /// Text on it.
    OnHeap = "on-heap" 0x101418 0x101418;
    /// The stack.
    Stack = "stack" 0xcc79a7 0xe29cc4;
    /// Its edge.
    StackEdge = "stack-edge" 0xa94d80 0xf7c9e2;
    /// Text on it.
    OnStack = "on-stack" 0x101418 0x101418;
    /// The kernel's own mappings.
    Special = "special" 0x999999 0x9aa0a6;
    /// Their edge.
    SpecialEdge = "special-edge" 0x6e6e6e 0xc6cbd0;
    /// Text on them.
    OnSpecial = "on-special" 0x101418 0x101418;
    /// Several mappings drawn as one.
    Many = "many" 0x4d5761 0xaab4be;
    /// Text on them.
    OnMany = "on-many" 0xffffff 0x101418;
    /// What the call changed.
    Changed = "changed" 0xd55e00 0xff8a3d;
    /// Lane A.
    LaneA = "lane-a" 0x0067a3 0x56b4e9;
    /// Lane B.
    LaneB = "lane-b" 0xb84f00 0xff8a3d;
    /// Lane C.
    LaneC = "lane-c" 0x00785a 0x35c79b;
}

/// How the stroke of a lane is drawn, so that lanes differ without colour: solid, dashed, dotted.
pub const LANE_DASHES: [&str; 3] = ["none", "7 4", "2 3"];

/// How a role is painted.
struct Look {
    role: Role,
    fill: Option<Token>,
    stroke: Option<Token>,
    /// Width of the stroke in half pixels.
    width: u8,
    dash: &'static str,
}

const fn look(
    role: Role,
    fill: Option<Token>,
    stroke: Option<Token>,
    width: u8,
    dash: &'static str,
) -> Look {
    Look {
        role,
        fill,
        stroke,
        width,
        dash,
    }
}

const fn filled(role: Role, fill: Token) -> Look {
    look(role, Some(fill), None, 0, "")
}

const fn block(role: Role, fill: Token, edge: Token) -> Look {
    look(role, Some(fill), Some(edge), 2, "")
}

const fn stroked(role: Role, stroke: Token, width: u8, dash: &'static str) -> Look {
    look(role, None, Some(stroke), width, dash)
}

const LOOKS: &[Look] = &[
    filled(Role::Ground, Token::Ground),
    filled(Role::Strip, Token::Strip),
    block(Role::VmaAnon, Token::Anon, Token::AnonEdge),
    block(Role::VmaFile, Token::File, Token::FileEdge),
    block(Role::VmaHeap, Token::Heap, Token::HeapEdge),
    block(Role::VmaStack, Token::Stack, Token::StackEdge),
    block(Role::VmaSpecial, Token::Special, Token::SpecialEdge),
    filled(Role::Many, Token::Many),
    stroked(Role::Guard, Token::Text, 2, ""),
    filled(Role::FileDots, Token::OnFile),
    filled(Role::DotAnon, Token::AnonEdge),
    filled(Role::DotFile, Token::FileEdge),
    filled(Role::DotHeap, Token::HeapEdge),
    filled(Role::DotStack, Token::StackEdge),
    filled(Role::DotSpecial, Token::SpecialEdge),
    filled(Role::OnAnon, Token::OnAnon),
    filled(Role::OnFile, Token::OnFile),
    filled(Role::OnHeap, Token::OnHeap),
    filled(Role::OnStack, Token::OnStack),
    filled(Role::OnSpecial, Token::OnSpecial),
    filled(Role::OnMany, Token::OnMany),
    filled(Role::Plate, Token::Ground),
    stroked(Role::Gap, Token::Tick, 2, "3 3"),
    filled(Role::GapLabel, Token::Text),
    filled(Role::GapReason, Token::Muted),
    stroked(Role::Fold, Token::Tick, 2, ""),
    filled(Role::FoldLabel, Token::Muted),
    filled(Role::PmdTick, Token::Grid),
    filled(Role::PudTick, Token::Tick),
    filled(Role::PmdFlag, Token::Text),
    stroked(Role::Changed, Token::Changed, 6, ""),
    stroked(Role::Removed, Token::Changed, 4, "5 4"),
    stroked(Role::Selected, Token::Text, 4, ""),
    stroked(Role::SelectedElsewhere, Token::Text, 2, "2 3"),
    filled(Role::LaneA, Token::LaneA),
    filled(Role::LaneB, Token::LaneB),
    filled(Role::LaneC, Token::LaneC),
    filled(Role::OnLane, Token::OnAccent),
    filled(Role::LaneName, Token::Text),
    filled(Role::LaneResult, Token::Text),
    filled(Role::LaneError, Token::Error),
    filled(Role::Axis, Token::Tick),
    filled(Role::AxisLabel, Token::Muted),
    stroked(Role::Window, Token::Text, 3, ""),
    stroked(Role::WindowRay, Token::Line, 2, ""),
    block(Role::Node, Token::Panel, Token::Tick),
    stroked(Role::NodeChanged, Token::Changed, 3, ""),
    stroked(Role::NodeReused, Token::Text, 3, "2 3"),
    stroked(Role::Wire, Token::Tick, 2, ""),
    filled(Role::Step, Token::Accent),
    filled(Role::Mark, Token::Error),
    filled(Role::Largest, Token::Text),
    filled(Role::PageAnon, Token::Anon),
    stroked(Role::PageZeros, Token::AnonEdge, 4, ""),
    filled(Role::PageFile, Token::File),
    stroked(Role::PageZero, Token::Special, 4, ""),
    stroked(Role::PageGuard, Token::Text, 3, ""),
    filled(Role::PageNone, Token::Tick),
    filled(Role::PageForked, Token::OnAnon),
    stroked(Role::PageLazy, Token::OnAnon, 3, ""),
    filled(Role::Folio, Token::Changed),
    filled(Role::Tenant0, Token::Anon),
    filled(Role::Tenant1, Token::Heap),
    filled(Role::Tenant2, Token::File),
    filled(Role::Tenant3, Token::Stack),
    filled(Role::Tenant4, Token::Changed),
    filled(Role::Tenant5, Token::Special),
    filled(Role::Tenant6, Token::Many),
    filled(Role::Miss, Token::Changed),
    filled(Role::Hit, Token::Muted),
    block(Role::IndexBit, Token::Panel, Token::Changed),
    filled(Role::Title, Token::Text),
    filled(Role::Note, Token::Muted),
];

/// What every picture needs besides colours.
const BASE: &str = "text{font:12px system-ui,sans-serif}\
.t14{font-size:14px}\
.t16{font-size:16px}\
.m{font-family:ui-monospace,\"SF Mono\",Menlo,Consolas,\"DejaVu Sans Mono\",monospace;font-variant-numeric:tabular-nums}\
.lane-name,.title{font-weight:600}\
rect,path,line{shape-rendering:crispEdges}\
.fold,.guard,.window-ray,.pmd-flag{shape-rendering:auto}";

/// The custom properties of the page as a style sheet: light, dark where the reader's system or the page asks for it
/// (`data-theme` on the root element decides, if it is there).
pub fn css() -> String {
    let mut out = String::from(":root {\n  color-scheme: light;\n");
    properties(&mut out, Token::light, "  ");
    out.push_str("}\n\n@media (prefers-color-scheme: dark) {\n  :root:not([data-theme=\"light\"]) {\n    color-scheme: dark;\n");
    properties(&mut out, Token::dark, "    ");
    out.push_str("  }\n}\n\n:root[data-theme=\"dark\"] {\n  color-scheme: dark;\n");
    properties(&mut out, Token::dark, "  ");
    out.push_str("}\n");
    out
}

/// What the roles look like, for pictures on a page that has [`css`]. Each rule is kept below `.figure`.
pub fn rules() -> String {
    let mut out = String::from("/* figures: from crates/figure/src/palette.rs */\n");
    for rule in BASE.split_inclusive('}') {
        let (selectors, body) = rule.split_once('{').unwrap_or((rule, ""));
        let selectors = selectors
            .split(',')
            .map(|one| format!(".figure {one}"))
            .collect::<Vec<_>>();
        let _ = writeln!(out, "{}{{{body}", selectors.join(","));
    }
    for look in LOOKS {
        let _ = write!(out, ".figure .{}{{", look.role.class());
        declarations(&mut out, look, |out, token| {
            let _ = write!(out, "var(--{})", token.name());
        });
        out.push_str("}\n");
    }
    out.push_str("@media (forced-colors: active) {\n");
    out.push_str(FORCED);
    out.push_str("}\n");
    out
}

/// Where the reader chose the colours, shapes keep their edges, hatches and letters.
const FORCED: &str = ".figure *{forced-color-adjust:none}\n\
.figure rect,.figure path{fill:Canvas;stroke:CanvasText}\n\
.figure text{fill:CanvasText;stroke:none}\n\
.figure .changed,.figure .removed,.figure .node-changed{fill:none;stroke:Highlight}\n\
.figure .guard,.figure .fold,.figure .selected,.figure .gap,.figure .window,.figure .node-reused,.figure .wire,.figure .page-zeros,.figure .page-zero,.figure .page-guard,.figure .page-lazy{fill:none}\n\
.figure .pmd,.figure .strip,.figure .ground{stroke:none}\n";

/// The styles of a picture that stands alone, for the roles it uses. Colours are written out, since not every program
/// that draws SVG knows custom properties; dark only on a screen, never on paper.
pub(crate) fn standalone(used: impl Fn(Role) -> bool) -> String {
    let mut out = String::from(BASE);
    let looks = || LOOKS.iter().filter(|look| used(look.role));
    for look in looks() {
        let _ = write!(out, ".{}{{", look.role.class());
        declarations(&mut out, look, |out, token| {
            let _ = write!(out, "#{:06x}", token.light());
        });
        out.push('}');
    }
    out.push_str("@media screen and (prefers-color-scheme:dark){");
    for look in looks() {
        let _ = write!(out, ".{}{{", look.role.class());
        for (name, token) in [("fill", look.fill), ("stroke", look.stroke)] {
            if let Some(token) = token {
                let _ = write!(out, "{name}:#{:06x};", token.dark());
            }
        }
        out.push('}');
    }
    out.push('}');
    out
}

fn properties(out: &mut String, value: impl Fn(Token) -> u32, indent: &str) {
    for &token in Token::ALL {
        let _ = writeln!(out, "{indent}--{}: #{:06x};", token.name(), value(token));
    }
}

fn declarations(out: &mut String, look: &Look, mut colour: impl FnMut(&mut String, Token)) {
    out.push_str("fill:");
    match look.fill {
        Some(token) => colour(out, token),
        None => out.push_str("none"),
    }
    if let Some(token) = look.stroke {
        out.push_str(";stroke:");
        colour(out, token);
        let (whole, half) = (look.width / 2, look.width % 2);
        let _ = write!(
            out,
            ";stroke-width:{whole}{}",
            if half == 1 { ".5" } else { "" }
        );
        if !look.dash.is_empty() {
            let _ = write!(out, ";stroke-dasharray:{}", look.dash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(rgb: u32) -> f64 {
        let channel = |shift: u32| {
            let value = f64::from(rgb >> shift & 0xff) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
    }

    fn contrast(a: u32, b: u32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[track_caller]
    fn at_least(least: f64, over: Token, under: Token) {
        for (theme, a, b) in [
            ("light", over.light(), under.light()),
            ("dark", over.dark(), under.dark()),
        ] {
            let is = contrast(a, b);
            assert!(
                is >= least,
                "{over:?} on {under:?}, {theme}: {is:.2} < {least}"
            );
        }
    }

    #[test]
    fn text_is_readable() {
        for ground in [Token::Ground, Token::Panel, Token::Strip] {
            for text in [
                Token::Text,
                Token::Muted,
                Token::Error,
                Token::Accent,
                Token::LaneA,
                Token::LaneB,
                Token::LaneC,
            ] {
                at_least(4.5, text, ground);
            }
        }
        at_least(4.5, Token::OnAnon, Token::Anon);
        at_least(4.5, Token::OnFile, Token::File);
        at_least(4.5, Token::OnHeap, Token::Heap);
        at_least(4.5, Token::OnStack, Token::Stack);
        at_least(4.5, Token::OnSpecial, Token::Special);
        at_least(4.5, Token::OnMany, Token::Many);
        at_least(4.5, Token::OnAccent, Token::Accent);
        for lane in [Token::LaneA, Token::LaneB, Token::LaneC] {
            at_least(4.5, Token::OnAccent, lane);
        }
    }

    #[test]
    fn edges_are_visible() {
        for ground in [Token::Ground, Token::Panel, Token::Strip] {
            for edge in [
                Token::AnonEdge,
                Token::FileEdge,
                Token::HeapEdge,
                Token::StackEdge,
                Token::SpecialEdge,
                Token::Many,
                Token::Changed,
                Token::Tick,
                Token::LaneA,
                Token::LaneB,
                Token::LaneC,
                Token::Accent,
            ] {
                at_least(3.0, edge, ground);
            }
        }
    }

    #[test]
    fn every_role_has_one_look() {
        for &role in Role::ALL {
            assert_eq!(
                LOOKS.iter().filter(|look| look.role == role).count(),
                1,
                "{role:?}"
            );
        }
    }

    #[test]
    fn classes_and_tokens_are_distinct() {
        let mut classes: Vec<_> = Role::ALL.iter().map(|role| role.class()).collect();
        classes.sort_unstable();
        classes.dedup();
        assert_eq!(classes.len(), Role::ALL.len());
    }

    #[test]
    fn the_page_uses_these_values() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/app.css");
        let page = std::fs::read_to_string(path).unwrap();
        assert!(page.contains(&css()), "paste into www/app.css:\n{}", css());
        assert!(
            page.contains(&rules()),
            "paste into www/app.css:\n{}",
            rules()
        );
    }
}
