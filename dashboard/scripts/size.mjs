// What a browser fetches before the first page can be used, as it goes over the wire. Fails above the limit.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT = 250_000;
const dist = new URL("../dist/", import.meta.url);
const chunks = JSON.parse(readFileSync(new URL(".vite/manifest.json", dist), "utf8"));

const files = new Set(["index.html", "theme.js", "icon.svg", "manifest.webmanifest"]);
const visit = (name) => {
  const { file, css = [], imports = [] } = chunks[name];
  if (files.has(file)) return;
  files.add(file);
  css.forEach((style) => files.add(style));
  imports.forEach(visit);
};
visit("index.html");
// Styles are in one file, which no chunk names.
Object.values(chunks).forEach(({ file }) => file.endsWith(".css") && files.add(file));

const size = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, dist))).length, 0);
console.log(`first page: ${(size / 1000).toFixed(1)} kB compressed in ${files.size} files, of at most ${LIMIT / 1000} kB`);
if (size > LIMIT) process.exit(1);
