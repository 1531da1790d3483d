import { useSignal } from "@preact/signals";
import { Failure } from "../../components/failure.js";
import { ScrollTable } from "../../components/scroll-table.js";
import { fixed, whole } from "../../text/format.js";
import { encodingLabels } from "../../training/encoding-labels.mjs";
import { LineKey } from "../../training/tones.js";
import { type Standing, standings } from "./curves.js";
import { phase, type Run, race } from "./race.js";
import { openInRoformer, saveWeights } from "./take.js";

function arrived({ arrival, arrivals, runs }: Standing): string {
  const when = arrival === undefined ? "not yet" : `step ${whole(arrival)}`;
  return runs.length > 1 ? `${when} (${arrivals.length} of ${runs.length} seeds)` : when;
}

const share = (value: number | undefined) => (value === undefined ? "…" : `${fixed(100 * value, 1)} %`);

/** The models that have solved the task, at which step, and how they do on sequences twice as long. */
export function Standings() {
  const failed = useSignal("");
  const chosen = useSignal("");
  const shown = race.value;
  if (!shown || standings.value.length === 0) return null;
  const run =
    standings.value.flatMap(({ runs }) => runs).find(({ name }) => name === chosen.value) ??
    standings.value[0]!.runs[0]!;
  const take = async (work: (run: Run) => Promise<void>) => {
    try {
      failed.value = "";
      await work(run);
    } catch (error) {
      failed.value = error instanceof Error ? error.message : String(error);
    }
  };
  const title = (one: Run) => `${encodingLabels[one.encoding]}, seed ${one.seed}`;
  return (
    <>
      <ScrollTable label="Standings">
        <thead>
          <tr>
            <th scope="col">encoding</th>
            <th scope="col">solved at</th>
            <th scope="col">accuracy, length {shown.settings.sequence}</th>
            <th scope="col">length {2 * shown.settings.sequence}</th>
            <th scope="col">parameters</th>
          </tr>
        </thead>
        <tbody>
          {standings.value.map((one) => (
            <tr key={one.encoding} data-encoding={one.encoding}>
              <th scope="row">
                <LineKey tone={one.tone} /> {encodingLabels[one.encoding]}
              </th>
              <td>{arrived(one)}</td>
              <td>{share(one.once.accuracy.median.at(-1))}</td>
              <td>{share(one.twice.accuracy.median.at(-1))}</td>
              <td>{whole(one.parameters)}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
      {phase.value === "recorded" ? (
        <p class="take hint">Run a race here to save its models or open them on the RoFormer page.</p>
      ) : (
        <div class="take">
          <label for="take-run">trained model</label>
          <select
            id="take-run"
            value={run.name}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
            }}
          >
            {standings.value.flatMap(({ runs }) =>
              runs.map((one) => (
                <option key={one.name} value={one.name}>
                  {title(one)}
                </option>
              )),
            )}
          </select>
          <button type="button" disabled={phase.value === "running"} onClick={() => void take(saveWeights)}>
            Save weights
          </button>
          <button
            type="button"
            disabled={phase.value === "running"}
            onClick={() => void take((one) => openInRoformer(one, `the ${shown.task} model, ${title(one)}`))}
          >
            Open on the RoFormer page
          </button>
        </div>
      )}
      <Failure says={failed.value} />
    </>
  );
}
