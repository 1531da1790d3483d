/**
 * Calls across a worker's message port, for the workers of the package and those of the playground: one promise per call,
 * errors with their class and details, progress, cancelling through an AbortSignal, and transfer of large arrays.
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

export type Request = { id: number; call: string; args: unknown } | { id: number; abort: true };
export type Answer =
  | { id: number; progress: Parameters<Progress> }
  | { id: number; result: unknown }
  | { id: number; error: SentError };

/** An error on its way: the other side makes it anew from these parts. */
interface SentError {
  name: string;
  message: string;
  /** As ErrorDetails has them, as far as they can be copied. */
  details: object;
}

const KINDS: Record<string, new (message: string) => Error> = { RangeError, TypeError };

function sent(reason: unknown): SentError {
  const error = reason instanceof Error ? reason : new Error(String(reason));
  const details = Object.entries(error).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  return { name: error.name, message: error.message, details: Object.fromEntries(details) };
}

function received({ name, message, details }: SentError): Error {
  const error = Object.assign(new (KINDS[name] ?? Error)(message), details);
  if (error.name !== name) error.name = name;
  return error;
}

/** A worker's own side of the channel: `self` in a worker of a page, an object like it in a thread of Node. */
export interface Scope {
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(type: "message", listener: (event: { data: Request }) => void): void;
}

/**
 * The side that answers. Each call waits for a turn of the event loop, so that a cancel already sent is seen before long
 * work starts; `atOnce` leaves that out, for a caller who never cancels.
 */
export function serve<C extends Calls>(scope: Scope, service: Service<C>, { atOnce = false } = {}): void {
  const running = new Map<number, AbortController>();
  const answer = (message: Answer, transfer: Transferable[] = []) => scope.postMessage(message, transfer);
  scope.addEventListener("message", async ({ data }) => {
    const { id } = data;
    if ("abort" in data) return running.get(id)?.abort();
    const controller = new AbortController();
    running.set(id, controller);
    try {
      if (!atOnce) await new Promise((resolve) => setTimeout(resolve));
      controller.signal.throwIfAborted();
      const { result, transfer } = await service[data.call]!(data.args, {
        signal: controller.signal,
        progress: (...progress) => answer({ id, progress }),
      });
      answer({ id, result }, transfer);
    } catch (error) {
      answer({ id, error: sent(error) });
    } finally {
      running.delete(id);
    }
  });
}

/** A worker whose script runs, in whatever way the platform has workers, as the side that asks sees it. */
export interface Channel {
  post(request: Request, transfer: Transferable[]): void;
  /** Set by connect(). */
  onAnswer: (answer: Answer) => void;
  onFailure: (error: Error) => void;
  /** True if the process should wait for the worker; pages do not care. */
  hold(busy: boolean): void;
  close(): void;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: Progress;
  readonly transfer?: Transferable[];
}
export interface Client<C extends Calls> {
  call<N extends keyof C & string>(name: N, args: C[N]["args"], options?: CallOptions): Promise<C[N]["result"]>;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  readonly onProgress: Progress | undefined;
}

/** The side that asks. A failure of the worker rejects all calls that are under way; `onFailure` hears of it. */
export function connect<C extends Calls>(channel: Channel, onFailure?: (error: Error) => void): Client<C> {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  channel.onAnswer = (answer) => {
    const call = waiting.get(answer.id);
    if (call === undefined) return;
    if ("progress" in answer) call.onProgress?.(...answer.progress);
    else if ("result" in answer) call.resolve(answer.result);
    else call.reject(received(answer.error));
  };
  channel.onFailure = (error) => {
    for (const call of waiting.values()) call.reject(error);
    onFailure?.(error);
  };
  return {
    call<N extends keyof C & string>(name: N, args: C[N]["args"], options: CallOptions = {}) {
      const { signal, onProgress, transfer = [] } = options;
      const id = ++lastId;
      const abort = () => channel.post({ id, abort: true }, []);
      const answered = new Promise<C[N]["result"]>((resolve, reject) => {
        waiting.set(id, { resolve, reject, onProgress });
        signal?.addEventListener("abort", abort);
        channel.post({ id, call: name, args }, transfer);
        if (signal?.aborted) abort();
      });
      return answered.finally(() => {
        waiting.delete(id);
        signal?.removeEventListener("abort", abort);
      });
    },
  };
}

/** The channel to a worker of a page. `who` begins the messages of its failures. */
export function channelOf(worker: Worker, who: string): Channel {
  const channel: Channel = {
    post: (request, transfer) => worker.postMessage(request, transfer),
    onAnswer() {},
    onFailure() {},
    hold() {},
    close: () => worker.terminate(),
  };
  worker.onmessage = ({ data }: MessageEvent<Answer>) => channel.onAnswer(data);
  worker.onmessageerror = () => channel.onFailure(new Error(`${who}: a worker's answer is lost`));
  worker.onerror = ({ message }) => channel.onFailure(new Error(`${who}: a worker failed: ${message}`));
  return channel;
}
