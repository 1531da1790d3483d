import { openFailure, run, runFailure, takesIds } from "../../model/session.js";
import { topK } from "../../model/top-k.js";
import { percent } from "../../text/format.js";

/** The probability of a full bar, where no guess is surer: small shares should be seen to differ. */
const leastFull = 0.2;
/** A text may hide more words than anyone will read guesses for. */
const mostMasks = 8;

/** Per mask the most probable words, as bars of the same scale. */
export function Fills() {
  const current = run.value;
  if (runFailure.value) {
    return (
      <p class="failure" role="alert">
        {runFailure.value}
      </p>
    );
  }
  if (!current) {
    return (
      <p class="fills-empty hint" data-waiting>
        {openFailure.value ? "No model, no answer." : "The model is being loaded."}
      </p>
    );
  }
  if (takesIds.value) {
    return (
      <p class="fills-empty hint">Without a tokenizer there are no words; the attention of every head is there.</p>
    );
  }
  if (current.masks.length === 0) {
    return <p class="fills-empty hint">Nothing is hidden: click a word, or write [MASK], and the model guesses it.</p>;
  }
  const full = Math.max(leastFull, ...current.fills.map((fills) => fills[0]?.probability ?? 0));
  return (
    <div class="fills">
      <p class="visually-hidden" role="status">
        {current.fills
          .slice(0, mostMasks)
          .map((fills) => (fills[0] ? `${fills[0].token}, ${percent(fills[0].probability)}. ` : ""))}
      </p>
      {current.fills.slice(0, mostMasks).map((fills, index) => (
        <section class="fill" key={index} aria-label={`Guesses for mask ${index + 1}`}>
          <h4>{context(current.tokens, current.masks[index]!)}</h4>
          <ol>
            {fills.slice(0, topK).map((fill) => (
              <li key={fill.token}>
                <span class="fill-word">{fill.token}</span>
                <span class="fill-bar" aria-hidden="true">
                  <i style={{ "--share": fill.probability / full }} />
                </span>
                <span class="fill-share">{percent(fill.probability)}</span>
              </li>
            ))}
          </ol>
        </section>
      ))}
      {current.fills.length > mostMasks && (
        <p class="hint">and {current.fills.length - mostMasks} more masks, not shown</p>
      )}
    </div>
  );
}

/** The mask with a word on either side, as a heading. */
function context(tokens: readonly string[], at: number) {
  const near = (index: number) => {
    const token = tokens[index];
    return token && !/^\[(CLS|SEP)\]$/.test(token) ? token.replace(/^##/, "") : "";
  };
  return (
    <>
      <span class="hint">
        {near(at - 2)} {near(at - 1)}
      </span>{" "}
      ___{" "}
      <span class="hint">
        {near(at + 1)} {near(at + 2)}
      </span>
    </>
  );
}
