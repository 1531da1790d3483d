/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Who owns what inside the module: every object that lives there belongs to one JavaScript object, which frees it on
 * `dispose()`, at the end of a `using` block, or, as the net below both, when it is garbage-collected.
 */
import { failure } from "./errors.js";

/** Counts the living objects of one module and frees the forgotten ones. */
export class Owner {
  live = 0;
  readonly #forgotten = new FinalizationRegistry<() => void>((free) => this.#free(free));

  adopt(object: object, free: () => void): void {
    this.live++;
    this.#forgotten.register(object, free, object);
  }

  release(object: object, free: () => void): void {
    this.#forgotten.unregister(object);
    this.#free(free);
  }

  #free(free: () => void): void {
    this.live--;
    free();
  }
}

/** A JavaScript object that owns something inside the module. */
export abstract class Handle implements Disposable {
  readonly #owner: Owner;
  readonly #kind: string;
  #address: number;
  #free: (() => void) | undefined;

  declare [Symbol.dispose]: () => void;

  /**
   * `free` must not refer to this object: it would never be collected. `address` is where the object is in the module's
   * memory; those that nobody asks for it have none.
   */
  protected constructor(owner: Owner, kind: string, free: () => void, address = 0) {
    this.#owner = owner;
    this.#kind = kind;
    this.#address = address;
    this.#free = free;
    owner.adopt(this, free);
  }

  /** The name of the kind, as messages give it. */
  get [Symbol.toStringTag](): string {
    return this.#kind;
  }

  /** False once the object is disposed. */
  get isLive(): boolean {
    return this.#free !== undefined;
  }

  /** Throws once the object is disposed. `fn` is who asks. */
  assertLive(fn: string): void {
    if (this.#free === undefined) throw failure("disposed", fn, `this ${this.#kind} has been disposed`);
  }

  /** The address; throws as assertLive() does. */
  addressFor(fn: string): number {
    this.assertLive(fn);
    return this.#address;
  }

  dispose(): void {
    const free = this.#free;
    if (free === undefined) return;
    this.#free = undefined;
    this.#address = 0;
    this.#owner.release(this, free);
  }
}

// Engines without Symbol.dispose have no `using` that would look for it.
if (Symbol.dispose) {
  Object.defineProperty(Handle.prototype, Symbol.dispose, {
    value(this: Handle) {
      this.dispose();
    },
    configurable: true,
    writable: true,
  });
}
