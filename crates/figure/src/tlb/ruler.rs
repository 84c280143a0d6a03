//! The bit ruler: addresses bit by bit, and which bits choose the set.

use mmscope_lab::streams::tlb::{Level, PageSize, StructureGeometry, StructureId};

use super::{Lane, lines};
use crate::address_space::text;
use crate::say;
use crate::scene::{Anchor, Area, Role, Scene, TextSize, push_rect};

/// Addresses shown at most.
const STREAMS: usize = 5;
const ROW: i32 = 17;
/// Height of the row of an index bit.
const FEED: i32 = 9;
/// Room for the names at the left and the sets at the right.
const LEFT: i32 = 62;
const RIGHT: i32 = 52;
/// The highest bit shown is at least this one.
const HIGHEST: u8 = 29;

/// Draws the ruler of the chosen structure, or of the second level's first; gives the place below.
pub(super) fn draw(scene: &mut Scene, lane: &Lane, (x, y): (i32, i32), width: i32) -> i32 {
    let Some((id, geometry)) = structure(lane) else {
        return y;
    };
    // The size that most accesses were to, of those that the structure holds.
    let accesses = lane.run.counts().by_size;
    let sizes = PageSize::ALL.into_iter().zip(accesses);
    let sizes = sizes.filter(|(size, _)| geometry.sizes.has(*size));
    let most = sizes.max_by_key(|(size, count)| (*count, u32::MAX - size.shift()));
    let size = most.map_or(PageSize::Small, |(size, _)| size);
    let shift = size.shift() as u8;
    let feeds = geometry.index.feeds(geometry.sets, size);
    let said = say::tlb::ruler(id, geometry, size);
    let mut y = lines(scene, Role::LaneResult, &said, (x, y), width);
    let fed: Vec<u8> = feeds.iter().flatten().flatten().copied().collect();
    let highest = fed.iter().copied().max().unwrap_or(0).max(HIGHEST);
    let bits = i32::from(highest - shift) + 1;
    let pitch = ((width - LEFT - RIGHT) / bits.max(1)).clamp(6, 18);
    let column = |bit: u8| x + LEFT + i32::from(highest - bit) * pitch;
    // Numbers of bits: all where there is room, else some.
    let each = match pitch {
        17.. => 1,
        9.. => 2,
        _ => 4,
    };
    for bit in (shift..=highest).filter(|bit| (bit - shift).is_multiple_of(each)) {
        let at = (column(bit) + pitch / 2, y + 12);
        number(scene, Role::AxisLabel, at, Anchor::Middle, bit.to_string());
    }
    y += ROW;
    let rows = lane.run.streams().iter().take(STREAMS).count() as i32;
    for bit in (shift..=highest).filter(|bit| fed.contains(bit)) {
        let area = Area {
            x: column(bit),
            y,
            w: pitch,
            h: rows * ROW,
        };
        scene.rect(Role::IndexBit, area);
    }
    for (number_of, stream) in lane.run.streams().iter().take(STREAMS).enumerate() {
        let start = stream.range.start;
        let label = say::tlb::stream(number_of as u32);
        let at = (x + LEFT - 6, y + 13);
        number(scene, Role::Note, at, Anchor::End, label);
        for bit in shift..=highest {
            let digit = if start >> bit & 1 == 1 { "1" } else { "0" };
            let at = (column(bit) + pitch / 2, y + 13);
            let ink = if fed.contains(&bit) {
                Role::LaneResult
            } else {
                Role::AxisLabel
            };
            number(scene, ink, at, Anchor::Middle, digit.to_owned());
        }
        let set = geometry.index.set(geometry.sets, start, size);
        let at = (column(shift) + pitch + 6, y + 13);
        number(scene, Role::Note, at, Anchor::Start, say::tlb::to_set(set));
        y += ROW;
    }
    y += 4;
    let Some(feeds) = feeds else {
        return lines(scene, Role::Note, say::tlb::REMAINDER, (x, y), width);
    };
    let mut dots = String::new();
    for (index_bit, fed) in feeds.iter().enumerate() {
        let middle = y + FEED / 2;
        for bit in fed {
            let dot = Area {
                x: column(*bit) + pitch / 2 - 2,
                y: middle - 2,
                w: 4,
                h: 4,
            };
            push_rect(&mut dots, dot);
        }
        if let (Some(low), Some(high)) = (fed.iter().min(), fed.iter().max()) {
            let (from, to) = (column(*high) + pitch / 2, column(*low) + pitch / 2);
            scene.line(Role::Wire, (from, middle), (to, middle));
        }
        if index_bit.is_multiple_of(2) {
            let at = (x + LEFT - 6, y + 9);
            number(
                scene,
                Role::AxisLabel,
                at,
                Anchor::End,
                say::tlb::index_bit(index_bit),
            );
        }
        y += FEED;
    }
    scene.path(Role::Miss, dots);
    y + 4
}

/// The chosen structure of the lane, or the first of the second level, or of the first.
fn structure<'a>(lane: &'a Lane) -> Option<(StructureId, &'a StructureGeometry)> {
    let chosen = lane.view.set.map(|choice| choice.structure);
    let all: Vec<_> = lane.run.tlb().structures().collect();
    let find = |is: &dyn Fn(StructureId) -> bool| all.iter().find(|(id, _)| is(*id)).copied();
    chosen
        .and_then(|chosen| find(&|id| id == chosen))
        .or_else(|| find(&|id| id.level == Level::Second))
        .or_else(|| all.first().copied())
}

fn number(scene: &mut Scene, role: Role, at: (i32, i32), anchor: Anchor, said: String) {
    text(scene, role, at, anchor, TextSize::Small, true, said);
}
