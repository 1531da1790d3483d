/** ropewalk-native, which is asked for by a name that no bundler looks for. */
import { createRequire } from "node:module";
import version from "ropewalk:version";
import { failure } from "./errors.js";
import type { NativeMemory } from "./native.js";
import type { RunningModule } from "./platform.js";

const NAME = "ropewalk-native";

/** The addon, as bindings/node/src/addon.cpp has it. */
interface Addon {
  version: string;
  open(): NativeMemory;
}

/** `beside` is the URL of the file that asks; bundles of CommonJS have none. @throws Error for a package that does not work. */
export async function findNative(beside: string | undefined): Promise<(() => RunningModule) | undefined> {
  if (beside === undefined) return undefined;
  const require = createRequire(beside);
  let file: string;
  try {
    file = require.resolve(NAME);
  } catch {
    return undefined;
  }
  const refused = (problem: string, cause?: unknown) =>
    failure(
      "unsupported",
      "load",
      `${NAME} ${problem}load({ native: false }) does without it`,
      { argument: "native" },
      { cause },
    );
  const why = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));
  let addon: Partial<Addon> | null | undefined;
  try {
    addon = require(file) as typeof addon;
  } catch (cause) {
    throw refused(`is installed and cannot be loaded: ${why(cause)}; `, cause);
  }
  if (typeof addon?.open !== "function") throw refused("is installed and is not the package of that name; ");
  if (addon.version !== version) {
    const versions = `is of version ${addon.version} and ropewalk of version ${version}`;
    throw refused(`${versions}; install ${NAME}@${version}, or `);
  }
  const open = addon.open;
  return () => {
    try {
      return { running: open() };
    } catch (cause) {
      throw refused(`could not begin: ${why(cause)}; `, cause);
    }
  };
}
