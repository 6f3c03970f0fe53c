//! The pool's one rule: may this session have an agent now, and at whose cost?

use serde::{Deserialize, Serialize};

use crate::id::SessionId;

/// What the pool knows of one agent.
#[derive(Clone, Debug)]
pub struct PoolMember {
    pub session: SessionId,
    pub phase: PoolPhase,
    /// Larger is more recent. Only the order counts.
    pub last_used: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolPhase {
    Spawning,
    Idle,
    Busy,
    Stopping,
}

#[derive(Clone, Copy, Debug)]
pub struct PoolLimits {
    /// How many agents may be alive at once.
    pub processes: usize,
    /// How many may be starting at once: a start is a burst of work for a core.
    pub spawning: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The session has an agent already.
    Reuse,
    Spawn,
    /// Put this idle agent to sleep, then ask again.
    Evict(SessionId),
    Wait(WaitReason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitReason {
    /// Every place is taken by an agent at work.
    PoolBusy,
    /// A place is being cleared.
    PlaceClearing,
    /// Enough agents are starting at this moment.
    StartingOthers,
    /// This session's own previous agent has not ended yet.
    OwnAgentEnding,
}

/// `ahead` is how many sessions were waiting before this one: the places that are being cleared are theirs.
pub fn admit(members: &[PoolMember], limits: PoolLimits, wanted: &SessionId, ahead: usize) -> Admission {
    if let Some(own) = members.iter().find(|member| member.session == *wanted) {
        return match own.phase {
            PoolPhase::Stopping => Admission::Wait(WaitReason::OwnAgentEnding),
            _ => Admission::Reuse,
        };
    }
    let count = |phase| members.iter().filter(|member| member.phase == phase).count();
    let free = limits.processes.saturating_sub(members.len());
    if free <= ahead {
        if count(PoolPhase::Stopping) + free > ahead {
            return Admission::Wait(WaitReason::PlaceClearing);
        }
        let idle = members.iter().filter(|member| member.phase == PoolPhase::Idle);
        return match idle.min_by_key(|member| member.last_used) {
            Some(oldest) => Admission::Evict(oldest.session.clone()),
            None => Admission::Wait(WaitReason::PoolBusy),
        };
    }
    if count(PoolPhase::Spawning) >= limits.spawning {
        return Admission::Wait(WaitReason::StartingOthers);
    }
    Admission::Spawn
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(name: &str) -> SessionId {
        SessionId::new(name)
    }

    /// `a:idle b:busy`, in the order of their last use.
    fn pool(members: &str) -> Vec<PoolMember> {
        members
            .split_whitespace()
            .enumerate()
            .map(|(n, member)| {
                let (name, phase) = member.split_once(':').expect("name:phase");
                let phase = match phase {
                    "spawning" => PoolPhase::Spawning,
                    "idle" => PoolPhase::Idle,
                    "busy" => PoolPhase::Busy,
                    _ => PoolPhase::Stopping,
                };
                PoolMember { session: id(name), phase, last_used: n as u64 }
            })
            .collect()
    }

    fn check(members: &str, processes: usize, ahead: usize, expected: Admission) {
        let limits = PoolLimits { processes, spawning: 2 };
        assert_eq!(admit(&pool(members), limits, &id("x"), ahead), expected, "{members}");
    }

    #[test]
    fn places_are_given_in_order_and_never_taken_from_a_busy_agent() {
        check("", 2, 0, Admission::Spawn);
        check("x:idle", 2, 0, Admission::Reuse);
        check("x:spawning", 2, 0, Admission::Reuse);
        check("x:stopping", 2, 0, Admission::Wait(WaitReason::OwnAgentEnding));
        check("a:idle b:idle", 2, 0, Admission::Evict(id("a")));
        check("a:busy b:idle", 2, 0, Admission::Evict(id("b")));
        check("a:busy b:busy", 2, 0, Admission::Wait(WaitReason::PoolBusy));
        check("a:stopping b:idle", 2, 0, Admission::Wait(WaitReason::PlaceClearing));
        check("a:stopping b:idle", 2, 1, Admission::Evict(id("b")));
        check("a:spawning b:spawning", 4, 0, Admission::Wait(WaitReason::StartingOthers));
        check("a:idle", 2, 1, Admission::Evict(id("a")));
    }

    fn phase() -> impl Strategy<Value = PoolPhase> {
        prop_oneof![Just(PoolPhase::Spawning), Just(PoolPhase::Idle), Just(PoolPhase::Busy), Just(PoolPhase::Stopping)]
    }

    proptest! {
        #[test]
        fn the_pool_keeps_its_bounds(
            phases in proptest::collection::vec(phase(), 0..12),
            processes in 1usize..12,
            spawning in 1usize..4,
            ahead in 0usize..4,
        ) {
            let members: Vec<_> = phases
                .iter()
                .enumerate()
                .map(|(n, phase)| PoolMember { session: id(&n.to_string()), phase: *phase, last_used: (n as u64 * 7) % 5 })
                .collect();
            let phase_of = |session: &SessionId| members.iter().find(|m| m.session == *session).map(|m| m.phase);
            let starting = phases.iter().filter(|p| **p == PoolPhase::Spawning).count();
            match admit(&members, PoolLimits { processes, spawning }, &id("x"), ahead) {
                Admission::Spawn => {
                    prop_assert!(members.len() < processes, "one more than allowed");
                    prop_assert!(starting < spawning, "too many starting");
                }
                Admission::Evict(victim) => {
                    prop_assert_eq!(phase_of(&victim), Some(PoolPhase::Idle), "only an idle agent may be evicted");
                    let used = |s: &SessionId| members.iter().find(|m| m.session == *s).map(|m| m.last_used);
                    let oldest = members.iter().filter(|m| m.phase == PoolPhase::Idle).map(|m| m.last_used).min();
                    prop_assert_eq!(used(&victim), oldest, "the least recently used goes first");
                }
                Admission::Wait(WaitReason::PoolBusy) => {
                    prop_assert!(!phases.contains(&PoolPhase::Idle), "an idle agent could have gone");
                }
                Admission::Wait(_) => {}
                Admission::Reuse => prop_assert!(false, "x has no agent"),
            }
        }
    }
}
