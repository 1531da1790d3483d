/** `hubFiles` against a local stand-in of the hub. */
import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { hubFiles, load } from "ropewalk";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { testFolder } from "./command-line.js";
import { goldenUrl } from "./golden.js";
import { goldenFolder } from "./model-folder.js";
import { serve, type TestServer } from "./server.js";

const ropewalk = await load();
let server: TestServer;
let endpoint: string;
let asked: string[] = [];
/** The status that answers the next requests, in place of files. */
let answer: number | undefined;
/** Files that the hub lists, of which those in GGUF hold `gguf`; without them it lists none. */
let listing: { type: string; path: string; size: number }[] | undefined;
let gguf = "gguf-2/bert-q8_0.gguf";
/** Ends an answer after so many bytes. */
let cutAt: number | undefined;
/** Answers the request for a file in place of the server. */
let instead: ((response: ServerResponse, file: string, bytes: Buffer) => boolean) | undefined;

beforeAll(async () => {
  server = await serve((request, response) => {
    asked.push(request.url!);
    const [, name, revision, file] = /^\/hub\/(owner\/[^/]+)\/resolve\/([^/]+)\/(.*)$/.exec(request.url!) ?? [];
    if (answer !== undefined) return void response.writeHead(answer).end();
    if (listing !== undefined && request.url === "/hub/api/models/owner/ggufs/tree/main?recursive=true")
      return void response.end(JSON.stringify(listing));
    try {
      if (file?.endsWith(".gguf")) return void response.end(readFileSync(goldenUrl(gguf)));
      if (!["main", "refs%2Fpr%2F1"].includes(revision!)) throw new Error("no such revision");
      const bytes = readFileSync(join(goldenFolder(name!.replace("owner/", "")), decodeURIComponent(file!)));
      if (instead?.(response, file!, bytes)) return;
      response.setHeader("content-length", bytes.length);
      if (cutAt === undefined || bytes.length <= cutAt) return void response.end(bytes);
      response.write(bytes.subarray(0, cutAt), () => response.destroy());
    } catch {
      response.writeHead(404).end("Entry not found");
    }
  });
  endpoint = `${server.address}/hub`;
});
afterAll(() => server.close());

const cache = testFolder("hub");
afterEach(() => {
  asked = [];
  answer = undefined;
  listing = undefined;
  cutAt = undefined;
  instead = undefined;
  for (const name of readdirSync(cache)) rmSync(join(cache, name), { recursive: true });
});
const kept = () =>
  readdirSync(cache, { recursive: true, encoding: "utf8", withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  );

async function dimensionsOf(...[repository, options]: Parameters<typeof hubFiles>): Promise<number> {
  using model = await ropewalk.encoder(hubFiles(repository, { endpoint, ...options }));
  return model.dimensions;
}

it("asks for the files that are needed, at the revision", async () => {
  expect(await dimensionsOf("owner/bert-labse", { revision: "refs/pr/1" })).toBe(32);
  expect(asked.shift()).toBe("/hub/api/models/owner/bert-labse/tree/refs%2Fpr%2F1?recursive=true");
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

it("asks again for a repository that had no files", async () => {
  answer = 404;
  await expect(dimensionsOf("owner/bert-labse", { cache })).rejects.toThrow(
    "no config.json; found: owner/bert-labse at main, which answers 404",
  );
  expect(kept()).toEqual([]);
  answer = undefined;
  // With its modules, which say what its vectors are.
  expect(await dimensionsOf("owner/bert-labse", { cache })).toBe(await dimensionsOf("owner/bert-labse", {}));
});

it("names the file of which a connection gave only a part", async () => {
  cutAt = 2000;
  const cut = (file: string) => `encoder: ${file} was cut off after 2000 bytes`;
  await expect(dimensionsOf("owner/bert-labse")).rejects.toMatchObject({
    code: "network",
    function: "encoder",
    message: expect.stringMatching(new RegExp(`^${cut("\\S+")}$`)),
    cause: expect.any(Error),
  });
  const address = `${endpoint}/owner/bert-labse/resolve/main`;
  await expect(ropewalk.encoder(address)).rejects.toThrow(new RegExp(cut(`${address}/\\S+`)));
});

it("never takes half a file for one", async () => {
  cutAt = 2000;
  await expect(dimensionsOf("owner/bert-minilm", { cache })).rejects.toThrow();
  expect(kept()).not.toContain("model.safetensors");
  expect(kept().some((name) => /partial/.test(name))).toBe(false);
  cutAt = undefined;
  expect(await dimensionsOf("owner/bert-minilm", { cache })).toBe(32);
});

it("keeps nothing of loads that are cancelled while weights arrive", async () => {
  for (let wait = 0; wait < 12; wait++) {
    const controller = new AbortController();
    instead = (response, file, bytes) => {
      if (file !== "model.safetensors") return false;
      response.setHeader("content-length", bytes.length);
      response.write(bytes.subarray(0, 4096));
      setTimeout(() => controller.abort(), wait);
      setTimeout(() => response.end(bytes.subarray(4096)), wait);
      return true;
    };
    const { signal } = controller;
    const files = hubFiles("owner/bert-minilm", { endpoint, cache });
    const outcome = await ropewalk.encoder(files, { signal }).then(
      (model) => model.dispose(),
      (error: unknown) => error,
    );
    instead = undefined;
    // A load that was quicker than its signal is whole.
    if (outcome !== undefined) expect(signal.aborted).toBe(true);
    expect(await dimensionsOf("owner/bert-minilm", { cache }), `aborted after ${wait} ms`).toBe(32);
    for (const name of readdirSync(cache)) rmSync(join(cache, name), { recursive: true });
  }
});

const page = "<html>log in</html>";
it.each<[string, string, string, NonNullable<typeof instead>]>([
  [
    "a web page",
    "config.json",
    "answered 200 with a web page",
    (response) => !!response.setHeader("content-type", "text/html; charset=utf-8").end(page),
  ],
  ["a page that says nothing of its kind", "config.json", "`config.json` is HTML", (response) => !!response.end(page)],
  [
    "a part",
    "model.safetensors",
    "answered 206",
    (response, _, bytes) => !!response.writeHead(206).end(bytes.subarray(0, 5000)),
  ],
  [
    "a body without length that ends early",
    "model.safetensors",
    "the file has 5000 bytes",
    (response, _, bytes) => {
      response.removeHeader("transfer-encoding");
      response.shouldKeepAlive = false;
      response.useChunkedEncodingByDefault = false;
      return !!response.end(bytes.subarray(0, 5000));
    },
  ],
  [
    "nothing at all",
    "config.json",
    "`config.json` is not JSON",
    (response) => !!response.setHeader("content-length", 0).end(),
  ],
])("does not keep %s in place of %s", async (_, wrong, words, answers) => {
  instead = (response, file, bytes) => file === wrong && answers(response, file, bytes);
  await expect(dimensionsOf("owner/bert-minilm", { cache })).rejects.toThrow(words);
  const isKept = () =>
    readdirSync(cache, { recursive: true, encoding: "utf8" }).some((path) => path.endsWith(join("main", wrong)));
  expect(isKept()).toBe(false);
  instead = undefined;
  expect(await dimensionsOf("owner/bert-minilm", { cache })).toBe(32);
  expect(isKept()).toBe(true);
});

it("loads all the same where nothing can be kept", async () => {
  const file = join(cache, "file");
  writeFileSync(file, "");
  expect(await dimensionsOf("owner/bert-minilm", { cache: file })).toBe(32);
});

it("removes what a process that was ended has left, after a day", async () => {
  await dimensionsOf("owner/bert-minilm", { cache });
  const folder = join(
    cache,
    readdirSync(cache, { recursive: true, encoding: "utf8" }).find((name) => /model\.safetensors$/.test(name))!,
    "..",
  );
  const [old, fresh] = ["old", "fresh"].map((name) => join(folder, `model.safetensors.partial-${name}`));
  writeFileSync(old!, "");
  writeFileSync(fresh!, "");
  utimesSync(old!, 1, 1);
  rmSync(join(folder, "model.safetensors"));
  await dimensionsOf("owner/bert-minilm", { cache });
  expect(kept().filter((name) => /partial/.test(name))).toEqual(["model.safetensors.partial-fresh"]);
});

it("has a place of its own for each revision", async () => {
  const answers: typeof fetch = async (input) =>
    new Response(JSON.stringify({ from: String(input) }), { headers: { "content-type": "application/json" } });
  const read = async (revision: string) => {
    const files = hubFiles("owner/name", { revision, cache, fetch: answers }) as (name: string) => Promise<Response>;
    return ((await (await files("config.json")).json()) as { from: string }).from;
  };
  for (const revision of ["v1!", "v1_", "v1(", "v1~", "v1%21"])
    for (const time of [1, 2])
      expect(await read(revision), `time ${time}`).toContain(`/resolve/${encodeURIComponent(revision)}/`);
});

it.each(["?to=", "#there"])("refuses an endpoint with %s behind it", async (end) => {
  await expect(dimensionsOf("owner/bert-minilm", { endpoint: endpoint + end })).rejects.toThrow(
    "allowed: a URL without a query and a fragment",
  );
});

it("says that a branch moved between two files", async () => {
  let commit = 0;
  instead = (response) => {
    response.setHeader("x-repo-commit", `c${commit++}`);
    return false;
  };
  await expect(dimensionsOf("owner/bert-minilm", {})).rejects.toThrow(
    "the repository went from commit c0 to c1 while it was read; load it again, or give a commit as `revision`",
  );
});

it("asks for the commit of the files that are kept, where the branch has moved on", async () => {
  let now = "c0";
  const of: string[] = [];
  const weights = { isThere: false };
  const repository: typeof fetch = async (input) => {
    const [, revision, file] = /\/resolve\/([^/]+)\/(.*)$/.exec(String(input)) ?? [];
    if (revision === undefined) return new Response(null, { status: 404 });
    const commit = revision === "main" ? now : revision;
    if (file === "model.safetensors" && !weights.isThere && commit === "c0") return new Response(null, { status: 404 });
    const response = await fetch(`${endpoint}/owner/bert-minilm/resolve/main/${file}`);
    if (response.ok) of.push(`${file} of ${commit}`);
    return new Response(response.body, { status: response.status, headers: { "x-repo-commit": commit } });
  };
  const open = () => dimensionsOf("owner/bert-minilm", { cache, fetch: repository });
  await expect(open()).rejects.toThrow("has no model.safetensors");
  now = "c1";
  await expect(open()).rejects.toThrow(
    "the kept files are of commit c0, and model.safetensors is of c1; give c1 as `revision`",
  );
  weights.isThere = true;
  expect(await open()).toBe(32);
  expect(of.filter((each) => !each.endsWith("c0"))).toEqual(["model.safetensors of c1"]);
});

it.each([
  ["the list", "/api/"],
  ["a file", "/resolve/"],
])("ends a request for %s that the server does not answer", async (_, part) => {
  const controller = new AbortController();
  const enough = new Error("enough");
  let isEnded = false;
  const own: typeof fetch = (input, init) => {
    if (!String(input).includes(part)) return fetch(input, init);
    return new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => {
        isEnded = true;
        reject(enough);
      });
      controller.abort(enough);
    });
  };
  const files = hubFiles("owner/bert-minilm", { endpoint, fetch: own });
  await expect(ropewalk.encoder(files, { signal: controller.signal })).rejects.toBe(enough);
  expect(isEnded).toBe(true);
});

it("names a fetch that gives no Response", async () => {
  const none = (async () => null) as unknown as typeof fetch;
  await expect(dimensionsOf("owner/bert-minilm", { fetch: none })).rejects.toMatchObject({ code: "network" });
});

it("asks for everything by the given fetch", async () => {
  const paths: string[] = [];
  const own: typeof fetch = (input, init) => {
    paths.push(String(input).replace(/^http:..[^/]+/, ""));
    return fetch(input, init);
  };
  await dimensionsOf("owner/bert-minilm", { fetch: own });
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.sort()).toEqual(asked.sort());
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

const file = (path: string, size: number) => ({ type: "file", path, size });
const opened = async (options: Parameters<typeof hubFiles>[1] = {}) => {
  asked = [];
  using model = await ropewalk.encoder(hubFiles("owner/ggufs", { endpoint, ...options }));
  const ggufs = asked.filter((url) => url.endsWith(".gguf"));
  return { notes: [...model.notes], files: ggufs.map((url) => url.replace(/.*\//, "")) };
};

it("loads the smallest GGUF file of 8 bits or more, and says so", async () => {
  gguf = "gguf-2/bert-q8_0.gguf";
  const others = [file("a-Q4_K_M.gguf", 10), file("a-IQ2_XS.gguf", 5), { type: "directory", path: "b", size: 0 }];
  listing = [...others, file("a-Q8_0.gguf", 25_008_064), file("a.F16.gguf", 45_000_000), file("mmproj-F16.gguf", 9)];
  const notes = ["weights: a-Q8_0.gguf, 25.0 MB: the smallest of at least 8 bits for each weight, of 4 files"];
  expect(await opened({ cache })).toEqual({ notes, files: ["a-Q8_0.gguf"] });
  // All of it is kept.
  answer = 503;
  expect(await opened({ cache })).toEqual({ notes, files: [] });
  answer = undefined;
  listing = others;
  expect((await opened()).notes).toEqual(["weights: a-Q4_K_M.gguf, 0.0 MB: which lost the least, of 2 files"]);
  listing = [file("folder/any.gguf", 1_000_000)];
  expect((await opened()).notes).toEqual(["weights: folder/any.gguf, 1.0 MB: the only file of weights"]);
  listing = [file("a-IQ2_XS.gguf", 5), file("a-Q2_K.gguf", 6)];
  await expect(opened()).rejects.toThrow(/hubFiles: `repository` is .*a-IQ2_XS.gguf, a-Q2_K.gguf.*`file` names one/);
});

it("asks for nothing that the hub does not list", async () => {
  const own = { config: { model_type: "llama" }, modules: [] };
  let paths = ["README.md", "pytorch_model.bin"];
  const urls: string[] = [];
  const hub: typeof fetch = async (input) => {
    const url = String(input);
    urls.push(url.replace(`${endpoint}/owner/x/resolve/main/`, ""));
    if (url.includes("/api/")) return Response.json(paths.map((path) => file(path, 1)));
    const name = Object.keys(own).find((each) => url.endsWith(`/${each}.json`));
    return name === undefined ? new Response(null, { status: 404 }) : Response.json(own[name as keyof typeof own]);
  };
  const list = `${endpoint}/api/models/owner/x/tree/main?recursive=true`;
  const from = (more: Parameters<typeof hubFiles>[1] = {}) => hubFiles("owner/x", { endpoint, fetch: hub, ...more });
  await expect(ropewalk.encoder(from({ cache }))).rejects.toThrow(
    "encoder: `files` has no config.json; found: owner/x at main, which holds README.md, pytorch_model.bin",
  );
  expect(urls.splice(0)).toEqual([list]);
  // The repository was about to be filled.
  paths = ["config.json", "pytorch_model.bin", "additional_chat_templates/rag.jinja"];
  await expect(ropewalk.decoder(from({ cache }))).rejects.toThrow("a pickle can run code when it is read");
  expect(urls.splice(0)).toEqual([list, "config.json"]);
  paths.push("model.safetensors");
  await expect(ropewalk.decoder(from({ cache }))).rejects.toThrow("model.safetensors");
  expect(urls.splice(0)).toEqual([list, "model.safetensors"]);
  // The list is kept by now.
  await expect(ropewalk.decoder(from({ cache, file: "a.gguf" }))).rejects.toThrow("no a.gguf; found: owner/x at main");
  expect(urls).toEqual([]);
});

it("weighs GGUF files against model.safetensors, where both are read", async () => {
  const chosen = async (modelType: string, safetensors: number) => {
    const listed = [file("config.json", 1), file("model.safetensors", safetensors), file("a-Q8_0.gguf", 20)];
    const hub: typeof fetch = async (url) => {
      if (String(url).includes("/api/")) return Response.json(listed);
      return String(url).endsWith("config.json")
        ? Response.json({ model_type: modelType })
        : new Response(null, { status: 404 });
    };
    const files = hubFiles("owner/x", { endpoint, fetch: hub }) as unknown as {
      choose(): Promise<{ gguf?: string; note?: string }>;
    };
    return files.choose();
  };
  const all = "the smallest of at least 8 bits for each weight, of 2 files";
  expect(await chosen("bert", 90)).toMatchObject({ gguf: "a-Q8_0.gguf", note: `weights: a-Q8_0.gguf, 0.0 MB: ${all}` });
  expect(await chosen("bert", 10)).toMatchObject({ note: `weights: model.safetensors, 0.0 MB: ${all}` });
  // No GGUF file of this family is read.
  expect(await chosen("mpnet", 90)).not.toHaveProperty("gguf");
});

it("loads the file that is named", async () => {
  gguf = "gguf-2/modern-bert-q8_0.gguf";
  expect(await opened({ file: "folder/a-Q4_0.gguf" })).toEqual({ notes: [], files: ["a-Q4_0.gguf"] });
  for (const name of ["model.bin", "", "../a.gguf", "/a.gguf", 5 as unknown as string])
    await expect(opened({ file: name }), String(name)).rejects.toThrow("hubFiles: `file`");
  await expect(opened({ file: "a-00001-of-00002.gguf" })).rejects.toThrow("a GGUF file in one part");
  answer = 404;
  await expect(opened({ file: "a.gguf" })).rejects.toThrow("`files` has no a.gguf; found: owner/ggufs at main");
});
