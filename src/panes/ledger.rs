//! What each lane has cost so far, and how the lanes differ.

use mmscope_figure::ledger::{LedgerPart, LedgerRow};
use mmscope_figure::say::ui;
use yew::prelude::*;

use super::{Step, lane_class};

/// Names of the parts' rows, for tests.
const KEYS: [&[&str]; 2] = [
    &["vmas", "mapped", "gaps", "gap-bytes", "errors"],
    &["asked", "used", "returned", "freed"],
];
/// What a difference of nothing looks like.
const NONE: &str = "0";

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) step: Step,
}

#[component]
pub(crate) fn LedgerPane(props: &Props) -> Html {
    let shown = &props.step.0;
    let table = &shown.ledger;
    let lanes = shown.lanes.len();
    html! {
        <section class="ledger" aria-label={ui::LEDGER}>
            <div class="part-head">
                <h2>{ ui::LEDGER }</h2>
                <span class="muted small end" title={table.note}>{ ui::LEDGER_NOTE }</span>
            </div>
            <p class="muted small scroll-hint" aria-hidden="true">{ ui::SCROLL_HINT }</p>
            <div class="scroll-x" tabindex="0" role="group" aria-label={ui::LEDGER}>
                <table class="numbers">
                    <thead>
                        <tr>
                            <td></td>
                            { for shown.lanes.iter().enumerate().map(|(index, lane)| html! {
                                <th scope="col" class={lane_class(index)} aria-label={table.columns.get(index + 1).cloned()}>
                                    <span class="letter">{ lane.letter }</span>
                                </th>
                            }) }
                            { for table.columns.iter().skip(1 + lanes).map(|name| html! { <th scope="col" class="difference">{ name }</th> }) }
                        </tr>
                    </thead>
                    { for table.parts.iter().zip(KEYS).map(|(each, keys)| part(each, keys)) }
                </table>
            </div>
        </section>
    }
}

fn part(part: &LedgerPart, keys: &'static [&'static str]) -> Html {
    html! {
        <tbody>
            if !part.help.is_empty() {
                <tr class="part">
                    <th scope="rowgroup" title={part.help}>{ part.name }</th>
                    { for part.notes.iter().map(|(note, help)| html! { <td title={*help}>{ *note }</td> }) }
                    { for part.notes.iter().skip(1).map(|_| html! { <td class="difference"></td> }) }
                </tr>
            }
            { for part.rows.iter().zip(keys).map(|(each, key)| row(each, key)) }
        </tbody>
    }
}

/// Whether a row has sizes, which are too long for one line with what was added.
fn is_size(key: &str) -> bool {
    matches!(key, "mapped" | "gap-bytes")
}

fn row(row: &LedgerRow, key: &'static str) -> Html {
    html! {
        <tr data-row={key} class={(!is_size(key)).then_some("count")}>
            <th scope="row" title={row.help}>{ row.name }</th>
            { for row.lanes.iter().map(|cell| html! {
                <td>
                    if cell.since.is_empty() {
                        <span class="muted" aria-hidden="true" title={cell.exact.clone()}>{ &cell.now }</span>
                        <span class="spoken">{ &cell.exact }</span>
                    } else {
                        <span class="now" title={cell.exact.clone()}>{ &cell.now }</span>
                        <span class={classes!("since", (cell.since == NONE).then_some("none"))}>{ &cell.since }</span>
                    }
                </td>
            }) }
            { for row.differences.iter().map(|difference| html! {
                <td class={classes!("difference", (difference == NONE).then_some("none"))}>{ difference }</td>
            }) }
        </tr>
    }
}
