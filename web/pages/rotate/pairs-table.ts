import type { Table } from "../../export/table.js";
import { turnOf } from "../../rope/dial.js";
import { fixed, scoreText, significant } from "../../text/format.js";
import { keyPosition, queryPosition, scene } from "./model.js";

const degrees = (value: number) => `${fixed(value, 1)}°`;
const channel = (value: number) => fixed(value, 4);

/** The numbers of the dials. */
export function pairsTable(): Table {
  return {
    columns: [
      { name: "pair" },
      { name: "channels" },
      { name: "θ", write: (value) => significant(value, 5) },
      { name: "wavelength", write: (value) => significant(value, 5) },
      { name: "q angle", write: degrees },
      { name: "k angle", write: degrees },
      { name: "q rotated, first", write: channel },
      { name: "q rotated, second", write: channel },
      { name: "k rotated, first", write: channel },
      { name: "k rotated, second", write: channel },
      { name: "part of score", write: scoreText },
    ],
    rows: (scene.value?.pairs ?? []).map((pair) => [
      pair.index,
      pair.channels.join(", "),
      pair.theta,
      pair.wavelength,
      turnOf(queryPosition.value, pair.theta).degrees,
      turnOf(keyPosition.value, pair.theta).degrees,
      ...pair.qTurned,
      ...pair.kTurned,
      pair.score,
    ]),
  };
}
