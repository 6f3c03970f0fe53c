/** Who speaks, in a word. A job speaks under a name that only machines read. */
export function partyName(party: string, me: string): string {
  return party === me ? "you" : party.startsWith("job-") ? "a job" : party;
}
