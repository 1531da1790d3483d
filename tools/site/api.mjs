// The API by TypeDoc, made to live under the policy of the site.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Application, Comment, CommentTag, Converter } from "typedoc";
import { apiPolicyTag } from "./policy.mjs";

/** TypeDoc's one inline script: it hides the page until the theme is set, which docs/theme.js does before. */
const inlineScript = /<script>document\.documentElement\.dataset\.theme = [^<]*<\/script>/;

/** The groups of the API, in their order, and the folders of bindings/ts whose types they hold. */
const groups = {
  Load: ["load", "ropewalk", "module"],
  Rope: ["rope"],
  Models: ["model", "parallel", "vectors"],
  Training: ["train"],
  Tools: ["analysis", "config"],
};

/** The group of a public name: that of the folder which `index`, bindings/ts/index.ts, takes it from. */
function groupOf(index) {
  const found = new Map();
  for (const [, list, place] of index.matchAll(/export type \{([^}]*)\} from "\.\/(\w+)/g)) {
    const [group] = Object.entries(groups).find(([, places]) => places.includes(place)) ?? [];
    if (group === undefined) throw new Error(`bindings/ts/${place} is in no group of the API`);
    for (const [, name] of list.replace(/\/\*.*?\*\//gs, "").matchAll(/(\w+)\s*(?:,|$)/g)) found.set(name, group);
  }
  // Values that the entries export beside the types.
  return (name) => found.get(name) ?? (name === "load" ? "Load" : name === "hubFiles" ? "Models" : "Tools");
}

/**
 * Writes the pages into `folder`, which lies in docs/; `index` is the text of bindings/ts/index.ts, and `head` the head of
 * the site's pages in docs/, whose tabs these pages have, too.
 */
export async function writeApi(options, folder, index, head) {
  const tabs = /<div class="tabs">(.*?)<\/div>/s.exec(head)[1];
  const app = await Application.bootstrapWithPlugins({
    options,
    logLevel: "Error",
    categorizeByGroup: false,
    categoryOrder: Object.keys(groups),
    navigation: { includeCategories: true, includeGroups: false },
    // `load` first, then by name.
    sort: ["kind", "alphabetical"],
    kindSortOrder: ["Function", "Variable", "Class", "Interface", "TypeAlias"],
  });
  const group = groupOf(index);
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, reflection) => {
    if (!reflection.parent?.isProject()) return;
    reflection.comment ??= new Comment();
    reflection.comment.blockTags.push(new CommentTag("@category", [{ kind: "text", text: group(reflection.name) }]));
  });
  const project = await app.convert();
  if (!project || app.logger.hasErrors()) throw new Error("TypeDoc could not read the package's declarations");
  await app.generateDocs(project, folder);
  if (!existsSync(join(folder, "index.html"))) throw new Error("TypeDoc wrote no pages");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".html")) continue;
    const docs = `${"../".repeat(name.split(/[\\/]/).length)}`;
    const page = readFileSync(join(folder, name), "utf8");
    if (!inlineScript.test(page)) throw new Error(`${name}: TypeDoc's inline script is not the one that is known`);
    const links = tabs.replaceAll('href="', `href="${docs}`);
    const ours = page
      .replace(inlineScript, "")
      .replace(
        '<meta charset="utf-8"/>',
        `${apiPolicyTag}<meta charset="utf-8"/><link rel="icon" href="${docs}../favicon.svg" type="image/svg+xml"/><script src="${docs}theme.js"></script>`,
      )
      .replace(
        '<div id="tsd-toolbar-links"></div>',
        `<div id="tsd-toolbar-links" class="tsd-toolbar-links">${links}</div>`,
      );
    if (/<script>|<style|\son\w+="| style="/.test(ours)) throw new Error(`${name}: has inline code or styles`);
    writeFileSync(join(folder, name), ours);
  }
}
