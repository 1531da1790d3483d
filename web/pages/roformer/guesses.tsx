import { Term } from "../../components/term.js";
import { run } from "../../model/session.js";
import { fixed, percent } from "../../text/format.js";
import { lockedCell } from "./view.js";

/** Predictions at the position that is locked in the map; a mask's own predictions are listed above. */
export function Guesses() {
  const row = lockedCell.value?.row;
  if (row === undefined || run.value?.masks.includes(row)) return null;
  const token = run.value?.tokens[row];
  const guesses = run.value?.guesses[row] ?? [];
  const full = guesses[0]?.probability ?? 1;
  return (
    <section class="card guesses" aria-labelledby="guesses-title">
      <header class="card-head">
        <h3 id="guesses-title">
          Prediction at “{token ?? "…"}”, position {row}
        </h3>
        <span class="hint">pick another row in the map to change it</span>
      </header>
      <ol>
        {guesses.map(({ token: word, logit, probability }) => (
          <li class="word-bar" key={word}>
            <span class="guess-word">{word}</span>
            <span class="fill-bar" aria-hidden="true">
              <i style={{ "--share": probability / full }} />
            </span>
            <span class="guess-share">
              {percent(probability)} <span class="hint">{fixed(logit, 2)}</span>
            </span>
          </li>
        ))}
      </ol>
      <p class="hint">
        {run.value && guesses.length === 0 ? (
          "This checkpoint has no masked-LM head, so it cannot predict words."
        ) : (
          <>
            Probability and <Term name="logit" />. Words that are not masked are visible to the model, and it was
            trained on masks only, so it may not repeat them.
          </>
        )}
      </p>
    </section>
  );
}
