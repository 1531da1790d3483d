/** The emulated readers, by name. The library's own is beside them: it needs the module. */
import type { ReaderData } from "../reader.js";
import type { Reader } from "../report.js";
import { getattrLegacy } from "./getattr-legacy.js";
import { llamaCpp } from "./llama-cpp.js";
import { remoteGte } from "./remote-gte.js";
import { remoteNomic } from "./remote-nomic.js";
import { transformers4 } from "./transformers-4.js";
import { transformers5 } from "./transformers-5.js";

export const emulated: Readonly<Record<Exclude<Reader, "ropewalk">, ReaderData>> = {
  "transformers-4": transformers4,
  "transformers-5": transformers5,
  "getattr-legacy": getattrLegacy,
  "llama.cpp": llamaCpp,
  "remote-gte": remoteGte,
  "remote-nomic": remoteNomic,
};

export const READERS: readonly Reader[] = ["ropewalk", ...(Object.keys(emulated) as Exclude<Reader, "ropewalk">[])];
