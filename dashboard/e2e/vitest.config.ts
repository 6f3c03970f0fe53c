// The tests with a daemon and a browser. One file at a time: each has a daemon of its own, and they share the machine.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { root: import.meta.dirname, include: ["*.test.ts"], fileParallelism: false, testTimeout: 300_000, hookTimeout: 60_000 },
});
