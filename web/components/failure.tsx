import type { ComponentChildren } from "preact";

/** An error message, which is read out as well. Renders nothing without one. */
export function Failure({ says, children }: { says: string | undefined | false; children?: ComponentChildren }) {
  if (!says) return null;
  return (
    <p class="failure" role="alert">
      {says}
      {children}
    </p>
  );
}
