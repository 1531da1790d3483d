import { CodeDrawer } from "../../code/code-drawer.js";
import { ModelChoice, TextBox } from "../../model/bench.js";
import { Fetch } from "../../model/fetch.js";
import { step } from "../../state/address.js";
import { milliseconds, whole } from "../../text/format.js";
import { proteinSnippets } from "./code.js";
import { proteins } from "./examples.js";
import { InventedMap } from "./invented.js";
import { ContactMap } from "./map.js";
import { contacts, hub, ignored, leftOut, misfit, model, reader, sequence } from "./model.js";
import { MOST_RESIDUES, sequenceText, state } from "./state.js";
import "./styles.css";

function Sequence() {
  return (
    <section class="card controls" aria-label="Sequence">
      <div class="sequence-box">
        <TextBox
          id="proteins-sequence"
          label="sequence of amino acids, one letter each"
          of={sequenceText}
          misfit={misfit.value}
        />
        <p class="hint">
          {sequence.value.length} residues, at most {MOST_RESIDUES}.
          {leftOut.value > 0 && ` ${whole(leftOut.value)} more are left out.`}
          {!misfit.value &&
            ignored.value.length > 0 &&
            ` Left out, since no amino acid is written so: ${ignored.value.join(" ")}`}
        </p>
      </div>
      {/* A name stands where the map of its protein does: beside the invented one it would be taken for that one's. */}
      {model.value && (
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
      )}
      <ModelChoice of={reader} />
      <CodeDrawer name="proteins" of={proteinSnippets} />
    </section>
  );
}

function Model() {
  const found = model.value;
  return (
    <section class="card proteins-model" aria-labelledby="proteins-model-title">
      <h3 id="proteins-model-title">The model</h3>
      <p>
        {found
          ? `${found.name}: ${whole(found.parameters)} parameters, ${found.layers} layers of ${found.heads} heads.`
          : "No protein model is part of this site, so the map waits for one."}
      </p>
      {!found && (
        <>
          <p>
            Your browser downloads <a href={`https://huggingface.co/${hub.repository}`}>{hub.repository}</a> (
            {hub.licence}) from huggingface.co, which will see your IP address, and keeps it. “Change” above opens an
            ESM-2 of your own.
          </p>
          <div class="actions">
            <Fetch of={reader} model={hub} primary />
          </div>
        </>
      )}
    </section>
  );
}

reader.start();

/** A protein's sequence, and the contacts that a protein model's attention predicts for it. */
export default function ProteinsPage() {
  return (
    <div class="proteins">
      <Sequence />
      <Model />
      {!contacts.value && (
        <section class="card proteins-map" aria-labelledby="proteins-invented-title">
          <h3 id="proteins-invented-title">An invented example</h3>
          <InventedMap />
          <p class="hint">
            Drawn by rule; a model’s map of your sequence takes this place. A helix is a line close beside the diagonal.
            Two strands of a sheet are a line across it where they run in opposite directions, and a line along it where
            they run in the same one.
          </p>
        </section>
      )}
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
