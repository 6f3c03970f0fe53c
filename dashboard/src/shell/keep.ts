// What this browser remembers: small choices, never anything secret.
import { Watched } from "@/api/watch";

export function kept<T>(name: string, start: T): Watched<T> {
  const watched = new Watched<T>(read(name) ?? start);
  watched.subscribe(() => {
    try {
      localStorage.setItem(`iris.${name}`, JSON.stringify(watched.get()));
    } catch {
      // Storage is full or switched off: the choice then holds until the page is closed.
    }
  });
  return watched;
}

function read<T>(name: string): T | undefined {
  try {
    const text = localStorage.getItem(`iris.${name}`);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}
