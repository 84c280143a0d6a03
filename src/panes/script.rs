//! The list of calls. Only the rows in sight exist, so that a hundred thousand calls cost no more than a hundred.

use mmscope_figure::say::ui;
use mmscope_lab::Position;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::{Emit, Whole};
use crate::engine::bounded;
use crate::platform::media::{NARROW, text_scale, use_media};
use crate::platform::resize::use_height;
use crate::session::{Action, Session};

/// Height of a row in pixels, as the style sheet has it, at the usual text size.
const ROW: f64 = 28.0;
/// The same on narrow screens, for fingers.
const NARROW_ROW: f64 = 44.0;
/// Rows drawn above and below those in sight.
const MARGIN: u32 = 4;
/// Browsers lose precision in boxes higher than this: then a pixel stands for more than its share of a row.
const HIGHEST: f64 = 8e6;

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) session: Whole,
    pub(crate) emit: Emit,
}

/// Which rows are in sight.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sight {
    first: u32,
    count: u32,
    /// Where the first of them lies.
    top: f64,
    /// Height of all rows together.
    whole: f64,
}

fn sight(rows: u32, row_px: f64, scrolled: f64, height: f64) -> Sight {
    let full = f64::from(rows) * row_px;
    let whole = full.min(HIGHEST);
    // Part of the way that is scrolled, as rows.
    let way = (whole - height).max(1.0);
    let hidden = (full - height).max(0.0);
    let offset = if full > HIGHEST {
        scrolled / way * hidden
    } else {
        scrolled
    };
    let first = ((offset / row_px) as u32).saturating_sub(MARGIN);
    let count = (height / row_px) as u32 + 2 + 2 * MARGIN;
    let count = count.min(rows.saturating_sub(first));
    let top = f64::from(first) * row_px - offset + scrolled;
    Sight {
        first,
        count,
        top: top.max(0.0),
        whole,
    }
}

/// How far to scroll so that the row is in sight, if it is not.
fn reveal(rows: u32, row: u32, row_px: f64, scrolled: f64, height: f64) -> Option<f64> {
    let full = f64::from(rows) * row_px;
    let whole = full.min(HIGHEST);
    let hidden = (full - height).max(1.0);
    let way = (whole - height).max(0.0);
    let scale = if full > HIGHEST { way / hidden } else { 1.0 };
    let offset = scrolled / scale.max(f64::MIN_POSITIVE);
    let (top, bottom) = (f64::from(row) * row_px, f64::from(row + 1) * row_px);
    let target = if top < offset {
        top - row_px
    } else if bottom > offset + height {
        bottom + row_px - height
    } else {
        return None;
    };
    Some(bounded(target * scale, 0.0, way))
}

#[component]
pub(crate) fn ScriptPane(props: &Props) -> Html {
    let session = &props.session.0;
    let node = use_node_ref();
    let list = use_node_ref();
    let height = f64::from(use_height(node.clone()));
    let scrolled = use_state_eq(|| 0.0f64);
    // The start is a row of its own: the state before any call.
    let rows = session.shown.steps + 1;
    let current = session.shown.position.step;
    let row_px = if use_media(NARROW) { NARROW_ROW } else { ROW } * text_scale();
    let seen = sight(rows, row_px, *scrolled, height);

    {
        let list = list.clone();
        use_effect_with((seen.top as u32, seen.whole as u32), move |(top, whole)| {
            if let Some(element) = list.cast::<HtmlElement>() {
                let style = element.style();
                let _ = style.set_property("padding-top", &format!("{top}px"));
                let _ = style.set_property("height", &format!("{whole}px"));
            }
        });
    }
    {
        let (node, list) = (node.clone(), list.clone());
        use_effect_with(
            (current, rows, height as u32, session.program),
            move |(current, rows, height, _)| {
                let Some(element) = node.cast::<Element>() else {
                    return;
                };
                let had_focus = has_focus(&list);
                let scrolled = f64::from(element.scroll_top());
                if let Some(to) = reveal(*rows, *current, row_px, scrolled, f64::from(*height)) {
                    element.set_scroll_top(to as i32);
                }
                if had_focus {
                    focus_current(&list);
                }
            },
        );
    }

    let onscroll = {
        let scrolled = scrolled.clone();
        Callback::from(move |event: Event| {
            if let Some(element) = event.target_dyn_into::<Element>() {
                scrolled.set(f64::from(element.scroll_top()));
            }
        })
    };
    let onclick = {
        let emit = props.emit.clone();
        Callback::from(move |event: MouseEvent| {
            let row = event
                .target_dyn_into::<Element>()
                .and_then(|element| element.closest("[data-step]").ok().flatten())
                .and_then(|element| element.get_attribute("data-step"))
                .and_then(|step| step.parse().ok());
            if let Some(step) = row {
                emit.emit(Action::Go(Position { step, micro: None }));
            }
        })
    };
    let onkeydown = {
        let emit = props.emit.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.alt_key() || event.meta_key() {
                return;
            }
            let to = match event.code().as_str() {
                "ArrowDown" => (current + 1).min(rows - 1),
                "ArrowUp" => current.saturating_sub(1),
                "PageDown" => (current + 10).min(rows - 1),
                "PageUp" => current.saturating_sub(10),
                _ => return,
            };
            event.prevent_default();
            emit.emit(Action::Go(Position {
                step: to,
                micro: None,
            }));
        })
    };

    html! {
        <section class="calls" aria-label={ui::CALLS}>
            <div class="part-head">
                <h2>{ ui::CALLS }</h2>
                <span class="muted small">{ ui::calls_count(session.shown.steps) }</span>
            </div>
            <div ref={node} class="calls-view" {onscroll} {onclick} {onkeydown}>
                <ol ref={list} class="calls-list">
                    { for (seen.first..seen.first + seen.count).map(|step| row(session, step, step == current, rows)) }
                </ol>
            </div>
        </section>
    }
}

fn row(session: &Session, step: u32, is_current: bool, rows: u32) -> Html {
    let timeline = session.timeline();
    let text = step
        .checked_sub(1)
        .and_then(|index| timeline.step(index))
        .map(|step| step.text);
    let differs = step > 0 && session.shown.divergence == Some(step);
    html! {
        <li key={step} aria-setsize={rows.to_string()} aria-posinset={(step + 1).to_string()}>
            <button
                type="button"
                class="call"
                data-step={step.to_string()}
                tabindex={if is_current { "0" } else { "-1" }}
                aria-current={is_current.then_some("step")}
            >
                <span class="call-number">{ step }</span>
                <span class={classes!("call-text", text.is_some().then_some("mono"))}>{ text.as_deref().unwrap_or(ui::START) }</span>
                if differs { <span class="call-mark" title={ui::FIRST_DIVERGENCE}>{ ui::DIVERGES }</span> }
            </button>
        </li>
    }
}

fn has_focus(list: &NodeRef) -> bool {
    let focused = crate::platform::document().and_then(|document| document.active_element());
    match (list.cast::<Element>(), focused) {
        (Some(list), Some(focused)) => list.contains(Some(&focused)),
        _ => false,
    }
}

fn focus_current(list: &NodeRef) {
    let row = list
        .cast::<Element>()
        .and_then(|list| list.query_selector("[aria-current]").ok().flatten())
        .and_then(|element| wasm_bindgen::JsCast::dyn_into::<HtmlElement>(element).ok());
    if let Some(row) = row {
        let _ = row.focus();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_all_there() {
        let seen = sight(9, ROW, 0.0, 400.0);
        assert_eq!(
            (seen.first, seen.count, seen.top, seen.whole),
            (0, 9, 0.0, 252.0)
        );
        assert_eq!(reveal(9, 8, ROW, 0.0, 400.0), None);
    }

    #[test]
    fn of_a_million_rows_the_last_can_be_seen() {
        let rows = 1_000_001;
        let height = 280.0;
        let to = reveal(rows, rows - 1, ROW, 0.0, height).unwrap();
        let seen = sight(rows, ROW, to, height);
        assert!(seen.first + seen.count == rows, "{seen:?}");
        assert!(seen.count < 30, "{seen:?}");
        let bottom = seen.top + f64::from(seen.count) * ROW;
        assert!((bottom - seen.whole).abs() < 60.0, "{seen:?}");
    }

    #[test]
    fn a_row_out_of_sight_is_brought_in() {
        let to = reveal(1000, 500, ROW, 0.0, 280.0).unwrap();
        assert!((500.0 * ROW) < to + 280.0 && to < 500.0 * ROW);
        assert_eq!(reveal(1000, 500, ROW, to, 280.0), None);
    }
}
