import { useQuery } from "@tanstack/react-query";

import { configQuery } from "@/api/config";
import { Unread } from "@/shell/unread";
import { Block, Plain } from "@/text/plain";
import { Moment } from "@/text/time";

import { pendingLine } from "./pending";
import { Group, Setting } from "./settings";

/** What is waited for before a changed file is used. */
const AWAITED: Record<string, string> = {
  rest: "The file has changed and is not read yet.",
  writer: "The file has changed and is not used yet: somebody still has it open to write to.",
};

/** What is in force, which may not be what the file says. */
export function Config() {
  const { data: config, error } = useQuery(configQuery);
  if (!config)
    return (
      <Group title="Config">
        <Unread what="What is in force" error={error} isLine />
      </Group>
    );
  return (
    <Group title="Config">
      <Setting title={<Plain text={config.file} />} text={config.refused ? undefined : config.waitingSince ? AWAITED[config.waitingFor ?? "rest"] : config.pending.length ? undefined : "The file says what is in force. A change takes effect when it is saved, whole or not at all."} />
      {config.refused && (
        <Setting
          title={<span className="text-bad">The file as it is now is not used</span>}
          text={
            <>
              <span className="my-1 block font-mono whitespace-pre-wrap text-ink">
                <Plain text={config.refused} />
              </span>
              {config.refusedAt != null && (
                <>
                  Since <Moment at={config.refusedAt} />.{" "}
                </>
              )}
              What was in force before still is.
            </>
          }
        />
      )}
      {config.pending.length > 0 && <Setting title={<span className="text-held">Takes effect with the next start</span>} text={config.pending.map(pendingLine).map((line) => (
            <span key={line} className="block font-mono">
              <Plain text={line} />
            </span>
          ))} />}
      <details className="px-3 py-2">
        <summary>Everything that is in force, defaults too</summary>
        <Block text={JSON.stringify(config.config, null, 2)} className="mt-2" />
      </details>
    </Group>
  );
}
