import { useMutation, useQuery } from "@tanstack/react-query";

import { type Team, queries, teamsQuery } from "@/api/ask";
import { api, body } from "@/api/call";
import { Avatar } from "@/shell/avatar";
import { complain } from "@/shell/notices";
import { Unread } from "@/shell/unread";
import { Plain } from "@/text/plain";

import { Group, Setting } from "./settings";

/** The teams of the config, and whether what their folders bring along takes effect. */
export function Teams({ isAdmin }: { isAdmin: boolean }) {
  const { data: teams, error } = useQuery(teamsQuery);
  return (
    <Group title="Teams">
      {!teams && <Unread what="Which teams there are" error={error} isLine />}
      {teams?.length === 0 && <Setting title="None yet" text="`iris teams add .` in the folder of a project makes one; config.yaml in your IRIS_HOME has them all." />}
      {teams?.map((team) => (
        <TeamSetting key={team.name} team={team} isAdmin={isAdmin} />
      ))}
    </Group>
  );
}

function TeamSetting({ team, isAdmin }: { team: Team; isAdmin: boolean }) {
  const path = { params: { path: { name: team.name } } };
  const key = ["trust", team.name];
  const trust = useQuery({ queryKey: key, queryFn: () => body(api.GET("/api/teams/{name}/trust", path)) }).data;
  const change = useMutation({
    mutationFn: () => (trust?.trusted ? body(api.DELETE("/api/teams/{name}/trust", path)) : body(api.POST("/api/teams/{name}/trust", { ...path, body: { digest: trust?.digest ?? "" } }))),
    onSuccess: () => void queries.invalidateQueries({ queryKey: key }),
    onError: complain,
  });
  return (
    <Setting
      title={
        <span className="flex items-center gap-2">
          <Avatar name={team.name} /> <Plain text={team.name} /> <span className="shrink-0 text-xs font-normal text-dim">{team.agent}</span>
        </span>
      }
      text={
        <>
          <Plain text={[team.description, team.path].filter(Boolean).join(" · ")} />
          {trust && trust.files.length > 0 && (
            <span className={`block ${trust.trusted ? "" : "text-held"}`}>
              {trust.changed ? "Its settings have changed since they were trusted" : trust.trusted ? "Its own settings are trusted" : "Its own settings are not trusted and take no effect"}: <Plain text={trust.files.join(", ")} />
            </span>
          )}
        </>
      }
    >
      {isAdmin && trust && trust.files.length > 0 && (
        <button type="button" className="button" disabled={change.isPending} onClick={() => change.mutate()}>
          {trust.trusted ? "Stop trusting" : "Trust these files"}
        </button>
      )}
    </Setting>
  );
}
