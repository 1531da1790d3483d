/** Workers that take calls from one queue, each the next as soon as it is free. */
import { failure } from "../module/errors.js";
import { type Channel, type Client, connect } from "./calls.js";
import type { EncoderCalls } from "./messages.js";

interface Member {
  channel: Channel;
  client: Client<EncoderCalls>;
}

interface Job {
  signal: AbortSignal | undefined;
  run(client: Client<EncoderCalls>): Promise<unknown>;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

export class WorkerPool {
  readonly #fn: string;
  readonly #members: readonly Member[];
  readonly #idle: Member[];
  readonly #queue: Job[] = [];
  readonly #running = new Set<Job>();
  readonly #watched = new Map<AbortSignal, { jobs: Set<Job>; onAbort(): void }>();
  #ended: Error | undefined;

  /** `fn` made the pool: messages begin with it. */
  constructor(fn: string, channels: readonly Channel[]) {
    this.#fn = fn;
    // A worker that died has lost its model, and the others would wait for its part.
    const end = (error: Error) => this.end(error);
    this.#members = channels.map((channel) => ({ channel, client: connect(channel, end) }));
    this.#idle = [...this.#members];
    for (const channel of channels) channel.hold(false);
  }

  get size(): number {
    return this.#members.length;
  }

  /** Rejects with the signal's reason as soon as it aborts; what a worker has begun, it ends for nobody. */
  async ask<N extends keyof EncoderCalls>(
    call: N,
    args: EncoderCalls[N]["args"],
    signal?: AbortSignal,
  ): Promise<EncoderCalls[N]["result"]> {
    if (this.#ended !== undefined) throw this.#ended;
    signal?.throwIfAborted();
    let job: Job | undefined;
    try {
      return await new Promise<EncoderCalls[N]["result"]>((resolve, reject) => {
        job = { signal, run: (client) => client.call(call, args), resolve: resolve as Job["resolve"], reject };
        this.#watch(job);
        this.#queue.push(job);
        this.#next();
      });
    } finally {
      this.#forget(job!);
    }
  }

  /** One listener for all jobs of a signal, which may outlive them all. */
  #watch(job: Job): void {
    const { signal } = job;
    if (signal === undefined) return;
    const watched = this.#watched.get(signal);
    if (watched !== undefined) {
      watched.jobs.add(job);
      return;
    }
    const jobs = new Set([job]);
    const onAbort = () => {
      for (const each of jobs) each.reject(signal.reason);
    };
    this.#watched.set(signal, { jobs, onAbort });
    signal.addEventListener("abort", onAbort, { once: true });
  }

  #forget(job: Job): void {
    const { signal } = job;
    const watched = signal && this.#watched.get(signal);
    if (watched === undefined) return;
    watched.jobs.delete(job);
    if (watched.jobs.size > 0) return;
    this.#watched.delete(signal!);
    signal!.removeEventListener("abort", watched.onAbort);
  }

  /** The same call to every worker: for what each of them needs. */
  askAll<N extends keyof EncoderCalls>(
    call: N,
    args: EncoderCalls[N]["args"],
    signal?: AbortSignal,
  ): Promise<EncoderCalls[N]["result"][]> {
    return Promise.all(this.#members.map(() => this.ask(call, args, signal)));
  }

  /** Stops the workers; what waits is rejected. */
  end(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    for (const job of [...this.#running, ...this.#queue.splice(0)]) job.reject(reason);
    for (const { channel } of this.#members) channel.close();
  }

  #next(): void {
    while (this.#idle.length > 0 && this.#queue.length > 0) {
      const job = this.#queue.shift()!;
      if (job.signal?.aborted) continue;
      const member = this.#idle.shift()!;
      this.#running.add(job);
      member.channel.hold(true);
      const refused = (reason: unknown) => job.reject(this.#uncopied(reason));
      const free = () => {
        this.#running.delete(job);
        this.#idle.push(member);
        member.channel.hold(false);
        this.#next();
      };
      void job.run(member.client).then(job.resolve, refused).then(free);
    }
  }

  /** A message that cannot be cloned never reached the worker. */
  #uncopied(reason: unknown): unknown {
    if (!(reason instanceof DOMException && reason.name === "DataCloneError")) return reason;
    return failure("type", this.#fn, "the arguments cannot be copied to a worker", {}, { cause: reason });
  }
}
