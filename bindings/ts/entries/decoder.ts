/** Every entry loads this file when the first decoder is asked for; the entry says where the module is. */
import create from "ropewalk:decoder-glue";
import { startDecoders } from "../model/decoder/open.js";
import type { LoadTokenizer } from "../model/text/tokenizer.js";
import type { Open, WasmSource } from "../module/platform.js";
import type { Means } from "../module/start-models.js";

const loadTokenizer: LoadTokenizer = async (source) => (await import("./tokenizers.js")).loadTokenizer(source);

export const start = (wasm: WasmSource, open: Open, means: Means) =>
  startDecoders(create, wasm, open, means, loadTokenizer);
