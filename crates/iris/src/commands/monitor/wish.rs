//! What the state wants of the world outside: something read, something done, or to leave.

use iris_api::question::{Question, Response};
use iris_api::session::Session;
use iris_api::status::Status;
use iris_api::team::Team;
use iris_api::turn::{Message, Turn, TurnFigures};

#[derive(Debug)]
pub enum Wish {
    Leave,
    Act(Act),
    Read(Read),
    /// Events have numbers from the beginning again: follow them from here.
    Follow(i64),
}

impl Wish {
    pub fn into_read(self) -> Option<Read> {
        match self {
            Self::Read(read) => Some(read),
            Self::Leave | Self::Act(_) | Self::Follow(_) => None,
        }
    }
}

/// Something that changes something.
#[derive(Clone, Debug)]
pub enum Act {
    Answer {
        id: String,
        digest: Option<String>,
        response: Response,
        /// As it was typed, if it was.
        typed: Option<String>,
    },
    Wake {
        team: String,
        from: String,
    },
    Sleep {
        team: String,
        from: String,
    },
    Cancel {
        team: String,
        from: String,
    },
    Tell {
        team: String,
        from: String,
        text: String,
    },
}

impl Act {
    /// What somebody wrote for it.
    pub fn words(&self) -> Option<&str> {
        match self {
            Self::Answer { typed, .. } => typed.as_deref(),
            Self::Tell { text, .. } => Some(text),
            Self::Wake { .. } | Self::Sleep { .. } | Self::Cancel { .. } => None,
        }
    }
}

/// Something to read. The same thing is not read twice at once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Read {
    Questions,
    /// One that is not open any more.
    Question(String),
    Status,
    Teams,
    Sessions,
    Session(String),
    /// What a session was told last.
    Told {
        session: String,
        number: i64,
    },
    Turn(String),
    Page {
        session: String,
        page: Page,
    },
    /// How turns ended today, and how many questions were closed.
    Ends,
    Decided,
}

/// A part of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Page {
    Newest,
    /// What was said in this turn before this message.
    Earlier {
        turn: i64,
        before: i64,
    },
    /// What was said in this turn after this message.
    Later {
        turn: i64,
        after: i64,
    },
}

/// What was read.
#[derive(Debug)]
pub enum Got {
    Questions(Vec<Question>),
    Question(Box<Question>),
    Status { status: Box<Status>, address: String },
    Teams(Vec<Team>),
    Sessions(Vec<Session>),
    Session(Box<Session>),
    Told { session: String, number: i64, turn: Option<Box<Turn>> },
    Turn(Box<Turn>),
    Page { session: String, page: Page, piece: Piece },
    Ends(Box<TurnFigures>),
    Decided { since: i64, count: i64 },
}

/// Turns in a row, oldest first, with what was said in them.
#[derive(Debug, Default)]
pub struct Piece {
    pub parts: Vec<Part>,
    /// The first turn has more before what is here, the last one more behind it.
    pub is_cut_before: bool,
    pub is_cut_after: bool,
    /// There are turns behind the last one.
    pub has_after: bool,
}

#[derive(Debug)]
pub struct Part {
    pub turn: Turn,
    pub messages: Vec<Message>,
}
