//! What each lane has cost so far, and how the lanes differ.

use mmscope_figure::say::ui;
use yew::prelude::*;

use super::{Step, lane_class};

/// Names of the rows, for tests.
const KEYS: [&str; 5] = ["vmas", "mapped", "gaps", "gap-bytes", "errors"];
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
                    <tbody>
                        { for table.rows.iter().enumerate().map(|(index, row)| html! {
                            <tr data-row={KEYS.get(index).copied()}>
                                <th scope="row" title={row.help}>{ row.name }</th>
                                { for row.lanes.iter().map(|cell| html! {
                                    <td>
                                        <span class="now" title={cell.exact.clone()}>{ &cell.now }</span>
                                        <span class={classes!("since", (cell.since_start == NONE).then_some("none"))}>{ &cell.since_start }</span>
                                    </td>
                                }) }
                                { for row.differences.iter().map(|difference| html! {
                                    <td class={classes!("difference", (difference == NONE).then_some("none"))}>{ difference }</td>
                                }) }
                            </tr>
                        }) }
                    </tbody>
                </table>
            </div>
        </section>
    }
}
