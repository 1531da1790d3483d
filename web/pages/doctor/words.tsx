import type { Frequencies } from "ropewalk";
import { CodeDrawer } from "../../code/code-drawer.js";
import { Explained } from "../../rope/explained.js";
import type { Facts } from "../../rope/facts.js";
import { ruleOf } from "../../rope/rules.js";
import { show } from "../../state/address.js";
import { readings } from "./checked.js";
import { configSnippets } from "./code.js";

const within = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

/** The rule becomes B of the page Frequencies, at this length, beside A, the same base without a rule. */
function draw({ options }: Facts, length: number): void {
  const { base } = (options.frequencies ?? {}) as Partial<Extract<Frequencies, { type: "default" }>>;
  show("frequencies", {
    ...(base !== undefined && { a: { type: "default", values: { base } } }),
    ...(options.frequencies && { b: ruleOf(options.frequencies) }),
    context: within(length, 16, 1 << 24),
    // The rotated part of the head becomes the head of the figures.
    d: within(options.rotaryDim ?? options.headDim, 4, 256),
  });
}

/** The reading of this library in its own words, for each type of layers. */
export function Words({ length }: { length: number }) {
  return (
    <>
      {readings.value.map(({ layerType, told }) => (
        <section key={layerType} aria-label={layerType ? `Layers of type ${layerType}` : "All layers"}>
          {layerType && <h4>{layerType}</h4>}
          {told.facts ? (
            <>
              <Explained explanation={told.facts.explanation} />
              <p class="actions">
                <button type="button" onClick={() => draw(told.facts, length)}>
                  Draw it in Frequencies{layerType && <span class="visually-hidden">, {layerType}</span>}
                </button>
              </p>
              <CodeDrawer name={`config-${layerType ?? "all"}`} of={() => configSnippets(told.facts.options)} />
            </>
          ) : (
            <p class="failure">{told.error}</p>
          )}
        </section>
      ))}
    </>
  );
}
