/** Node loads this file when an encoder in several workers is asked for. */
import type { LoadTokenizer } from "../model/text/tokenizer.js";
import type { Open, OwnWasm } from "../module/platform.js";
import { openChannel } from "../parallel/channel-node.js";
import { openParallelModels } from "../parallel/encoder.js";

const loadTokenizer: LoadTokenizer = async (source) => (await import("./tokenizers.js")).loadTokenizer(source);

export const start = (wasm: OwnWasm, open: Open) => openParallelModels(wasm, open, openChannel, loadTokenizer);
