//! Layout, and the wires between the session and the browser.

use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use mmscope_figure::say::ui;
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DataTransfer, Element, FocusOptions, HtmlElement, HtmlInputElement};
use yew::prelude::*;

use crate::crash;
use crate::engine::{use_full, use_importer, use_playback, use_settled, use_survey};
use crate::panes::address_space::AddressSpacePane;
use crate::panes::bar::Bar;
use crate::panes::dialogs::Dialogs;
use crate::panes::footer::Footer;
use crate::panes::ledger::LedgerPane;
use crate::panes::lesson::LessonPane;
use crate::panes::script::ScriptPane;
use crate::panes::timeline::TimelinePane;
use crate::panes::why::WhyPane;
use crate::panes::{Emit, Step, Whole, more, notice, parts};
use crate::platform::files::{self, TextFile, TooLarge};
use crate::platform::{document, location, storage, window};
use crate::session::keys::{self, Press};
use crate::session::{Action, Session, Theme, handover, import, state};
use crate::stage::Stage;

/// The address bar is written at most this often.
const LINK_WAIT_MS: u32 = 300;
const STORED_THEME: &str = "theme";
const STORED_KEYS: &str = "keys";
/// In this tab: the program that is too long for a link.
const STORED_PROGRAM: &str = "program";
/// Stands in the address bar instead of a link for such a program.
const KEPT: &str = "kept";
/// Texts longer than this are announced before they are read.
const LONG_TEXT: usize = 200_000;
/// Time for the browser to draw the announcement.
const DRAW_MS: u32 = 50;

/// What the page wishes for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    pub(crate) owns_page: bool,
    pub(crate) link: Option<String>,
    pub(crate) theme: Option<Theme>,
    pub(crate) keys: bool,
    /// What another build of the app hands over.
    pub(crate) handover: Option<Vec<String>>,
    /// Whether the focus was at a part's button when that was handed over, or elsewhere in the figure.
    pub(crate) focus: Option<bool>,
}

#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Props {
    pub(crate) config: Rc<Config>,
    pub(crate) stage: Stage,
}

impl Reducible for Session {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let next = Session::reduce(&self, action);
        // The same session back means that nothing is drawn.
        if next == *self { self } else { Rc::new(next) }
    }
}

fn first_session(config: &Config) -> Session {
    if let Some(session) = config.handover.clone().and_then(handover::take) {
        return session;
    }
    let mut session = Session::new();
    let stored_theme = storage::get(STORED_THEME).and_then(|name| Theme::find(&name));
    if let Some(theme) = config.theme.or(stored_theme).filter(|_| config.owns_page) {
        session = session.reduce(Action::Theme(theme));
    }
    let stored_keys = storage::get(STORED_KEYS).is_none_or(|kept| kept != "off");
    session = session.reduce(Action::SingleKeys(config.keys && stored_keys));
    let fragment = location::fragment().filter(|_| config.owns_page);
    match fragment.or_else(|| config.link.clone()) {
        Some(link) => session.reduce(linked(link)),
        None => session,
    }
}

/// What the address bar asks for.
fn linked(fragment: String) -> Action {
    if fragment == KEPT {
        Action::Kept(storage::tab_get(STORED_PROGRAM))
    } else {
        Action::Link(fragment)
    }
}

#[component]
pub(crate) fn App(props: &Props) -> Html {
    let config = &props.config;
    let state = {
        let config = config.clone();
        use_reducer(move || first_session(&config))
    };
    let emit: Emit = {
        let dispatcher = state.dispatcher();
        use_callback((), move |action: Action, ()| dispatcher.dispatch(action))
    };
    let session: Rc<Session> = Rc::new(Session::clone(&state));
    let root = use_node_ref();
    let dropping = use_state_eq(|| false);

    use_survey(&session, emit.clone());
    use_playback(&session, emit.clone());
    use_importer(&session, emit.clone());
    use_full(&session, &props.stage, config.owns_page, emit.clone());
    use_focus(config.focus, root.clone());
    use_link(&session, config.clone(), root.clone());
    use_page(&session, config.clone(), emit.clone());

    let onkeydown = {
        let (emit, single_keys) = (emit.clone(), session.single_keys);
        Callback::from(move |event: KeyboardEvent| {
            if single_keys && !event.default_prevented() && !has_own_keys(&event) {
                let code = event.code();
                let command = event.ctrl_key() || event.alt_key() || event.meta_key();
                if let Some(action) = keys::action(Press {
                    code: &code,
                    shift: event.shift_key(),
                    command,
                }) {
                    event.prevent_default();
                    emit.emit(action);
                }
            }
        })
    };
    let ondragover = {
        let dropping = dropping.clone();
        Callback::from(move |event: DragEvent| {
            if event
                .data_transfer()
                .is_some_and(|data| files::offers(&data))
            {
                event.prevent_default();
                dropping.set(true);
            }
        })
    };
    let ondragleave = {
        let (dropping, root) = (dropping.clone(), root.clone());
        Callback::from(move |event: DragEvent| {
            let to = event
                .related_target()
                .and_then(|target| target.dyn_into::<web_sys::Node>().ok());
            let inside = root
                .cast::<Element>()
                .is_some_and(|root| root.contains(to.as_ref()));
            if !inside {
                dropping.set(false);
            }
        })
    };
    let ondrop = {
        let (emit, dropping) = (emit.clone(), dropping.clone());
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            dropping.set(false);
            if let Some(data) = event.data_transfer() {
                take(&emit, &data);
            }
        })
    };

    let whole = Whole(session.clone());
    let step = Step(session.shown.clone());
    html! {
        <div
            ref={root}
            class={classes!("mmscope", dropping.then_some("dropping"), config.owns_page.then_some("page"), cfg!(feature = "full").then_some("full"))}
            role="region"
            aria-label={ui::FIGURE}
            tabindex="-1"
            {onkeydown} {ondragover} {ondragleave} {ondrop}
        >
            <Bar session={whole.clone()} emit={emit.clone()} owns_page={config.owns_page} />
            <div class="messages">
                { notice::view(&session, &emit) }
                <LessonPane session={whole.clone()} emit={emit.clone()} />
            </div>
            <AddressSpacePane session={whole.clone()} emit={emit.clone()} />
            <div class="lower">
                { parts::view(session.part, &emit) }
                { part(&whole, &step, &emit) }
            </div>
            <TimelinePane session={whole.clone()} emit={emit.clone()} />
            <Footer {step} />
            <p class="spoken" role="status" aria-live="polite">{ &session.shown.spoken }{ session.told.spoken() }</p>
            <Dialogs session={whole} {emit} />
        </div>
    }
}

/// What is shown below the address space: the first part as well while another is loaded.
fn part(whole: &Whole, step: &Step, emit: &Emit) -> Html {
    more::view(whole, emit).unwrap_or_else(|| {
        html! {
            <div class="below">
                <WhyPane step={step.clone()} emit={emit.clone()} />
                <LedgerPane step={step.clone()} />
                <ScriptPane session={whole.clone()} emit={emit.clone()} />
            </div>
        }
    })
}

/// Takes the focus that the other build of the app had: to the part that was opened, or to the figure.
#[hook]
fn use_focus(wanted: Option<bool>, root: NodeRef) {
    use_effect_with((), move |()| {
        if let Some(root) = root.cast::<HtmlElement>().filter(|_| wanted.is_some()) {
            let part = root
                .query_selector(".part[aria-pressed=true]")
                .ok()
                .flatten();
            let part = part.filter(|_| wanted == Some(true));
            let part = part.and_then(|part| part.dyn_into::<HtmlElement>().ok());
            // The pictures above have no height yet: nothing is to be scrolled for them.
            let options = FocusOptions::new();
            options.set_prevent_scroll(true);
            let _ = part.unwrap_or(root).focus_with_options(&options);
        }
    });
}

/// Whether keys mean something of their own where the focus is.
fn has_own_keys(event: &KeyboardEvent) -> bool {
    let Some(target) = event.target_dyn_into::<Element>() else {
        return false;
    };
    let is_inside = |selector: &str| target.closest(selector).ok().flatten().is_some();
    if is_inside("dialog, textarea, select") {
        return true;
    }
    if let Some(input) = target.dyn_ref::<HtmlInputElement>() {
        return !input.class_list().contains("scrubber");
    }
    let presses = matches!(event.code().as_str(), "Space" | "Enter" | "NumpadEnter");
    presses && is_inside("button, a, summary, [role=button]")
}

/// Reads what was dropped or pasted.
fn take(emit: &Emit, data: &DataTransfer) {
    let emit = emit.clone();
    if let Some(files) = data.files().filter(|files| files.length() > 0) {
        wasm_bindgen_futures::spawn_local(async move {
            import_files(&emit, files::read(files).await);
        });
    } else if let Some(text) = files::plain_text(data) {
        import_text(&emit, text, None);
    }
}

/// Imports a text. A long one is announced first: reading it holds the page up for a moment.
pub(crate) fn import_text(emit: &Emit, text: String, maps: Option<String>) {
    let length = text.len() + maps.as_ref().map_or(0, String::len);
    if !files::fits(&text) || !maps.as_deref().is_none_or(files::fits) {
        emit.emit(Action::TooLarge(files::LIMIT_MB));
    } else if length < LONG_TEXT {
        emit.emit(Action::Import { text, maps });
    } else {
        emit.emit(Action::Reading);
        let emit = emit.clone();
        Timeout::new(DRAW_MS, move || emit.emit(Action::Import { text, maps })).forget();
    }
}

/// Imports files that came together: one of them may be the maps of the other.
pub(crate) fn import_files(emit: &Emit, files: Result<Vec<TextFile>, TooLarge>) {
    let Ok(files) = files else {
        emit.emit(Action::TooLarge(files::LIMIT_MB));
        return;
    };
    if let Some((text, maps)) = import::pair(
        files
            .into_iter()
            .map(|file| (file.name, file.text))
            .collect(),
    ) {
        import_text(emit, text, maps);
    }
}

/// Keeps the link of the state: at the figure for the moment it should crash, and in the address bar if that is ours.
#[hook]
fn use_link(session: &Rc<Session>, config: Rc<Config>, root: NodeRef) {
    // The first state is what the bare address shows, and needs no fragment; one that was handed over does.
    let before = {
        let (session, config) = (session.clone(), config.clone());
        use_mut_ref(move || state::link(&session).filter(|_| config.handover.is_none()))
    };
    let what = (
        Step(session.shown.clone()),
        session.program,
        session.lens,
        session.selected,
        (
            session.theme,
            session.part,
            session.tree.clone(),
            session.tlb.clone(),
        ),
        session.notice.is_some(),
    );
    let session = session.clone();
    use_settled(what, LINK_WAIT_MS, move || {
        // What is too long for a link stays in this tab.
        if config.owns_page && !state::fits_link(&session) {
            if storage::tab_set(STORED_PROGRAM, &state::kept(&session)) {
                location::replace_fragment(KEPT);
            } else {
                location::clear_fragment();
            }
            *before.borrow_mut() = None;
            return;
        }
        // What could not be opened stays in the address bar until the person has seen the message.
        let Some(link) = state::link(&session).filter(|_| session.notice.is_none()) else {
            return;
        };
        if let Some(root) = root.cast::<Element>() {
            let _ = root.set_attribute(crash::LINK, &link);
        }
        let changed = before.borrow().as_ref() != Some(&link);
        if config.owns_page && changed {
            location::replace_fragment(&link);
        }
        *before.borrow_mut() = Some(link);
    });
}

/// The wires of a figure that has the page for itself: colours, address bar, paste anywhere. Preferences of all.
#[hook]
fn use_page(session: &Rc<Session>, config: Rc<Config>, emit: Emit) {
    let owns_page = config.owns_page;
    use_effect_with(
        (session.theme, session.single_keys),
        move |&(theme, single_keys)| {
            storage::set(STORED_KEYS, if single_keys { "on" } else { "off" });
            if !owns_page {
                return;
            }
            storage::set(STORED_THEME, theme.name());
            if let Some(page) = document().and_then(|document| document.document_element()) {
                let _ = match theme {
                    Theme::Auto => page.remove_attribute("data-theme"),
                    Theme::Light | Theme::Dark => page.set_attribute("data-theme", theme.name()),
                };
            }
        },
    );
    use_effect_with(emit, move |emit| {
        let mut listeners = Vec::new();
        if owns_page && let (Some(window), Some(document)) = (window(), document()) {
            let on_hash = emit.clone();
            listeners.push(EventListener::new(&window, "hashchange", move |_| {
                on_hash.emit(match location::fragment() {
                    Some(fragment) => linked(fragment),
                    None => Action::Bare,
                });
            }));
            let on_paste = emit.clone();
            let options = EventListenerOptions::enable_prevent_default();
            listeners.push(EventListener::new_with_options(
                &document,
                "paste",
                options,
                move |event| {
                    let edits = event
                        .target()
                        .and_then(|target| target.dyn_into::<Element>().ok())
                        .is_some_and(|target| {
                            target
                                .closest("input, textarea, dialog")
                                .ok()
                                .flatten()
                                .is_some()
                        });
                    let data = event
                        .dyn_ref::<ClipboardEvent>()
                        .and_then(ClipboardEvent::clipboard_data);
                    if let Some(data) = data.filter(|_| !edits) {
                        event.prevent_default();
                        take(&on_paste, &data);
                    }
                },
            ));
        }
        move || drop(listeners)
    });
}
