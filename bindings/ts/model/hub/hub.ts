/** Files of a model on a hub, by the addresses that Hugging Face's hub has: endpoint/owner/name/resolve/revision/file. */
import { optionsObject } from "../../module/errors.js";
import type { FileSource } from "../files/model-files.js";
import { refuse } from "../refuse.js";

export interface HubOptions {
  /** A branch, a tag or a commit. Default "main". Only a commit says for certain which files these are. */
  revision?: string;
  /** Default https://huggingface.co. */
  endpoint?: string | URL;
  /**
   * Keeps files: in a page in the Cache API, in Node in a folder. A text names the cache or the folder; true stands for
   * "ropewalk" in a page, and in Node for ropewalk/hub in the user's cache folder. A kept file is not asked for again.
   * Default false.
   */
  cache?: boolean | string;
  /** In place of the global one: for tokens of private models, or for a proxy. */
  fetch?: typeof fetch;
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

function baseOf(fn: string, repository: string, options: HubOptions): string {
  const { revision = "main", endpoint = "https://huggingface.co" } = options;
  if (typeof revision !== "string" || revision === "" || /^\.*$/.test(revision))
    throw refuse.range(fn, "revision", revision, "a branch, a tag or a commit");
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch {
    throw refuse.range(fn, "endpoint", endpoint, "a URL");
  }
  return `${url.href.replace(/\/*$/, "")}/${repository}/resolve/${encodeURIComponent(revision)}/`;
}

const MISSING = [404, 410];

/** A function from file names to files, for ModelFiles. */
export async function openHub(
  repository: string,
  options: HubOptions,
  openStore: OpenStore,
): Promise<(name: string) => Promise<FileSource | undefined>> {
  const fn = "hubFiles";
  const { cache = false, fetch: ask = globalThis.fetch } = optionsObject(fn, "options", options);
  const base = baseOf(fn, repository, options);
  if ((typeof cache !== "boolean" && typeof cache !== "string") || cache === "")
    throw refuse.type(fn, "cache", cache, "true, false or a name");
  if (typeof ask !== "function") throw refuse.type(fn, "fetch", ask, "a function");
  const store = cache === false ? undefined : await openStore(cache);
  return async (name) => {
    const address = base + name.split("/").map(encodeURIComponent).join("/");
    const kept = await store?.find(address);
    if (kept !== undefined) return kept ?? undefined;
    let response: Response;
    try {
      response = await ask(address);
    } catch (cause) {
      throw new Error(`${fn}: ${address} could not be reached`, { cause });
    }
    if (MISSING.includes(response.status)) {
      await response.body?.cancel();
      await store?.keepMissing(address);
      return undefined;
    }
    if (!response.ok) {
      await response.body?.cancel();
      const why =
        response.status === 401 || response.status === 403 ? "; the model may be private or its name wrong" : "";
      throw new Error(`${fn}: ${address} answered ${response.status}${why}`);
    }
    return store === undefined ? response : store.keep(address, response);
  };
}
