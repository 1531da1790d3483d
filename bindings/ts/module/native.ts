/**
 * The exports of the five WebAssembly modules (bindings/embind/*.cpp). Coarse things are Embind classes and
 * functions; what runs once per token is a plain export that takes numbers and addresses.
 * tests/ts/module.test.ts compares these lists with the exports of the real modules.
 */
import type { ClassHandle } from "./glue.js";

/** A ropewalk::Rope. */
export interface NativeRope extends ClassHandle {
  address(): number;
  rotaryDim(): number;
  /** d/2, or heads * d/2; that for each of several mixed axes. */
  frequencyCount(): number;
  magnitude(): number;
  /** Writes frequencyCount() float64 values there. */
  writeFrequencies(address: number): void;
  writeWavelengths(address: number): void;
}

/** A ropewalk::ReceptiveFieldFit. */
export interface NativeReceptiveFieldFit extends ClassHandle {
  /** Does the next step, and says whether it was the last. */
  step(): boolean;
  stepsDone(): number;
  alpha(): number;
  rho(): number;
  error(): number;
}

/** A ropewalk::Encoder, the ropewalk::SentenceModules behind it, and the views of its last forward. */
export interface NativeEncoder extends ClassHandle {
  /** These two make the text: one sentence per line, and the JSON of cpp/src/model/facts.hpp. */
  notes(): void;
  facts(): void;
  parameterCount(): number;
  /** `files` are blocks of four float64 addresses and sizes: name, its size, bytes, their number. Status code. */
  makeSentence(files: number, count: number): number;
  /** These two make the text, as those above. Only after makeSentence. */
  sentenceNotes(): void;
  sentenceFacts(): void;
  /**
   * Addresses of int32 values, each with its count; 0 of them where nothing is given. `pooling` is a ropewalk::Pooling,
   * `normalize` 0 or 1, and either is -1 where it is not given. Status code.
   */
  forward(
    ids: number,
    idCount: number,
    types: number,
    typeCount: number,
    mask: number,
    maskCount: number,
    batch: number,
    sequence: number,
    sequenceIds: number,
    sequenceIdCount: number,
    outputs: number,
    pooling: number,
    promptTokens: number,
    normalize: number,
    dimensions: number,
  ): number;
  /** Number of outputs of the last forward. */
  outputCount(): number;
  /** Makes the text: as ropewalk::EncoderOutput names it, "last_hidden_state". */
  outputName(index: number): void;
  /** The layer of an output that each layer has; -1 for other outputs. */
  outputLayer(index: number): number;
  outputAddress(index: number): number;
  /** In elements. */
  outputSize(index: number): number;
}

/** A ropewalk::Decoder. */
export interface NativeDecoder extends ClassHandle {
  parameterCount(): number;
  context(): number;
  /** These three make the text: config.json, one sentence per line, and one rope per line. */
  config(): void;
  notes(): void;
  ropes(): void;
  /**
   * `keys` is a ropewalk::StoredKeys, -1 where it is not given; `type` a ropewalk::CacheType; each of the `count` parts
   * without rotation three integers, -1 where one is not given. null: refused.
   */
  makeCache(keys: number, type: number, parts: number, count: number): NativeKeyCache | null;
  makeChunk(ids: number, size: number, keys: number, type: number, parts: number, count: number): NativeChunk | null;
  restore(bytes: number, size: number): NativeKeyCache | null;
}

/** A ropewalk::Chunk. */
export interface NativeChunk extends ClassHandle {
  length(): number;
  /** length() int32 values. */
  tokensAddress(): number;
}

/** A ropewalk::KeyCache and what its last calls found. Numbers that are not said to be something are status codes. */
export interface NativeKeyCache extends ClassHandle {
  /** Tokens held, and bytes. */
  length(): number;
  bytes(): number;
  tokensAddress(): number;
  /** A rule length of 0 is not given. */
  feed(ids: number, count: number, all: boolean, ruleLength: number): number;
  /** Address and number of the logits of the last feed. They stay until the next call. */
  logitsAddress(): number;
  logitsSize(): number;
  trim(length: number): number;
  drop(from: number, to: number, rotate: boolean): number;
  append(chunk: NativeChunk, from: number, to: number): number;
  rescale(parameters: number, size: number): number;
  fork(): NativeKeyCache | null;
  /** Elements of the keys of a layer. */
  keyElements(layer: number): number;
  keys(layer: number, out: number, size: number): number;
  /** Makes the text. */
  explain(): void;
  save(): number;
  savedAddress(): number;
  savedSize(): number;
  freeSaved(): void;
  /** Draws a token; `options` are eight float64 values. */
  sample(options: number): number;
  /** As `sample`, from the ids whose bits are set in so many words of 32. */
  sampleAllowed(allowed: number, words: number, options: number): number;
  /** Feeds the first id and guesses behind it, and draws a token behind it and behind each that was right. */
  feedGuesses(ids: number, count: number, options: number): number;
  /** Tokens that the last call of those two drew. */
  sampleCount(): number;
  sampledId(index: number): number;
  logProbability(index: number): number;
}

/** A loader of encoders or decoders, and the window through which files reach it. */
export interface NativeLoader<Made> extends ClassHandle {
  /** Its address, and its size in bytes. */
  window(): number;
  windowSize(): number;
  /**
   * Number of the `size` bytes in the window that belong to the header; -1 when it is refused. A `fileSize` of -1 is
   * not known.
   */
  readHeader(file: number, size: number, fileSize: number): number;
  hasHeader(file: number): boolean;
  /** Once all headers are there. Status code; then the next five are known. */
  match(): number;
  parameterCount(): number;
  /** Bytes of all files. */
  download(): number;
  /** Makes the text: names of the tensors that int8 keeps in 8 bits, one per line. */
  quantisedByRows(): void;
  /** Bytes of the whole module. */
  bytesLoaded(): number;
  bytesAtPeak(): number;
  /** Takes the memory. Status code. */
  reserve(): number;
  /** Takes `size` bytes in the window, which follow the header of the file. Status code. */
  read(file: number, size: number): number;
  /** null when something is missing. */
  finish(): Made | null;
}

export type NativeEncoderLoader = NativeLoader<NativeEncoder>;

export interface NativeDecoderLoader extends NativeLoader<NativeDecoder> {
  /** Between match and reserve. Makes the text, JSON of what a GGUF file says about its vocabulary. Status code. */
  ggufTokenizer(): number;
  /** Between read and finish: a step of what is computed from the weights. How much is left; -1 when something is missing. */
  prepare(): number;
}

/** A ropewalk::Trainer and what its last calls found. */
export interface NativeTrainer extends ClassHandle {
  /** These two make the text; of the notes, one sentence per line. */
  configJson(): void;
  notes(): void;
  parameterCount(): number;
  step(): number;
  /**
   * `work`: 0 train, 1 evaluate, 2 gradients. Addresses of int32 values, each with its count; under regression
   * `labels` are float32 targets. Status code.
   */
  run(
    work: number,
    ids: number,
    idCount: number,
    types: number,
    typeCount: number,
    mask: number,
    maskCount: number,
    batch: number,
    sequence: number,
    labels: number,
    labelCount: number,
  ): number;
  /** Loss and accuracy are of the last batch, gradientNorm and learningRate of the last step. */
  loss(): number;
  accuracy(): number;
  gradientNorm(): number;
  learningRate(): number;
  /** Until the next batch. */
  gradientCount(): number;
  /** Makes the text. */
  gradientName(index: number): void;
  gradientAddress(index: number): number;
  /** In elements. */
  gradientSize(index: number): number;
  /** Status code; then fileSize() bytes are to be written before any other call. */
  planFile(half: boolean, optimizer: boolean): number;
  fileSize(): number;
  writeFile(address: number, size: number): number;
}

/** A ropewalk::Task and what its last calls found. */
export interface NativeTask extends ClassHandle {
  /** These three make the text; of the symbols, with a space between two. */
  name(): void;
  description(): void;
  symbols(): void;
  distance(): number;
  shortestSequence(): number;
  chanceAccuracy(): number;
  /** Status code. */
  makeBatch(validation: boolean, index: number, batch: number, sequence: number): number;
  /** Address of the last batch: batch * sequence int32 ids, as many of the mask, as many labels. */
  batchAddress(): number;
  /** Status code. On success bestLoss and bestAccuracy are those of the last batch. */
  findBest(): number;
  bestLoss(): number;
  bestAccuracy(): number;
}

/** Takes the address of a Rope and the arguments in the block of _ropewalk_call(). Status code, 0 for success. */
export type RopeExport = (rope: number) => number;

/** Numbers, addresses and sizes; the answer is a status code, but of fit_make an address. */
export type PlainCall = (...numbers: number[]) => number;

/** Memory that JavaScript sees, as far as it goes by now: growth puts another buffer in its place. */
export interface ModuleMemory {
  readonly buffer: ArrayBuffer;
}

/** The exports that all modules have. */
export interface NativeMemory {
  readonly wasmMemory: ModuleMemory;
  /** ropewalk-native has both alone: the address at which `wasmMemory` begins, and a copy of bytes from any address on. */
  readonly memoryAddress?: number;
  copy?(address: number, bytes: number): ArrayBuffer;

  /** 0 when the memory cannot be had. */
  _ropewalk_allocate(bytes: number): number;
  _ropewalk_free(address: number): void;
  _ropewalk_heap_bytes(): number;
  /** Code of the last call that failed. */
  _ropewalk_error_code(): number;
  /** Makes its message the text. */
  _ropewalk_error_data(): void;
  /** The last text that the module answered with. */
  _ropewalk_text_address(): number;
  _ropewalk_text_size(): number;
  _ropewalk_free_text(): void;
}

/** The exports of model.wasm and decoder.wasm that take relaxed.wasm and threads into use. */
export interface NativeInt8 extends NativeMemory {
  readonly wasmTable: WebAssembly.Table;
  /** The end of the other module's stack. */
  _ropewalk_int8_stack(): number;
  /**
   * A hash of what the seven functions from a place of the table on give, those of the module for 0. `times` 1 checks a
   * product of numbers; more multiply zeros as often, to be timed.
   */
  _ropewalk_try_int8(first: number, times: number): number;
  /** Models that are loaded from now on multiply with those functions. */
  _ropewalk_use_int8(first: number): void;
  /**
   * Address of five uint32 values for a worker that is thread `thread`, from 1 on: see bindings/embind/threads.cpp. 0 where
   * the memory cannot be had.
   */
  _ropewalk_thread(thread: number): number;
  /** Bytes that threads have taken for as long as the module lives. */
  _ropewalk_thread_bytes(): number;
  /** So many threads do large jobs from now on. */
  _ropewalk_lend_threads(count: number, maySleep: boolean): void;
  /** ropewalk-native has this in the place of the last three: so many threads do large jobs from now on. */
  _ropewalk_use_threads?(count: number): void;
}

/** core.wasm: ropes and tensors. */
export interface NativeCore extends NativeMemory {
  /** Makes the version of the package the text. */
  _ropewalk_version(): void;

  /** Address of the block of arguments, struct Call of bindings/embind/call.hpp. */
  _ropewalk_call(): number;
  readonly _ropewalk_rotate: RopeExport;
  readonly _ropewalk_unrotate: RopeExport;
  readonly _ropewalk_rerotate: RopeExport;
  readonly _ropewalk_rotate_qk: RopeExport;
  /** Writes its results into the block. They stay until they are freed. */
  readonly _ropewalk_gradients: RopeExport;
  _ropewalk_free_gradients(): void;
  /** Replaces positions by the scales of queries there. Returns the code of a Status. */
  _ropewalk_query_scales(rope: number, positions: number, count: number): number;
  /** Its shape and arrays are in the block. Returns the code of a Status. */
  _ropewalk_rotate_by(): number;
  _ropewalk_table(rope: number, positions: number, count: number, cos: number, sin: number, size: number): number;

  /** Codes of a row. The addresses below are of memory that the caller owns; bindings/embind/index.cpp names them. */
  _ropewalk_index_columns(dimensions: number): number;
  _ropewalk_index_encode(vector: number, dimensions: number, codes: number, facts: number): void;
  _ropewalk_index_scan(
    query: number,
    dimensions: number,
    codes: number,
    facts: number,
    rows: number,
    words: number,
    sums: number,
    lower: number,
    upper: number,
  ): void;

  /** null when the options are refused. */
  makeRope(options: number, size: number): NativeRope | null;
  /** The pairing, -1 for neither, -2 when an argument is refused. The others are in the block. */
  detectPairing(options: number, size: number): number;
}

/** The exports of analysis.wasm, as bindings/embind/{config,analysis,convert}.cpp name their arguments. */
export interface PlainAnalysis extends NativeMemory {
  readonly _ropewalk_read_config: PlainCall;
  _ropewalk_facts(): void;
  readonly _ropewalk_gguf_header: PlainCall;
  readonly _ropewalk_explain: PlainCall;
  readonly _ropewalk_decay: PlainCall;
  readonly _ropewalk_score: PlainCall;
  readonly _ropewalk_hilbert_error: PlainCall;
  readonly _ropewalk_turns: PlainCall;
  readonly _ropewalk_effective_receptive_field: PlainCall;
  readonly _ropewalk_convert_pairing: PlainCall;
  readonly _ropewalk_fit_make: PlainCall;
  _ropewalk_fit_step(fit: number): number;
  _ropewalk_fit_steps_done(fit: number): number;
  _ropewalk_fit_alpha(fit: number): number;
  _ropewalk_fit_rho(fit: number): number;
  _ropewalk_fit_error(fit: number): number;
  _ropewalk_fit_free(fit: number): void;
}

/** analysis.wasm: configurations, analysis, conversion. A rope is given by its options. */
export interface NativeAnalysis extends NativeMemory {
  /**
   * The reading as JSON text; empty when the configuration is refused. An empty `layerType` and a `pairing` of -1 are not
   * given; otherwise `pairing` is an index of PAIRINGS.
   */
  readConfig(
    configJson: string,
    hasLength: boolean,
    sequenceLength: number,
    layerType: string,
    pairing: number,
  ): string;
  /** The sheet of facts: one JSON object in each line. */
  facts(): string;
  /**
   * JSON text of {needed} or {metadata, tensors}; empty when the file is refused. A `fileSize` below 0 is not known. Longer
   * arrays are left out of the metadata.
   */
  ggufHeader(beginning: number, size: number, fileSize: number, longestArray: number): string;
  /** JSON text; empty when the context is refused. Addresses below are of float64 values. */
  explain(optionsJson: string, hasContext: boolean, context: number): string;
  decay(optionsJson: string, head: number, distances: number, count: number, out: number): number;
  /** Writes 3 * count + 2 values. */
  score(
    optionsJson: string,
    head: number,
    distances: number,
    count: number,
    q: number,
    qSize: number,
    k: number,
    kSize: number,
    out: number,
  ): number;
  /** Writes error, bound and window. */
  hilbertError(
    optionsJson: string,
    head: number,
    distances: number,
    count: number,
    q: number,
    qSize: number,
    k: number,
    kSize: number,
    out: number,
  ): number;
  turns(optionsJson: string, context: number, out: number): number;
  /** Writes one value. */
  effectiveReceptiveField(optionsJson: string, head: number, threshold: number, limit: number, out: number): number;
  /** null when an argument is refused. */
  makeReceptiveFieldFit(
    distances: number,
    distanceCount: number,
    values: number,
    valueCount: number,
    headDim: number,
    base: number,
    steps: number,
  ): NativeReceptiveFieldFit | null;
  /** In place; `rotaryDim` -1 is the default. */
  convertPairing(
    weight: number,
    size: number,
    dtype: number,
    from: number,
    to: number,
    heads: number,
    headDim: number,
    rotaryDim: number,
    rotaryOffset: number,
  ): number;
}

/** model.wasm: encoders. */
export interface NativeModel extends NativeInt8 {
  /** Makes the text, the JSON of cpp/src/model/facts.hpp: the build puts it into the entries as `families()`. */
  families(): void;
  /** For so many files of weights. null when the configuration is refused, which is not needed afterwards. */
  makeEncoderLoader(config: number, configSize: number, files: number, int8: boolean): NativeEncoderLoader | null;
}

/** decoder.wasm: decoders. */
export interface NativeDecoding extends NativeInt8 {
  /** As that of model.wasm. */
  families(): void;
  /**
   * For so many files of weights; null when the configuration is refused. A context of 0 is not given. Without a
   * configuration there is one file, in GGUF.
   */
  makeDecoderLoader(
    config: number,
    configSize: number,
    files: number,
    int8: boolean,
    context: number,
    screen: boolean,
  ): NativeDecoderLoader | null;
  /** Status code; `options` are eight float64 values. */
  checkSampling(options: number): number;
}

/** train.wasm: the trainer, and tasks to train models on. */
export interface NativeTraining extends NativeMemory {
  /** null when the options are refused. */
  makeTask(options: number, size: number): NativeTask | null;
  /** Status code. */
  checkTrainerOptions(options: number, size: number): number;
  /** For options that were accepted; null when configuration or weights are refused. */
  makeTrainer(
    config: number,
    configSize: number,
    options: number,
    optionsSize: number,
    hasWeights: boolean,
    weights: number,
    size: number,
  ): NativeTrainer | null;
}
