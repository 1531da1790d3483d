import { ScrollTable } from "../../components/scroll-table.js";
import { fixed } from "../../text/format.js";
import { encodingLabels } from "../../training/encoding-labels.mjs";
import type { EncodingAnswer, ViewName } from "./calls.js";
import { encodingNames } from "./kinds.js";
import { answers, change, rounding } from "./model.js";
import { state } from "./state.js";

function Verdict({ answer, view }: { answer: EncodingAnswer; view: ViewName }) {
  const by = change(answer, view);
  if (by === undefined) {
    const why = answer.refusals[view] ?? answer.refusals["as-is"];
    return (
      <td data-sees="refused" title={why}>
        out of range
      </td>
    );
  }
  return by < rounding ? <td data-sees="no">unchanged</td> : <td data-sees="yes">{fixed(by, 2)}</td>;
}

/** The changes that each encoding notices, measured by how much the scores of the same words change. */
export function Senses() {
  return (
    <ScrollTable label="What each encoding notices">
      <caption>The largest change of any score when the words are moved.</caption>
      <thead>
        <tr>
          <th scope="col">encoding</th>
          <th scope="col">shifted by {state.shift.value}</th>
          <th scope="col">mirrored</th>
          <th scope="col">spread</th>
        </tr>
      </thead>
      <tbody>
        {encodingNames.map((name) => {
          const answer = answers.value?.of[name];
          return (
            <tr key={name} data-encoding={name}>
              <th scope="row">{encodingLabels[name]}</th>
              {(["shifted", "mirrored", "stretched"] as const).map((view) =>
                answer ? <Verdict key={view} answer={answer} view={view} /> : <td key={view}>…</td>,
              )}
            </tr>
          );
        })}
      </tbody>
    </ScrollTable>
  );
}
