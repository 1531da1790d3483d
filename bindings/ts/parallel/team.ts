/** Workers that take questions from one queue, each the next as soon as it is free. */
import { failure } from "../module/errors.js";
import type { Answer, Channel, Question } from "./messages.js";

const KINDS: Record<string, new (message: string) => Error> = { RangeError, TypeError };

interface Job {
  question: Question;
  signal: AbortSignal | undefined;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

export class Team {
  readonly #channels: Channel[];
  readonly #idle: Channel[];
  readonly #queue: Job[] = [];
  readonly #running = new Map<Channel, Job>();
  readonly #watched = new Map<AbortSignal, { jobs: Set<Job>; onAbort(): void }>();
  #ended: Error | undefined;

  constructor(channels: Channel[]) {
    this.#channels = channels;
    this.#idle = [...channels];
    for (const channel of channels) {
      channel.hold(false);
      channel.onAnswer = (answer) => {
        const job = this.#running.get(channel);
        this.#running.delete(channel);
        this.#idle.push(channel);
        channel.hold(false);
        if ("error" in answer) {
          const { name, message, details } = answer.error;
          job?.reject(Object.assign(new (KINDS[name] ?? Error)(message), details));
        } else job?.resolve(answer);
        this.#next();
      };
      // A worker that died has lost its model, and the others would wait for its part.
      channel.onFailure = (error) => this.end(error);
    }
  }

  get size(): number {
    return this.#channels.length;
  }

  /** Rejects with the signal's reason as soon as it aborts; what a worker has begun, it ends for nobody. */
  ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended);
      if (signal?.aborted) return reject(signal.reason);
      const job: Job = {
        question,
        signal,
        resolve: (answer) => {
          this.#settle(job);
          resolve(answer);
        },
        reject: (reason) => {
          this.#settle(job);
          reject(reason);
        },
      };
      this.#watch(job);
      this.#queue.push(job);
      this.#next();
    });
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

  #settle(job: Job): void {
    const { signal } = job;
    const watched = signal && this.#watched.get(signal);
    if (watched === undefined) return;
    watched.jobs.delete(job);
    if (watched.jobs.size > 0) return;
    this.#watched.delete(signal!);
    signal!.removeEventListener("abort", watched.onAbort);
  }

  /** Every worker the same question: for what each of them needs. */
  askAll(question: Question, signal?: AbortSignal): Promise<Answer[]> {
    return Promise.all(this.#channels.map(() => this.ask(question, signal)));
  }

  /** Stops the workers; what waits is rejected. */
  end(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    for (const job of [...this.#running.values(), ...this.#queue.splice(0)]) job.reject(reason);
    this.#running.clear();
    for (const channel of this.#channels) channel.close();
  }

  #next(): void {
    while (this.#idle.length > 0 && this.#queue.length > 0) {
      const job = this.#queue.shift()!;
      if (job.signal?.aborted) continue;
      const channel = this.#idle.shift()!;
      this.#running.set(channel, job);
      channel.hold(true);
      try {
        channel.post(job.question);
      } catch (cause) {
        // A message that cannot be cloned never reached the worker, so it is free for the next call.
        this.#running.delete(channel);
        this.#idle.push(channel);
        channel.hold(false);
        job.reject(failure("type", "roformer", "the arguments cannot be copied to a worker", {}, { cause }));
      }
    }
  }
}
