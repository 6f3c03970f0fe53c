// A call in words. What its tool is and does is said by Iris, in words that hold for every kind of agent: here no tool is known
// by name.
import type { Shapes } from "@/api/call";

export type Input = Readonly<Record<string, unknown>>;
export type Meaning = Shapes["Meaning"];
export type Change = Shapes["Change"];

export interface Used {
  name: string;
  input: unknown;
  meaning: Meaning;
}

/** The name of a tool for people. One of a server of tools is said with its server: `ask_question (iris)`. */
export function toolName({ name, meaning: { served } }: Pick<Used, "name" | "meaning">): string {
  return served ? `${served.tool} (${served.server})` : name;
}

const SEARCHING = new Set(["finds", "searches", "searches_web"]);
const LOOKING = new Set(["looks", "reads", "lists", "fetches", ...SEARCHING]);

/** It only reads or searches: many of these in a row are one line. */
export const onlyLooks = ({ nature }: Meaning) => LOOKING.has(nature);

/** It starts a sub-agent, whose words come below it. */
export const startsAgent = ({ nature }: Meaning) => nature === "delegates";

/** It asks people. */
export const asksPeople = ({ nature }: Meaning) => nature === "asks";

export interface Letter {
  to: string;
  text: string;
}

/** A message from one agent to another, if the call is that. */
export function letter({ nature, to, about }: Meaning): Letter | undefined {
  return nature === "tells" ? { to: to ?? "everybody", text: about ?? "" } : undefined;
}

/** What the other said back. Iris answers with everything it knows of the turn; a person wants the words. */
export function reply(result: string): string {
  try {
    const { response, partialResponse, error } = JSON.parse(result) as Record<string, unknown>;
    return [response, partialResponse, error].find((part): part is string => typeof part === "string" && part !== "") ?? result;
  } catch {
    return result;
  }
}

/** What the call is about, in one line. */
export function subject({ input, meaning: { about, place } }: Pick<Used, "input" | "meaning">): string {
  if (about != null) return place == null ? about : `${about} in ${place}`;
  const isEmpty = input == null || (typeof input === "object" && Object.keys(input).length === 0);
  return isEmpty ? "" : JSON.stringify(input);
}

/** A run of looking, counted: 3 reads, 2 searches. */
export function countLooks(looks: Meaning[]): string {
  const searches = looks.filter(({ nature }) => SEARCHING.has(nature)).length;
  const reads = looks.length - searches;
  const parts = [reads && `${reads} read${reads > 1 ? "s" : ""}`, searches && `${searches} search${searches > 1 ? "es" : ""}`];
  return parts.filter(Boolean).join(", ");
}
