/** Five lines that stay apart in colour, in dashes and for every kind of colour vision (styles/train.css). */
export const dashes = ["", "7 3", "2 3", "9 3 2 3", "1 5"] as const;

/** The line as a key beside a name. */
export function LineKey({ tone }: { tone: number }) {
  return (
    <svg class="line-key" viewBox="0 0 28 8" width="28" height="8" aria-hidden="true">
      <line class={`tone-${tone}`} x1="1" x2="27" y1="4" y2="4" stroke-dasharray={dashes[tone]} />
    </svg>
  );
}
