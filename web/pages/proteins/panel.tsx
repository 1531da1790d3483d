import { CodeDrawer } from "../../code/code-drawer.js";
import { step } from "../../state/address.js";
import { bytes, milliseconds, whole } from "../../text/format.js";
import { proteinSnippets } from "./code.js";
import { proteins } from "./examples.js";
import { ContactMap } from "./map.js";
import { cancelOpening, contacts, failure, hub, model, open, opening, sequence } from "./model.js";
import { state } from "./state.js";
import "./styles.css";

function Sequence() {
  return (
    <section class="card controls" aria-label="Sequence">
      <div class="sequence-box">
        <label for="proteins-sequence">sequence of amino acids, one letter each</label>
        <textarea
          id="proteins-sequence"
          rows={4}
          maxLength={600}
          spellcheck={false}
          autocomplete="off"
          value={state.sequence.value}
          onInput={(event) => {
            state.sequence.value = event.currentTarget.value;
          }}
        />
        <p class="hint">{sequence.value.length} residues, at most 600.</p>
      </div>
      <div class="actions">
        {proteins.map((protein) => (
          <button
            type="button"
            key={protein.name}
            aria-pressed={sequence.value === protein.sequence}
            onClick={() =>
              step(() => {
                state.sequence.value = protein.sequence;
              })
            }
          >
            {protein.name}
          </button>
        ))}
      </div>
      <CodeDrawer name="proteins" of={proteinSnippets} />
    </section>
  );
}

function Model() {
  const [found, reading] = [model.value, opening.value];
  return (
    <section class="card proteins-model" aria-labelledby="proteins-model-title">
      <h3 id="proteins-model-title">The model</h3>
      <p>
        {found
          ? `${found.name}: ${whole(found.parameters)} parameters, ${found.layers} layers of ${found.heads} heads.`
          : "No protein model is part of this site, so the map waits for one."}
      </p>
      <p>
        Your browser can download <a href={hub.page}>{hub.repository}</a> ({hub.licence}) from huggingface.co, which
        will see your IP address. It is kept for the next visit. Or open any ESM-2 with a contact head: config.json,
        model.safetensors and vocab.txt never leave your machine.
      </p>
      <div class="actions">
        <button
          type="button"
          class={found ? undefined : "primary"}
          disabled={reading !== undefined}
          onClick={() => void open({ repository: hub.repository })}
        >
          Fetch {bytes(hub.bytes)} from huggingface.co
        </button>
        <label class="button file">
          Choose files
          <input
            type="file"
            multiple
            accept=".json,.txt,.safetensors"
            onChange={(event) => {
              void open({ files: Array.from(event.currentTarget.files ?? []) });
              event.currentTarget.value = "";
            }}
          />
        </label>
      </div>
      {reading && (
        <div class="opening">
          <label for="proteins-opening">
            Reading
            {reading.loaded > 0 && ` ${bytes(reading.loaded)}${reading.total ? ` of ${bytes(reading.total)}` : ""}`}
          </label>
          <progress id="proteins-opening" max={1} value={reading.total ? reading.loaded / reading.total : undefined} />
          <button type="button" onClick={cancelOpening}>
            Cancel
          </button>
        </div>
      )}
      {failure.value && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
    </section>
  );
}

/** A protein's sequence, and the contacts that a protein model's attention predicts for it. */
export default function ProteinsPage() {
  return (
    <div class="proteins">
      <Sequence />
      <Model />
      {contacts.value && (
        <section class="card proteins-map" aria-labelledby="proteins-map-title">
          <header class="card-head">
            <h3 id="proteins-map-title">Predicted contacts</h3>
            <span class="hint">in {milliseconds(contacts.value.milliseconds)}</span>
          </header>
          <ContactMap />
          <p class="hint">
            The probability that two residues lie within 8 Å in the fold, by the model’s own logistic regression over
            the attention of all heads. Helices show as a thick diagonal, sheets as lines along it or across it. The
            table lists residues at least six apart, since nearer ones touch in any fold.
          </p>
        </section>
      )}
    </div>
  );
}
