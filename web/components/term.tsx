import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { meanings, type TermName } from "./meanings.js";

let terms = 0;

/**
 * A word of the field, which says what it means when it is pointed at, focused or tapped (terms.ts); in prose.html it is
 * `<term name="...">`. Children say the word in another form.
 */
export function Term({ name, children = name }: { name: TermName; children?: ComponentChildren }) {
  // Pages are drawn apart from each other, and each would count its ids (useId) from the beginning.
  const [id] = useState(() => `term-${++terms}`);
  return (
    <>
      <button type="button" class="term" popovertarget={id} aria-describedby={id}>
        {children}
      </button>
      <span class="term-meaning" id={id} popover="auto" role="tooltip">
        {meanings[name]}
      </span>
    </>
  );
}
