//! What of a conversation an agent does not know that goes on with it, in words for whoever reads the conversation.

use iris_core::id::NodeId;
use iris_store::lane::branch::Missed;

/// Its program does not find the conversation any more. Nothing to say about one that had no turn.
pub(super) fn lost(turns: i64) -> Option<String> {
    let turns = counted(turns)?;
    Some(format!(
        "the agent knows nothing of {turns} before this one: its program does not find the conversation any more"
    ))
}

/// Its program found what it had when another node took the conversation over, or what both share.
pub(super) fn missed(missed: &Missed) -> String {
    let Missed { turns, nodes } = missed;
    let turns = counted(*turns).unwrap_or_default();
    let nodes = nodes.iter().map(NodeId::as_str).collect::<Vec<_>>().join(", ");
    format!(
        "the agent may know nothing of {turns} before this one, run by another Iris (node {nodes}): it goes on with what its \
         program has on this machine"
    )
}

fn counted(turns: i64) -> Option<String> {
    match turns {
        0 => None,
        1 => Some("the turn".to_owned()),
        some => Some(format!("the {some} turns")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_counted() {
        let lost = |turns| lost(turns).map(|text| text.split(':').next().unwrap_or_default().to_owned());
        assert_eq!(lost(0), None);
        assert_eq!(lost(1).as_deref(), Some("the agent knows nothing of the turn before this one"));
        assert_eq!(lost(3).as_deref(), Some("the agent knows nothing of the 3 turns before this one"));
        let text = missed(&Missed { turns: 2, nodes: vec![NodeId::new("a1"), NodeId::new("b2")] });
        assert!(
            text.contains("may know nothing of the 2 turns before this one, run by another Iris (node a1, b2):"),
            "{text}"
        );
    }
}
