//! The loop: everything that can wake it, one at a time, and a picture when something has changed.

use std::future::Future;
use std::pin::{Pin, pin};
use std::time::Duration;

use crossterm::event::{Event as Input, EventStream, KeyCode, KeyEventKind, KeyModifiers};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream, FuturesUnordered};
use iris_api::status::Status;
use iris_api::token::Me;
use iris_engine::wall_ms;
use ratatui::layout::Size;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::Instant;

use super::pace::Pace;
use super::screen::Screen;
use super::state::State;
use super::wish::{Act, Got, Read, Wish};
use super::{act, read};
use crate::client::follow::{Follower, Met};
use crate::client::{Client, ClientError};
use crate::commands::{Context, refuse_agent};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;

/// At most so often, however much happens.
const FRAME: Duration = Duration::from_millis(33);
/// Ages grow by the second.
const TICK: Duration = Duration::from_secs(1);
/// When a daemon refuses to be followed, it is not asked at once again.
const REFUSED: Duration = Duration::from_secs(2);
/// How long whoever leaves waits for what came of what they did last.
const LEAVING: Duration = Duration::from_secs(30);

/// What was sent out, with what it is for, until it comes back.
type UnderWay<T> = FuturesUnordered<Pin<Box<dyn Future<Output = T> + Send>>>;
type Heard = BoxStream<'static, Result<Met, ClientError>>;

struct Watch {
    client: Client,
    state: State,
    heard: Heard,
    pace: Pace,
    reads: UnderWay<(Read, Result<Got, ClientError>)>,
    acts: UnderWay<(Act, Result<String, String>)>,
}

/// Who we are, where the daemon is, and from where on it is followed.
pub async fn meet(client: &Client, size: Size) -> Result<(State, i64), Failure> {
    let me: Me = client.get(&["me"], &[]).await?;
    let status: Status = client.get(&["status"], &[]).await?;
    let from = status.newest_event;
    Ok((State::new(client.base().await?, me.party, status, wall_ms(), size), from))
}

pub async fn watch(context: &mut Context) -> Result<Exit, Failure> {
    refuse_agent()?;
    let client = context.client().of_monitor();
    let (state, from) = meet(&client, Size::new(80, 24)).await?;
    // Followed before anything is read, so that nothing is missed in between.
    let mut follower = Follower::new(client.clone(), Vec::new(), from).for_ever();
    follower.open().await?;
    let mut watch = Watch {
        client,
        state,
        heard: follow(follower),
        pace: Pace::default(),
        reads: FuturesUnordered::new(),
        acts: FuturesUnordered::new(),
    };
    watch.wish(State::everything().into_iter().map(Wish::Read).collect());
    let mut stop = pin!(stopped()?);
    let mut screen = Screen::open()?;
    watch.state.resize(screen.size());
    let exit = watch.run(&mut screen, stop.as_mut()).await?;
    drop(screen);
    if exit == Exit::Done {
        watch.await_acts(stop, &mut context.printer).await;
    }
    watch.part(&mut context.printer);
    Ok(exit)
}

fn follow(follower: Follower) -> Heard {
    let next = |(mut follower, refused): (Follower, bool)| async move {
        if refused {
            tokio::time::sleep(REFUSED).await;
        }
        let met = follower.next().await;
        let refused = met.is_err();
        Some((met, (follower, refused)))
    };
    stream::unfold((follower, false), next).boxed()
}

impl Watch {
    async fn run(
        &mut self,
        screen: &mut Screen,
        mut stop: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<Exit, Failure> {
        let mut input = EventStream::new();
        let mut tick = tokio::time::interval(TICK);
        let mut drawn_at = Instant::now() - FRAME;
        let mut is_drawn = false;
        loop {
            for read in self.pace.start(Instant::now()) {
                self.send_read(read);
            }
            if !is_drawn && drawn_at.elapsed() >= FRAME {
                // A terminal that takes nothing any more is gone, and whoever looked at it with it.
                if screen.draw(&self.state).is_err() {
                    return Ok(Exit::BrokenOff);
                }
                (is_drawn, drawn_at) = (true, Instant::now());
            }
            let draws = (!is_drawn).then_some(drawn_at + FRAME);
            let reads = self.pace.next_at();
            tokio::select! {
                // What a person does comes first.
                biased;
                () = &mut stop => return Ok(Exit::BrokenOff),
                input = input.next() => match input {
                    Some(Ok(input)) => if let Some(exit) = self.take(input) { return Ok(exit) },
                    Some(Err(_)) | None => return Ok(Exit::BrokenOff),
                },
                Some((act, done)) = self.acts.next() => self.done(&act, done),
                Some((read, got)) = self.reads.next() => self.got(read, got),
                Some(met) = self.heard.next() => {
                    self.state.tick(wall_ms());
                    let wishes = self.state.meet(met);
                    self.wish(wishes);
                }
                _ = tick.tick() => {
                    self.state.tick(wall_ms());
                    self.wish(self.state.to_ask_about());
                }
                () = at(draws) => continue,
                () = at(reads) => continue,
            }
            is_drawn = false;
        }
    }

    fn take(&mut self, input: Input) -> Option<Exit> {
        self.state.tick(wall_ms());
        match input {
            Input::Key(key) if key.kind != KeyEventKind::Release => {
                if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
                    return Some(Exit::BrokenOff);
                }
                let wishes = self.state.press(key);
                if wishes.iter().any(|wish| matches!(wish, Wish::Leave)) {
                    return Some(Exit::Done);
                }
                self.wish(wishes);
            }
            Input::Paste(pasted) => self.state.paste(&pasted),
            Input::Resize(width, height) => self.state.resize(Size::new(width, height)),
            _ => {}
        }
        None
    }

    fn wish(&mut self, wishes: Vec<Wish>) {
        let now = Instant::now();
        for wish in wishes {
            match wish {
                Wish::Leave => {}
                Wish::Read(read) => self.pace.want(read, now),
                Wish::Follow(from) => {
                    self.heard = follow(Follower::new(self.client.clone(), Vec::new(), from).for_ever());
                }
                Wish::Act(act) => self.send_act(act),
            }
        }
    }

    fn send_read(&self, read: Read) {
        let client = self.client.clone();
        self.reads.push(Box::pin(async move {
            let got = read::read(&client, &read).await;
            (read, got)
        }));
    }

    fn send_act(&self, act: Act) {
        let client = self.client.clone();
        self.acts.push(Box::pin(async move {
            let done = act::act(&client, &act).await;
            (act, done)
        }));
    }

    fn done(&mut self, act: &Act, done: Result<String, String>) {
        self.state.tick(wall_ms());
        let wishes = self.state.acted(act, done);
        self.wish(wishes);
    }

    fn got(&mut self, read: Read, got: Result<Got, ClientError>) {
        self.state.tick(wall_ms());
        let now = Instant::now();
        self.pace.done(&read, now);
        match got {
            Ok(got) => {
                let wishes = self.state.got(&read, got);
                self.wish(wishes);
            }
            Err(error) if error.may_pass() => self.pace.want_again(read, now),
            Err(error) => self.state.missed(&read, &error),
        }
    }

    /// Nobody leaves without knowing what came of what they did last, unless that takes long or they break it off.
    async fn await_acts(&mut self, stop: Pin<&mut impl Future<Output = ()>>, printer: &mut Printer) {
        let mut came = Vec::new();
        let all = async {
            while let Some(one) = self.acts.next().await {
                came.push(one);
            }
        };
        let until = async {
            tokio::select! { () = all => {}, () = stop => {}, () = tokio::time::sleep(LEAVING) => {} }
        };
        printer.while_waiting("waiting for what comes of what you did; Ctrl-C does not wait", until).await;
        for (act, done) in came {
            if done.is_err() {
                self.state.kept.extend(act.words().map(str::to_owned));
            }
            let (Ok(said) | Err(said)) = done;
            printer.line(said).ok();
        }
    }

    /// The last words. Where the terminal has gone, nobody reads them.
    fn part(&self, printer: &mut Printer) {
        if !self.acts.is_empty() {
            let where_to_look = "`iris inbox` and `iris events` show whether it was done";
            printer.line(format!("what you did last was sent, and no answer came yet: {where_to_look}")).ok();
        }
        for words in self.state.kept.iter().chain(self.state.inbox.unsent.values()) {
            printer.line(format!("not sent, as far as is known: {words}")).ok();
        }
    }
}

/// Somebody wants this process to end: Ctrl-C from elsewhere, a stop, or the terminal has gone.
fn stopped() -> Result<impl Future<Output = ()>, Failure> {
    let listen = |kind| signal(kind).map_err(|error| Failure::internal(format!("signals cannot be heard ({error})")));
    let mut interrupt = listen(SignalKind::interrupt())?;
    let mut terminate = listen(SignalKind::terminate())?;
    let mut hang_up = listen(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}

async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
