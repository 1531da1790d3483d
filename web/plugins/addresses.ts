import type { Plugin } from "vite";
import { groupOf, pageNames, pathOf } from "../pages/index.js";
import { escaped } from "./prose.js";

export interface About {
  readonly title: string;
  readonly description: string;
}

const plain = (html: string) =>
  html
    .replace(/<span class="term-meaning".*?<\/span>/gs, "")
    .replace(/<math.*?<annotation[^>]*>(.*?)<\/annotation>.*?<\/math>/gs, "$1")
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&nbsp;", " ")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ")
    .trim();

/** Without the marks of the plugins, which have served, and without indentation, except where it is text. */
const trimmed = (html: string): string =>
  html
    .replace(/<!-- .*? -->/gs, "")
    .replace(/(<(pre|textarea)\b.*?<\/\2>)|\n\s+/gs, (_, text: string | undefined) => text ?? "\n");

/** Search engines and chats show about so many characters. */
const LONGEST = 200;

/** The first sentences that fit. */
function summary(text: string): string {
  let made = "";
  for (const sentence of text.match(/.+?[.?!](?=\s|$)/g) ?? [text]) {
    if (made && made.length + sentence.length > LONGEST) break;
    made += sentence;
  }
  return made.trim();
}

/** The mark around a page in index.html: web/plugins/prose.ts writes it. */
const pageIn = (name: string) => new RegExp(`<!-- page ${name} -->(.*?)<!-- /page -->`, "s");

function aboutPage(html: string, name: string): About {
  const own = pageIn(name).exec(html)?.[1];
  if (own === undefined) throw new Error(`index.html has no page ${name}`);
  const title = plain(/<h2[^>]*>(.*?)<\/h2>/s.exec(own)?.[1] ?? "");
  const said = /<!-- about: (.*?) -->/s.exec(own)?.[1];
  return {
    title,
    description: summary(plain(said ?? [...own.matchAll(/<p>(.*?)<\/p>/gs)].map(([, text]) => text).join(" "))),
  };
}

/** The metadata of a page, for search engines and for chats that show a preview of a link. */
function head(name: string, { title, description }: About, site: string): string {
  const at = (path: string) => escaped(site ? new URL(path, site).href : path);
  const property = (key: string, value: string) => `<meta property="og:${key}" content="${value}" />`;
  return [
    `<title>${escaped(title)} · Ropewalk</title>`,
    `<meta name="description" content="${escaped(description)}" />`,
    `<link rel="canonical" href="${at(pathOf(name))}" />`,
    property("type", "website"),
    property("site_name", "Ropewalk"),
    property("title", escaped(title)),
    property("description", escaped(description)),
    property("url", at(pathOf(name))),
    property("image", at(`./previews/${name}.jpg`)),
    property("image:width", "1200"),
    property("image:height", "630"),
    property("image:alt", escaped(`A figure of the page: ${title}`)),
    `<meta name="twitter:card" content="summary_large_image" />`,
  ].join("\n    ");
}

/** The document of one page: its text is in sight, that of the others waits for the script (main.tsx). */
function document(html: string, name: string, site: string): string {
  const others = pageNames.filter((other) => other !== name);
  const moved = others.map((other) => pageIn(other).exec(html)![1]!.trim());
  let own = html
    .replace("<!-- head -->", () => head(name, aboutPage(html, name), site))
    .replace(`id="${name}-tab"`, '$& aria-current="page"')
    .replace(`data-group="${groupOf(name)}"`, '$& aria-current="true"');
  if (pathOf(name) === "./") return own;
  for (const other of others) own = own.replace(pageIn(other), "");
  return own
    .replace('<base href="./" />', '<base href="../" />')
    .replace('href="#main-content"', `href="${pathOf(name)}#main-content"`)
    .replace("</main>", () => `<template id="other-pages">${moved.join("\n")}</template>\n    </main>`);
}

function siteMap(site: string): string {
  const places = pageNames.map(
    (name) => `  <url><loc>${site ? new URL(pathOf(name), site).href : pathOf(name)}</loc></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${places.join("\n")}\n</urlset>\n`;
}

/**
 * An address for each page: `rotate/` opens the site at Rotate, and says what it is before any script. `site` is where the
 * built site will stand, such as `https://example.org/ropewalk/`; without it links of the head and of the site map are relative.
 */
export function addresses(site: string): Plugin {
  return {
    name: "addresses",
    enforce: "post",
    configureServer({ middlewares }) {
      middlewares.use((request, _, next) => {
        const [path, query] = (request.url ?? "").split(/(?=\?)/);
        if (pageNames.some((name) => path === `/${name}/`)) request.url = `/${query ?? ""}`;
        next();
      });
    },
    transformIndexHtml: {
      order: "post",
      // The development server has one document for all addresses.
      handler: (html, { server }) => (server ? html.replace('<base href="./" />', '<base href="/" />') : html),
    },
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const index = bundle["index.html"];
        if (index?.type !== "asset") throw new Error("the build has no index.html");
        const html = String(index.source);
        for (const name of pageNames) {
          const source = trimmed(document(html, name, site));
          if (pathOf(name) === "./") index.source = source;
          else this.emitFile({ type: "asset", fileName: `${name}/index.html`, source });
        }
        this.emitFile({ type: "asset", fileName: "sitemap.xml", source: siteMap(site) });
      },
    },
  };
}
