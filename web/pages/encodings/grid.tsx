import { useRef } from "preact/hooks";
import { Figure } from "../../components/figure.js";
import { Heat } from "../../components/heat.js";
import { scoreText } from "../../text/format.js";
import { encodingLabels } from "../../training/encoding-labels.mjs";
import { Moves } from "./controls.js";
import { type EncodingName, encodingNames } from "./kinds.js";
import { answers, mapOf, previewEncoding, scoreSize, shownEncoding, signed } from "./model.js";
import { state } from "./state.js";

/** Place of a value on the ramp of its map. It grows with the square root, so that small values have a colour. */
export function shareOf(size: number): (value: number) => number {
  return signed.value ? (value) => 0.5 + (Math.sign(value) * Math.sqrt(Math.abs(value) / size)) / 2 : Math.sqrt;
}
export const coloursNow = () => (signed.value ? "signed" : "heat");

/** All encodings, small: hover previews, a click or the arrow keys lock. */
export function Grid() {
  const grid = useRef<HTMLDivElement>(null);
  const size = answers.value?.words.length ?? 0;
  const share = shareOf(scoreSize.value);
  const walk = (event: KeyboardEvent) => {
    const last = encodingNames.length - 1;
    const at = encodingNames.indexOf(state.encoding.value);
    const steps: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: last,
    };
    const target = steps[event.key];
    if (target === undefined) return;
    event.preventDefault();
    if (target < 0 || target > last) return;
    previewEncoding.value = undefined;
    state.encoding.value = encodingNames[target]!;
    grid.current?.querySelectorAll<HTMLElement>("[role=radio]")[target]?.focus();
  };
  const one = (name: EncodingName) => {
    const answer = answers.value?.of[name];
    const refused = answer?.refusals[state.view.value];
    const locked = state.encoding.value === name;
    return (
      // biome-ignore lint/a11y/useSemanticElements: a native radio button cannot hold the drawing.
      <button
        type="button"
        class="encoding"
        key={name}
        role="radio"
        aria-checked={locked}
        aria-label={`${encodingLabels[name]}${refused ? ": refused" : ""}`}
        tabIndex={locked ? 0 : -1}
        data-shown={shownEncoding.value === name || undefined}
        onPointerEnter={() => {
          previewEncoding.value = name;
        }}
        onPointerLeave={() => {
          previewEncoding.value = undefined;
        }}
        onClick={() => {
          state.encoding.value = name;
        }}
      >
        <span class="encoding-map">
          {refused ? (
            <span class="encoding-refused">out of range</span>
          ) : (
            <Heat values={mapOf(answer)} rows={size} columns={size} colours={coloursNow()} share={share} />
          )}
        </span>
        <span class="encoding-name">{encodingLabels[name]}</span>
      </button>
    );
  };
  const words = answers.value?.words ?? [];
  const maps = encodingNames.map((name) => mapOf(answers.value?.of[name]));
  return (
    <Figure
      name="encodings"
      title="Twelve maps of the same words"
      data={() => ({
        columns: [
          { name: "query" },
          { name: "key" },
          ...encodingNames.map((name) => ({ name: encodingLabels[name], write: scoreText })),
        ],
        rows: words.flatMap((query, i) =>
          words.map((key, j) => [`${query} ${i}`, `${key} ${j}`, ...maps.map((map) => map?.[i * words.length + j])]),
        ),
      })}
      below={<Moves />}
    >
      <div class="encodings-grid" role="radiogroup" aria-label="Position encodings" ref={grid} onKeyDown={walk}>
        {encodingNames.map(one)}
      </div>
    </Figure>
  );
}
