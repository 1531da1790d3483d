import { whole } from "../text/format.js";

/** Says that a box is full: what was typed or pasted beyond its limit is not in it. */
export function Limit({ of, most }: { of: string; most: number }) {
  return (
    <p class="hint limit" role="status">
      {of.length >= most && `Only the first ${whole(most)} characters fit; what follows was left out.`}
    </p>
  );
}
