import { type Signal, signal } from "@preact/signals";
import { messageOf } from "../text/message.js";
import { type Calls, type Client, connect } from "../worker/rpc.js";

/** The worker of a page that opens models: it takes the place of the model before once the new one is sound. */
type Opens = Calls & { readonly open: { args: unknown; result: unknown } };
type Source<C extends Opens> = C["open"]["args"];
type Facts<C extends Opens> = C["open"]["result"];

/** A source that is being read, and the bytes of it that are here. */
export interface Opening<S = unknown> {
  readonly source: S;
  readonly loaded: number;
  readonly total: number | undefined;
}

/** A model that a page asks, in a worker of its own: opening, progress, cancelling and failure. */
export interface Openable<C extends Opens> {
  /** The model that answers now. */
  readonly model: Signal<Facts<C> | undefined>;
  readonly opening: Signal<Opening<Source<C>> | undefined>;
  /** Why the last source was not taken; "" where it was, or is still being read. */
  readonly failure: Signal<string>;
  /** The source of the last failure. */
  readonly refused: Signal<Source<C> | undefined>;
  /** Reads a source in the place of one that is being read. Settles when it is there, or is not. */
  open(source: Source<C>): Promise<void>;
  cancel(): void;
  /** The worker, made when it is first asked. */
  worker(): Client<C>;
}

interface Options<C extends Opens> {
  readonly worker: () => Worker;
  /** Called before a source is read. */
  readonly begin?: () => void;
  /** Puts an opened model in its place. */
  readonly take?: (facts: Facts<C>, source: Source<C>) => void;
  /** Called after a failure, which has been told. */
  readonly fail?: () => void;
  readonly cancelled?: (source: Source<C>) => string;
  /** Milliseconds until progress is shown: what is read in a moment needs no bar that comes and goes. */
  readonly patience?: () => number;
}

/** Names of chosen files that cannot be a model, in words that name what to choose. */
function strangers(source: unknown): string {
  const { files } = (source ?? {}) as { files?: readonly File[] };
  if (!files || files.some(({ name }) => /(\.json|\.safetensors|\.gguf)$/i.test(name))) return "";
  const names = files.map(({ name }) => name).join(", ") || "An empty folder";
  return `${names} is not a model. Choose config.json, model.safetensors and the tokenizer together.`;
}

export function openable<C extends Opens>(options: Options<C>): Openable<C> {
  const model = signal<Facts<C> | undefined>(undefined);
  const opening = signal<Opening<Source<C>> | undefined>(undefined);
  const failure = signal("");
  const refused = signal<Source<C> | undefined>(undefined);
  let client: Client<C> | undefined;
  let reading: AbortController | undefined;

  const worker = () => {
    client ??= connect<C>(options.worker());
    return client;
  };
  const take =
    options.take ??
    ((facts: Facts<C>) => {
      model.value = facts;
    });

  async function open(source: Source<C>): Promise<void> {
    reading?.abort();
    const controller = new AbortController();
    reading = controller;
    const isMine = () => reading === controller;
    failure.value = "";
    refused.value = undefined;
    opening.value = undefined;
    options.begin?.();
    const showing = setTimeout(show, options.patience?.() ?? 0);
    function show() {
      if (isMine() && !opening.peek()) opening.value = { source, loaded: 0, total: undefined };
    }
    if (!options.patience) show();
    try {
      const wrong = strangers(source);
      if (wrong) throw new Error(wrong);
      const onProgress = (loaded: number, total?: number) => {
        if (isMine() && opening.peek()) opening.value = { source, loaded, total };
      };
      const facts = await worker().call("open", source, { signal: controller.signal, onProgress });
      if (isMine()) take(facts, source);
    } catch (error) {
      if (!isMine()) return;
      refused.value = source;
      failure.value = controller.signal.aborted
        ? (options.cancelled?.(source) ?? "Reading was cancelled.")
        : messageOf(error);
      options.fail?.();
    } finally {
      clearTimeout(showing);
      if (isMine()) {
        reading = undefined;
        opening.value = undefined;
      }
    }
  }

  return { model, opening, failure, refused, open, cancel: () => reading?.abort(), worker };
}
