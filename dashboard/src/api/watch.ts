// A value that components watch, outside of React: the few things that change without a request.
import { useSyncExternalStore } from "react";

export class Watched<T> {
  private listeners = new Set<() => void>();
  private value: T;

  constructor(value: T) {
    this.value = value;
  }

  get = () => this.value;

  set = (value: T) => {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of this.listeners) listener();
  };

  update = (change: (value: T) => T) => this.set(change(this.value));

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export function useWatched<T>(watched: Watched<T>): T {
  return useSyncExternalStore(watched.subscribe, watched.get);
}

/** Calls at once, and once more at the end if it was asked for meanwhile: quick for one event, bounded for many. */
export function throttle(act: () => void, pause: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let again = false;
  return function call() {
    if (timer !== undefined) {
      again = true;
      return;
    }
    act();
    timer = setTimeout(() => {
      timer = undefined;
      if (!again) return;
      again = false;
      call();
    }, pause);
  };
}
