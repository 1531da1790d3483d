import { useEffect } from "preact/hooks";
import { CodeDrawer } from "../../code/code-drawer.js";
import { ScrollTable } from "../../components/scroll-table.js";
import { percent, whole } from "../../text/format.js";
import { searchSnippets } from "./code.js";
import { model, openFailure } from "./model.js";
import { shippedModel } from "./opening.js";
import { readReport, report } from "./report.js";

/** How often the shipped model finds what it should, beside two ways without a model. */
function Recalls() {
  const found = report.value;
  if (!found) return <div class="recalls" />;
  const { candidates, phrasings, methods } = found.heldOutPhrasings;
  const rows = [
    ["this model", methods.model],
    ["without rotation", methods.withoutRotation],
    ["BM25, words alone", methods.bm25],
    ["mean of its word vectors", methods.meanOfItsWordVectors],
  ] as const;
  return (
    <div class="recalls">
      <p>
        It is tiny and knows generated English only. In the test below each of {whole(candidates)} sentences is a query.
        It looks for the same event, told in another phrasing, among {whole(candidates)} candidates, which hold a twin
        of each with almost the same words. Training had none of the {phrasings} phrasings.
      </p>
      <ScrollTable label="How often the right sentence is found">
        <thead>
          <tr>
            <th scope="col">found</th>
            <th scope="col">first</th>
            <th scope="col">among 10</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, { recallAt1, recallAt10 }]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{percent(recallAt1)}</td>
              <td>{percent(recallAt10)}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
      <p class="hint">
        Without rotation a sentence and its twin get the same vector, so that the right one comes first less often. Both
        rank high together, which counts as found among 10.
      </p>
    </div>
  );
}

export function ModelCard() {
  useEffect(() => {
    void readReport();
  }, []);
  const found = model.value;
  const described = found ?? (openFailure.value ? undefined : shippedModel);
  return (
    <section class="card search-model" aria-labelledby="search-model-title">
      <h3 id="search-model-title">The model</h3>
      <p>
        {described
          ? `${described.name}: ${described.modelType}, ${whole(described.parameters)} parameters, vectors of ${described.dimensions} numbers.`
          : "A small encoder is part of this site."}
      </p>
      {found?.shipped !== false && <Recalls />}
      <CodeDrawer name="search" of={searchSnippets} />
    </section>
  );
}
