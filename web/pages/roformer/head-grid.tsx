import { useRef } from "preact/hooks";
import { Heat } from "../../components/heat.js";
import { model, run } from "../../model/session.js";
import { state } from "./state.js";
import { lockedHead, previewHead, shownHead, weightsOf } from "./view.js";
import { weightShare } from "./weight-colours.js";

/** Every head of every layer, small: a row per layer. Hover previews, click or arrow keys lock. */
export function HeadGrid() {
  const grid = useRef<HTMLDivElement>(null);
  const layers = run.value?.attentions.length ?? model.value?.layers ?? 4;
  const heads = run.value?.heads ?? model.value?.heads ?? 4;
  const size = run.value?.tokens.length ?? 0;
  const locked = lockedHead.value;
  const lock = (layer: number, head: number) => {
    previewHead.value = undefined;
    state.layer.value = layer;
    state.head.value = head;
  };
  const walk = (event: KeyboardEvent) => {
    const moves: Record<string, [layer: number, head: number]> = {
      ArrowRight: [locked.layer, locked.head + 1],
      ArrowLeft: [locked.layer, locked.head - 1],
      ArrowDown: [locked.layer + 1, locked.head],
      ArrowUp: [locked.layer - 1, locked.head],
      Home: [locked.layer, 0],
      End: [locked.layer, heads - 1],
    };
    const target = moves[event.key];
    if (!target) return;
    event.preventDefault();
    const [layer, head] = target;
    if (layer < 0 || layer >= layers || head < 0 || head >= heads) return;
    lock(layer, head);
    grid.current?.querySelectorAll<HTMLElement>("[role=radio]")[layer * heads + head]?.focus();
  };
  return (
    <div
      class="heads"
      role="radiogroup"
      aria-label="Attention heads, a row per layer"
      ref={grid}
      onKeyDown={walk}
      style={{ "--heads": heads }}
    >
      <span />
      {Array.from({ length: heads }, (_, head) => (
        <span class="heads-name" key={`name${head}`} aria-hidden="true">
          {heads <= 6 ? `head ${head}` : head}
        </span>
      ))}
      {Array.from({ length: layers }, (_, layer) => [
        <span class="heads-name layer" key={`layer${layer}`} aria-hidden="true">
          layer {layer}
        </span>,
        ...Array.from({ length: heads }, (_, head) => {
          const isLocked = locked.layer === layer && locked.head === head;
          const isShown = shownHead.value.layer === layer && shownHead.value.head === head;
          return (
            // biome-ignore lint/a11y/useSemanticElements: a native radio button cannot hold the drawing.
            <button
              type="button"
              key={`${layer}.${head}`}
              class="head"
              role="radio"
              aria-checked={isLocked}
              aria-label={`Layer ${layer}, head ${head}`}
              tabIndex={isLocked ? 0 : -1}
              data-shown={isShown || undefined}
              onPointerEnter={() => {
                previewHead.value = { layer, head };
              }}
              onPointerLeave={() => {
                previewHead.value = undefined;
              }}
              onClick={() => lock(layer, head)}
            >
              <Heat values={weightsOf({ layer, head })} rows={size} columns={size} share={weightShare} />
            </button>
          );
        }),
      ])}
    </div>
  );
}
