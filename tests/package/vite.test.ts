/** Pages of somebody else's, built by Vite from the tarball without any configuration, in Chromium under a strict policy. */
import { join } from "node:path";
import { build } from "vite";
import { build as buildWithVite5 } from "vite5";
import { afterAll, expect, it } from "vitest";
import { readJson } from "../ts/files.js";
import {
  golden,
  inWorkers,
  inWorkersSource,
  openBrowser,
  rotated,
  rotateSource,
  STRICT,
  serveFolders,
  tell,
  titleOf,
} from "./pages.js";
import { makeProject } from "./project.mjs";

const onlyRotates = `
  import { load } from "ropewalk";
  (${tell})([(${rotateSource})(load)]);
`;

const usesModels = (withOwnWorker: boolean) => `
  import { load } from "ropewalk";
  import { load as loadExternal } from "ropewalk/external";
  const analysed = async () => {
    const rope = (await loadExternal({ analysis: true })).rope({ headDim: 4 });
    return rope.decay([0]).join(" ");
  };
  (${tell})([
    (${rotateSource})(loadExternal),
    analysed(),
    (${inWorkersSource})(load, "./golden/"),
    ${withOwnWorker ? ownWorker : '"no worker"'},
  ]);
`;

const ownWorker = `new Promise((resolve, reject) => {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = reject;
})`;

/** A worker of the page's own. Vite 5 to 7 make one file of it, which cannot load more, unless worker.format is "es". */
const worker = `
  import { load } from "ropewalk";
  load().then((ropewalk) => self.postMessage("version " + ropewalk.version));
`;

const project = makeProject();
afterAll(() => project.remove());
const browser = await openBrowser();

function writePage(folder: string, script: string): string {
  project.write(
    `${folder}/index.html`,
    '<!doctype html><title></title><script type="module" src="./main.js"></script>',
  );
  project.write(`${folder}/main.js`, script);
  return join(project.folder, folder);
}

it.each([
  ["Vite 8", build, true],
  ["Vite 5", buildWithVite5, false],
])("%s builds a page that only rotates, and one that uses a model in two workers", async (name, buildPage, own) => {
  const headers = { "content-security-policy": STRICT };
  const small = writePage(`${name}/small`, onlyRotates);
  await buildPage({ root: small, logLevel: "error", configFile: false });
  const smallSite = await serveFolders([["/", join(small, "dist")]], { headers });
  const large = writePage(`${name}/large`, usesModels(own));
  project.write(`${name}/large/worker.js`, worker);
  await buildPage({ root: large, logLevel: "error", configFile: false });
  const largeSite = await serveFolders(
    [
      ["/golden/", golden],
      ["/", join(large, "dist")],
    ],
    { headers },
  );
  const first = await titleOf(browser, smallSite.address);
  expect(first).toEqual({ title: rotated, complaints: [] });
  // The page, its script, and nothing that rotating does not use.
  expect(smallSite.asked.filter((path) => path.endsWith(".js"))).toHaveLength(1);
  expect(smallSite.asked.join(" ")).not.toMatch(/model|analysis|tokenizers|parallel|worker/);

  const { version } = readJson<{ version: string }>("package.json");
  const second = await titleOf(browser, largeSite.address);
  const lines = [rotated, "1.5", inWorkers, own ? `version ${version}` : "no worker"];
  expect(second).toEqual({ title: lines.join(" | "), complaints: [] });
  // The policy allows the file of the worker alone, and each of the two asks for it.
  expect(largeSite.asked.join(" ")).toMatch(/ropewalk-worker/);
  expect(largeSite.asked.join(" ")).not.toMatch(/worker-text/);
});
