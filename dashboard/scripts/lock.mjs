// Makes the lock file good for every machine. It names versions and checksums, not where they came from: npm asks the
// registry it is set to. And it names the packages of other systems as well: npm leaves out those that it cannot see from
// here, and `npm ci` then refuses the file. With --check it only says whether there is something to do.
import { readFileSync, writeFileSync } from "node:fs";

const path = new URL("../package-lock.json", import.meta.url);
const before = readFileSync(path, "utf8");
const lock = JSON.parse(before);

const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const PROCESSORS = ["arm64", "arm", "ia32", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

for (const entry of Object.values(lock.packages)) {
  delete entry.resolved;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (lock.packages[`node_modules/${name}`] || !/^\d/.test(version)) continue;
    const words = name.split("/").at(-1).split("-");
    const os = words.filter((word) => SYSTEMS.includes(word));
    const cpu = words.filter((word) => PROCESSORS.includes(word));
    lock.packages[`node_modules/${name}`] = { version, dev: true, optional: true, ...(cpu.length && { cpu }), ...(os.length && { os }) };
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([one], [other]) => (one < other ? -1 : 1)));

const after = `${JSON.stringify(lock, null, 2)}\n`;
if (before === after) process.exit(0);
if (process.argv.includes("--check")) {
  console.error("package-lock.json is not good for every machine; `npm run lock` makes it so");
  process.exit(1);
}
writeFileSync(path, after);
