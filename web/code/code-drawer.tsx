import { signal } from "@preact/signals";
import { CopyButton } from "../components/copy.js";
import { LazyDetails } from "../components/lazy-details.js";
import { Segmented } from "../components/segmented.js";

export interface Snippets {
  readonly typescript: string;
  readonly cpp: string;
}
type Language = keyof Snippets;

/** One choice for all pages: who writes C++ wants it everywhere. */
const language = signal<Language>("typescript");

/** The settings of the moment as a whole program that can be copied. */
export function CodeDrawer({ name, of }: { name: string; of: () => Snippets }) {
  return (
    <LazyDetails summary="Show me the code">
      {() => {
        const code = of()[language.value];
        return (
          <div class="code">
            <div class="code-head">
              <Segmented
                legend="language"
                name={`${name}-language`}
                value={language}
                options={[
                  ["typescript", "TypeScript"],
                  ["cpp", "C++"],
                ]}
              />
              <CopyButton label="Copy code" text={() => code} />
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
            <section class="code-scroll" tabIndex={0} aria-label="Code">
              <pre>
                <code>{code}</code>
              </pre>
            </section>
          </div>
        );
      }}
    </LazyDetails>
  );
}
