/** Five lines that stay apart in colour, in dashes and for every kind of colour vision (styles/train.css). */
export const dashes = ["", "7 3", "2 3", "9 3 2 3", "1 5"] as const;

interface Line {
  readonly tone: number;
  readonly label: string;
  /** Its value at the cursor, and what else is known there. */
  readonly reading: string;
  readonly more?: string;
}

/** The legend of lines, with the value of each at the cursor. It stands under its plot, which it must not move. */
export function LineReadings({ lines }: { lines: readonly Line[] }) {
  return (
    <ul class="race-reading">
      {lines.map(({ tone, label, reading, more }) => (
        <li key={label}>
          <LineKey tone={tone} /> {label} <strong>{reading}</strong>
          {more}
        </li>
      ))}
    </ul>
  );
}

/** The line as a key beside a name. */
export function LineKey({ tone }: { tone: number }) {
  return (
    <svg class="line-key" viewBox="0 0 28 8" width="28" height="8" aria-hidden="true">
      <line class={`tone-${tone}`} x1="1" x2="27" y1="4" y2="4" stroke-dasharray={dashes[tone]} />
    </svg>
  );
}
