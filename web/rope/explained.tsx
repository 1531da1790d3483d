import type { Explanation } from "ropewalk";
import { Term } from "../components/term.js";
import { significant } from "../text/format.js";

/** The library's own words, a line each. */
export function Explained({ explanation }: { explanation: Explanation }) {
  return (
    <>
      <p class="magnitude">
        <Term name="attention scaling" /> <strong>{significant(explanation.magnitude, 5)}</strong>
      </p>
      <ul class="explained">
        {(explanation.text + (explanation.limits?.text ?? ""))
          .split("\n")
          .filter(Boolean)
          .map((line) => (
            <li key={line}>{line}</li>
          ))}
      </ul>
    </>
  );
}
