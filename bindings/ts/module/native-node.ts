/** ropewalk-native, which is asked for by a name that no bundler looks for. */
import { createRequire } from "node:module";
import version from "ropewalk:version";
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
  const without = "load({ native: false }) does without it";
  let addon: Addon;
  try {
    addon = require(file) as Addon;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`load: ${NAME} is installed and cannot be loaded: ${why}; ${without}`, { cause });
  }
  if (addon.version !== version) {
    throw new Error(
      `load: ${NAME} is of version ${addon.version} and ropewalk of version ${version}; ` +
        `install ${NAME}@${version}, or ${without}`,
    );
  }
  return () => ({ running: addon.open() });
}
