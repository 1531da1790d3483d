import type { ComponentChildren } from "preact";

/** What went wrong, which is read out as well. Nothing without a message. */
export function Failure({ says, children }: { says: string | undefined | false; children?: ComponentChildren }) {
  if (!says) return null;
  return (
    <p class="failure" role="alert">
      {says}
      {children}
    </p>
  );
}
