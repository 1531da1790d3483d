// dist-site/docs: the guide and the API, beside the playground that `vite build web` has put into dist-site.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { tablesText } from "../../tests/bench/report/document.mjs";
import { fromRoot } from "../setup/environment.mjs";
import { writeApi } from "./api.mjs";
import { renderPage, siteHead } from "./guide.mjs";

const here = import.meta.dirname;
const docs = fromRoot("dist-site/docs");
const read = (path) => readFileSync(fromRoot(path), "utf8");

const titleOf = (markdown, file) => /^# (.+)$/m.exec(markdown)?.[1].replaceAll("`", "") ?? basename(file, ".md");

/** Pages that are no files of the repository, by the page that they follow. */
const made = {
  "docs/performance.md": {
    source: "docs/performance-tables.md",
    markdown: () => tablesText(JSON.parse(read("docs/performance/results.json"))),
  },
};

/** The sources, in the order of the navigation; `file` is the page's name in docs/. */
function sources() {
  const own = readdirSync(fromRoot("docs")).filter((name) => name.endsWith(".md"));
  const guides = [...own.sort().map((name) => `docs/${name}`), "conformance/README.md"];
  const files = ["README.md", ...guides, "CHANGELOG.md", "CONTRIBUTING.md"];
  const pages = files.flatMap((source) => {
    const page = { source, markdown: read(source) };
    const more = made[source];
    return more ? [page, { source: more.source, markdown: more.markdown() }] : [page];
  });
  return pages.map(({ source, markdown }) => {
    const name = source === "README.md" ? "Overview" : titleOf(markdown, source).split(/[:,]/)[0];
    // A folder's README is a page by the name of the folder.
    const page = basename(source) === "README.md" ? dirname(source) : basename(source, ".md").toLowerCase();
    const file = source === "README.md" ? "index.html" : `${page}.html`;
    return { source, markdown, name, file };
  });
}

/** Files that pages lead to, and the folder of the site that they are copied to. */
const copied = [
  [/\.(png|svg)$/, "pictures"],
  [/^conformance\/.+\.json$/, "conformance"],
  [/^docs\/performance\/.+\.json$/, "performance"],
];

/** Resolves a relative address of a source to its place in the site; pictures and vectors are taken along. */
function resolver(from, all) {
  return (address) => {
    const [path, fragment = ""] = address.split("#");
    const target = join(dirname(from), path);
    const page = all.find(({ source }) => source === target);
    if (page) return `./${page.file}${fragment && `#${fragment}`}`;
    const [, folder] = copied.find(([names]) => names.test(target)) ?? [];
    if (!folder || !existsSync(fromRoot(target))) return null;
    const copy = join(folder, basename(target));
    mkdirSync(join(docs, folder), { recursive: true });
    copyFileSync(fromRoot(target), join(docs, copy));
    return `./${copy}`;
  };
}

const index = read("dist-site/index.html");

/** The playground's stylesheet, whose name is made by its content. */
function stylesheet() {
  const found = /href="\.\/(assets\/[\w-]+\.css)"/.exec(index);
  if (!found) throw new Error("dist-site/index.html names no stylesheet: build the playground first");
  return `../${found[1]}`;
}

rmSync(docs, { recursive: true, force: true });
mkdirSync(docs, { recursive: true });
const all = sources();
const head = siteHead(index);
const pages = [...all, { file: "api/index.html", name: "API" }];
for (const { source, markdown, file } of all) {
  const title = titleOf(markdown, source);
  const made = renderPage({
    markdown,
    title,
    pages,
    current: file,
    stylesheet: stylesheet(),
    head,
    resolve: resolver(source, all),
  });
  writeFileSync(join(docs, file), made);
}
for (const name of ["docs.css", "theme.js"]) copyFileSync(join(here, name), join(docs, name));
// The search of these pages: before those of the API, which have their own.
const searched = join(docs, "search.json");
execFileSync(process.execPath, [fromRoot("dist/cli.js"), "index", docs, "--words"], { stdio: "inherit" });
// The name of the site, in the title of each page, is no news to those who search in it.
writeFileSync(searched, readFileSync(searched, "utf8").replaceAll(" · Ropewalk", ""));
for (const name of ["search.js", "search.LICENSE.txt"]) copyFileSync(fromRoot("dist", name), join(docs, name));
await writeApi(join(here, "typedoc.json"), join(docs, "api"), read("bindings/ts/index.ts"), head);
