import { signal } from "@preact/signals";
import { Segmented } from "../../components/segmented.js";
import { ModelChoice, TextBox } from "../../model/bench.js";
import { step } from "../../state/address.js";
import { whole } from "../../text/format.js";
import { examples } from "./examples.js";
import {
  cancelled,
  cancelSearch,
  embedding,
  failure,
  found,
  live,
  model,
  reader,
  results,
  resume,
  texts,
} from "./model.js";
import { ModelCard } from "./model-card.js";
import { PairCard } from "./pair.js";
import { Results } from "./results.js";
import { Slopes } from "./slopes.js";
import { LINK_TEXTS, MOST_TEXTS, queryText, state } from "./state.js";
import "./styles.css";
import { type Columns, columnOf, isTexts, linesLeftOut, readTexts } from "./texts.js";

/** Texts of files replace the list. */
async function take(files: readonly File[]): Promise<void> {
  const read = await readTexts(files);
  step(() => {
    state.open.value = -1;
    state.texts.value = read.texts;
  });
  columns.value = read.columns;
  column.value = read.columns?.longest ?? 0;
}

/** The CSV file that the texts come from, until they are typed anew. */
const columns = signal<Columns | undefined>(undefined);
const column = signal(0);

/** The choice of the column that is searched in a CSV file. */
function ColumnChoice() {
  const of = columns.value;
  if (!of || of.names.length < 2) return null;
  return (
    <div class="select">
      <label for="search-column">column of the file</label>
      <select
        id="search-column"
        value={column.value}
        onChange={(event) => {
          column.value = Number(event.currentTarget.value);
          state.open.value = -1;
          state.texts.value = columnOf(of, column.value);
        }}
      >
        {of.names.map((name, i) => (
          <option key={i} value={i}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function Texts() {
  const list = texts.value;
  const leftOut = linesLeftOut(state.texts.value);
  const unknown = results.value?.unknownTexts ?? 0;
  return (
    <section class="card search-texts" aria-labelledby="search-texts-title">
      <h3 id="search-texts-title">The texts</h3>
      <label for="search-texts">one per line, at most {whole(MOST_TEXTS)}</label>
      <textarea
        id="search-texts"
        rows={14}
        spellcheck={false}
        autocomplete="off"
        value={state.texts.value}
        onInput={(event) => {
          state.open.value = -1;
          columns.value = undefined;
          state.texts.value = event.currentTarget.value;
        }}
      />
      <ColumnChoice />
      <p class="hint" role="status">
        {whole(list.length)} texts.
        {leftOut > 0 && ` ${whole(leftOut)} more are left out.`}
        {unknown > 0 && ` ${whole(unknown)} of them hold words that the model reads as [UNK], so they may tie.`}
        {state.texts.value.length > LINK_TEXTS && " They are too long to be part of the link."}
      </p>
      <div class="actions">
        <label class="button file">
          Choose a .txt or .csv
          <input
            type="file"
            multiple
            accept=".txt,.csv"
            onChange={(event) => {
              void take(Array.from(event.currentTarget.files ?? []));
              event.currentTarget.value = "";
            }}
          />
        </label>
        <button
          type="button"
          disabled={state.texts.value === examples}
          onClick={() =>
            step(() => {
              state.open.value = -1;
              columns.value = undefined;
              state.texts.value = examples;
            })
          }
        >
          Back to the examples
        </button>
      </div>
    </section>
  );
}

function Query() {
  const work = embedding.value;
  const rotates = model.value?.rotates !== false;
  return (
    <section class="card search-query" aria-label="Query and results">
      <div class="query">
        <TextBox id="search-query" label="query" of={queryText} />
        <div class="opening search-work">
          {work?.total !== undefined && (
            <>
              <label for="search-embedding">
                {whole(work.done)} of {whole(work.total)} texts
              </label>
              <progress id="search-embedding" max={work.total} value={work.done} />
              <button type="button" onClick={cancelSearch}>
                Cancel
              </button>
            </>
          )}
          {!model.value && found.value && <span class="hint">recorded; reading the model</span>}
          {cancelled.value && (
            <>
              <span>Embedding was cancelled.</span>
              <button type="button" onClick={resume}>
                Resume
              </button>
            </>
          )}
        </div>
        {rotates ? (
          <Segmented
            legend="rotation"
            name="search-rotation"
            value={state.rotation}
            options={[
              ["on", "on"],
              ["off", "off"],
            ]}
          />
        ) : (
          <p class="hint">Rotation can be switched off in a RoFormer only.</p>
        )}
      </div>
      <ModelChoice
        of={reader}
        take={(files) => {
          const are = files.every(isTexts);
          if (are) void take(files);
          return are;
        }}
        drops=", or texts as .txt or .csv"
      />
      {failure.value && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
      <Results />
    </section>
  );
}

// Before the first drawing, so that the model loads meanwhile.
reader.start();

/** Texts by their meaning: cosines of sentence vectors, and what they are made of. */
export default function SearchPage() {
  return (
    <div class="search" data-live={live.value || undefined}>
      <div class="search-main">
        <Query />
        <PairCard />
        <section class="card search-slopes" aria-labelledby="search-slopes-title">
          <h3 id="search-slopes-title">What rotation changes</h3>
          <p class="hint">
            Without rotation a sentence is a bag of words. Two sentences of the same words in another order then get the
            same cosine, and their lines meet in one rank.
          </p>
          <Slopes />
        </section>
      </div>
      <div class="search-side">
        <Texts />
        <ModelCard />
      </div>
    </div>
  );
}
