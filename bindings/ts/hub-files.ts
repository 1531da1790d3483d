/** `hubFiles`, of which every entry exports one: its code is loaded when the first file is asked for. */
import type { ModelFiles } from "./model/files/model-files.js";
import type { HubOptions, Repository } from "./model/hub/hub.js";
import { refusal } from "./module/errors.js";
import { once } from "./module/once.js";

type Code = () => Promise<{ openHub(repository: string, options: HubOptions): Promise<Repository> }>;

export function hubFilesBy(code: Code, repository: string, options: HubOptions = {}): ModelFiles {
  if (typeof repository !== "string" || !/^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(repository))
    throw refusal("range", "hubFiles", "repository", repository, '"owner/name"');
  const open = once(async () => (await code()).openHub(repository, options));
  const where = `${repository} at ${options?.revision ?? "main"}, which answers 404`;
  const get = async (name: string, signal?: AbortSignal) => (await open()).get(name, signal);
  return Object.assign(get, { where, choose: async (signal?: AbortSignal) => (await open()).choose(signal) });
}
