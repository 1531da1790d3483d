/** Every entry loads this file when the first decoder is asked for; the entry says where the module is. */
import create from "ropewalk:decoder-glue";
import { startDecoders } from "../model/decoder/open.js";
import type { LoadTokenizer } from "../model/text/tokenizer.js";
import type { Int8Source } from "../module/int8.js";
import type { Open, WasmSource } from "../module/platform.js";

const loadTokenizer: LoadTokenizer = async (source) => (await import("./tokenizers.js")).loadTokenizer(source);

export const start = (wasm: WasmSource, open: Open, int8: Int8Source) =>
  startDecoders(create, wasm, open, int8, loadTokenizer);
