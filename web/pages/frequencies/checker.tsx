import { batch } from "@preact/signals";
import type { RopeReport } from "ropewalk";
import { CopyButton } from "../../components/copy.js";
import { ScrollTable } from "../../components/scroll-table.js";
import { significant } from "../../text/format.js";
import { checked } from "./checked.js";
import { checks } from "./checks.js";
import { fields, state } from "./state.js";

/** A number without the page's groups of digits, as it stands in configurations. */
const plain = (value: number): string => String(Number(value.toPrecision(7)));

function Readings({ readings }: RopeReport) {
  return (
    <ScrollTable label="Readings">
      <thead>
        <tr>
          <th scope="col">reader</th>
          <th scope="col">layers</th>
          <th scope="col">rule</th>
          <th scope="col">base</th>
          <th scope="col">pairs</th>
          <th scope="col">pairing</th>
          <th scope="col">attention scaling</th>
        </tr>
      </thead>
      <tbody>
        {readings.map((each) => (
          <tr key={`${each.reader} ${each.layerType}`} title={each.source}>
            <th scope="row">{each.reader}</th>
            <td>{each.layerType ?? "all"}</td>
            <td>{each.rule}</td>
            <td>{plain(each.base)}</td>
            <td>{each.frequencies.length}</td>
            <td>{each.pairing}</td>
            <td>{significant(each.magnitude, 5)}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function Differences({ differences }: RopeReport) {
  return (
    <ScrollTable label="Differences between readers">
      <thead>
        <tr>
          <th scope="col">reader</th>
          <th scope="col">reader</th>
          <th scope="col">layers</th>
          <th scope="col">first pair</th>
          <th scope="col">turns apart at the end</th>
          <th scope="col">0.1 radian from token</th>
        </tr>
      </thead>
      <tbody>
        {differences.map((each) => (
          <tr key={`${each.a} ${each.b} ${each.layerType}`}>
            <th scope="row">{each.a}</th>
            <td>{each.b}</td>
            <td>{each.layerType ?? "all"}</td>
            <td>{each.firstPair < 0 ? "none" : each.firstPair}</td>
            <td>{significant(each.turnsAtContext, 4)}</td>
            <td>{Number.isFinite(each.tokensUntilTenthRadian) ? each.tokensUntilTenthRadian : "never"}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

/** Refusals, notes and the versions that are followed. */
function Remarks({ readings, refusals }: RopeReport) {
  const sources = new Map(readings.map(({ reader, source }) => [reader, source]));
  return (
    <ul class="explained">
      {refusals.map(({ reader, message }) => (
        <li key={`${reader} ${message}`}>
          {reader} refuses: {message}
        </li>
      ))}
      {readings.flatMap(({ reader, layerType, notes }) =>
        notes.map((note) => (
          <li key={`${reader} ${layerType} ${note}`}>
            {reader}
            {layerType === undefined ? "" : ` (${layerType})`}: {note}
          </li>
        )),
      )}
      {Array.from(sources, ([reader, source]) => (
        <li class="hint" key={reader}>
          {reader} follows {source}
        </li>
      ))}
    </ul>
  );
}

function Fix({ fix }: RopeReport) {
  if (fix === undefined) return <p class="hint">No configuration is read alike by all these readers.</p>;
  const text = JSON.stringify(fix, null, 2);
  return (
    <details class="drawer">
      <summary>A config.json that all these readers read alike</summary>
      <pre class="fix">{text}</pre>
      <CopyButton label="Copy it" text={() => text} />
    </details>
  );
}

function Report() {
  const found = checked.value;
  if (found === undefined) {
    return (
      <p class="hint">
        Paste a config.json above to see which base and rule each library reads from it, and by how many turns they
        disagree at the end of the context. Other libraries are emulated at the versions that the report names.
      </p>
    );
  }
  if (found.error !== undefined) return <p class="failure">{found.error}</p>;
  const { report } = found;
  return (
    <>
      <p class="check-verdict" data-code={report.code}>
        {report.verdict}
      </p>
      {report.readings.length > 0 && <Readings {...report} />}
      {report.differences.length > 0 && <Differences {...report} />}
      <Remarks {...report} />
      {report.readings.length > 0 && report.differences.length > 0 && <Fix {...report} />}
    </>
  );
}

/** Readers side by side, and a printed table judged beside the config.json, or alone. */
export function CheckerCard() {
  return (
    <div class="checker">
      <div class="checker-given">
        <div class="checker-printed">
          <label for="frequencies-printed">
            inv_freq of your program, as print(inv_freq.tolist()) shows it, or a row of its tables as {"{"}"cos": […],
            "sin": […], "position": 7{"}"}
          </label>
          <textarea
            id="frequencies-printed"
            rows={3}
            spellcheck={false}
            placeholder="[1.0, 0.8058, 0.6494, …]"
            value={state.printed.value}
            onInput={(event) => {
              state.printed.value = event.currentTarget.value;
            }}
          />
        </div>
        <div class="checker-option">
          <label for="frequencies-tokens">tokens of the sequence</label>
          <input
            id="frequencies-tokens"
            type="text"
            inputMode="numeric"
            maxLength={12}
            placeholder="the model's own"
            value={state.tokens.value}
            onChange={(event) => {
              state.tokens.value = event.currentTarget.value;
            }}
          />
        </div>
        <div class="checker-option">
          <label for="frequencies-reader">readers</label>
          <select
            id="frequencies-reader"
            value={state.reader.value}
            onChange={(event) => {
              state.reader.value = event.currentTarget.value as typeof state.reader.value;
            }}
          >
            {fields.reader.values.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
        <p class="actions">
          <span class="hint">examples</span>
          {checks.map(({ name, config, printed, reader }) => (
            <button
              type="button"
              key={name}
              onClick={() => {
                batch(() => {
                  state.config.value = config === undefined ? "" : JSON.stringify(config, null, 2);
                  state.printed.value = printed ?? "";
                  state.layers.value = "";
                  state.tokens.value = "";
                  state.reader.value = reader ?? "all";
                });
              }}
            >
              {name}
            </button>
          ))}
        </p>
      </div>
      <div class="checker-report" aria-live="polite">
        <Report />
      </div>
    </div>
  );
}
