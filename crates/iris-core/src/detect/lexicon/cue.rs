//! What a phrase may mean.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::detect) enum Cue {
    /// "Shall I …": asks leave for a step of its own, and cannot be anything else.
    Leave,
    /// "Want me to …", "… sound good": asks for a yes, if it is a question.
    Consent,
    /// "you", "your": speaks to the human.
    Address,
    /// "which", "prefer": asks to choose.
    Which,
    /// "which one", "which of": asks to choose between what was named.
    Choose,
    /// "how would you like to proceed": asks what to do now.
    Course,
    /// A word that begins a question.
    Asking,
    /// "where", "who", "which version": asks for what only the human can know.
    Fact,
    /// "what", "how": cannot be answered with a yes.
    What,
    /// "please paste", "send me": wants something, without a question mark.
    Request,
    /// "please confirm", "reply go": wants a yes, without a question mark.
    Confirm,
    /// "tell me which": wants a choice, without a question mark.
    Pick,
    /// "waiting for your", "once you confirm": says that it waits.
    Wait,
    /// "if you want", "let me know if": would do more.
    Offer,
    /// "anything else", "does that make sense": closes politely.
    Closer,
    /// "how can I help": a closing after work, a question before any.
    Idle,
    /// "why is that", "what if": asks itself.
    Rhetoric,
    /// "because", "yes", at the beginning: answers what was just asked.
    Answer,
    /// "I went with": has decided.
    Decision,
    /// "asked whether", "the question of": speaks about a question.
    Reported,
    /// "failed", "denied".
    Failure,
    /// "done", "fixed".
    Done,
    /// "or" between two things.
    Or,
    /// "please note": wants nothing.
    Note,
    /// "here are": what follows was asked for.
    Present,
    /// "if", "in case": what follows holds only then.
    Condition,
    /// "I can": with a condition, an offer.
    Able,
    /// A question by its last word, with or without a mark.
    Asks,
    /// "the spec does not say": why the question cannot be answered without the human.
    Gap,
    /// "for context", "in the meantime": what follows is no answer and no way on.
    Aside,
    /// "I had asked": a question of its own that was put before.
    Recap,
    /// "you said", after such a question: how it was answered.
    Told,
    /// "the spec", "the ticket": where it might have been said. One of a pair, as are those that follow (`pair.rs`).
    Source,
    /// "doesn't cover", "nothing": that it is not said.
    Silent,
    /// "I'll wait for": that it does nothing until then.
    Await,
    /// "the green light", "thumbs-up": a yes by its name.
    Yes,
    /// "grant", "add": something only the human can do, as a sentence begins.
    Do,
    /// "please", "me", "and I'll": that it is wanted, and for whom.
    Sake,
    /// "the measurement", "the test": what may answer.
    Evidence,
    /// "shows", "confirmed": that it did.
    Shows,
    /// "tell me", "say": that it wants to hear something.
    Tell,
    /// "which": that it is one of several.
    WhichOne,
    /// "somebody has to", "in your hands": that another has to do it.
    Must,
    /// "I have no rights": that the agent cannot.
    Unable,
    /// "to continue": what it would do next.
    Further,
    /// "I need": what it has not.
    Need,
    /// "please run", "once you've logged in": what the human does first. One of a pair again.
    Once,
    /// "tell me": and then says so.
    Back,
    /// "no objections", "looks right": that the human agrees.
    Fine,
    /// "I'll", "next I": what the agent does then.
    Step,
    /// Both: a step that waits for a yes, if there is an "if".
    Agreed,
    /// A measurement that shows it: an answer to what was not put to the human.
    Shown,
    /// "once", "when": until then it waits. What follows is one of three (`errand.rs`).
    Reached,
    /// "tell me", "let me know": and then says so.
    Say,
    /// "before I start": what waits for it.
    Before,
    /// "could you": asks for a deed, if it is a question.
    Plea,
    /// "reply", "say": what is wanted is said in a word.
    Reply,
    /// "please:", "do the following": what is listed is wanted.
    Lead,
    /// "share", "describe": what a listed wish begins with.
    Listed,
    /// "把": what is told or sent.
    Object,
    /// "still", "doesn't": that it is not as it should be.
    Still,
    /// "want", "feel like": that it is as the human likes.
    Wanted,
    /// "next instructions": whatever comes.
    More,
    /// "the result", "each output": what a step gave.
    Outcome,
    /// "please continue", "keep": as before.
    GoOn,
    /// "sharing", "uploading": what the human has been doing.
    Sending,
    /// "you're done checking": that the human has seen enough.
    Looked,
    /// "remove", "revert": that the agent tidies up.
    Undo,
    /// "any other", "something else": whatever it may be.
    Else,
    /// "you'd like", "do you need": what the human may want.
    Wish,
    /// "if I can start": what a yes is for.
    Permit,
    /// "the plan": what has not been done yet.
    Plan,
    /// "please review": that the human is to look at it.
    Review,
    /// "please", "reload": what the human does before the agent goes on (`turn.rs`).
    Deed,
    /// "you approve": what the agent waits for before it goes on.
    Agree,
    /// "I can't continue": that the work ends there.
    Stuck,
    /// "recommended answer": so that one is wanted.
    Advice,
    /// "first": before anything else.
    First,
    /// "I won't change": that the agent does nothing.
    Hold,
    /// "until you": and for how long.
    Until,
    /// "one point stays open": that nobody has said it yet. With silence, one of a pair.
    Unsettled,
    /// "once you've run it": what the agent does next comes after it. One of a pair.
    Theirs,
    /// A pattern of the deployment's own.
    Pattern,
}

impl Cue {
    /// By its name in the files of phrases.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "leave" => Self::Leave,
            "consent" => Self::Consent,
            "address" => Self::Address,
            "which" => Self::Which,
            "choose" => Self::Choose,
            "course" => Self::Course,
            "asking" => Self::Asking,
            "fact" => Self::Fact,
            "what" => Self::What,
            "present" => Self::Present,
            "request" => Self::Request,
            "confirm" => Self::Confirm,
            "pick" => Self::Pick,
            "wait" => Self::Wait,
            "offer" => Self::Offer,
            "closer" => Self::Closer,
            "idle" => Self::Idle,
            "rhetoric" => Self::Rhetoric,
            "answer" => Self::Answer,
            "decision" => Self::Decision,
            "reported" => Self::Reported,
            "failure" => Self::Failure,
            "done" => Self::Done,
            "or" => Self::Or,
            "note" => Self::Note,
            "condition" => Self::Condition,
            "able" => Self::Able,
            "asks" => Self::Asks,
            "gap" => Self::Gap,
            "aside" => Self::Aside,
            "recap" => Self::Recap,
            "told" => Self::Told,
            "source" => Self::Source,
            "silent" => Self::Silent,
            "await" => Self::Await,
            "yes" => Self::Yes,
            "do" => Self::Do,
            "sake" => Self::Sake,
            "evidence" => Self::Evidence,
            "shows" => Self::Shows,
            "shown" => Self::Shown,
            "tell" => Self::Tell,
            "which one" => Self::WhichOne,
            "must" => Self::Must,
            "unable" => Self::Unable,
            "further" => Self::Further,
            "need" => Self::Need,
            "once" => Self::Once,
            "back" => Self::Back,
            "fine" => Self::Fine,
            "step" => Self::Step,
            "reached" => Self::Reached,
            "say" => Self::Say,
            "before" => Self::Before,
            "plea" => Self::Plea,
            "reply" => Self::Reply,
            "lead" => Self::Lead,
            "listed" => Self::Listed,
            "object" => Self::Object,
            "still" => Self::Still,
            "wanted" => Self::Wanted,
            "more" => Self::More,
            "outcome" => Self::Outcome,
            "go on" => Self::GoOn,
            "sending" => Self::Sending,
            "looked" => Self::Looked,
            "undo" => Self::Undo,
            "else" => Self::Else,
            "wish" => Self::Wish,
            "permit" => Self::Permit,
            "plan" => Self::Plan,
            "review" => Self::Review,
            "deed" => Self::Deed,
            "agree" => Self::Agree,
            "stuck" => Self::Stuck,
            "advice" => Self::Advice,
            "first" => Self::First,
            "hold" => Self::Hold,
            "until" => Self::Until,
            "unsettled" => Self::Unsettled,
            "theirs" => Self::Theirs,
            _ => return None,
        })
    }
}

/// A set of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::detect) struct Cues(u128);

impl Cues {
    pub const fn of(cues: &[Cue]) -> Self {
        let mut set = 0_u128;
        let mut index = 0;
        while index < cues.len() {
            set |= 1_u128 << cues[index] as u8;
            index += 1;
        }
        Self(set)
    }

    pub const fn with(self, cue: Cue) -> Self {
        Self(self.0 | 1_u128 << cue as u8)
    }

    pub fn add(&mut self, cue: Cue) {
        self.0 |= 1_u128 << cue as u8;
    }

    pub fn has(self, cue: Cue) -> bool {
        self.0 & (1_u128 << cue as u8) != 0
    }

    pub fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}
