import { percent } from "../../text/format.js";
import { add, full, model, openFailure, ready, session } from "./model.js";
import { shownText } from "./strip.js";

/** Rows that are kept free until there is an answer. */
const ROWS = 8;

/** The next tokens, the likeliest first; a click appends one. */
export function NextToken() {
  const words = session.value?.next ?? [];
  const most = Math.max(0.2, words[0]?.probability ?? 0);
  const tokens = session.value?.tokens.length ?? 0;
  const closed = full.value || tokens >= (model.value?.context ?? 0);
  return (
    <section class="card generate-next" aria-labelledby="generate-next-title">
      <header class="card-head">
        <h3 id="generate-next-title">The next token</h3>
        <span class="hint swap">
          <span data-idle={!ready.value || undefined}>click one to append it</span>
          <span data-idle={ready.value || undefined}>recorded; reading the model</span>
        </span>
      </header>
      <ol class="next-words">
        {words.map((word) => (
          <li key={word.id}>
            <button type="button" disabled={closed} onClick={() => add({ op: "force", id: word.id })}>
              <span class="next-word">{shownText(word.text)}</span>
              <span class="next-bar" aria-hidden="true">
                <i style={{ "--share": word.probability / most }} />
              </span>
              <span class="next-share">{percent(word.probability)}</span>
            </button>
          </li>
        ))}
        {words.length === 0 && (
          <li class="hint" style={{ "--rows": ROWS }}>
            {openFailure.value ? "No model, no answer." : "The model is being loaded."}
          </li>
        )}
      </ol>
    </section>
  );
}
