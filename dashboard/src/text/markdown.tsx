// The part of Markdown that agents use, as elements. Raw HTML is shown as the text it is, pictures are not fetched, and a
// link says where it goes.
import { type Token, type Tokens, lexer } from "marked";
import { Fragment, type ReactNode, memo } from "react";

import { Block, Plain } from "./plain";

const LONGEST = 60_000;

/** Quotes and lists in each other are indented this many times, and no further: else what they hold leaves the window. */
const DEEPEST = 4;

/** A line of so many marks is no quote and no list that anybody meant, and takes the parser more than it has. */
const ONLY_MARKS = /^(?:[ \t]*(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){400}/m;

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  if (text.length > LONGEST || ONLY_MARKS.test(text)) return <Block text={text} />;
  return <div className="markdown said">{blocks(lexer(text, { gfm: true }), 0)}</div>;
});

function blocks(tokens: Token[], depth: number): ReactNode {
  const shown = depth < DEEPEST ? tokens.map((token) => block(token, depth)) : flat(tokens);
  return shown.map((node, index) => <Fragment key={index}>{node}</Fragment>);
}

function block(token: Token, depth: number): ReactNode {
  switch (token.type) {
    case "space":
      return null;
    case "hr":
      return <hr />;
    case "code":
      return <Block text={token.text as string} className="rounded bg-raised p-2" />;
    case "heading":
      // The page has headings of its own; these are an agent's.
      return <p className="font-semibold">{inline(token.tokens)}</p>;
    case "blockquote":
      return <blockquote>{blocks(token.tokens ?? [], depth + 1)}</blockquote>;
    case "list":
      return list(token as Tokens.List, depth + 1);
    case "table":
      return table(token as Tokens.Table);
    case "paragraph":
      return <p>{inline(token.tokens)}</p>;
    case "text":
      return token.tokens ? inline(token.tokens) : <Plain text={token.text as string} />;
    default:
      return (
        <p>
          <Plain text={token.raw} />
        </p>
      );
  }
}

function list(token: Tokens.List, depth: number): ReactNode {
  const items = token.items.map((item, index) => (
    <li key={index}>
      <Done item={item} />
      {blocks(contents(item), depth)}
    </li>
  ));
  if (!token.ordered) return <ul>{items}</ul>;
  const start = Number(token.start) || 1;
  // A long number has no room beside its item.
  return <ol start={start} className={start + items.length > 99 ? "list-inside" : undefined}>{items}</ol>;
}

const isIndented = ({ type }: Token) => type === "list" || type === "blockquote";

/** One below the other, not indented: an item and then what is in its own lists. */
function flat(tokens: Token[]): ReactNode[] {
  return tokens.flatMap((token) => {
    if (token.type === "blockquote") return flat(token.tokens ?? []);
    if (token.type !== "list") return [block(token, DEEPEST)];
    const { items, ordered, start } = token as Tokens.List;
    return items.flatMap((item, index) => {
      const own = contents(item).filter((part) => !isIndented(part));
      const line = (
        <div>
          {ordered ? `${(Number(start) || 1) + index}. ` : "• "}
          <Done item={item} />
          {blocks(own, DEEPEST)}
        </div>
      );
      return [...(own.length > 0 ? [line] : []), ...flat(contents(item).filter(isIndented))];
    });
  });
}

const contents = (item: Tokens.ListItem) => item.tokens.filter(({ type }) => type !== "checkbox");

function Done({ item }: { item: Tokens.ListItem }) {
  return item.task ? <span aria-label={item.checked ? "done" : "not done"}>{item.checked ? "☑ " : "☐ "}</span> : null;
}

function table(token: Tokens.Table): ReactNode {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="table">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              <th key={index}>{inline(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: Token[] | undefined): ReactNode {
  return (tokens ?? []).map((token, index) => <Fragment key={index}>{span(token)}</Fragment>);
}

function span(token: Token): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens)}</strong>;
    case "em":
      return <em>{inline(token.tokens)}</em>;
    case "del":
      return <del>{inline(token.tokens)}</del>;
    case "codespan":
      return (
        <code>
          <Plain text={token.text as string} />
        </code>
      );
    case "br":
      return <br />;
    case "link":
      return <Link token={token as Tokens.Link} />;
    case "image":
      return (
        <span className="text-dim">
          [picture: <Plain text={(token.text as string) || "without a name"} />, <Plain text={token.href as string} />]
        </span>
      );
    case "text":
    case "escape":
      return token.type === "text" && token.tokens ? inline(token.tokens) : <Plain text={token.text as string} />;
    default:
      return <Plain text={token.raw} />;
  }
}

/** Only addresses that a browser merely opens. A link that reads otherwise than it goes says where it goes. */
function Link({ token }: { token: Tokens.Link }) {
  const host = safeHost(token.href);
  if (host === undefined) return <Plain text={token.raw} />;
  const shown = token.text === token.href || token.text === host;
  return (
    <>
      <a className="link" href={token.href} target="_blank" rel="noopener noreferrer nofollow">
        {inline(token.tokens)}
      </a>
      {!shown && <span className="text-dim"> ({host})</span>}
    </>
  );
}

export function safeHost(href: string): string | undefined {
  try {
    const url = new URL(href);
    return ["http:", "https:"].includes(url.protocol) ? url.host : undefined;
  } catch {
    return undefined;
  }
}
