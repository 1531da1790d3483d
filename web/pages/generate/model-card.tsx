import { useEffect } from "preact/hooks";
import { CodeDrawer } from "../../code/code-drawer.js";
import { ScrollTable } from "../../components/scroll-table.js";
import { Term } from "../../components/term.js";
import { fixed, percent, whole } from "../../text/format.js";
import { generateSnippets } from "./code.js";
import { model } from "./model.js";
import { readReport, report } from "./report.js";

/** How good the shipped model is, as its training measured it. */
function Figures() {
  const found = report.value;
  if (!found) return <p class="figures-of-model" />;
  const { heldOut, training, written, drawnFromTheGrammar: drawn } = found;
  const rows = [
    ...written.map((row) => ({ name: `written at temperature ${row.temperature}`, ...row })),
    { name: "drawn from the grammar itself", ...drawn },
  ];
  return (
    <div class="figures-of-model">
      <p>
        It was trained on generated English, {training.sequence} tokens at a time. On {whole(heldOut.texts)} texts that
        training did not draw it loses {fixed(heldOut.loss, 3)} <Term name="nats" /> per token. The grammar’s own
        entropy, below which no model can go, is {fixed(heldOut.entropyOfTheGrammar, 3)}.
      </p>
      <ScrollTable label="Texts that the shipped decoder writes">
        <thead>
          <tr>
            <th scope="col">{whole(rows[0]!.texts)} texts</th>
            <th scope="col">of the grammar</th>
            <th scope="col">distinct</th>
            <th scope="col">not in training</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td>{percent(row.accepted)}</td>
              <td>{percent(row.distinct)}</td>
              <td>{percent(row.absentFromTraining)}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </div>
  );
}

export function ModelCard() {
  useEffect(() => {
    void readReport();
  }, []);
  const found = model.value;
  return (
    <section class="card generate-model" aria-labelledby="generate-model-title">
      <h3 id="generate-model-title">The model</h3>
      <p>
        {found
          ? `${found.name}: ${found.modelType}, ${whole(found.parameters)} parameters in ${found.layers} layers, computed in 8 bits, so that a seed gives the same text on every machine.`
          : "A small decoder is part of this site."}
      </p>
      {found?.shipped !== false && <Figures />}
      <CodeDrawer name="generate" of={generateSnippets} />
    </section>
  );
}
