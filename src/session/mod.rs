//! The one reducer: an action in, a new session out.
//!
//! Nothing here touches a browser, so that all of it can be tested without one. What takes long is done in slices that
//! the [engine](crate::engine) asks for.

pub(crate) mod handover;
pub(crate) mod import;
pub(crate) mod keys;
pub(crate) mod shown;
pub(crate) mod state;
pub(crate) mod tlb;
pub(crate) mod tree;

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use mmscope_figure::imported::Imported;
use mmscope_figure::lesson::{self, Told};
use mmscope_figure::scene::Target;
use mmscope_figure::tlb::SetChoice;
use mmscope_figure::{Selection, say};
use mmscope_lab::lessons::{self, Lesson};
use mmscope_lab::streams::PageChoice;
use mmscope_lab::{LaneError, MAX_LANES, Position, Progress, Scenario, Timeline};
use mmscope_mm::page::TASK_SIZE;
use mmscope_mm::{Kernel, Range};

use import::{Asked, Boxes, Compared, Draft, Problem, Report};
use shown::Shown;
use tlb::TlbLook;
use tree::{Part, TreeLook};

/// The smallest part of the address space that the lens shows.
const LEAST_LENS: u64 = 64 << 10;
/// Programs up to this long are run to the end at once.
const TRIED_STEPS: u64 = 5_000;
/// The slowest and the fastest pace of playing: calls a second are 2 to this power.
pub(crate) const PACES: std::ops::RangeInclusive<i8> = -1..=6;

/// Everything that can happen to a session.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(feature = "full"),
    allow(dead_code, reason = "some are sent by parts of the full build")
)]
pub(crate) enum Action {
    First,
    Back,
    Step,
    Last,
    MicroBack,
    MicroForward,
    Go(Position),
    MarkBack,
    MarkForward,
    NextStop,
    /// The number that a person answers to the question of the lesson.
    Answer(u64),
    /// Another kernel for a lane.
    SetKernel(usize, Kernel),
    AddLane,
    RemoveLane(usize),
    /// The lens as it should be; `None` follows the change.
    Lens(Option<Range>),
    Zoom {
        closer: bool,
        /// The address that stays where it is.
        at: Option<u64>,
    },
    Pan {
        up: bool,
    },
    Fit,
    Whole,
    Select(Option<Selection>),
    /// Shows a part of the page under the address space.
    Part(Part),
    /// The build of the app that has the part could not be loaded.
    PartMissing,
    /// The only lane whose tree is shown; `None` for all.
    TreeLane(Option<usize>),
    /// A node of a tree is opened or closed; a set of a TLB is chosen or left.
    Press(Target),
    /// The walk goes through this TLB instead of the scenario's; `None` for that.
    Tlb(Option<String>),
    /// The walk meets these pages.
    TlbPages(PageChoice),
    /// The walk has come so far; `None` for its end.
    TlbAt(Option<u64>),
    Open(Overlay),
    CloseOverlay,
    CloseNotice,
    Lesson(&'static str),
    /// Text that a person gave us: a link, a scenario, a trace, with the maps file that came with it.
    Import {
        text: String,
        maps: Option<String>,
    },
    /// What the importer answered; `None` if it could not be loaded.
    Imported(Rc<Asked>, Option<String>),
    /// What stands in the boxes of the window that opens a text.
    Typed(Boxes),
    /// What stood in the boxes before.
    PutBack,
    /// A large text is about to be read.
    Reading,
    /// A text is too large: more than so many megabytes.
    TooLarge(u32),
    /// A link from the address bar.
    Link(String),
    /// The address bar has no link.
    Bare,
    /// The address bar asks for the program that this tab had kept.
    Kept(Option<String>),
    /// Runs ahead by this many calls.
    Survey(u32),
    PlayPause,
    Pace(i8),
    /// Another call is due while playing.
    Tick,
    Theme(Theme),
    SingleKeys(bool),
}

/// What lies over the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    Help,
    Import,
    Report,
    Share,
    Goto,
    Kernel(usize),
}

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    Auto,
    Light,
    Dark,
}

impl Theme {
    pub(crate) const ALL: [Theme; 3] = [Theme::Auto, Theme::Light, Theme::Dark];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Theme::Auto => "auto",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    pub(crate) fn find(name: &str) -> Option<Theme> {
        Theme::ALL.into_iter().find(|theme| theme.name() == name)
    }

    pub(crate) fn next(self) -> Theme {
        match self {
            Theme::Auto => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::Auto,
        }
    }
}

/// Something to tell that is not about the shown step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Notice {
    /// A sentence.
    pub(crate) text: String,
    /// What must not be lost, to be copied.
    pub(crate) keep: Option<Keep>,
}

/// What must not be lost.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Keep {
    /// A link that could not be opened.
    Link(String),
    /// A link of which a part could not be read.
    LinkPart(String),
    /// The program that is shown.
    Program,
}

/// How far ahead the program was run for the tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Surveyed {
    pub(crate) done: u32,
    pub(crate) of: u32,
}

impl Surveyed {
    pub(crate) fn is_complete(self) -> bool {
        self.done >= self.of
    }
}

/// What the page is in. Cheap to clone: what is large is shared.
#[derive(Clone)]
pub(crate) struct Session {
    timeline: Rc<RefCell<Timeline>>,
    /// Another one for each program or kernel: what was known about steps is not valid any more.
    pub(crate) program: u32,
    /// The shown step in words.
    pub(crate) shown: Rc<Shown>,
    /// The lesson, unless the person brought a program.
    pub(crate) lesson: Option<&'static Lesson>,
    /// The kernels that the lesson was written for, by name.
    pub(crate) lesson_kernels: Rc<str>,
    /// What the stop of the lesson tells beside its text.
    pub(crate) told: Rc<Told>,
    /// The last answer to a question of the lesson, and the stop that asked.
    said: Option<(usize, u64)>,
    pub(crate) lens: Option<Range>,
    pub(crate) selected: Option<Selection>,
    pub(crate) part: Part,
    pub(crate) tree: Rc<TreeLook>,
    pub(crate) tlb: Rc<TlbLook>,
    pub(crate) overlay: Option<Overlay>,
    pub(crate) notice: Option<Rc<Notice>>,
    pub(crate) draft: Rc<Draft>,
    /// What the person has typed since: nothing is drawn from it, so that typing draws nothing.
    typed: Rc<RefCell<Option<Boxes>>>,
    /// Whether a text is being read, or is about to be.
    pub(crate) reading: bool,
    /// What the importer is reading.
    pub(crate) asked: Option<Rc<Asked>>,
    pub(crate) report: Option<Rc<Report>>,
    pub(crate) surveyed: Surveyed,
    pub(crate) playing: bool,
    pub(crate) pace: i8,
    pub(crate) theme: Theme,
    pub(crate) single_keys: bool,
}

impl PartialEq for Session {
    /// Equal if there is nothing to draw anew.
    fn eq(&self, other: &Session) -> bool {
        Rc::ptr_eq(&self.shown, &other.shown)
            && self.program == other.program
            && self.lens == other.lens
            && self.selected == other.selected
            && self.part == other.part
            && self.tree == other.tree
            && self.tlb == other.tlb
            && self.overlay == other.overlay
            && self.notice == other.notice
            && self.report == other.report
            && Rc::ptr_eq(&self.draft, &other.draft)
            && self.surveyed == other.surveyed
            && self.reading == other.reading
            && self.asked == other.asked
            && (self.playing, self.pace, self.theme, self.single_keys)
                == (other.playing, other.pace, other.theme, other.single_keys)
    }
}

impl Session {
    /// The first lesson, where it opens.
    pub(crate) fn new() -> Session {
        let lesson = &lessons::all()[0];
        Session::of_lesson(lesson)
    }

    fn of_lesson(lesson: &'static Lesson) -> Session {
        let timeline = lesson_timeline(lesson);
        let kernels: Vec<String> = timeline
            .scenario()
            .kernels
            .iter()
            .map(Kernel::to_string)
            .collect();
        let mut session = Session::of(timeline, lesson.position);
        session.lesson = Some(lesson);
        session.lesson_kernels = kernels.join(" ").into();
        session.show();
        session
    }

    fn of(mut timeline: Timeline, position: Position) -> Session {
        timeline.go(position);
        let shown = Rc::new(Shown::new(&timeline.frame()));
        let surveyed = Surveyed {
            done: 0,
            of: shown.steps,
        };
        Session {
            timeline: Rc::new(RefCell::new(timeline)),
            program: 0,
            shown,
            lesson: None,
            lesson_kernels: Rc::from(""),
            told: Rc::default(),
            said: None,
            lens: None,
            selected: None,
            part: Part::default(),
            tree: Rc::default(),
            tlb: Rc::default(),
            overlay: None,
            notice: None,
            draft: Rc::default(),
            typed: Rc::default(),
            reading: false,
            asked: None,
            report: None,
            surveyed,
            playing: false,
            pace: 1,
            theme: Theme::Auto,
            single_keys: true,
        }
    }

    /// The lanes, to ask them for a frame.
    pub(crate) fn timeline(&self) -> Ref<'_, Timeline> {
        self.timeline.borrow()
    }

    /// The steps that `[` and `]` go to: the first divergence and the stops of the lesson.
    pub(crate) fn marks(&self) -> Vec<Position> {
        let stops = self.lesson.map(|lesson| lesson.stops).unwrap_or_default();
        let mut marks: Vec<Position> = stops
            .iter()
            .map(|stop| Position {
                step: stop.step,
                micro: None,
            })
            .collect();
        if let Some(step) = self.shown.divergence {
            let place = marks.partition_point(|mark| mark.step < step);
            if marks.get(place).is_none_or(|mark| mark.step != step) {
                marks.insert(place, Position { step, micro: None });
            }
        }
        marks
    }

    /// Whether nothing is open and nothing under way that would be lost if another build took over.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.overlay.is_none() && !self.reading && self.asked.is_none()
    }

    /// The stop of the lesson that the shown step belongs to.
    pub(crate) fn stop(&self) -> Option<usize> {
        lesson_stop(self.lesson, self.shown.position)
    }

    /// The session after an action.
    pub(crate) fn reduce(&self, action: Action) -> Session {
        let mut next = self.clone();
        next.apply(action);
        next
    }

    fn apply(&mut self, action: Action) {
        let at = self.shown.position;
        match action {
            Action::First => self.go(Position {
                step: 0,
                micro: None,
            }),
            Action::Last => self.go(Position {
                step: self.shown.steps,
                micro: None,
            }),
            Action::Back => self.move_by(Timeline::step_back),
            Action::Step => self.move_by(Timeline::step_forward),
            Action::MicroBack => self.move_by(Timeline::micro_back),
            Action::MicroForward => self.move_by(Timeline::micro_forward),
            Action::Go(position) => self.go(position),
            Action::MarkBack => {
                let before = self
                    .marks()
                    .into_iter()
                    .rev()
                    .find(|mark| order(*mark) < order(at));
                self.go(before.unwrap_or(Position {
                    step: 0,
                    micro: None,
                }));
            }
            Action::MarkForward => {
                let after = self
                    .marks()
                    .into_iter()
                    .find(|mark| order(*mark) > order(at));
                self.go(after.unwrap_or(Position {
                    step: self.shown.steps,
                    micro: None,
                }));
            }
            Action::NextStop => self.next_stop(),
            Action::Answer(number) => {
                if let Some(stop) = self.stop().filter(|_| self.told.question.is_some()) {
                    self.said = Some((stop, number));
                    self.next_stop();
                }
            }
            Action::SetKernel(lane, kernel) => {
                self.relane(|timeline| timeline.set_kernel(lane, kernel))
            }
            Action::AddLane => {
                if let Some(kernel) = self.shown.lanes.last().map(|lane| lane.kernel) {
                    self.relane(|timeline| timeline.add_lane(kernel));
                }
            }
            Action::RemoveLane(lane) => {
                self.relane(|timeline| timeline.remove_lane(lane));
                self.overlay = None;
                self.selected = None;
                self.tree = Rc::default();
                self.tlb_mut().set = None;
            }
            Action::Lens(lens) => self.lens = lens,
            Action::Fit => self.lens = None,
            Action::Whole => {
                self.lens = Some(Range {
                    start: 0,
                    end: TASK_SIZE,
                })
            }
            Action::Zoom { closer, at } => {
                let lens = self.current_lens();
                self.lens = Some(zoomed(lens, closer, at));
            }
            Action::Pan { up } => {
                let lens = self.current_lens();
                self.lens = Some(panned(lens, up));
            }
            Action::Select(selection) => self.selected = selection,
            Action::Part(part) => self.part = part,
            Action::PartMissing => {
                if !self.part.is_here() {
                    self.part = Part::default();
                    let text = say::ui::PART_MISSING.to_owned();
                    self.notice = Some(Rc::new(Notice { text, keep: None }));
                }
            }
            Action::TreeLane(lane) => self.tree_mut().lane = lane,
            Action::Press(Target::Set {
                lane,
                structure,
                set,
            }) => self.tlb_mut().press(SetChoice {
                lane,
                structure,
                set,
            }),
            Action::Press(target) => self.tree_mut().press(target),
            Action::Tlb(tlb) => self.tlb_mut().tlb = tlb,
            Action::TlbPages(pages) => self.tlb_mut().pages = pages,
            Action::TlbAt(at) => self.tlb_mut().at = at,
            Action::Open(overlay) => {
                self.playing = false;
                self.overlay = Some(overlay);
            }
            Action::CloseOverlay => self.overlay = None,
            Action::CloseNotice => self.notice = None,
            Action::Lesson(id) => {
                if let Some(lesson) = lessons::find(id) {
                    self.replace(Session::of_lesson(lesson));
                }
            }
            Action::Import { text, maps } => self.import(text, maps),
            Action::Imported(asked, answer) => self.imported(&asked, answer.as_deref()),
            Action::Typed(boxes) => *self.typed.borrow_mut() = Some(boxes),
            Action::PutBack => {
                if let Some(previous) = self.draft.previous.clone() {
                    let boxes = self.boxes();
                    self.fill(Draft {
                        text: previous.text,
                        maps: Some(previous.maps),
                        problem: None,
                        previous: Some(boxes).filter(|boxes| !boxes.is_empty()),
                        edition: 0,
                    });
                }
            }
            Action::Reading => self.reading = true,
            Action::TooLarge(most_mb) => {
                self.reading = false;
                let text = say::ui::too_large(most_mb);
                if self.overlay == Some(Overlay::Import) {
                    let Boxes {
                        text: box_text,
                        maps,
                    } = self.boxes();
                    self.fill(Draft {
                        text: box_text,
                        maps: Some(maps),
                        problem: Some(Problem::plain(text)),
                        previous: self.draft.previous.clone(),
                        edition: 0,
                    });
                } else {
                    self.notice = Some(Rc::new(Notice { text, keep: None }));
                }
            }
            Action::Link(text) => self.open_link(&text),
            Action::Bare => self.replace(Session::new()),
            Action::Kept(text) => match text.as_deref().and_then(state::open_kept) {
                Some(session) => {
                    self.replace(session);
                    self.note_length();
                }
                None => {
                    self.replace(Session::new());
                    let text = say::ui::NOTICE_NOT_KEPT.to_owned();
                    self.notice = Some(Rc::new(Notice { text, keep: None }));
                }
            },
            Action::Survey(calls) => {
                self.timeline.borrow_mut().survey(calls);
                self.note_progress();
                let divergence = self.timeline.borrow().divergence();
                if self.shown.divergence != divergence {
                    let mut shown = Shown::clone(&self.shown);
                    shown.divergence = divergence;
                    self.shown = Rc::new(shown);
                }
            }
            Action::PlayPause => {
                self.playing = !self.playing && self.shown.position.step < self.shown.steps;
            }
            Action::Pace(pace) => self.pace = pace.clamp(*PACES.start(), *PACES.end()),
            Action::Tick => {
                if self.playing {
                    self.move_by(Timeline::step_forward);
                    self.playing = self.shown.position.step < self.shown.steps;
                }
            }
            Action::Theme(theme) => self.theme = theme,
            Action::SingleKeys(on) => self.single_keys = on,
        }
    }

    fn go(&mut self, to: Position) {
        self.move_by(|timeline| timeline.go(to));
    }

    fn move_by(&mut self, by: impl FnOnce(&mut Timeline)) {
        by(&mut self.timeline.borrow_mut());
        if self.timeline.borrow().position() != self.shown.position {
            self.show();
        }
    }

    fn tree_mut(&mut self) -> &mut TreeLook {
        Rc::make_mut(&mut self.tree)
    }

    fn tlb_mut(&mut self) -> &mut TlbLook {
        Rc::make_mut(&mut self.tlb)
    }

    /// Changes the lanes. What can't be done is not offered, so that a refusal changes nothing and needs no words.
    fn relane(&mut self, change: impl FnOnce(&mut Timeline) -> Result<(), LaneError>) {
        let changed = change(&mut self.timeline.borrow_mut()).is_ok();
        if changed {
            self.program += 1;
            self.report = self.report.take().map(|report| {
                Rc::new(Report {
                    compared: None,
                    ..Report::clone(&report)
                })
            });
            self.note_progress();
            self.show();
        }
    }

    fn note_progress(&mut self) {
        let Progress { done, of } = self.timeline.borrow().progress();
        self.surveyed = Surveyed { done, of };
        self.compare();
    }

    /// Runs these kernels: for a link, before it is shown.
    fn set_kernels(&mut self, kernels: impl Iterator<Item = Kernel>) {
        let kernels: Vec<Kernel> = kernels.take(MAX_LANES as usize).collect();
        if kernels.is_empty() {
            return;
        }
        while self.shown.lanes.len() > kernels.len() {
            self.relane(|timeline| timeline.remove_lane(kernels.len()));
        }
        for (lane, kernel) in kernels.into_iter().enumerate() {
            if lane < self.shown.lanes.len() {
                self.relane(|timeline| timeline.set_kernel(lane, kernel));
            } else {
                self.relane(|timeline| timeline.add_lane(kernel));
            }
        }
    }

    fn next_stop(&mut self) {
        let Some(lesson) = self.lesson else {
            return;
        };
        let next = self.stop().map_or(0, |stop| stop + 1);
        if let Some(stop) = lesson.stops.get(next) {
            self.lens = None;
            self.go(Position {
                step: stop.step,
                micro: None,
            });
        }
    }

    fn show(&mut self) {
        let shown = Shown::new(&self.timeline.borrow().frame());
        self.told = Rc::default();
        let position = shown.position;
        if let Some((lesson, stop)) = self.lesson.zip(lesson_stop(self.lesson, position)) {
            let said = self.said.filter(|(asked, _)| asked + 1 == stop);
            let told = lesson::told(
                &self.timeline.borrow(),
                lesson,
                stop,
                said.map(|(_, number)| number),
            );
            self.told = Rc::new(told);
        }
        self.shown = Rc::new(shown);
        self.note_progress();
    }

    /// Takes another program, and keeps what belongs to the person.
    fn replace(&mut self, other: Session) {
        let next = Session {
            program: self.program + 1,
            draft: self.draft.clone(),
            typed: self.typed.clone(),
            part: other.part,
            pace: self.pace,
            theme: self.theme,
            single_keys: self.single_keys,
            ..other
        };
        *self = next;
    }

    /// The lens as it is drawn.
    pub(crate) fn current_lens(&self) -> Range {
        self.lens
            .unwrap_or_else(|| mmscope_figure::automatic_lens(&self.timeline.borrow().frame()))
    }

    /// What stands in the boxes of the window that opens a text.
    pub(crate) fn boxes(&self) -> Boxes {
        let typed = self.typed.borrow().clone();
        typed.unwrap_or_else(|| Boxes {
            text: self.draft.text.clone(),
            maps: self.draft.maps.clone().unwrap_or_default(),
        })
    }

    /// Puts something else into the boxes.
    fn fill(&mut self, draft: Draft) {
        let edition = self.draft.edition + 1;
        self.draft = Rc::new(Draft { edition, ..draft });
        // A session before this one keeps what it had.
        self.typed = Rc::default();
    }

    fn import(&mut self, text: String, maps: Option<String>) {
        self.reading = false;
        self.asked = None;
        let given = Boxes {
            text: text.clone(),
            maps: maps.clone().unwrap_or_default(),
        };
        match import::read(&text) {
            Ok(import::Found::Link(link)) => {
                self.open_link(&link);
                if self.notice.is_none() {
                    self.forget_draft(&given);
                }
            }
            Ok(import::Found::Scenario(scenario)) => match Timeline::new(*scenario) {
                Ok(timeline) => {
                    self.take_program(timeline, None);
                    self.forget_draft(&given);
                }
                Err(error) => self.keep_draft(text, maps, Problem::start(&error)),
            },
            Ok(import::Found::Trace) => {
                self.reading = true;
                self.asked = Some(Rc::new(Asked {
                    text,
                    maps,
                    kernels: self.shown.lanes.iter().map(|lane| lane.kernel).collect(),
                }));
            }
            Err(problem) => self.keep_draft(text, maps, problem),
        }
    }

    /// Takes the importer's answer, unless something else was opened in the meantime.
    fn imported(&mut self, asked: &Rc<Asked>, answer: Option<&str>) {
        if self.asked.as_ref() != Some(asked) {
            return;
        }
        self.reading = false;
        self.asked = None;
        if let Err(problem) = self.take_answer(asked, answer) {
            self.keep_draft(asked.text.clone(), asked.maps.clone(), problem);
        }
    }

    fn take_answer(&mut self, asked: &Asked, answer: Option<&str>) -> Result<(), Problem> {
        let plain = |sentence: &str| Problem::plain(sentence.to_owned());
        let answer = answer.ok_or_else(|| plain(say::ui::IMPORTER_MISSING))?;
        let (scenario, report) = match Imported::parse(answer) {
            Some(Imported::Program { scenario, report }) => (scenario, Some(report)),
            Some(Imported::Start { scenario }) => (scenario, None),
            Some(Imported::Refused { expected, errors }) => {
                return Err(Problem::refused(&expected, errors));
            }
            None => return Err(plain(say::ui::IMPORTER_FAILED)),
        };
        let scenario = Scenario::parse(&scenario).map_err(|_| plain(say::ui::IMPORTER_FAILED))?;
        let timeline = Timeline::new(scenario).map_err(|error| Problem::start(&error))?;
        let alone = report.is_none();
        let report = report.map(|told| Report::new(answer, told));
        self.take_program(timeline, report);
        self.forget_draft(&Boxes {
            text: asked.text.clone(),
            maps: asked.maps.clone().unwrap_or_default(),
        });
        if alone && self.notice.is_none() {
            let text = say::ui::MAPS_ALONE.to_owned();
            self.notice = Some(Rc::new(Notice { text, keep: None }));
        }
        Ok(())
    }

    fn take_program(&mut self, mut timeline: Timeline, report: Option<Report>) {
        if u64::from(timeline.step_count()) <= TRIED_STEPS {
            timeline.survey(u32::MAX);
        }
        let position = Position {
            step: 1.min(timeline.step_count()),
            micro: None,
        };
        self.replace(Session::of(timeline, position));
        self.report = report.map(Rc::new);
        self.overlay = self.report.is_some().then_some(Overlay::Report);
        self.note_progress();
        self.note_length();
    }

    /// Says so if the program is too long for a link.
    fn note_length(&mut self) {
        if !state::fits_link(self) {
            self.notice = Some(Rc::new(Notice {
                text: say::ui::NOTICE_TOO_LONG.to_owned(),
                keep: Some(Keep::Program),
            }));
        }
    }

    /// What was in the boxes is open now. What came another way leaves them as they are.
    fn forget_draft(&mut self, given: &Boxes) {
        if self.boxes() == *given || self.draft.text == given.text {
            self.fill(Draft::default());
        }
    }

    /// Compares a trace with its replay once all lanes have run to the end.
    fn compare(&mut self) {
        if let Some(report) = &self.report
            && report.compared.is_none()
            && self.surveyed.is_complete()
        {
            let compared = Compared::of(&mut self.timeline.borrow_mut());
            self.report = Some(Rc::new(Report {
                compared: Some(compared),
                ..Report::clone(report)
            }));
        }
    }

    fn keep_draft(&mut self, text: String, maps: Option<String>, problem: Problem) {
        let boxes = self.boxes();
        let same = boxes.text == text && boxes.maps == maps.as_deref().unwrap_or_default();
        let previous = if same || boxes.is_empty() {
            self.draft.previous.clone()
        } else {
            Some(boxes)
        };
        self.fill(Draft {
            text,
            maps,
            problem: Some(problem),
            previous,
            edition: 0,
        });
        self.overlay = Some(Overlay::Import);
    }

    fn open_link(&mut self, text: &str) {
        match state::open(text) {
            Ok(opened) => {
                self.replace(opened.session);
                if let Some(theme) = opened.theme {
                    self.theme = theme;
                }
                if !opened.unread.is_empty() {
                    self.notice = Some(Rc::new(Notice {
                        text: opened.unread.join(" "),
                        keep: Some(Keep::LinkPart(text.to_owned())),
                    }));
                }
            }
            Err(sentence) => {
                self.replace(Session::new());
                self.notice = Some(Rc::new(Notice {
                    text: sentence,
                    keep: Some(Keep::Link(text.to_owned())),
                }));
            }
        }
    }
}

/// A lesson's lanes. Every lesson is tested to be sound; should one not be, an empty program stands in for it.
fn lesson_timeline(lesson: &Lesson) -> Timeline {
    let scenario = Scenario::parse(lesson.scenario);
    let timeline = scenario
        .ok()
        .and_then(|scenario| Timeline::new(scenario).ok());
    timeline.unwrap_or_else(|| unreachable!("the lesson {} is not sound", lesson.id))
}

/// The stop of a lesson that a place belongs to.
fn lesson_stop(lesson: Option<&Lesson>, position: Position) -> Option<usize> {
    let stops = lesson?.stops;
    stops.iter().rposition(|stop| stop.step <= position.step)
}

/// Positions in the order of time: a call's decisions come before its end.
fn order(position: Position) -> (u32, u32) {
    (position.step, position.micro.unwrap_or(u32::MAX))
}

fn zoomed(lens: Range, closer: bool, at: Option<u64>) -> Range {
    let length = lens.len().max(LEAST_LENS);
    let next = if closer {
        (length / 2).max(LEAST_LENS)
    } else {
        length.saturating_mul(2).min(TASK_SIZE)
    };
    let fixed = at
        .unwrap_or(lens.start + lens.len() / 2)
        .clamp(lens.start, lens.end);
    let below = u128::from(fixed - lens.start) * u128::from(next) / u128::from(length);
    placed(u128::from(fixed).saturating_sub(below) as u64, next)
}

fn panned(lens: Range, up: bool) -> Range {
    let by = lens.len() / 4;
    placed(
        if up {
            lens.start.saturating_add(by)
        } else {
            lens.start.saturating_sub(by)
        },
        lens.len(),
    )
}

/// A window of this length, as near to `start` as user space allows.
fn placed(start: u64, length: u64) -> Range {
    let length = length.min(TASK_SIZE);
    let start = start.min(TASK_SIZE - length);
    Range {
        start,
        end: start + length,
    }
}

#[cfg(test)]
mod tests;
