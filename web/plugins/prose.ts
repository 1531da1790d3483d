import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { meanings, type TermName } from "../components/meanings.js";
import { documentation, groups, type PageName, pageNames, pages, pathOf } from "../pages/index.js";
import { lines } from "../pages/story/lines.mjs";
import { drawings } from "../pages/story/scenes.js";
import { SCENES } from "../pages/story/state.js";
import { citation, opening, stillFile, stillOf } from "../pages/story/stills.js";
import { withMaths } from "./maths.js";

const indent = (html: string, by: string) => html.trim().replaceAll("\n", `\n${by}`);
export const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** A link of the gallery, as a page's examples.json lists it, or a step of its guide.json. */
interface Example {
  /** The fields of the address; an object stands for its JSON text. */
  readonly fields: Readonly<Record<string, string | object>>;
  readonly title: string;
  /** One sentence on what there is to see. */
  readonly sentence: string;
}

/** `query` has the state of the page. */
const addressIn = (page: string, query: string) => pathOf(page) + (query && `#${page}?${query}`);

function addressOf(page: PageName, fields: Example["fields"]): string {
  const texts = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value, null, 2),
  ]);
  const query = new URLSearchParams(texts).toString();
  return addressIn(page, query);
}

function galleryItem(page: PageName, { fields, title, sentence }: Example): string {
  const address = addressOf(page, fields);
  return `<li><a href="${escaped(address)}">${escaped(title)}</a> <span>${escaped(sentence)}</span></li>`;
}

/** Three steps through a page, each a link that sets it; main.tsx marks the one whose state is shown, which tells its sentence. */
function guide(page: PageName, steps: readonly Example[]): string {
  if (steps.length === 0) return "";
  const items = steps.map(
    ({ fields, title, sentence }) =>
      `<li><a class="guide-step" href="${escaped(addressOf(page, fields))}">${escaped(title)}</a> <span>${escaped(sentence)}</span></li>`,
  );
  return `<ol class="guide" aria-label="A guide in three steps">${items.join("")}</ol>`;
}

/** `<term name="pair">pairs</term>` as components/term.tsx renders it. */
const withTerms = (page: PageName, prose: string) =>
  prose.replace(/<term name="([\w ]+)">([^<]*)<\/term>/g, (_, name: TermName, word: string) => {
    if (!(name in meanings)) throw new Error(`The prose of ${page} has a term without a meaning: ${name}`);
    const id = `term-${page}-${name.replaceAll(" ", "-")}`;
    return (
      `<button type="button" class="term" popovertarget="${id}" aria-describedby="${id}">${word}</button>` +
      `<span class="term-meaning" id="${id}" popover role="tooltip">${escaped(meanings[name])}</span>`
    );
  });

/**
 * The title and the sentences of a page stand in the HTML itself: they are there before any script, and without. Of the Lab
 * and the Models the first paragraph stands before the figures and the others behind them.
 */
function section(page: PageName, prose: string, steps: readonly Example[]): string {
  const html = withMaths(withTerms(page, prose));
  const cut = page === "story" ? html.length : html.indexOf("</p>") + 4;
  const rest = html.slice(cut).trim();
  return `<!-- page ${page} --><section class="page" id="${page}-page" aria-labelledby="${page}-title">
        <div class="prose">
          ${indent(html.slice(0, cut), "          ")}
          ${guide(page, steps)}
        </div>
        <div class="slot" id="${page}-slot"></div>
        ${rest && `<div class="prose">${indent(rest, "          ")}</div>`}
      </section><!-- /page -->`;
}

/** Links as texts write them, `#page?state`, as addresses. */
const withAddresses = (html: string) =>
  html.replace(/ href="#([\w-]+)(?:\?([^"]*))?"/g, (link, name: string, query = "") =>
    name in pages ? ` href="${addressIn(name, query)}"` : link,
  );

/** Size of what a page loads to rotate, from a sentence of docs/guide.md, which is tested. */
function packageSize(guide: string): string {
  const size = /a page loads (\d+) KB for loading and rotation/.exec(guide)?.[1];
  if (!size) throw new Error("docs/guide.md does not say what a page loads for rotation");
  return `${size} KB`;
}

/** The five tabs, and under them the pages of each tab that has several; one such row is in sight (main.tsx). */
function tabs(): string {
  const link = (page: string, name: string) => `<a id="${page}-tab" href="${pathOf(page)}">${name}</a>`;
  const heads: string[] = [];
  const rows: string[] = [];
  for (const [title, names] of Object.entries(groups)) {
    const pages = Object.entries(names);
    const [first] = pages[0]!;
    if (pages.length === 1 && title !== "Docs") heads.push(link(first, title));
    else {
      const inside = pages.map(([page, name]) => link(page, name));
      if (title === "Docs") inside.unshift(`<a href="${documentation}">Documentation</a>`);
      heads.push(`<a data-group="${title}" href="${title === "Docs" ? documentation : pathOf(first)}">${title}</a>`);
      rows.push(`<div class="views" role="group" aria-label="${title}">${inside.join(" ")}</div>`);
    }
  }
  return [`<div class="tabs">${heads.join(" ")}</div>`, ...rows].join("\n        ");
}

/** The examples of a page under its name. */
function galleryOf(page: PageName, examples: readonly Example[]): string {
  if (examples.length === 0) return "";
  const items = examples.map((example) => galleryItem(page, example)).join("");
  return `<section aria-label="${pages[page]}"><h2>${pages[page]}</h2><ul>${items}</ul></section>`;
}

/** A scene of the story where no script draws it. */
const still = (scene: number) =>
  `<noscript><img class="scene-still" src="./${stillFile(scene)}" width="640" height="370" alt="${escaped(drawings[scene - 1]!)}" /></noscript>`;

/** Where the source is and faults are told, if the build was told (ROPEWALK_REPOSITORY). */
const source = (repository: string) =>
  repository &&
  ` <a href="${escaped(repository)}" rel="noreferrer">Source</a>. <a href="${escaped(repository)}/issues/new" rel="noreferrer">Report a fault</a>.`;

/** Puts the tabs, the gallery and the prose of every page into index.html. `folder` is web/pages. */
export function pageProse(folder: string, sizes: string, version: string, repository = ""): Plugin {
  return {
    name: "page-prose",
    generateBundle() {
      const rules = readFileSync(join(folder, "story/draw/styles.css"), "utf8").replace(/\/\*.*?\*\/|\s+/gs, " ");
      for (let scene = 1; scene <= SCENES; scene++)
        this.emitFile({ type: "asset", fileName: stillFile(scene), source: stillOf(scene, rules) });
    },
    transformIndexHtml: {
      order: "pre",
      handler(html) {
        const listed = (page: PageName, name: string) => {
          const file = join(folder, page, name);
          return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Example[]) : [];
        };
        const gallery = pageNames.map((page) => galleryOf(page, listed(page, "examples.json"))).filter(Boolean);
        const sections = pageNames.map((page) =>
          section(page, readFileSync(join(folder, page, "prose.html"), "utf8"), listed(page, "guide.json")),
        );
        const made = html
          .replace('data-pages=""', () => `data-pages="${pageNames.join(" ")}"`)
          .replace("<!-- tabs -->", tabs)
          .replace("<!-- gallery -->", () => gallery.join("\n          "))
          .replace("<!-- pages -->", () => sections.join("\n\n      "))
          .replace("<!-- eight lines -->", () => `<pre tabindex="0"><code>${escaped(lines)}</code></pre>`)
          .replace("<!-- repository -->", () => source(repository))
          .replace("<!-- story still 1 -->", () => opening)
          .replace(/<!-- story still (\d) -->/g, (_, scene: string) => still(Number(scene)))
          .replace("<!-- story citation -->", () => citation(version))
          .replaceAll("<!-- version -->", () => version)
          .replaceAll("<!-- package size -->", () => packageSize(readFileSync(sizes, "utf8")));
        return withAddresses(made);
      },
    },
  };
}
