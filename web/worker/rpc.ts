/**
 * Typed calls across a worker's message port: one promise per call, errors with their name and message, progress,
 * cancelling through an AbortSignal, and transfer lists for large arrays.
 */
export type Calls = Record<string, { args: unknown; result: unknown }>;
export type Progress = (loaded: number, total?: number) => void;
export interface CallContext {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}
export interface Reply<R> {
  readonly result: R;
  readonly transfer?: Transferable[];
}
export type Service<C extends Calls> = {
  [N in keyof C]: (args: C[N]["args"], context: CallContext) => Promise<Reply<C[N]["result"]>>;
};

type Request = { id: number; call: string; args: unknown } | { id: number; abort: true };
type Answer =
  | { id: number; progress: [loaded: number, total?: number] }
  | { id: number; result: unknown }
  | { id: number; error: { name: string; message: string } };

/** The side that answers. */
export function serve<C extends Calls>(scope: DedicatedWorkerGlobalScope, service: Service<C>): void {
  const running = new Map<number, AbortController>();
  const answer = (message: Answer, transfer: Transferable[] = []) => scope.postMessage(message, transfer);
  scope.addEventListener("message", async ({ data }: MessageEvent<Request>) => {
    const { id } = data;
    if ("abort" in data) return running.get(id)?.abort();
    const controller = new AbortController();
    running.set(id, controller);
    try {
      // A turn of the event loop, so that a cancel already sent is seen before long work starts.
      await new Promise((resolve) => setTimeout(resolve));
      controller.signal.throwIfAborted();
      const { result, transfer } = await service[data.call]!(data.args, {
        signal: controller.signal,
        progress: (loaded, total) => answer({ id, progress: [loaded, total] }),
      });
      answer({ id, result }, transfer);
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      answer({ id, error: { name, message } });
    } finally {
      running.delete(id);
    }
  });
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: Progress;
  readonly transfer?: Transferable[];
}
export interface Client<C extends Calls> {
  call<N extends keyof C & string>(name: N, args: C[N]["args"], options?: CallOptions): Promise<C[N]["result"]>;
}

/** The side that asks. */
export function connect<C extends Calls>(worker: Worker): Client<C> {
  interface Waiting {
    resolve(result: unknown): void;
    reject(error: Error): void;
    onProgress: Progress | undefined;
  }
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
    const call = waiting.get(data.id);
    if (!call) return;
    if ("progress" in data) return call.onProgress?.(...data.progress);
    waiting.delete(data.id);
    if ("result" in data) call.resolve(data.result);
    else call.reject(Object.assign(new Error(data.error.message), { name: data.error.name }));
  });
  worker.addEventListener("error", (event) => {
    for (const call of waiting.values()) call.reject(new Error(event.message || "The worker could not start."));
    waiting.clear();
  });
  return {
    call<N extends keyof C & string>(name: N, args: C[N]["args"], options: CallOptions = {}) {
      const id = ++lastId;
      return new Promise<C[N]["result"]>((resolve, reject) => {
        waiting.set(id, { resolve, reject, onProgress: options.onProgress });
        options.signal?.addEventListener("abort", () => worker.postMessage({ id, abort: true } satisfies Request));
        worker.postMessage({ id, call: name, args } satisfies Request, options.transfer ?? []);
        if (options.signal?.aborted) worker.postMessage({ id, abort: true } satisfies Request);
      });
    },
  };
}
