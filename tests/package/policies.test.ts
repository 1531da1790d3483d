import { expect, it } from "vitest";
import { testFolder } from "../ts/command-line.js";
import { fromRoot, writeFiles } from "../ts/files.js";
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

const dist = fromRoot("dist");
const BLOBS = STRICT.replace("worker-src 'self'", "worker-src blob:");

const folder = testFolder("policies");
const browser = await openBrowser();

/** The title of a page that imports the entry from `from`, and what its site was asked for. */
async function open(
  script: string,
  policy: string,
  { missing, from = "/ropewalk/" }: { missing?: RegExp; from?: string } = {},
) {
  writeFiles(folder, [
    ["index.html", '<!doctype html><title></title><script type="module" src="./main.js"></script>'],
    ["main.js", `import { load } from "${from}web.js";\n${script}`],
  ]);
  const headers = { "content-security-policy": policy };
  const folders: [string, string][] = [
    ["/ropewalk/", dist],
    ["/golden/", golden],
    ["/", folder],
  ];
  const site = await serveFolders(folders, { headers, ...(missing && { missing }) });
  const { title, complaints } = await titleOf(browser, site.address);
  return { title, complaints, asked: site.asked.join(" ") };
}

const workers = `(${tell})([(${inWorkersSource})(load, "/golden/")]);`;

it("workers come from their file where the policy allows workers of the site alone", async () => {
  const { title, complaints, asked } = await open(workers, STRICT);
  expect({ title, complaints }).toEqual({ title: inWorkers, complaints: [] });
  expect(asked).not.toMatch(/worker-text/);
});

it("workers come from a blob where their file is missing", async () => {
  const { title, asked } = await open(workers, BLOBS, { missing: /ropewalk-worker/ });
  expect(title).toBe(inWorkers);
  expect(asked).toMatch(/worker-text/);
});

it("workers come from a blob where the package lies on another origin", async () => {
  const cdn = await serveFolders([["/", dist]], { headers: { "access-control-allow-origin": "*" } });
  const policy = `default-src 'none'; script-src 'self' ${cdn.address} 'wasm-unsafe-eval'; connect-src 'self'; worker-src blob:`;
  const { title } = await open(workers, policy, { from: cdn.address });
  expect(title).toBe(inWorkers);
});

it("an error names the policy where neither the file nor a blob can be a worker", async () => {
  const { title } = await open(workers, STRICT, { missing: /ropewalk-worker/ });
  expect(title).toMatch(/^failed: encoder: no worker can be started: .*worker-src 'self'.*worker-src blob:/);
});

it("an error says where there is no class Worker, as in a service worker", async () => {
  const { title } = await open(`delete globalThis.Worker;\n${workers}`, STRICT);
  expect(title).toMatch(/^failed: encoder: `workers` needs the class Worker/);
});

it("an error names the policy that forbids WebAssembly", async () => {
  const policy = STRICT.replace(" 'wasm-unsafe-eval'", "");
  const { title } = await open(`(${tell})([(${rotateSource})(load)]);`, policy);
  expect(title).toMatch(/^failed: load: `wasm` cannot be compiled here: .*'wasm-unsafe-eval'.* in script-src\.$/);
});

it("a page rotates under the strict policy", async () => {
  const { title } = await open(`(${tell})([(${rotateSource})(load)]);`, STRICT);
  expect(title).toBe(rotated);
});
