//! A kind of agent, as the suite needs it: how a team of it is configured, what to say so that it does a certain thing,
//! and which promises it cannot keep.

mod claude;
mod scripted;

use iris_testing::daemon::Setup;

use crate::promise::Promise;
use crate::world::World;

pub trait Kind {
    fn name(&self) -> String;

    /// Adds teams of this kind, each with these lines in its configuration.
    fn configure(&self, setup: Setup, teams: &[&str], keys: &[&str]) -> Setup;

    /// What is to be told to an agent so that it does a deed. It ends with these words; others may stand before them.
    fn words(&self, deed: &Deed<'_>) -> String;

    /// The last thing that reached whatever decides what the agent does, as it arrived there.
    fn heard(&self, world: &World, session: &str) -> String;

    /// Why a promise cannot be kept by agents of this kind.
    fn exception(&self, promise: Promise) -> Option<&'static str>;
}

/// Something an agent is to do.
pub enum Deed<'a> {
    /// Says a text, and spends some tokens and money on it.
    Say(&'a str),
    /// Says several words with pauses between them.
    Stream,
    /// Says what it has been told so far in this conversation, whichever process it was.
    Recall,
    /// Has a tool write `made` to `made.txt` and give the file back; then says `all done`.
    UseTool,
    /// Asks leave to make a file, makes it, and says what came of it, with the reason if it was refused.
    Touch(&'a str),
    /// Asks a person `Which colour?`, red or blue, and says the answer.
    Ask,
    /// Has a sub-agent say `sub report`, waits for it, and says `all done`.
    Delegate,
    /// Has a sub-agent work for two seconds in the background and says `it is running`; when that ends, it speaks again.
    WorkBehind,
    /// Does not end, unless it is interrupted.
    Hang,
    /// Fails the turn, because of `not for you`.
    Fail,
    /// Says `out of luck` on stderr and dies by signal 9, in the middle of a turn.
    Die,
    /// Asks Iris for the name of its team, and says it.
    NameItself,
    /// Tells another team something by Iris's own tool, and says what it answered.
    Tell { team: &'a str, message: &'a str },
}

pub async fn kinds() -> Vec<Box<dyn Kind>> {
    let mut kinds: Vec<Box<dyn Kind>> = vec![Box::new(scripted::Scripted)];
    for claude in claude::all().await {
        kinds.push(Box::new(claude));
    }
    kinds
}
