import { Light } from "./light.js";
import { published } from "./published.js";

/** Twenty published configurations with what was found of each; choosing one checks it here. */
export function Board({ choose }: { choose: (config: string) => void }) {
  return (
    <>
      <ul class="doctor-board">
        {published.map(({ name, title, found, text }) => (
          <li key={name}>
            <button type="button" onClick={() => choose(text)}>
              <Light of={found.light} />
              <span class="doctor-model">{title}</span>
              <span class="doctor-line">
                <span class="visually-hidden">{found.says}: </span>
                {found.line}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p class="hint">
        The keys of their ropes as they were published; a file that was changed since may be read otherwise. The
        verdicts were recorded. Choose a model to check it here.
      </p>
    </>
  );
}
