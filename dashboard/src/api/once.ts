// One key for one wish, however often it is sent: if only the answer was lost on the way, it is not done a second time.
import { isPassing } from "./call";

const wishes = new Map<string, { words: string; key: string }>();

/** Sends what is wished for at a place, `words` being all that makes it what it is. Its key stays the same until it is
 * granted or refused, or something else is wished for there. */
export async function once<T>(place: string, words: string, send: (key: string) => Promise<T>): Promise<T> {
  const known = wishes.get(place);
  const wish = known?.words === words ? known : { words, key: crypto.randomUUID() };
  wishes.set(place, wish);
  const settle = () => wishes.get(place) === wish && wishes.delete(place);
  try {
    const granted = await send(wish.key);
    settle();
    return granted;
  } catch (error) {
    if (!isPassing(error)) settle();
    throw error;
  }
}
