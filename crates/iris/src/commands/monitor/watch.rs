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

/// At most so often, however much happens.
const FRAME: Duration = Duration::from_millis(33);
/// Ages grow by the second.
const TICK: Duration = Duration::from_secs(1);
/// When a daemon refuses to be followed, it is not asked at once again.
const REFUSED: Duration = Duration::from_secs(2);

/// What came of something that was sent out.
enum Came {
    Read(Read, Result<Got, ClientError>),
    Act(Act, Result<String, String>),
}

type Heard = BoxStream<'static, Result<Met, ClientError>>;

struct Watch {
    client: Client,
    state: State,
    heard: Heard,
    pace: Pace,
    under_way: FuturesUnordered<Pin<Box<dyn Future<Output = Came> + Send>>>,
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
    let mut watch =
        Watch { client, state, heard: follow(follower), pace: Pace::default(), under_way: FuturesUnordered::new() };
    watch.wish(State::everything().into_iter().map(Wish::Read).collect());
    let mut screen = Screen::open()?;
    watch.state.resize(screen.size());
    watch.run(&mut screen).await
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
    async fn run(&mut self, screen: &mut Screen) -> Result<Exit, Failure> {
        let mut input = EventStream::new();
        let mut stop = pin!(stopped()?);
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
                Some(came) = self.under_way.next() => self.came(came),
                Some(met) = self.heard.next() => {
                    self.state.tick(wall_ms());
                    let wishes = self.state.meet(met);
                    self.wish(wishes);
                }
                _ = tick.tick() => self.state.tick(wall_ms()),
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
        self.under_way.push(Box::pin(async move {
            let got = read::read(&client, &read).await;
            Came::Read(read, got)
        }));
    }

    fn send_act(&self, act: Act) {
        let client = self.client.clone();
        self.under_way.push(Box::pin(async move {
            let done = act::act(&client, &act).await;
            Came::Act(act, done)
        }));
    }

    fn came(&mut self, came: Came) {
        self.state.tick(wall_ms());
        let wishes = match came {
            Came::Act(act, done) => self.state.acted(&act, done),
            Came::Read(read, got) => {
                let now = Instant::now();
                self.pace.done(&read, now);
                match got {
                    Ok(got) => self.state.got(&read, got),
                    Err(error) if error.may_pass() => {
                        self.pace.want_again(read, now);
                        Vec::new()
                    }
                    Err(error) => {
                        self.state.missed(&read, &error);
                        Vec::new()
                    }
                }
            }
        };
        self.wish(wishes);
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
