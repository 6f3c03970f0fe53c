import { memo, useState } from "react";

import { pieces } from "./visible";

/** Text of an agent or a person, with nothing in it that takes effect. */
export const Plain = memo(function Plain({ text }: { text: string }) {
  return (
    <bdi>
      {pieces(text).map((piece, index) =>
        piece.hidden === undefined ? (
          piece.text
        ) : (
          <span key={index} className="hidden-character" title={piece.name}>
            {piece.hidden}
          </span>
        ),
      )}
    </bdi>
  );
});

const SHOWN = 12_000;

/** Longer text in a fixed-width block, folded when there is very much of it. */
export function Block({ text, className = "" }: { text: string; className?: string }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > SHOWN;
  return (
    <>
      <pre className={`said max-h-96 overflow-auto whitespace-pre-wrap font-mono text-xs ${className}`} tabIndex={0}>
        <Plain text={cut ? text.slice(0, SHOWN) : text} />
      </pre>
      {cut && (
        <button type="button" className="link mt-1 text-xs" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </>
  );
}
