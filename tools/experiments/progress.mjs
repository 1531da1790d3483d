// A bar with the time left: rewritten in a terminal, a line now and then in a log.

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

export class Progress {
  constructor(out = process.stdout) {
    Object.assign(this, { runs: 0, work: 0, out, finished: 0, doneWork: 0, skipped: 0, name: "", next: 0 });
    this.begun = Date.now();
    this.inFlight = new Map();
  }
  /** More runs that will be done or skipped. */
  expect(runs) {
    this.runs += runs.length;
    for (const { work } of runs) this.work += work;
  }
  title(name) {
    this.name = name;
  }
  skip(run) {
    this.skipped += run.work;
    this.doneWork += run.work;
    this.finished += 1;
    this.show();
  }
  at(run, steps) {
    this.inFlight.set(run.key, steps * (run.work / run.steps));
    this.show();
  }
  done(run) {
    this.inFlight.delete(run.key);
    this.doneWork += run.work;
    this.finished += 1;
    this.show();
  }
  show(last = false) {
    const now = Date.now();
    if (!last && now < this.next) return;
    this.next = now + (this.out.isTTY ? 200 : 20_000);
    const done = [...this.inFlight.values()].reduce((a, b) => a + b, this.doneWork);
    const share = Math.min(1, done / this.work);
    const elapsed = (now - this.begun) / 1000;
    const own = done - this.skipped;
    const left = own > 0 && elapsed > 1 ? `${clock((elapsed * (this.work - done)) / own)} left` : "";
    const width = 30;
    const full = Math.round(share * width);
    const bar = `[${"#".repeat(full)}${".".repeat(width - full)}] ${(100 * share).toFixed(0).padStart(3)} %`;
    const line = `${bar}  ${this.finished} of ${this.runs} runs  ${this.name}  ${clock(elapsed)} gone  ${left}`;
    this.out.write(this.out.isTTY ? `\r${line.padEnd(100)}` : `${line}\n`);
  }
  end() {
    this.show(true);
    if (this.out.isTTY) this.out.write("\n");
  }
}
