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

/**
 * Renders one file. `resolve(address)` says where a relative link or picture of the file leads in the site; null leaves
 * the words without their link.
 */
export function renderPage({ markdown, title, pages, current, stylesheet, resolve }) {
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
      image({ href, text }) {
        const to = target(href);
        return to === null ? escaped(text) : `<img src="${escaped(to)}" alt="${escaped(text)}" loading="lazy"/>`;
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
  // A page of a few sections needs none.
  const contents =
    entries.length < 4
      ? ""
      : `<nav class="contents" aria-label="Contents of this page"><ul>${entries.join("")}</ul></nav>\n`;
  const links = pages.map(
    ({ file, name }) => `<a href="./${file}"${file === current ? ' aria-current="page"' : ""}>${escaped(name)}</a>`,
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
<div class="brand"><p class="brand-name"><a href="../index.html">Ropewalk</a></p><a href="../index.html">Playground</a><a href="../speed/index.html">Speed on this machine</a></div>
<search><ropewalk-search index="./search.json" label="Search the documentation" placeholder="Search"></ropewalk-search></search>
<div class="tabs-row"><nav class="tabs" aria-label="Documentation">${links.join("")}</nav></div>
</header>
<main id="main-content" class="doc" tabindex="-1">
${contents === "" ? html : html.replace("</h1>\n", `</h1>\n${contents}`)}<p class="back"><a href="#main-content">Back to the top of this page</a>, or
<a href="../index.html">to the playground</a>.</p>
</main>
</body>
</html>
`;
}
