/** Files of a model on a hub, by the addresses that Hugging Face's hub has: endpoint/owner/name/resolve/revision/file. */
import { failure } from "../../module/errors.js";
import { type Chosen, type FileSet, type FileSource, listingOf } from "../files/model-files.js";
import { knownOptions } from "../options.js";
import { refuse } from "../refuse.js";
import { chooseWeights, type Listed } from "./choose.js";

export interface HubOptions {
  /** A branch, a tag or a commit. Default "main". Only a commit says for certain which files these are. */
  revision?: string | undefined;
  /**
   * The file of the weights: the name of a GGUF file, or "model.safetensors". By default the smallest that loads: of the
   * repository's GGUF files of 8 bits or more and model.safetensors. A note of the model says which, and why.
   */
  file?: string | undefined;
  /** Default https://huggingface.co. */
  endpoint?: string | URL | undefined;
  /**
   * Keeps files: in a page in the Cache API, in Node in a folder. A text names the cache or the folder; true stands for
   * "ropewalk" in a page, and in Node for ropewalk/hub in the user's cache folder. A kept file is not asked for again.
   * Default false.
   */
  cache?: boolean | string | undefined;
  /** In place of the global one: for tokens of private models, or for a proxy. */
  fetch?: typeof fetch | undefined;
}

/** Keeps files from one load to the next, by their addresses. */
export interface Store {
  /** Undefined for a file that has not been kept; null for one that is known not to exist. */
  find(address: string): Promise<FileSource | null | undefined>;
  /** Keeps a file while it is read. What is read is the answer; a file that is not read to its end is not kept. */
  keep(address: string, response: Response): Promise<Response>;
  keepMissing(address: string): Promise<void>;
}

/** `cache` is true or the name that was given. */
export type OpenStore = (cache: true | string) => Promise<Store>;

/** Addresses of a revision's files, and of their list. */
interface Bases {
  base: string;
  list: string;
}

/** The addresses by revision, and those of the one that was asked for. */
function basesOf(
  fn: string,
  repository: string,
  options: HubOptions,
): { revision: string; at: (revision: string) => Bases } {
  const { revision = "main", endpoint = "https://huggingface.co" } = options;
  if (typeof revision !== "string" || revision === "" || /^\.*$/.test(revision))
    throw refuse.range(fn, "revision", revision, "a branch, a tag or a commit");
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch {
    throw refuse.range(fn, "endpoint", endpoint, "a URL");
  }
  if (url.search !== "" || url.hash !== "")
    throw refuse.range(fn, "endpoint", endpoint, "a URL without a query and a fragment");
  const hub = url.href.replace(/\/*$/, "");
  const at = (each: string): Bases => ({
    base: `${hub}/${repository}/resolve/${encodeURIComponent(each)}/`,
    list: `${hub}/api/models/${repository}/tree/${encodeURIComponent(each)}?recursive=true`,
  });
  return { revision, at };
}

/** The file that a caller names. */
function fileOf(fn: string, file: unknown): Chosen | undefined {
  if (file === undefined) return undefined;
  if (file === "model.safetensors") return {};
  if (typeof file !== "string" || !/^(?![/.]).*\.gguf$/i.test(file))
    throw refuse.range(fn, "file", file, 'the name of a .gguf file, or "model.safetensors"');
  if (/-of-\d{5}\.gguf$/.test(file)) throw refuse.unsupported(fn, "file", file, "a GGUF file in one part");
  return { gguf: file };
}

const MISSING = [404, 410];

/** Files without which a model does not load: a repository that had none may have them now. */
const isNeeded = (name: string) => /(^|\/)(config|params)\.json$|\.(safetensors|gguf|index\.json)$/.test(name);

/** A function from file names to files, for ModelFiles, and the file of the weights. */
export interface Repository {
  get(name: string, signal?: AbortSignal): Promise<FileSource | undefined>;
  /** To be called first: a file that the hub does not list is then asked for no more. */
  choose(signal?: AbortSignal): Promise<Partial<Omit<FileSet, "open">>>;
}

/** The hub lists a thousand files at a time, of which the first are enough to choose. */
const MOST_LISTED = 1000;

export async function openHub(repository: string, options: HubOptions, openStore: OpenStore): Promise<Repository> {
  const fn = "hubFiles";
  const { cache = false, fetch: ask = globalThis.fetch } = knownOptions(fn, options, [
    "revision",
    "file",
    "endpoint",
    "cache",
    "fetch",
  ]);
  const { revision, at } = basesOf(fn, repository, options);
  const { base, list } = at(revision);
  const named = fileOf(fn, options.file);
  if ((typeof cache !== "boolean" && typeof cache !== "string") || cache === "")
    throw refuse.type(fn, "cache", cache, "true, false or a name");
  if (typeof ask !== "function") throw refuse.type(fn, "fetch", ask, "a function");
  const store = cache === false ? undefined : await openStore(cache);
  // A repository without one of its needed files may be about to be filled: nothing of it is known to be missing.
  let filled = false;
  const missing: string[] = [];
  const keepMissing = async (address: string): Promise<void> => {
    if (filled) await store?.keepMissing(address);
    else missing.push(address);
  };
  const found = async (name: string): Promise<void> => {
    if (filled || !isNeeded(name)) return;
    filled = true;
    for (const address of missing.splice(0)) await store?.keepMissing(address);
  };
  const asked = async (address: string, signal: AbortSignal | undefined): Promise<Response> => {
    const response = (await (signal === undefined ? ask(address) : ask(address, { signal }))) as unknown;
    if (response instanceof Response) return response;
    throw new TypeError("`fetch` gave no Response");
  };
  // A branch moves: where files of it are kept, the others are asked for by the commit that those are of.
  const mark = `${base}.commit`;
  const keptCommit = await ((await store?.find(mark)) as Response | undefined)?.text();
  const from = at(keptCommit ?? revision);
  let commit = keptCommit ?? null;
  const keepText = async (address: string, text: string): Promise<void> => {
    await (await store?.keep(address, new Response(text)))?.arrayBuffer();
  };
  /** Paths of all files; undefined where the hub does not tell them. */
  let all: readonly string[] | undefined;
  const get = async (name: string, signal?: AbortSignal): Promise<FileSource | undefined> => {
    const path = name.split("/").map(encodeURIComponent).join("/");
    const address = base + path;
    if (all?.includes(name) === false) return undefined;
    const kept = await store?.find(address);
    const asksAgain = kept === null && isNeeded(name);
    if (kept !== undefined && !asksAgain) {
      if (kept !== null) await found(name);
      return kept ?? undefined;
    }
    let response: Response;
    try {
      response = await asked(from.base + path, signal);
      // It may have come after that commit.
      if (keptCommit !== undefined && isNeeded(name) && MISSING.includes(response.status)) {
        await response.body?.cancel();
        response = await asked(address, signal);
      }
    } catch (cause) {
      signal?.throwIfAborted();
      // Without a network it is as missing as it was.
      if (asksAgain) return undefined;
      throw failure("network", fn, `${address} could not be reached`, { argument: "repository" }, { cause });
    }
    if (MISSING.includes(response.status)) {
      await response.body?.cancel();
      await keepMissing(address);
      return undefined;
    }
    const isPage = response.headers.get("content-type")?.startsWith("text/html");
    if (!response.ok || response.status === 206 || isPage) {
      await response.body?.cancel();
      const why = isPage
        ? " with a web page, which is no file of a model; a proxy or a login may stand in between"
        : response.status === 401 || response.status === 403
          ? "; the model may be private or its name wrong"
          : "";
      throw failure("network", fn, `${address} answered ${response.status}${why}`, { argument: "repository" });
    }
    const now = response.headers.get("x-repo-commit");
    if (commit !== null && now !== null && now !== commit) {
      await response.body?.cancel();
      const why =
        keptCommit === undefined
          ? `the repository went from commit ${commit} to ${now} while it was read; load it again, or give a commit`
          : `the kept files are of commit ${commit}, and ${name} is of ${now}; give ${now}`;
      throw failure("network", fn, `${why} as \`revision\``, { argument: "revision" });
    }
    if (commit === null && now !== null) await keepText(mark, now);
    commit ??= now;
    await found(name);
    return store === undefined ? response : store.keep(address, response);
  };

  /** Undefined where the hub does not list files. */
  const listed = async (signal?: AbortSignal): Promise<Listed[] | undefined> => {
    try {
      const kept = (await store?.find(list)) as Response | null | undefined;
      if (kept === null) return undefined;
      const response = kept ?? (await asked(from.list, signal));
      if (MISSING.includes(response.status)) await keepMissing(list);
      if (!response.ok) return void (await response.body?.cancel());
      const entries = (await response.json()) as (Listed & { type?: unknown })[];
      const files = entries.filter(({ type, path }) => type === "file" && typeof path === "string");
      // A repository without weights may be about to be filled.
      if (kept === undefined && files.some(({ path }) => /\.(safetensors|gguf)$/i.test(path)))
        await keepText(list, JSON.stringify(entries));
      if (entries.length < MOST_LISTED) all = files.map(({ path }) => path);
      return files;
    } catch {
      signal?.throwIfAborted();
      return undefined;
    }
  };
  const choose: Repository["choose"] = async (signal) => {
    const files = await listed(signal);
    const told = all && { where: `${repository} at ${revision}`, ...listingOf(all) };
    if (files === undefined || named !== undefined) return { ...named, ...told };
    const chosen = await chooseWeights(fn, files, async () => {
      const config = (await get("config.json", signal)) as Response | undefined;
      return ((await config?.json()) as { model_type?: unknown } | undefined)?.model_type;
    });
    return { ...chosen, ...told };
  };
  return { get, choose };
}
