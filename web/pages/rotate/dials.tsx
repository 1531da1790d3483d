import { useRef } from "preact/hooks";
import { describePair, Plane } from "../../rope/dial.js";
import { compact } from "../../text/format.js";
import { keyPosition, pairCount, previewPair, queryPosition, scene, shownPair } from "./model.js";
import { playing } from "./playback.js";
import { state } from "./state.js";

/** Every pair as a small dial: hover or focus previews it, a click or the arrow keys lock it. */
export function Dials() {
  const list = useRef<HTMLDivElement>(null);
  const current = scene.value;
  const locked = state.pair;
  const greatest = Math.max(...(current?.pairs.map((pair) => Math.abs(pair.score)) ?? [1]));
  const walk = (event: KeyboardEvent) => {
    const last = pairCount.value - 1;
    const columns = columnsOf(list.current);
    const steps: Record<string, number> = {
      ArrowRight: locked.value + 1,
      ArrowLeft: locked.value - 1,
      ArrowDown: locked.value + columns,
      ArrowUp: locked.value - columns,
      Home: 0,
      End: last,
    };
    const target = steps[event.key];
    if (target === undefined) return;
    event.preventDefault();
    if (target < 0 || target > last) return;
    previewPair.value = undefined;
    locked.value = target;
    list.current?.querySelectorAll<HTMLElement>("[role=radio]")[target]?.focus();
  };
  return (
    <div
      class="dials"
      role="radiogroup"
      aria-label="Pairs of channels"
      ref={list}
      onKeyDown={walk}
      data-many={pairCount.value > 8 || undefined}
    >
      {!current && Array.from({ length: pairCount.value }, (_, pair) => <Place key={pair} name={String(pair)} />)}
      {current?.pairs.map((pair) => (
        // biome-ignore lint/a11y/useSemanticElements: a native radio button cannot hold the drawing.
        <button
          type="button"
          key={pair.index}
          class="dial"
          role="radio"
          aria-checked={locked.value === pair.index}
          aria-label={playing.value ? `Pair ${pair.index}` : describePair(pair, queryPosition.value, keyPosition.value)}
          tabIndex={locked.value === pair.index ? 0 : -1}
          data-shown={shownPair.value === pair.index || undefined}
          onPointerEnter={() => {
            previewPair.value = pair.index;
          }}
          onPointerLeave={() => {
            previewPair.value = undefined;
          }}
          onClick={() => {
            locked.value = pair.index;
          }}
        >
          <Plane pair={pair} />
          <Part score={pair.score} greatest={greatest} />
          <span class="dial-name">{pair.index}</span>
          <span class="dial-wave">
            <abbr title="wavelength, positions">λ</abbr> {compact(pair.wavelength)}
          </span>
        </button>
      ))}
    </div>
  );
}

/** Keeps the room of a dial until the library has computed it. */
function Place({ name }: { name: string }) {
  return (
    <button type="button" class="dial" disabled>
      <svg class="plane" viewBox="-100 -100 200 200" aria-hidden="true" />
      <Part score={0} greatest={1} />
      <span class="dial-name">{name}</span>
    </button>
  );
}

/** How much the pair adds to the score, or takes from it; of all dials' greatest. */
function Part({ score, greatest }: { score: number; greatest: number }) {
  const share = score / greatest;
  return (
    <svg class="part" viewBox="-50 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <path class="part-track" d="M-50 3H50M0 0V6" />
      <rect x={Math.min(0, share * 50)} y={1} width={Math.abs(share) * 50} height={4} />
    </svg>
  );
}

function columnsOf(grid: HTMLElement | null): number {
  return grid ? getComputedStyle(grid).gridTemplateColumns.split(" ").length : 1;
}
