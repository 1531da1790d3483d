// Made by `npm run generate` from what the WebAssembly modules export. Do not edit.
/**
 * The exports of the five WebAssembly modules. Coarse things are Embind classes and functions; what runs once per token is a
 * plain export that takes numbers and addresses. bindings/embind/*.cpp says what each does.
 */
import type { ClassHandle, ModuleMemory, ModuleTable } from "./glue.js";

/** The exports that all modules have. */
export interface NativeMemory extends ModuleMemory {
  _ropewalk_text_address(): number;
  _ropewalk_text_size(): number;
  _ropewalk_free_text(): void;
  _ropewalk_error_code(): number;
  _ropewalk_error_data(): void;
  _ropewalk_allocate(_0: number): number;
  _ropewalk_free(_0: number): void;
  _ropewalk_heap_bytes(): number;
}

/** Those that model.wasm and decoder.wasm have besides. */
export interface NativeInt8 extends NativeMemory, ModuleTable {
  _ropewalk_int8_stack(): number;
  _ropewalk_try_int8(_0: number, _1: number): number;
  _ropewalk_use_int8(_0: number): void;
  _ropewalk_thread(_0: number): number;
  _ropewalk_thread_bytes(): number;
  _ropewalk_lend_threads(_0: number, _1: number): void;
  families(): void;
}

export interface NativeRope extends ClassHandle {
  address(): number;
  rotaryDim(): number;
  frequencyCount(): number;
  writeFrequencies(address: number): void;
  writeWavelengths(address: number): void;
  magnitude(): number;
}

export interface NativeEncoder extends ClassHandle {
  notes(): void;
  facts(): void;
  sentenceNotes(): void;
  sentenceFacts(): void;
  parameterCount(): number;
  vocabulary(): number;
  makeSentence(files: number, count: number): number;
  forward(block: number): number;
  outputCount(): number;
  outputName(index: number): void;
  outputLayer(index: number): number;
  outputAddress(index: number): number;
  outputSize(index: number): number;
}

export interface NativeEncoderLoader extends ClassHandle {
  finish(): NativeEncoder | null;
  quantisedByRows(): void;
  match(): number;
  reserve(): number;
  window(): number;
  windowSize(): number;
  hasHeader(file: number): boolean;
  read(file: number, size: number): number;
  readHeader(file: number, size: number, fileSize: number): number;
  parameterCount(): number;
  download(): number;
  bytesLoaded(): number;
  bytesAtPeak(): number;
}

export interface NativeDecoder extends ClassHandle {
  config(): void;
  notes(): void;
  ropes(): void;
  parameterCount(): number;
  context(): number;
  makeCache(keys: number, type: number, parts: number, count: number): NativeKeyCache | null;
  makeChunk(ids: number, size: number, keys: number, type: number, parts: number, count: number): NativeChunk | null;
  restore(bytes: number, size: number): NativeKeyCache | null;
}

export interface NativeChunk extends ClassHandle {
  length(): number;
  tokensAddress(): number;
}

export interface NativeKeyCache extends ClassHandle {
  fork(): NativeKeyCache | null;
  explain(): void;
  freeSaved(): void;
  save(): number;
  length(): number;
  bytes(): number;
  tokensAddress(): number;
  feed(ids: number, count: number, all: boolean, ruleLength: number): number;
  logitsAddress(): number;
  logitsSize(): number;
  trim(length: number): number;
  drop(from: number, to: number, rotate: boolean): number;
  append(chunk: NativeChunk, from: number, to: number): number;
  rescale(parameters: number, size: number): number;
  keyElements(layer: number): number;
  keys(layer: number, out: number, size: number): number;
  savedAddress(): number;
  savedSize(): number;
  sample(options: number): number;
  sampleAllowed(allowed: number, words: number, options: number): number;
  feedGuesses(ids: number, count: number, options: number): number;
  sampleCount(): number;
  sampledId(index: number): number;
  logProbability(index: number): number;
}

export interface NativeDecoderLoader extends ClassHandle {
  finish(): NativeDecoder | null;
  quantisedByRows(): void;
  match(): number;
  reserve(): number;
  ggufTokenizer(): number;
  window(): number;
  windowSize(): number;
  hasHeader(file: number): boolean;
  read(file: number, size: number): number;
  readHeader(file: number, size: number, fileSize: number): number;
  parameterCount(): number;
  download(): number;
  bytesLoaded(): number;
  bytesAtPeak(): number;
  prepare(): number;
}

export interface NativeTrainer extends ClassHandle {
  configJson(): void;
  notes(): void;
  planFile(half: boolean, optimizer: boolean): number;
  parameterCount(): number;
  run(block: number): number;
  gradientCount(): number;
  gradientName(index: number): void;
  gradientAddress(index: number): number;
  gradientSize(index: number): number;
  fileSize(): number;
  writeFile(address: number, size: number): number;
  step(): number;
  loss(): number;
  accuracy(): number;
  gradientNorm(): number;
  learningRate(): number;
}

export interface NativeTask extends ClassHandle {
  name(): void;
  description(): void;
  symbols(): void;
  findBest(): number;
  distance(): number;
  shortestSequence(): number;
  batchAddress(): number;
  chanceAccuracy(): number;
  makeBatch(validation: boolean, index: number, batch: number, sequence: number): number;
  bestLoss(): number;
  bestAccuracy(): number;
}

/** core.wasm: ropes and tensors. */
export interface NativeCore extends NativeMemory {
  _ropewalk_version(): void;
  _ropewalk_call(): number;
  _ropewalk_rotate(_0: number): number;
  _ropewalk_unrotate(_0: number): number;
  _ropewalk_rerotate(_0: number): number;
  _ropewalk_rotate_qk(_0: number): number;
  _ropewalk_gradients(_0: number): number;
  _ropewalk_free_gradients(): void;
  _ropewalk_rotate_by(): number;
  _ropewalk_query_scales(_0: number, _1: number, _2: number): number;
  _ropewalk_table(_0: number, _1: number, _2: number, _3: number, _4: number, _5: number): number;
  _ropewalk_index_columns(_0: number): number;
  _ropewalk_index_encode(_0: number, _1: number, _2: number, _3: number): void;
  _ropewalk_index_scan(
    _0: number,
    _1: number,
    _2: number,
    _3: number,
    _4: number,
    _5: number,
    _6: number,
    _7: number,
    _8: number,
  ): void;
  makeRope(options: number, size: number): NativeRope | null;
  detectPairing(options: number, size: number): number;
}

/** analysis.wasm: configurations, analysis, conversion. */
export interface NativeAnalysis extends NativeMemory {
  _ropewalk_read_config(_0: number, _1: number, _2: number, _3: number, _4: number, _5: number, _6: number): number;
  _ropewalk_facts(): void;
  _ropewalk_gguf_header(_0: number, _1: number, _2: number, _3: number): number;
  _ropewalk_explain(_0: number, _1: number, _2: number, _3: number): number;
  _ropewalk_decay(_0: number, _1: number, _2: number, _3: number, _4: number, _5: number): number;
  _ropewalk_score(
    _0: number,
    _1: number,
    _2: number,
    _3: number,
    _4: number,
    _5: number,
    _6: number,
    _7: number,
    _8: number,
    _9: number,
  ): number;
  _ropewalk_hilbert_error(
    _0: number,
    _1: number,
    _2: number,
    _3: number,
    _4: number,
    _5: number,
    _6: number,
    _7: number,
    _8: number,
    _9: number,
  ): number;
  _ropewalk_turns(_0: number, _1: number, _2: number, _3: number): number;
  _ropewalk_effective_receptive_field(_0: number, _1: number, _2: number, _3: number, _4: number, _5: number): number;
  _ropewalk_fit_make(_0: number, _1: number, _2: number, _3: number, _4: number, _5: number, _6: number): number;
  _ropewalk_fit_step(_0: number): number;
  _ropewalk_fit_steps_done(_0: number): number;
  _ropewalk_fit_alpha(_0: number): number;
  _ropewalk_fit_rho(_0: number): number;
  _ropewalk_fit_error(_0: number): number;
  _ropewalk_fit_free(_0: number): void;
  _ropewalk_convert_pairing(
    _0: number,
    _1: number,
    _2: number,
    _3: number,
    _4: number,
    _5: number,
    _6: number,
    _7: number,
    _8: number,
  ): number;
}

/** model.wasm: encoders. */
export interface NativeModel extends NativeInt8 {
  makeEncoderLoader(config: number, configSize: number, files: number, precision: number): NativeEncoderLoader | null;
}

/** decoder.wasm: decoders. */
export interface NativeDecoding extends NativeInt8 {
  checkSampling(options: number): number;
  makeDecoderLoader(
    config: number,
    configSize: number,
    files: number,
    precision: number,
    context: number,
    screen: boolean,
  ): NativeDecoderLoader | null;
}

/** train.wasm: the trainer, and tasks to train models on. */
export interface NativeTraining extends NativeMemory {
  checkTrainerOptions(options: number, size: number): number;
  makeTrainer(
    config: number,
    configSize: number,
    options: number,
    optionsSize: number,
    hasWeights: boolean,
    weights: number,
    size: number,
  ): NativeTrainer | null;
  makeTask(options: number, size: number): NativeTask | null;
}
