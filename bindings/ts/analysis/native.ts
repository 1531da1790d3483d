/** analysis.wasm, which has plain exports alone: texts as addresses and sizes, behind the same functions as Embind's. */
import { elementsAt } from "../module/elements.js";
import { failure } from "../module/errors.js";
import type { NativeAnalysis, NativeReceptiveFieldFit, PlainAnalysis } from "../module/native.js";

/** @param plain the exports of the module. */
export function nativeAnalysis(plain: PlainAnalysis): NativeAnalysis {
  const utf8 = new TextEncoder();
  const answer = () => {
    const bytes = elementsAt(plain, Uint8Array, plain._ropewalk_text_address(), plain._ropewalk_text_size());
    const text = new TextDecoder().decode(bytes);
    plain._ropewalk_free_text();
    return text;
  };
  /** Calls with texts, which are in the module only while the call runs. */
  const withTexts = <T>(fn: string, texts: readonly string[], call: (...placed: number[]) => T): T => {
    const placed: number[] = [];
    try {
      for (const text of texts) {
        const bytes = utf8.encode(text);
        const address = plain._ropewalk_allocate(bytes.length);
        if (address === 0) throw failure("out-of-memory", fn, `no memory for ${bytes.length} bytes of options`);
        placed.push(address, bytes.length);
        elementsAt(plain, Uint8Array, address, bytes.length).set(bytes);
      }
      return call(...placed);
    } finally {
      for (let i = 0; i < placed.length; i += 2) plain._ropewalk_free(placed[i]!);
    }
  };
  const fitOf = (fit: number): NativeReceptiveFieldFit => ({
    step: () => plain._ropewalk_fit_step(fit) !== 0,
    stepsDone: () => plain._ropewalk_fit_steps_done(fit),
    alpha: () => plain._ropewalk_fit_alpha(fit),
    rho: () => plain._ropewalk_fit_rho(fit),
    error: () => plain._ropewalk_fit_error(fit),
    delete: () => plain._ropewalk_fit_free(fit),
  });
  return {
    wasmMemory: plain.wasmMemory,
    memoryAddress: plain.memoryAddress,
    copy: plain.copy,
    _ropewalk_allocate: plain._ropewalk_allocate,
    _ropewalk_free: plain._ropewalk_free,
    _ropewalk_heap_bytes: plain._ropewalk_heap_bytes,
    _ropewalk_error_code: plain._ropewalk_error_code,
    _ropewalk_error_data: plain._ropewalk_error_data,
    _ropewalk_text_address: plain._ropewalk_text_address,
    _ropewalk_text_size: plain._ropewalk_text_size,
    _ropewalk_free_text: plain._ropewalk_free_text,
    readConfig: (config, hasLength, sequenceLength, layerType, pairing) =>
      withTexts("ropeOptionsFromConfig", [config, layerType], (at, size, typeAt, typeSize) =>
        plain._ropewalk_read_config(at!, size!, Number(hasLength), sequenceLength, typeAt!, typeSize!, pairing),
      ) === 0
        ? answer()
        : "",
    facts: () => {
      plain._ropewalk_facts();
      return answer();
    },
    ggufHeader: (...rest) => (plain._ropewalk_gguf_header(...rest) === 0 ? answer() : ""),
    explain: (rope, hasContext, context) =>
      withTexts("explain", [rope], (at, size) => plain._ropewalk_explain(at!, size!, Number(hasContext), context)) === 0
        ? answer()
        : "",
    decay: (rope, ...rest) => withTexts("decay", [rope], (at, size) => plain._ropewalk_decay(at!, size!, ...rest)),
    score: (rope, ...rest) => withTexts("score", [rope], (at, size) => plain._ropewalk_score(at!, size!, ...rest)),
    hilbertError: (rope, ...rest) =>
      withTexts("hilbertError", [rope], (at, size) => plain._ropewalk_hilbert_error(at!, size!, ...rest)),
    turns: (rope, ...rest) => withTexts("turns", [rope], (at, size) => plain._ropewalk_turns(at!, size!, ...rest)),
    effectiveReceptiveField: (rope, ...rest) =>
      withTexts("effectiveReceptiveField", [rope], (at, size) =>
        plain._ropewalk_effective_receptive_field(at!, size!, ...rest),
      ),
    makeReceptiveFieldFit: (...rest) => {
      const fit = plain._ropewalk_fit_make(...rest);
      return fit === 0 ? null : fitOf(fit);
    },
    convertPairing: (...rest) => plain._ropewalk_convert_pairing(...rest),
  };
}
