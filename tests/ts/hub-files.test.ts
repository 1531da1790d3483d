/** `hubFiles` against a local stand-in of the hub. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hubFiles, load } from "ropewalk";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { goldenFolder } from "./model-folder.js";

const ropewalk = await load();
let server: Server;
let endpoint: string;
let asked: string[] = [];
/** The status that answers the next requests, in place of files. */
let answer: number | undefined;
/** Ends an answer after so many bytes. */
let cutAt: number | undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url!);
    const [, name, revision, file] = /^\/hub\/(owner\/[^/]+)\/resolve\/([^/]+)\/(.*)$/.exec(request.url!) ?? [];
    if (answer !== undefined) return void response.writeHead(answer).end();
    try {
      if (!["main", "refs%2Fpr%2F1"].includes(revision!)) throw new Error("no such revision");
      const bytes = readFileSync(join(goldenFolder(name!.replace("owner/", "")), decodeURIComponent(file!)));
      response.setHeader("content-length", bytes.length);
      if (cutAt === undefined || bytes.length <= cutAt) return void response.end(bytes);
      response.write(bytes.subarray(0, cutAt), () => response.destroy());
    } catch {
      response.writeHead(404).end("Entry not found");
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hub`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const cache = mkdtempSync(join(tmpdir(), "ropewalk-hub-"));
afterEach(() => {
  asked = [];
  answer = undefined;
  cutAt = undefined;
  for (const name of readdirSync(cache)) rmSync(join(cache, name), { recursive: true });
});
afterAll(() => rmSync(cache, { recursive: true }));

const kept = () =>
  readdirSync(cache, { recursive: true, encoding: "utf8", withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  );

async function dimensionsOf(...[repository, options]: Parameters<typeof hubFiles>): Promise<number> {
  using model = await ropewalk.encoder(hubFiles(repository, { endpoint, ...options }));
  return model.dimensions;
}

it("asks for the files that are needed, at the revision", async () => {
  expect(await dimensionsOf("owner/bert-labse", { revision: "refs/pr/1" })).toBeGreaterThan(8);
  const files = asked.map((url) => url.replace("/hub/owner/bert-labse/resolve/refs%2Fpr%2F1/", ""));
  expect(files).toContain("2_Dense/model.safetensors");
  expect(new Set(files).size).toBe(files.length);
  for (const file of files) expect(file).not.toContain("owner");
  expect(asked.every((url) => url.startsWith("/hub/owner/bert-labse/resolve/refs%2Fpr%2F1/"))).toBe(true);
});

it("keeps files in a folder, and what is missing as well, so that no network is needed", async () => {
  const first = await dimensionsOf("owner/bert-minilm", { cache });
  const requests = asked.length;
  expect(requests).toBeGreaterThan(5);
  expect(await dimensionsOf("owner/bert-minilm", { cache })).toBe(first);
  expect(asked).toHaveLength(requests);
  expect(kept()).toContain("model.safetensors");
  expect(kept()).toContain("tokenizer.json.missing");
  expect(kept().some((name) => /partial/.test(name))).toBe(false);
  // Another revision is another file.
  await dimensionsOf("owner/bert-minilm", { cache, revision: "refs/pr/1" });
  expect(asked.length).toBe(2 * requests);
});

it("never takes half a file for one", async () => {
  cutAt = 2000;
  await expect(dimensionsOf("owner/bert-minilm", { cache })).rejects.toThrow();
  expect(kept()).not.toContain("model.safetensors");
  expect(kept().some((name) => /partial/.test(name))).toBe(false);
  cutAt = undefined;
  expect(await dimensionsOf("owner/bert-minilm", { cache })).toBe(32);
});

it("uses the given fetch, with its headers", async () => {
  const urls: string[] = [];
  const own: typeof fetch = (input, init) => {
    urls.push(String(input));
    return fetch(input, { ...init, headers: { authorization: "Bearer token" } });
  };
  await dimensionsOf("owner/bert-minilm", { fetch: own });
  expect(urls.length).toBe(asked.length);
});

it("names the address and the reason when the hub refuses", async () => {
  answer = 401;
  await expect(dimensionsOf("owner/bert-minilm")).rejects.toThrow(
    /modules.json answered 401; the model may be private/,
  );
  answer = 503;
  await expect(dimensionsOf("owner/bert-minilm", { cache })).rejects.toThrow("answered 503");
  expect(kept()).toEqual([]);
  answer = 404;
  await expect(dimensionsOf("owner/none")).rejects.toThrow("config.json");
  await expect(dimensionsOf("owner/x", { endpoint: "http://127.0.0.1:9" })).rejects.toThrow("could not be reached");
});

it("refuses names and options that cannot be", async () => {
  for (const name of ["", "a/b/c", "../x", "owner/..", "owner/na me", 5 as unknown as string])
    expect(() => hubFiles(name)).toThrow("hubFiles: `repository`");
  await expect(dimensionsOf("owner/x", { revision: ".." })).rejects.toThrow("hubFiles: `revision`");
  await expect(dimensionsOf("owner/x", { endpoint: "nowhere" })).rejects.toThrow("hubFiles: `endpoint`");
  await expect(dimensionsOf("owner/x", { cache: "" })).rejects.toThrow("hubFiles: `cache`");
});

it("serves any file that a caller asks the function for", async () => {
  const files = hubFiles("owner/bert-minilm", { endpoint, cache });
  if (typeof files !== "function") throw new Error("not a function");
  writeFileSync(join(cache, "unrelated"), "x");
  const twice = [await files("config.json"), await files("config.json")] as Response[];
  expect(await twice[0]!.text()).toBe(readFileSync(join(goldenFolder("bert-minilm"), "config.json"), "utf8"));
  expect(await twice[1]!.json()).toMatchObject({ model_type: "bert" });
  expect(await files("nothing.json")).toBeUndefined();
});
