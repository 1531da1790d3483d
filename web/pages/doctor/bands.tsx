import { useSignal } from "@preact/signals";
import type { RopeReport } from "ropewalk";
import { Figure } from "../../components/figure.js";
import { Cursor } from "../../components/plot/cursor.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { type Frame, Plot } from "../../components/plot/plot.js";
import { linear, logarithmic } from "../../components/plot/scale.js";
import type { Table } from "../../export/table.js";
import type { Facts } from "../../rope/facts.js";
import { power, significant, whole } from "../../text/format.js";
import { dashes, LineKey } from "../../training/tones.js";
import { readings } from "./checked.js";
import { type Drifts, driftsOf } from "./drift.js";
import { listed } from "./sign.js";

const bands = ["kept", "blended", "stretched"] as const;
type Band = (typeof bands)[number];

/** The effect of the rule on a pair, whatever its own word for it. */
function bandOf({ explanation }: Facts, j: number): Band {
  const { band, scaledBy } = explanation.pairs[j] ?? { scaledBy: 1 };
  if (band === "blended" || band === "on the ramp") return "blended";
  return Math.abs(scaledBy - 1) < 5e-4 || scaledBy === 0 ? "kept" : "stretched";
}

const waveOf = (theta: number | undefined) => (theta ? (2 * Math.PI) / Math.abs(theta) : Number.POSITIVE_INFINITY);
/** Six curves at most differ from the reference. */
const toneOf = (i: number) => i % dashes.length;

/** The length that the rule counts from, where it has one. */
function trainedOf(facts: Facts | undefined): number | undefined {
  const rule = facts?.options.frequencies as { originalMaxPositions?: number } | undefined;
  return rule?.originalMaxPositions;
}

function Mark({ band, x, y }: { band: Band; x: number; y: number }) {
  return band === "stretched" ? (
    <rect class={band} x={x - 3} y={y - 3} width={6} height={6} />
  ) : (
    <circle class={band} cx={x} cy={y} r={3.25} />
  );
}

function Length({ frame, at, says, below }: { frame: Frame; at: number; says: string; below: boolean }) {
  const y = frame.y(at);
  return (
    <>
      <line class="limit" x1={frame.left} x2={frame.right} y1={y} y2={y} />
      <text class="limit-name" x={frame.left + 8} y={below ? y + 15 : y - 6}>
        {says}
      </text>
    </>
  );
}

interface Props {
  readonly report: RopeReport;
  readonly layerType: string | undefined;
}

/** The table behind the figure: a row for each pair, a column for each way to read it. */
function tableOf({ reference, agree, apart }: Drifts, facts: Facts | undefined): Table {
  const write = (value: number) => significant(value, 4);
  return {
    columns: [
      { name: "pair" },
      { name: `${agree.join(", ")}: wavelength`, write },
      ...apart.map(({ readers }) => ({ name: `${readers.join(", ")}: wavelength`, write })),
      ...(facts ? [{ name: "by the rule" }] : []),
    ],
    rows: Array.from(reference.frequencies, (theta, j) => [
      j,
      waveOf(theta),
      ...apart.map(({ reading }) => waveOf(reading.frequencies[j])),
      ...(facts ? [bandOf(facts, j)] : []),
    ]),
  };
}

/** Pairs by wavelength in three bands, the lengths across them, and a line for every reading that differs. */
export function Bands({ report, layerType }: Props) {
  const preview = useSignal<number | undefined>(undefined);
  const locked = useSignal<number | undefined>(undefined);
  const drifts = driftsOf(report, layerType);
  const { reference, agree, apart } = drifts;
  const own = readings.value.find((each) => each.layerType === layerType)?.told.facts;
  // This library's reading says nothing about the bands of another.
  const facts = reference.reader === "ropewalk" ? own : undefined;
  const waves = Array.from(reference.frequencies, waveOf);
  const tokens = report.length?.tokens ?? 8192;
  const trained = trainedOf(facts);
  const isStretched = trained !== undefined && trained < tokens;
  const all = [...waves, ...apart.flatMap(({ reading }) => Array.from(reading.frequencies, waveOf))].filter(
    Number.isFinite,
  );
  const y = logarithmic(
    10 ** Math.floor(Math.log10(Math.min(6, ...all))),
    10 ** Math.ceil(Math.log10(Math.max(tokens * 1.5, ...all))),
    7,
  );
  const x = linear(0, Math.max(1, waves.length - 1), 8);
  const found = waves.map((_, j) => (facts ? bandOf(facts, j) : "kept"));
  const present = facts ? bands.filter((band) => found.includes(band)) : [];
  const open = waves.filter((wave) => wave > tokens).length;
  const kept = Math.min(locked.value ?? found.indexOf("stretched"), waves.length - 1);
  const pair = Math.max(0, Math.min(preview.value ?? kept, waves.length - 1));
  const readers = [
    { names: agree, wave: waves[pair]!, band: facts && found[pair] },
    ...apart.map((each) => ({ names: each.readers, wave: waveOf(each.reading.frequencies[pair]), band: undefined })),
  ];
  const said = readers.map(({ names, wave }) => `${names.join(", ")}: ${significant(wave, 4)} positions`).join("; ");
  const counted = present.map((band) => `${found.filter((each) => each === band).length} ${band}`).join(", ");
  return (
    <Figure
      name={`doctor-pairs${layerType ? `-${layerType.replaceAll("_", "-")}` : ""}`}
      title={`Pairs by wavelength${layerType ? `, ${layerType}` : ""}`}
      data={() => tableOf(drifts, facts)}
      legend={present.map((band) => (
        <span class={`doctor-band ${band}`} key={band}>
          <svg class="plot-key" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
            <g class="doctor-marks">
              <Mark band={band} x={5} y={5} />
            </g>
          </svg>{" "}
          {band}
        </span>
      ))}
      below={
        <Cursor
          id={`doctor-pair-${layerType ?? "all"}`}
          label={`pair ${pair}`}
          value={Math.max(0, kept)}
          min={0}
          max={waves.length - 1}
          step={1}
          says={`pair ${pair}; ${said}`}
          onMove={(value) => {
            preview.value = undefined;
            locked.value = value;
          }}
        >
          <ul class="doctor-keys">
            {readers.map(({ names, wave, band }, i) => (
              <li key={names.join()}>
                {i > 0 && <LineKey tone={toneOf(i - 1)} />} {listed(names)}: one turn in{" "}
                <strong>{significant(wave, 4)}</strong> positions{band && `, ${band}`}
              </li>
            ))}
          </ul>
        </Cursor>
      }
    >
      <Plot
        label={`Wavelength of each of ${waves.length} pairs${counted && `, ${counted}`}. ${open} of them are longer than ${tokens} tokens.${apart.map((each) => ` ${listed(each.readers)} read other wavelengths.`).join("")} The table below holds the numbers.`}
        x={{ name: "pair j", tick: String, scale: { ...x, ticks: x.ticks.filter(Number.isInteger) } }}
        y={{ name: "wavelength, positions", tick: power, scale: y }}
        height={320}
        onPoint={(at) => {
          preview.value = at === undefined ? undefined : Math.round(at);
        }}
        onPick={(at) => {
          locked.value = Math.round(at);
        }}
      >
        {(frame) => {
          const at = frame.x(pair);
          const top = frame.y(tokens);
          const length = frame.right - frame.left > 400 ? "length of the " : "";
          return (
            <>
              <rect
                class="beyond"
                x={frame.left}
                y={frame.top}
                width={frame.right - frame.left}
                height={Math.max(0, top - frame.top)}
              />
              <Length frame={frame} at={tokens} says={`${length}text, ${whole(tokens)}`} below={false} />
              {isStretched && (
                <Length
                  frame={frame}
                  at={trained}
                  says={`${length && "length of "}training, ${whole(trained)}`}
                  below={true}
                />
              )}
              <line class="cursor-line" x1={at} x2={at} y1={frame.top} y2={frame.bottom} />
              {apart.map((each, i) => (
                <path
                  key={each.readers.join()}
                  class={`median tone-${toneOf(i)}`}
                  stroke-dasharray={dashes[toneOf(i)]}
                  d={curvePath(
                    frame,
                    Array.from(each.reading.frequencies, (_, j) => j),
                    Array.from(each.reading.frequencies, waveOf),
                  )}
                />
              ))}
              <g class="doctor-marks">
                {waves.map((wave, j) =>
                  Number.isFinite(wave) ? <Mark key={j} band={found[j]!} x={frame.x(j)} y={frame.y(wave)} /> : null,
                )}
              </g>
            </>
          );
        }}
      </Plot>
    </Figure>
  );
}
