//! Reading a part of a conversation. The API gives what comes after a message; what came before one is found by looking
//! further and further back from it.

use iris_api::Page as ApiPage;
use iris_api::session::Session;
use iris_api::status::Status;
use iris_api::turn::{Message, Turn};

use crate::client::{Client, ClientError};
use crate::commands::monitor::wish::{Page, Part, Piece};

/// How many messages are read at a time.
const MESSAGES: usize = 300;
/// How many turns are looked at for the newest messages.
const TURNS: i64 = 20;
/// How many event numbers are looked back at first.
const FIRST_LOOK: i64 = 1000;

pub async fn read(client: &Client, session: &str, page: &Page) -> Result<Piece, ClientError> {
    match *page {
        Page::Newest => newest(client, session).await,
        Page::Earlier { turn, before } => earlier(client, session, turn, before).await,
        Page::Later { turn, after } => later(client, session, turn, after).await,
    }
}

/// A turn by its number.
pub async fn turn(client: &Client, session: &str, number: i64) -> Result<Option<Turn>, ClientError> {
    Ok(turns(client, session, number, 1).await?.into_iter().next())
}

async fn turns(client: &Client, session: &str, from: i64, count: i64) -> Result<Vec<Turn>, ClientError> {
    let query = [("after", (from - 1).to_string()), ("limit", count.to_string())];
    let page: ApiPage<Turn> = client.get(&["sessions", session, "turns"], &query).await?;
    Ok(page.items)
}

async fn newest(client: &Client, session: &str) -> Result<Piece, ClientError> {
    let mut before = client.get::<Status>(&["status"], &[]).await?.newest_event + 1;
    let count = client.get::<Session>(&["sessions", session], &[]).await?.turns;
    let mut turns = turns(client, session, (count - TURNS + 1).max(1), TURNS * 2).await?;
    let mut piece = Piece::default();
    let mut room = MESSAGES;
    while let Some(turn) = turns.pop() {
        // Nothing was said in a turn that has not begun.
        let has_begun = turn.started_at.is_some();
        let (messages, is_cut) =
            if has_begun { back(client, &turn.id, before, room).await? } else { (Vec::new(), false) };
        before = messages.first().map_or(before, |message| message.seq);
        room = room.saturating_sub(messages.len());
        piece.parts.insert(0, Part { turn, messages });
        piece.is_cut_before = is_cut;
        if is_cut || room == 0 {
            break;
        }
    }
    Ok(piece)
}

async fn earlier(client: &Client, session: &str, number: i64, before: i64) -> Result<Piece, ClientError> {
    let newest = client.get::<Status>(&["status"], &[]).await?.newest_event + 1;
    let Some(turn) = turn(client, session, number).await?.filter(|turn| turn.number == number) else {
        return Ok(Piece::default());
    };
    let (messages, is_cut_before) = back(client, &turn.id, before.min(newest), MESSAGES).await?;
    Ok(Piece { parts: vec![Part { turn, messages }], is_cut_before, ..Piece::default() })
}

async fn later(client: &Client, session: &str, number: i64, after: i64) -> Result<Piece, ClientError> {
    let mut turns = turns(client, session, number, 2).await?;
    let has_after = turns.len() > 1;
    turns.truncate(1);
    let Some(turn) = turns.pop() else { return Ok(Piece::default()) };
    let messages = messages(client, &turn.id, after, MESSAGES).await?;
    let is_cut_after = messages.len() == MESSAGES;
    Ok(Piece { parts: vec![Part { turn, messages }], is_cut_after, has_after, is_cut_before: after > 0 })
}

/// The last `most` messages of a turn before this one, and whether there are more before those.
async fn back(client: &Client, turn: &str, before: i64, most: usize) -> Result<(Vec<Message>, bool), ClientError> {
    let mut look = FIRST_LOOK;
    loop {
        let from = (before - 1 - look).max(0);
        let (found, is_cut) = between(client, turn, from, before, most).await?;
        if from == 0 || is_cut || found.len() >= most {
            return Ok((found, is_cut || from > 0));
        }
        look = look.saturating_mul(4);
    }
}

/// The last `most` messages behind one event and before another, and whether any were left out.
async fn between(
    client: &Client,
    turn: &str,
    mut after: i64,
    before: i64,
    most: usize,
) -> Result<(Vec<Message>, bool), ClientError> {
    let (mut found, mut is_cut) = (Vec::new(), false);
    loop {
        let page = messages(client, turn, after, 1000).await?;
        let is_last = page.len() < 1000 || page.last().is_some_and(|message| message.seq >= before);
        after = page.last().map_or(after, |message| message.seq);
        found.extend(page.into_iter().filter(|message| message.seq < before));
        if let Some(over) = found.len().checked_sub(most).filter(|over| *over > 0) {
            found.drain(..over);
            is_cut = true;
        }
        if is_last {
            return Ok((found, is_cut));
        }
    }
}

async fn messages(client: &Client, turn: &str, after: i64, most: usize) -> Result<Vec<Message>, ClientError> {
    let query = [("after", after.to_string()), ("limit", most.to_string())];
    let page: ApiPage<Message> = client.get(&["turns", turn, "messages"], &query).await?;
    Ok(page.items)
}
