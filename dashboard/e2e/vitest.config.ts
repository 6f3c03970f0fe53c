// The tests with a daemon and a browser. One file at a time: each has a daemon of its own, and they share the machine.
// In CI a test that fails is tried once more, and named as one that was (CONTRIBUTING.md).
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { root: import.meta.dirname, include: ["*.test.ts"], fileParallelism: false, retry: process.env["CI"] ? 1 : 0, testTimeout: 300_000, hookTimeout: 60_000 },
});
