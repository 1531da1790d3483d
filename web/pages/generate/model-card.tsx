import { useEffect } from "preact/hooks";
import { CodeDrawer } from "../../code/code-drawer.js";
import { DropFiles } from "../../components/drop-files.js";
import { OwnModel } from "../../components/own-model.js";
import { ScrollTable } from "../../components/scroll-table.js";
import { Term } from "../../components/term.js";
import { fixed, percent, whole } from "../../text/format.js";
import { generateSnippets } from "./code.js";
import { hub, model, open, openShipped, reader, ready } from "./model.js";
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

/** The model of this site, one's own, or one from the hub. */
export function ModelCard() {
  useEffect(() => {
    void readReport();
  }, []);
  const found = model.value;
  return (
    <section class="card generate-model" aria-labelledby="generate-model-title">
      <DropFiles pages={["generate"]} take={(files) => void open({ files })}>
        Drop the folder of a decoder, its files, or a .gguf file
      </DropFiles>
      <h3 id="generate-model-title">The model</h3>
      <p>
        {found
          ? `${found.name}: ${found.modelType}, ${whole(found.parameters)} parameters in ${found.layers} layers, computed in 8 bits, so that a seed gives the same text on every machine.`
          : "A small decoder is part of this site."}
      </p>
      {found?.shipped !== false && <Figures />}
      <p>
        Open a decoder of your own: Llama, Qwen, SmolLM, Gemma, GPT-NeoX or Phi in Hugging Face format, or a .gguf file.
        Choose its files or its folder, or drop them on this page. They never leave your machine.
      </p>
      <OwnModel
        page="generate"
        kind="decoder"
        accept=".json,.safetensors,.gguf"
        hub={hub}
        of={{ ...reader, open }}
        isAsked={ready.value}
        openShipped={openShipped}
      />
      <CodeDrawer name="generate" of={generateSnippets} />
    </section>
  );
}
