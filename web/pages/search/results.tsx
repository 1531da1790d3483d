import { useSignal } from "@preact/signals";
import { step } from "../../state/address.js";
import { fixed, whole } from "../../text/format.js";
import { found, texts as list, model, openFailure, query, results } from "./model.js";
import { state } from "./state.js";

/** So many are shown unless all are asked for. */
const FIRST = 12;

/** Texts by their cosine to the query, best first. */
export function Results() {
  const all = useSignal(false);
  const shown = results.value;
  if (!shown) {
    const why = openFailure.value ? "No model, no answer." : "The model is being read.";
    const missing = !query.value
      ? "Type a query to rank the texts."
      : list.value.length === 0
        ? "There are no texts."
        : "";
    return <p class="hint search-results">{missing || (model.value ? "" : why)}</p>;
  }
  const { texts, cosines, ranking, unknown } = shown;
  const order = all.value ? ranking.order : ranking.order.slice(0, FIRST);
  const times = (index: number) => ranking.ranks.filter((rank) => rank === ranking.ranks[index]).length;
  return (
    <>
      {unknown.length > 0 && (
        <p class="hint">
          The model does not know {unknown.map((word) => `“${word}”`).join(", ")} and reads{" "}
          {unknown.length > 1 ? "them" : "it"} as [UNK].
        </p>
      )}
      <ol class="search-results" aria-label="Results, best first">
        {order.map((index) => (
          <li key={index}>
            <button
              type="button"
              class="search-result"
              aria-pressed={state.open.value === index}
              onClick={() =>
                step(() => {
                  state.open.value = state.open.value === index ? -1 : index;
                })
              }
            >
              <span class="rank">{ranking.ranks[index]}</span>
              <span class="found-text">{texts[index]}</span>
              {times(index) > 1 && <span class="tie">tie</span>}
              <span class="cosine">{fixed(cosines[index]!, 4)}</span>
              <span class="cosine-bar" style={{ "--share": Math.max(0, cosines[index]!) }} />
            </button>
          </li>
        ))}
      </ol>
      {texts.length > FIRST && (
        <button
          type="button"
          class="more"
          onClick={() => {
            all.value = !all.value;
          }}
        >
          {all.value ? `Show the first ${FIRST}` : `Show all ${whole(found.value!.texts.length)}`}
        </button>
      )}
    </>
  );
}
