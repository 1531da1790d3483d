/** Every entry loads this file when the first decoder is asked for; the entry says where the module is. */
import create from "ropewalk:decoder-glue";
import type { LoadTemplates } from "../model/chat/chat.js";
import { startDecoders } from "../model/decoder/open.js";
import type { LoadLater } from "../model/decoder/read-decoder.js";
import type { LoadTokenizer } from "../model/text/tokenizer.js";
import type { ModuleSource, Open } from "../module/platform.js";
import type { Compute } from "../module/start-models.js";

const loadTokenizer: LoadTokenizer = async (source) => (await import("./tokenizers.js")).loadTokenizer(source);
const loadTemplates: LoadTemplates = async () => (await import("./templates.js")).Chat;
const loadGrammars: LoadLater["loadGrammars"] = async () => (await import("./grammar.js")).grammarsOf;

export const start = (wasm: ModuleSource, open: Open, compute: Compute) =>
  startDecoders(create, wasm, open, compute, { loadTokenizer, loadTemplates, loadGrammars });
