import { useSignal } from "@preact/signals";
import type { TargetedPointerEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Token } from "./calls.js";
import { chosen, selection, session } from "./model.js";

const origins: Readonly<Record<Token["origin"], string>> = {
  prompt: "from the prompt",
  written: "written by the model",
  forced: "chosen by you",
  appended: "from an appended chunk",
};

/** A token as a person reads it: blanks and line breaks are seen. */
export const shownText = (text: string) =>
  text
    .replace(/^ (?=\S)/, "")
    .replaceAll("\n", "↵")
    .replaceAll(" ", "␣") || "·";

/** The text, a cell for each token of the cache, with its position; a stretch of it can be chosen. */
export function Strip() {
  const field = useRef<HTMLDivElement>(null);
  /** The token at which a selection began, and the one that arrow keys stand on. */
  const anchor = useSignal<number | undefined>(undefined);
  const caret = useSignal(0);
  const dragging = useRef(false);
  const tokens = session.value?.tokens ?? [];
  const range = selection.value;

  // Shows the last tokens, unless a stretch is being chosen.
  useEffect(() => {
    if (!chosen.peek()) field.current?.scrollTo({ top: field.current.scrollHeight });
  }, [tokens.length]);

  const choose = (from: number, to: number) => {
    chosen.value = { from: Math.min(from, to), to: Math.max(from, to) + 1 };
  };
  const tokenAt = (event: TargetedPointerEvent<HTMLElement>) => {
    const chip = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>("[data-at]");
    return chip && field.current?.contains(chip) ? Number(chip.dataset.at) : undefined;
  };
  const walk = (event: KeyboardEvent) => {
    const last = tokens.length - 1;
    const moves: Record<string, number> = {
      ArrowRight: caret.value + 1,
      ArrowLeft: caret.value - 1,
      ArrowDown: caret.value + 8,
      ArrowUp: caret.value - 8,
      Home: 0,
      End: last,
    };
    if (event.key === "Escape") {
      chosen.value = undefined;
      anchor.value = undefined;
      return;
    }
    const to = moves[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    caret.value = Math.max(0, Math.min(last, to));
    if (!event.shiftKey || anchor.value === undefined) anchor.value = caret.value;
    choose(anchor.value, caret.value);
    field.current?.querySelector(`[data-at="${caret.value}"]`)?.scrollIntoView({ block: "nearest" });
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a text whose tokens arrow keys walk through has no native element. */}
      <div
        class="strip"
        ref={field}
        role="group"
        aria-label={`The cache: ${tokens.length} tokens. Arrow keys choose one, with Shift a stretch.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes arrow keys.
        tabIndex={0}
        onKeyDown={walk}
        onPointerDown={(event) => {
          const at = tokenAt(event);
          if (at === undefined) return;
          dragging.current = true;
          if (event.shiftKey && anchor.value !== undefined) choose(anchor.value, at);
          else {
            anchor.value = at;
            choose(at, at);
          }
          caret.value = at;
        }}
        onPointerMove={(event) => {
          const at = dragging.current && event.buttons > 0 ? tokenAt(event) : undefined;
          if (at !== undefined && anchor.value !== undefined) choose(anchor.value, at);
        }}
        onPointerUp={() => {
          dragging.current = false;
        }}
      >
        {tokens.map((token, at) => (
          <span
            class="chip"
            key={`${at} ${token.id}`}
            data-at={at}
            data-origin={token.origin}
            data-chosen={(range && at >= range.from && at < range.to) || undefined}
            data-moved={token.first !== at || undefined}
            data-special={token.text.startsWith("<|") || undefined}
          >
            {shownText(token.text)}
            <small>{at}</small>
          </span>
        ))}
      </div>
      <Reading tokens={tokens} />
    </>
  );
}

function Reading({ tokens }: { tokens: readonly Token[] }) {
  const range = selection.value;
  const one = range && range.to - range.from === 1 ? tokens[range.from] : undefined;
  return (
    <output class="strip-reading">
      {!range && <span class="hint">Drag over tokens, or use Shift and the arrow keys, to choose a stretch.</span>}
      {range && one && (
        <span>
          <b>{shownText(one.text)}</b> stands at position {range.from}, {origins[one.origin]}
          {one.first !== range.from && `; its key was first rotated to position ${one.first}`}.
        </span>
      )}
      {range && !one && (
        <span>
          Chosen: positions {range.from} to {range.to - 1}, {range.to - range.from} tokens.
        </span>
      )}
    </output>
  );
}
