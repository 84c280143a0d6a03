//! A picture's twin: the same facts as tables, one for each lane.

use mmscope_figure::table::{self, COLUMNS, Table};

use crate::session::Session;
use yew::prelude::*;

/// Rows of a lane at most: what does not fit is counted in the rows.
const MOST_ROWS: usize = 200;

/// The tables of what the lens shows.
pub(crate) fn view(session: &Session) -> Html {
    let lens = session.current_lens();
    let timeline = session.timeline();
    let frame = timeline.frame();
    let lanes =
        (0..frame.lanes.len()).filter_map(|lane| table::lane(&frame, lane, lens, MOST_ROWS));
    html! { <div class="twins">{ for lanes.map(|table| twin(&table)) }</div> }
}

pub(crate) fn twin(table: &Table) -> Html {
    html! {
        <div class="twin" tabindex="0" role="group" aria-label={table.caption.clone()}>
            <table>
                <caption>{ &table.caption }</caption>
                <thead><tr>{ for COLUMNS.iter().map(|name| html! { <th scope="col">{ name }</th> }) }</tr></thead>
                <tbody>
                    { for table.rows.iter().map(|row| html! {
                        <tr class={(!row.changed.is_empty()).then_some("changed-row")}>
                            <td class="mono">{ &row.start }</td>
                            <td class="mono">{ &row.end }</td>
                            <td class="right">{ &row.size }</td>
                            <td class="mono">{ &row.perms }</td>
                            <td>{ &row.kind }</td>
                            <td>{ &row.what }</td>
                            <td>{ row.changed }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}
