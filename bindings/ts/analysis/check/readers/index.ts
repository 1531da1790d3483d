/** The emulated readers, by name. The library's own is beside them: it needs the module. */
import type { ReaderData } from "../reader.js";
import type { Reader } from "../report.js";
import { getattrLegacy } from "./getattr-legacy.js";
import { llamaCpp } from "./llama-cpp.js";
import { mlxLm } from "./mlx-lm.js";
import { onnxruntimeGenai } from "./onnxruntime-genai.js";
import { remoteGte } from "./remote-gte.js";
import { remoteNomic } from "./remote-nomic.js";
import { sglang } from "./sglang.js";
import { transformers4 } from "./transformers-4.js";
import { transformers5 } from "./transformers-5.js";
import { vllm } from "./vllm.js";

export const emulated: Readonly<Record<Exclude<Reader, "ropewalk">, ReaderData>> = {
  "transformers-4": transformers4,
  "transformers-5": transformers5,
  "getattr-legacy": getattrLegacy,
  vllm,
  sglang,
  "mlx-lm": mlxLm,
  "onnxruntime-genai": onnxruntimeGenai,
  "llama.cpp": llamaCpp,
  "remote-gte": remoteGte,
  "remote-nomic": remoteNomic,
};

/** Every reader that can be named. */
export const READERS: readonly Reader[] = ["ropewalk", ...(Object.keys(emulated) as Exclude<Reader, "ropewalk">[])];

/** Those that are asked unless `readers` says otherwise: libraries, and no common mistake. */
export const LIBRARIES: readonly Reader[] = READERS.filter((each) => each !== "getattr-legacy");
