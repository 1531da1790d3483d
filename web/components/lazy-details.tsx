import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

interface Props {
  readonly summary: string;
  /** The summary for screen readers, where several on a page would read alike. */
  readonly label?: string;
  /** Remembers that it is open while its place on the page comes and goes. */
  readonly open?: Signal<boolean>;
  readonly children: () => ComponentChildren;
}

/** A closed drawer whose content is made only once it is opened: data tables can be large. */
export function LazyDetails({ summary, label, open: kept, children }: Props) {
  const own = useSignal(false);
  const open = kept ?? own;
  return (
    <details
      class="drawer"
      open={open.value}
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary aria-label={label}>{summary}</summary>
      {open.value && children()}
    </details>
  );
}
