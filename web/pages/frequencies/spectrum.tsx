import { Figure } from "../../components/figure.js";
import { Cursor } from "../../components/plot/cursor.js";
import { type Axis, type Frame, Plot } from "../../components/plot/plot.js";
import { linear, logarithmic, type Scale } from "../../components/plot/scale.js";
import { power, significant, whole } from "../../text/format.js";
import { pairCount, previewPair, type Side, shownPair, sides } from "./model.js";
import { pairsTable } from "./pairs-table.js";
import { scaled } from "./scaled.js";
import { state } from "./state.js";

const height = 340;

export function pairAxis(): Axis {
  const scale = linear(0, Math.max(1, pairCount.value - 1), 8);
  return { name: "pair j", tick: String, scale: { ...scale, ticks: scale.ticks.filter(Number.isInteger) } };
}

/** Whole powers of ten around all wavelengths and the context. */
function wavelengthScale(): Scale {
  const all = sides.value.flatMap(({ facts }) => Array.from(facts.wavelengths)).filter(Number.isFinite);
  const least = Math.min(...all, state.context.value);
  const greatest = Math.max(...all, state.context.value * 1.5);
  return logarithmic(10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(Math.log10(greatest)), 9);
}

/** The same heights read as theta, which is 2 pi over the wavelength: it falls where the other rises. */
function thetaScale(wavelengths: Scale): Scale {
  const turn = 2 * Math.PI;
  const scale = logarithmic(turn / wavelengths.max, turn / wavelengths.min, 9);
  return { ...scale, of: (theta) => wavelengths.of(turn / theta), at: (share) => turn / wavelengths.at(share) };
}

/** One mark per pair: a disc for A, a square for B. It is hollow where the pair completes no turn in the context. */
function Marks({ side: { tone, facts }, frame }: { side: Side; frame: Frame }) {
  const size = Math.min(3.5, Math.max(2, ((frame.right - frame.left) / pairCount.value) * 0.32));
  return (
    <g class={`marks ${tone}`}>
      {Array.from(facts.wavelengths.subarray(0, pairCount.value), (wavelength, j) => {
        const [x, y] = [frame.x(j), frame.y(wavelength)];
        const hollow = facts.incomplete.has(j) || undefined;
        return tone === "a" ? (
          // Larger, so that a square on it does not hide it.
          <circle key={j} data-hollow={hollow} cx={x} cy={y} r={sides.value[1] ? size + 2 : size} />
        ) : (
          <rect key={j} data-hollow={hollow} x={x - size} y={y - size} width={2 * size} height={2 * size} />
        );
      })}
    </g>
  );
}

export function CursorLine({ frame }: { frame: Frame }) {
  const x = frame.x(shownPair.value);
  return <line class="cursor-line" x1={x} x2={x} y1={frame.top} y2={frame.bottom} />;
}

export const pointAt = (x: number | undefined) => {
  previewPair.value = x === undefined ? undefined : Math.round(x);
};
export const pick = (x: number) => {
  state.pair.value = Math.round(x);
};

function inWords({ name, facts }: Side, pair: number): string {
  const { band } = facts.explanation.pairs[pair] ?? {};
  return `${name}: wavelength ${significant(facts.wavelengths[pair]!, 4)} positions, theta ${significant(facts.theta[pair]!, 4)}, ${significant(facts.turns[pair]!, 3)} turns in the context${band ? `, ${band}` : ""}`;
}

/** Wavelength and theta of every pair of A and B on one upright logarithmic axis, and the context across it. */
export function Spectrum() {
  const scale = wavelengthScale();
  const pair = shownPair.value;
  const missing = sides.value.map(
    ({ name, facts }) =>
      `${name} has ${facts.incomplete.size} of ${facts.theta.length} pairs that never complete a turn`,
  );
  return (
    <Figure
      name="frequencies-wavelengths"
      title="Every pair"
      data={pairsTable}
      below={
        <Cursor
          id="frequencies-pair"
          label={`pair ${pair}`}
          value={state.pair.value}
          min={0}
          max={pairCount.value - 1}
          step={1}
          says={`pair ${pair}; ${sides.value.map((side) => inWords(side, pair)).join("; ")}`}
          onMove={(value) => {
            previewPair.value = undefined;
            state.pair.value = value;
          }}
        >
          <PairValues />
        </Cursor>
      }
    >
      <Plot
        label={`Wavelength of each pair, from ${significant(scale.min)} to ${significant(scale.max)} positions, against a context of ${whole(state.context.value)}: ${missing.join("; ")}. The table below holds the numbers.`}
        x={pairAxis()}
        y={{ scale, name: "wavelength, positions", tick: power }}
        right={{ scale: thetaScale(scale), name: "θ, radians per position", tick: power }}
        height={height}
        main
        onPoint={pointAt}
        onPick={pick}
      >
        {(frame) => {
          const context = frame.y(state.context.value);
          return (
            <>
              <rect
                class="beyond"
                x={frame.left}
                y={frame.top}
                width={frame.right - frame.left}
                height={context - frame.top}
              />
              <line class="limit" x1={frame.left} x2={frame.right} y1={context} y2={context} />
              <text class="limit-name" x={frame.left + 8} y={context - frame.top < 20 ? context + 14 : frame.top + 15}>
                longer than the context, {whole(state.context.value)}
                {frame.right - frame.left > 400 && ": no turn completed"}
              </text>
              <CursorLine frame={frame} />
              {sides.value.map((side) => (
                <Marks key={side.name} side={side} frame={frame} />
              ))}
            </>
          );
        }}
      </Plot>
    </Figure>
  );
}

function PairValues() {
  const pair = shownPair.value;
  return (
    <table class="pair-values">
      <caption class="visually-hidden">Pair {pair} under both rules</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">wavelength</th>
          <th scope="col">θ</th>
          <th scope="col">turns</th>
          <th scope="col">θ by rule</th>
        </tr>
      </thead>
      <tbody>
        {sides.value.map(({ name, tone, facts }) => (
          <tr key={name}>
            <th scope="row" class={tone}>
              {name}
            </th>
            <td>{significant(facts.wavelengths[pair]!, 4)}</td>
            <td>{significant(facts.theta[pair]!, 4)}</td>
            <td>{significant(facts.turns[pair]!, 3)}</td>
            <td>{scaled(facts.explanation.pairs[pair]?.scaledBy ?? 1)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
