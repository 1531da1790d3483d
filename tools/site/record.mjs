// Results that pages show before anything has been computed in them: web/pages/<page>/recorded.json, by the record.ts
// beside it. `node tools/site/record.mjs [page ...]` after the package has been built.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { formatWritten } from "../run/format.mjs";
import { fromRoot } from "../setup/environment.mjs";

const folder = fromRoot("web/pages");
const wanted = process.argv.slice(2);
const pages = readdirSync(folder).filter((page) => existsSync(join(folder, page, "record.ts")));
const { load } = await import(pathToFileURL(fromRoot("dist/node.js")).href);
const ropewalk = await load();
const written = [];
for (const page of pages.filter((name) => wanted.length === 0 || wanted.includes(name))) {
  const outfile = fromRoot("build/record", `${page}.mjs`);
  await build({
    entryPoints: [join(folder, page, "record.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["ropewalk"],
    target: "node20",
    logLevel: "error",
  });
  const { record } = await import(pathToFileURL(outfile).href);
  written.push(join(folder, page, "recorded.json"));
  writeFileSync(written.at(-1), `${JSON.stringify(await record(ropewalk))}\n`);
}
formatWritten(written);
process.exit(0);
