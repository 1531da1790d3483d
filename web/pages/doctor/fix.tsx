import type { RopeReport } from "ropewalk";
import { CopyButton } from "../../components/copy.js";
import { configDiff } from "./config-diff.js";

const signs = { same: " ", removed: "−", added: "+" } as const;
const spoken = { same: undefined, removed: "removed: ", added: "added: " } as const;

/** Changes to the given configuration after which all readers read it alike. */
export function Fix({ fix, given }: { fix: RopeReport["fix"]; given: object }) {
  if (fix === undefined)
    return (
      <p class="hint">
        No one file is read alike by all these readers. Choose those that you deploy to under “Readers”, and see what
        each needs in the verdict.
      </p>
    );
  return (
    <section class="fix" aria-labelledby="fix-title">
      <h3 id="fix-title">A config.json that all these readers read alike</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section tabIndex={0} aria-label="Changes to the config.json">
        <pre>
          {configDiff(given as Record<string, unknown>, fix as Record<string, unknown>).map(({ kind, text }, i) => (
            <span class={kind} key={i}>
              <span aria-hidden="true">{signs[kind]} </span>
              {spoken[kind] && <span class="visually-hidden">{spoken[kind]}</span>}
              {text}
              {"\n"}
            </span>
          ))}
        </pre>
      </section>
      <CopyButton label="Copy the new config.json" text={() => JSON.stringify(fix, null, 2)} />
    </section>
  );
}
