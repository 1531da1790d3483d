import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Failure } from "../../components/failure.js";
import { LazyDetails } from "../../components/lazy-details.js";
import { askForAnalyst, libraryFailure } from "../../library/library.js";
import { Bands } from "./bands.js";
import { Board } from "./board.js";
import { checked, found, isGiven } from "./checked.js";
import { give } from "./examples.js";
import { Fix } from "./fix.js";
import { Given } from "./given.js";
import { AllReadings } from "./readings.js";
import { signOf } from "./sign.js";
import "./styles.css";
import { Verdict } from "./verdict.js";
import { Words } from "./words.js";

/** The layer type of the figure, where a file has several. */
const layer = signal("");
/** Drawers that are open stay so for another file. */
const [allShown, wordsShown] = [signal(false), signal(false)];

function LayerChoice({ types }: { types: readonly string[] }) {
  return (
    <div class="select">
      <label for="doctor-figure-layer">layers</label>
      <select
        id="doctor-figure-layer"
        value={layer.value}
        onChange={(event) => {
          layer.value = event.currentTarget.value;
        }}
      >
        {types.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
    </div>
  );
}

/** One figure, of the layers that are chosen. */
function FigureCard() {
  const { report } = found.value!;
  const types = [...new Set(report.readings.map(({ layerType }) => layerType))];
  const type = types.includes(layer.value) ? layer.value : types[0];
  return (
    <section class="card" aria-labelledby="doctor-figure-title">
      <header class="card-head">
        <h3 id="doctor-figure-title">Which pairs the rule slows down</h3>
        {types.length > 1 && <LayerChoice types={types as string[]} />}
      </header>
      <Bands key={type} report={report} layerType={type} />
    </section>
  );
}

function Result() {
  const now = checked.value;
  if (!now) return <p class="hint">Reading the checker …</p>;
  if (now.error !== undefined) return <p class="failure">{now.error}</p>;
  const { report, config } = now;
  return (
    <>
      <section class="card" aria-labelledby="doctor-verdict-title">
        <Verdict {...now} />
      </section>
      {report.readings.length > 0 && <FigureCard />}
      {config && report.differences.length > 0 && (
        <section class="card">
          <Fix fix={report.fix} given={config} />
        </section>
      )}
      <section class="card doctor-more" aria-label="More">
        <LazyDetails summary="Every reader’s reading, and how far apart they are" open={allShown}>
          {() => <AllReadings report={report} />}
        </LazyDetails>
        {config && (
          <LazyDetails summary="What Ropewalk reads, in words" open={wordsShown}>
            {() => <Words length={report.length?.tokens ?? 8192} />}
          </LazyDetails>
        )}
      </section>
    </>
  );
}

function spoken(): string {
  const now = checked.value;
  if (!now) return "";
  return now.error ?? `${signOf(now.report).says}. ${now.report.verdict}`;
}

/** One file, one length, one verdict, one figure. */
export default function DoctorPage() {
  const result = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void askForAnalyst();
  }, []);
  /** From the list to the verdict, which takes its place: for the eyes, and for the keyboard. */
  const choose = (config: string) => {
    give(config);
    requestAnimationFrame(() => {
      result.current?.focus({ preventScroll: true });
      result.current?.scrollIntoView({ block: "nearest" });
    });
  };
  const board = (
    <section class="card doctor-published" aria-labelledby="doctor-published-title">
      <h3 id="doctor-published-title">Twenty published configurations</h3>
      <Board choose={choose} />
    </section>
  );
  return (
    <div class="doctor">
      <Failure says={libraryFailure.value} />
      <section class="card doctor-given" aria-label="Your configuration">
        <Given />
      </section>
      {/* The answer alone is read out: the report has hundreds of numbers. */}
      <p class="visually-hidden" role="status">
        {spoken()}
      </p>
      <div class="doctor-result" ref={result} tabIndex={-1}>
        {isGiven.value ? <Result /> : board}
      </div>
      {isGiven.value && board}
    </div>
  );
}
