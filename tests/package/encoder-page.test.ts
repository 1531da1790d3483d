import { expect, it } from "vitest";
import { fromRoot } from "../ts/files.js";
import { filesOf, vocabulary } from "../ts/model-folder.js";
import { openBrowser, serveModelPage, tell, titleOf } from "./pages.js";

const names = [...filesOf("bert-minilm").keys(), "vocab.txt"];
const texts = ["the rope", "a sailor ties the knot on the sea", "the ship", "who has it ?"];

const page = `
  import { hubFiles, load } from "/dist/web.js";
  const texts = ${JSON.stringify(texts)};
  const bits = async (files, options) => {
    const model = await (await load()).encoder(files, options);
    const vectors = await model.embed(texts, { dimensions: 8, normalize: true });
    model.dispose();
    return vectors.map((vector) => [...new Uint32Array(vector.buffer)].join(",")).join(";");
  };
  const hub = () => hubFiles("owner/bert-minilm", { endpoint: new URL("/hub", location.href), cache: true });
  const chosen = async () => Promise.all(${JSON.stringify(names)}.map(async (name) => {
    const file = new File([await (await fetch("/model/" + name)).blob()], name.split("/").at(-1));
    return Object.defineProperty(file, "webkitRelativePath", { value: "minilm/" + name });
  }));
  const all = async () => {
    const found = [await bits("/model"), await bits(new URL("/model/", location.href), { workers: 2 })];
    found.push(await bits(hub()), await bits(await chosen()));
    const asked = performance.getEntriesByType("resource").length;
    found.push(await bits(hub()));
    const more = performance.getEntriesByType("resource").length - asked;
    return [found[0], new Set(found).size, more];
  };
  (${tell})([all().then(JSON.stringify)]);
`;

const files = filesOf("bert-minilm", { "vocab.txt": vocabulary() });
const site = await serveModelPage(page, files, "/hub/owner/bert-minilm/resolve/main/");
const browser = await openBrowser();

it("embeds from a folder's address, in workers, from a hub, from its cache, and from Files", async () => {
  const { title } = await titleOf(browser, site.address);
  expect(title).toMatch(/^\[/);
  const [found, different, more] = JSON.parse(title) as [string, number, number];
  expect(different).toBe(1);
  // Files in the cache are not requested again, and neither are those known not to exist.
  expect(more).toBe(0);
  const { load } = (await import(/* @vite-ignore */ fromRoot("dist/node.js"))) as {
    load(): Promise<import("ropewalk").Ropewalk>;
  };
  using model = await (await load()).encoder(site.model);
  const vectors = await model.embed(texts, { dimensions: 8, normalize: true });
  expect(vectors.map((vector) => [...new Uint32Array(vector.buffer)].join(",")).join(";")).toBe(found);
});
