// The guide: README.md and docs/*.md as pages, in the look of the playground.
import { Marked } from "marked";
import { escaped } from "../markdown.mjs";
import { policyTag } from "./policy.mjs";

const slug = (text) =>
  text
    .toLowerCase()
    .replace(/<[^>]+>/g, "")
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

/** The choice of the playground (web/components/theme-switch.tsx), which theme.js brings to life. */
const themes = ["Auto", "Light", "Dark"]
  .map((name) => `<label><input type="radio" name="theme" value="${name.toLowerCase()}"/><span>${name}</span></label>`)
  .join("");

/** Name and tabs of the site, as the built index.html has them, for a page in the folder docs/. */
export function siteHead(index) {
  const part = (pattern) => {
    const found = pattern.exec(index)?.[0];
    if (!found) throw new Error(`dist-site/index.html has no ${pattern}`);
    return found;
  };
  const tabs = part(/<div class="tabs">.*?<\/div>/s).replace(/ (id|data-group|aria-current)="[^"]*"/g, "");
  const views = part(/<div class="views" role="group" aria-label="Docs">.*?<\/div>/s).replace(/ id="[^"]*"/g, "");
  const brand = part(/<div class="brand">.*?<\/div>/s).replace(/(<\/?)h1/g, "$1p");
  const here = (row, is) => row.replace('href="./docs/index.html"', `$& aria-current="${is}"`);
  return `${brand}\n<nav class="site-nav" aria-label="Pages">${here(tabs, "true")}${here(views, "page")}</nav>`
    .replaceAll('href="./docs/', 'href="./')
    .replace(/href="\.\/(?!index\.html)/g, 'href="../');
}

/**
 * Renders one file. `resolve(address)` says where a relative link or picture of the file leads in the site; null leaves
 * the words without their link.
 */
export function renderPage({ markdown, title, pages, current, stylesheet, head, resolve }) {
  const relative = (address) => !/^([a-z]+:|#)/i.test(address);
  const target = (address) => (relative(address) ? resolve(address) : address);
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        return `<h${depth} id="${slug(html)}">${html}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const to = target(href);
        return to === null ? html : `<a href="${escaped(to)}">${html}</a>`;
      },
      // A picture of the site has a twin in dark colours where there is a file by the same name with "-dark".
      image({ href, text }) {
        const to = target(href);
        if (to === null) return escaped(text);
        const img = `<img src="${escaped(to)}" alt="${escaped(text)}" loading="lazy"/>`;
        const dark = relative(href) ? resolve(href.replace(/(?=\.\w+$)/, "-dark")) : null;
        if (dark === null) return img;
        return `<picture><source srcset="${escaped(dark)}" media="(prefers-color-scheme: dark)"/>${img}</picture>`;
      },
      // Scrolls by itself where the page is narrow, by keyboard, too.
      code({ text }) {
        return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
      },
      html: ({ text }) => escaped(text),
    },
  });
  let tables = 0;
  const html = marked
    .parse(markdown)
    .replaceAll("<table>", () => `<div class="wide" role="region" aria-label="Table ${++tables}" tabindex="0"><table>`)
    .replaceAll("</table>", "</table></div>")
    // How a column is aligned: an attribute of old, which styles do without.
    .replace(/ align="\w+"/g, "");
  const sections = marked.lexer(markdown).filter(({ type, depth }) => type === "heading" && depth === 2);
  const entries = sections.map(({ tokens }) => {
    const name = marked.Parser.parseInline(tokens);
    return `<li><a href="#${slug(name)}">${name.replace(/<\/?a[^>]*>/g, "")}</a></li>`;
  });
  const links = pages.map(({ file, name }) =>
    file === current
      ? `<li><a href="./${file}" aria-current="page">${escaped(name)}</a><ul>${entries.join("")}</ul></li>`
      : `<li><a href="./${file}">${escaped(name)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
${policyTag}
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>${escaped(title)} · Ropewalk</title>
<meta name="color-scheme" content="light dark"/>
<link rel="icon" href="../favicon.svg" type="image/svg+xml"/>
<link rel="stylesheet" href="${stylesheet}"/>
<link rel="stylesheet" href="./docs.css"/>
<script src="./theme.js"></script>
<script type="module" src="./search.js"></script>
</head>
<body>
<a class="skip" href="#main-content">Skip to the content</a>
<header class="site-head">
${head}
<search><ropewalk-search index="./search.json" label="Search the documentation" placeholder="Search"></ropewalk-search></search>
<fieldset class="segmented compact theme-slot"><legend class="visually-hidden">Colours</legend><div class="segments">${themes}</div></fieldset>
</header>
<div class="doc-page">
<nav aria-label="Documentation"><details><summary>Pages and sections</summary><ul>${links.join("")}</ul></details></nav>
<main id="main-content" class="doc" tabindex="-1">
${html}<p class="back"><a href="#main-content">Back to the top of this page</a>, or
<a href="../">to the playground</a>.</p>
</main>
</div>
</body>
</html>
`;
}
