// The API by TypeDoc, made to live under the policy of the site.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Application } from "typedoc";
import { apiPolicyTag } from "./policy.mjs";

/** TypeDoc's one inline script: it hides the page until the theme is set, which docs/theme.js does before. */
const inlineScript = /<script>document\.documentElement\.dataset\.theme = [^<]*<\/script>/;

/** Writes the pages into `folder`, which lies in docs/. */
export async function writeApi(options, folder) {
  const app = await Application.bootstrapWithPlugins({ options, logLevel: "Error" });
  const project = await app.convert();
  if (!project || app.logger.hasErrors()) throw new Error("TypeDoc could not read the package's declarations");
  await app.generateDocs(project, folder);
  if (!existsSync(join(folder, "index.html"))) throw new Error("TypeDoc wrote no pages");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".html")) continue;
    const docs = `${"../".repeat(name.split(/[\\/]/).length)}`;
    const page = readFileSync(join(folder, name), "utf8");
    if (!inlineScript.test(page)) throw new Error(`${name}: TypeDoc's inline script is not the one that is known`);
    const links = `<a href="${docs}index.html">Guide</a><a href="${docs}../index.html">Playground</a>`;
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
