import { LazyDetails } from "../components/lazy-details.js";
import { ScrollTable } from "../components/scroll-table.js";
import { fixed, significant } from "../format.js";
import { turnOf } from "./dial.js";
import { keyPosition, queryPosition, scene } from "./model.js";

/** What the dials show, in numbers. */
export function PairsTable() {
  return (
    <LazyDetails summary="Every pair as a table">
      {() => (
        <ScrollTable label="Every pair">
          <thead>
            <tr>
              <th scope="col">pair</th>
              <th scope="col">channels</th>
              <th scope="col">θ</th>
              <th scope="col">wavelength</th>
              <th scope="col">q angle</th>
              <th scope="col">k angle</th>
              <th scope="col">q rotated</th>
              <th scope="col">k rotated</th>
              <th scope="col">part of score</th>
            </tr>
          </thead>
          <tbody>
            {scene.value?.pairs.map((pair) => (
              <tr key={pair.index}>
                <th scope="row">{pair.index}</th>
                <td>{pair.channels.join(", ")}</td>
                <td>{significant(pair.theta, 5)}</td>
                <td>{significant(pair.wavelength, 5)}</td>
                <td>{fixed(turnOf(queryPosition.value, pair.theta).degrees, 1)}°</td>
                <td>{fixed(turnOf(keyPosition.value, pair.theta).degrees, 1)}°</td>
                <td>{pair.qTurned.map((value) => fixed(value, 5)).join(", ")}</td>
                <td>{pair.kTurned.map((value) => fixed(value, 5)).join(", ")}</td>
                <td>{fixed(pair.score, 6)}</td>
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
    </LazyDetails>
  );
}
