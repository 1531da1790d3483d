import type { ComponentChildren } from "preact";

/** A table in a box of its own scroll; the box takes the focus, so that the keyboard reaches all of it. */
export function ScrollTable({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section class="table-scroll" tabIndex={0} aria-label={label}>
      <table>{children}</table>
    </section>
  );
}
