import { LazyDetails } from "../components/lazy-details.js";
import { ScrollTable } from "../components/scroll-table.js";
import { fixed, whole } from "../format.js";
import { decay, kernel, score, span, valueAt } from "./model.js";

/** At most 257 rows, at whole distances. */
const rows = () => {
  const step = Math.max(1, span.value / 256);
  return Array.from({ length: span.value / step + 1 }, (_, i) => i * step);
};

export function DistanceTable() {
  return (
    <LazyDetails summary="The curves as a table">
      {() => {
        const [bound, scores, kernels] = [decay.value?.found, score.value?.found, kernel.value?.found];
        const rises = new Set(bound?.rises);
        const cell = (value: number | undefined) => (value === undefined ? "" : fixed(value, 5));
        return (
          <ScrollTable label="The curves">
            <thead>
              <tr>
                <th scope="col">distance</th>
                <th scope="col">bound</th>
                <th scope="col">rises</th>
                <th scope="col">score</th>
                <th scope="col">mean kernel</th>
              </tr>
            </thead>
            <tbody>
              {rows().map((n) => (
                <tr key={n}>
                  <th scope="row">{whole(n)}</th>
                  <td>{cell(valueAt(bound, n))}</td>
                  <td>{rises.has(n) ? "rises" : ""}</td>
                  <td>{cell(valueAt(scores, n))}</td>
                  <td>{cell(valueAt(kernels, n))}</td>
                </tr>
              ))}
            </tbody>
          </ScrollTable>
        );
      }}
    </LazyDetails>
  );
}
