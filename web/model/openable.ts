import { effect, type ReadonlySignal, type Signal, signal, untracked } from "@preact/signals";
import { shownPage } from "../state/address.js";
import { messageOf } from "../text/message.js";
import { type Calls, type Client, connect } from "../worker/rpc.js";
import { type Look, nameOf, type Source } from "./source.js";

/** Facts about its model that every look has. */
interface Named {
  readonly name: string;
  readonly shipped: boolean;
}

/** The worker of a look: it takes the place of the model before once the new one is sound. */
type Opens = Calls & { readonly open: { args: Source; result: Named } };
type Facts<C extends Opens> = C["open"]["result"];

/** A source that is being read, and the bytes of it that are here. */
export interface Opening {
  readonly source: Source;
  readonly loaded: number;
  readonly total: number | undefined;
}

/** A look's model: opening, progress, cancelling and failure. */
export interface Session {
  readonly look: Look;
  /** The model of this site, if it has one for this look. */
  readonly shipped: Source | undefined;
  /** The model that answers now. */
  readonly model: ReadonlySignal<Named | undefined>;
  readonly opening: ReadonlySignal<Opening | undefined>;
  /** Why the last source was not taken; "" where it was, or is still being read. */
  readonly failure: Signal<string>;
  /** The visitor's choice: each look that this model gives opens it, too, when it is shown. */
  choose(source: Source, gives?: readonly Look[]): Promise<void>;
  cancel(): void;
}

/** A session whose worker, of its own, can be asked. */
export interface Openable<C extends Opens> extends Session {
  readonly model: Signal<Facts<C> | undefined>;
  /** Opens the model of this site, or the chosen one, whenever the look is shown and has another. */
  start(): void;
  /** Reads its model anew, in another way. */
  reopen(): void;
  /** Settles when what is being opened is there, or is not. */
  settled(): Promise<void>;
  /** The worker, made when it is first asked. */
  worker(): Client<C>;
}

interface Options<C extends Opens> {
  readonly look: Look;
  readonly shipped?: Source;
  readonly worker: () => Worker;
  /** Arguments of the worker's `open` besides the source. */
  readonly way?: () => Omit<C["open"]["args"], keyof Source>;
  /** Called before a source is read. */
  readonly begin?: () => void;
  /** Puts an opened model in its place. */
  readonly take?: (facts: Facts<C>) => void;
  /** Called after a failure, which has been told. */
  readonly fail?: () => void;
  /** Milliseconds until progress is shown: what is read in a moment needs no bar that comes and goes. */
  readonly patience?: () => number;
}

/** The model that the visitor has chosen, in whatever look; undefined: each look has the one of this site. */
export const chosen = signal<{ readonly source: Source; readonly gives: readonly Look[] } | undefined>(undefined);

export function openable<C extends Opens>(options: Options<C>): Openable<C> {
  const { look, shipped } = options;
  const model = signal<Facts<C> | undefined>(undefined);
  const opening = signal<Opening | undefined>(undefined);
  const failure = signal("");
  let client: Client<C> | undefined;
  let reading: { readonly source: Source; readonly controller: AbortController } | undefined;
  /** The source of `model`. */
  let held: Source | undefined;
  let last: Promise<void> = Promise.resolve();

  const worker = () => {
    client ??= connect<C>(options.worker());
    return client;
  };
  const take =
    options.take ??
    ((facts: Facts<C>) => {
      model.value = facts;
    });

  async function read(source: Source): Promise<void> {
    reading?.controller.abort();
    const mine = { source, controller: new AbortController() };
    const { signal } = mine.controller;
    reading = mine;
    const isMine = () => reading === mine;
    failure.value = "";
    opening.value = undefined;
    options.begin?.();
    const showing = setTimeout(show, options.patience?.() ?? 0);
    function show() {
      if (isMine() && !opening.peek()) opening.value = { source, loaded: 0, total: undefined };
    }
    if (!options.patience) show();
    try {
      const onProgress = (loaded: number, total?: number) => {
        if (isMine() && opening.peek()) opening.value = { source, loaded, total };
      };
      const facts = await worker().call("open", { ...source, ...options.way?.() }, { signal, onProgress });
      if (!isMine()) return;
      held = source;
      take("shipped" in source ? facts : { ...facts, name: nameOf(source) });
    } catch (error) {
      if (!isMine()) return;
      failure.value = signal.aborted ? "Reading was cancelled." : messageOf(error);
      options.fail?.();
    } finally {
      clearTimeout(showing);
      if (isMine()) {
        reading = undefined;
        opening.value = undefined;
      }
    }
  }
  const open = (source: Source): Promise<void> => {
    last = read(source);
    return last;
  };
  const current = () => reading?.source ?? held;

  return {
    ...{ look, shipped, model, opening, failure, worker },
    async choose(source, gives = [look]) {
      const before = chosen.peek();
      const opened = open(source);
      chosen.value = "shipped" in source ? undefined : { source, gives };
      await opened;
      if (current() === source || !failure.peek()) return;
      // The message stays: nothing else is opened in its place.
      held ??= before?.source ?? shipped;
      chosen.value = before;
    },
    start: () => {
      effect(() => {
        if (shownPage.value !== look) return;
        const now = chosen.value;
        const wanted = !now ? shipped : now.gives.includes(look) ? now.source : (current() ?? shipped);
        if (wanted && wanted !== current()) untracked(() => void open(wanted));
      });
    },
    reopen() {
      const source = current();
      if (source) untracked(() => void open(source));
    },
    settled: () => last,
    cancel: () => reading?.controller.abort(),
  };
}
