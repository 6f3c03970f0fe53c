import { Plain } from "@/text/plain";

import { partyName } from "./party-name";

export function PartyName({ party, me }: { party: string; me: string }) {
  return <Plain text={partyName(party, me)} />;
}
