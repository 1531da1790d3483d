/** A line on a terminal that is written over; nothing where standard error is not a terminal. */
export class ProgressLine {
  readonly #began = performance.now();
  #written = 0;

  get seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }

  /** `done` of `all`: what is left is as fast as what was. */
  write(text: string, done: number, all: number): void {
    const now = performance.now();
    if (!process.stderr.isTTY || (now - this.#written < 100 && done < all)) return;
    this.#written = now;
    const left = Math.round((this.seconds * (all - done)) / Math.max(done, 1));
    process.stderr.write(`\r\x1b[K${text}, ${left} s left`);
  }

  clear(): void {
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  }
}
