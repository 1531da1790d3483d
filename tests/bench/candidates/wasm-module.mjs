// The bench's own modules: plain C, the limits, the model's kernels.

export class WasmModule {
  #exports;

  constructor(exports) {
    this.#exports = exports;
    for (const [name, value] of Object.entries(exports)) if (typeof value === "function") this[name] = value;
  }

  static async from(bytes) {
    const module = await WebAssembly.compile(bytes);
    const imports = {};
    // Memory may grow; nothing here keeps a view of it.
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      imports[from] ??= {};
      imports[from][name] = () => 0;
    }
    const { exports } = await WebAssembly.instantiate(module, imports);
    exports._initialize?.();
    return new WasmModule(exports);
  }

  /** The address of `values`, copied in; 64-byte aligned. */
  put(values) {
    const address = this.room(values.length);
    this.view(address, values.length).set(values);
    return address;
  }

  /** The address of `count` floats. */
  room(count) {
    const address = this.#exports.malloc(count * 4 + 64);
    if (address === 0) throw new Error("no memory");
    return (address + 63) & ~63;
  }

  memory() {
    return this.#exports.memory;
  }

  /** Good until the memory grows. */
  view(address, count) {
    return new Float32Array(this.#exports.memory.buffer, address, count);
  }
}
