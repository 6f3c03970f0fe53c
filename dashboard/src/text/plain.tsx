import { memo, use, useState } from "react";

import { ScrollBox, Witnessed } from "./scroll";
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

/** Of what is to be approved nearly always everything. */
const SHOWN = { past: 12_000, asked: 500_000 };

/** Longer text in a fixed-width block, folded when there is very much of it. */
export function Block({ text, name = "", className = "" }: { text: string; /** Which of the texts of a call it is. */ name?: string; className?: string }) {
  const [whole, setWhole] = useState(false);
  const most = use(Witnessed) ? SHOWN.asked : SHOWN.past;
  const cut = !whole && text.length > most;
  const shown = cut ? text.slice(0, most) : text;
  return (
    <>
      <ScrollBox name={name} more={cut ? text.slice(most).split("\n").length : 0} className={`said whitespace-pre-wrap font-mono text-xs ${className}`}>
        <Plain text={shown} />
      </ScrollBox>
      {cut && (
        <button type="button" className="link mt-1 text-xs" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </>
  );
}
