import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** A closed drawer whose content is made only once it is opened: data tables can be large. */
export function LazyDetails({ summary, children }: { summary: string; children: () => ComponentChildren }) {
  const open = useSignal(false);
  return (
    <details
      class="drawer"
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>{summary}</summary>
      {open.value && children()}
    </details>
  );
}
