//! What the system says of a process.

/// Whether a process was stopped by a signal (or is being traced): it is there, but will not answer.
pub fn is_frozen(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    // The state follows the name, which stands in brackets and may hold anything.
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    matches!(state, Some('T' | 't'))
}
