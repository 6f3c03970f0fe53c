// What this browser remembers: small choices, never anything secret. Its tabs know of each other's.
import { Watched } from "@/api/watch";

class Kept<T> extends Watched<T> {
  constructor(name: string, start: T, where: Where) {
    const place = `iris.${name}`;
    super(parse<T>(load(where, place)) ?? start);
    const [set, get] = [this.set, this.get];
    const keep = (value: T) => {
      if (Object.is(value, get())) return;
      // First, so that whoever hears of it finds it there.
      save(where, place, JSON.stringify(value));
      set(value);
    };
    this.set = keep;
    // Another tab may have changed it since, and not have been heard yet.
    this.update = (change) => keep(change(parse<T>(load(where, place)) ?? get()));
    const hear = ({ key, newValue }: StorageEvent) => key === place && set(parse<T>(newValue) ?? start);
    if (typeof addEventListener === "function") addEventListener("storage", hear);
  }
}

type Where = () => Pick<Storage, "getItem" | "setItem">;

export const kept = <T>(name: string, start: T, where: Where = () => localStorage): Watched<T> => new Kept(name, start, where);

function load(where: Where, place: string): string | null {
  try {
    return where().getItem(place);
  } catch {
    return null;
  }
}

function save(where: Where, place: string, text: string) {
  try {
    where().setItem(place, text);
  } catch {
    // Storage is full or switched off: the choice then holds until the page is closed.
  }
}

function parse<T>(text: string | null): T | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}
