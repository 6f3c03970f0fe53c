import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// For `npm run dev` only: requests go to a daemon that is running, with its owner's token.
function daemon() {
  const { IRIS_URL, IRIS_HOME } = process.env;
  if (!IRIS_URL || !IRIS_HOME) return undefined;
  const token = readFileSync(`${IRIS_HOME}/token`, "utf8").trim();
  return { "/api": { target: IRIS_URL, changeOrigin: true, headers: { Authorization: `Bearer ${token}`, Origin: IRIS_URL } } };
}

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: {
    alias: {
      "@": here("./src"),
      // It writes a <style> element when a dialog opens, which the page's content security policy refuses. The one rule
      // that mattered is in style.css.
      "react-style-singleton": here("./src/shell/no-style-singleton.ts"),
    },
  },
  build: {
    target: "es2022",
    // Nothing is put inline: the policy allows scripts, styles and pictures of our own only as files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    manifest: true,
    // What every page is made of is one file, and not a crumb for each part that pages share.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "ground", test: /node_modules\/(?!uplot|cmdk|@tanstack\/(react-)?virtual)|\/src\/(api|question|shell|text)\//, minShareCount: 2 }] } } },
  },
  server: { proxy: daemon() },
});
