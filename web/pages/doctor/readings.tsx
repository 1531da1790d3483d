import type { RopeReport } from "ropewalk";
import { ScrollTable } from "../../components/scroll-table.js";
import { Term } from "../../components/term.js";
import { significant } from "../../text/format.js";
import { quoted } from "../../text/message.js";
import { drifts } from "./drift.js";
import { DriftFigure } from "./drift-figure.js";
import { plain } from "./markdown.js";

function Readings({ readings }: RopeReport) {
  return (
    <ScrollTable label="Readings">
      <thead>
        <tr>
          <th scope="col">reader</th>
          <th scope="col">layers</th>
          <th scope="col">rule</th>
          <th scope="col">base</th>
          <th scope="col">pairs</th>
          <th scope="col">pairing</th>
          <th scope="col">
            <Term name="attention scaling" />
          </th>
        </tr>
      </thead>
      <tbody>
        {readings.map((each) => (
          <tr key={`${each.reader} ${each.layerType}`} title={each.source}>
            <th scope="row">{each.reader}</th>
            <td>{each.layerType ?? "all"}</td>
            <td>{each.rule}</td>
            <td>{plain(each.base)}</td>
            <td>{each.frequencies.length}</td>
            <td>{each.pairing}</td>
            <td>{significant(each.magnitude, 5)}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function Differences({ differences }: RopeReport) {
  return (
    <ScrollTable label="Differences between readers">
      <thead>
        <tr>
          <th scope="col">reader</th>
          <th scope="col">reader</th>
          <th scope="col">layers</th>
          <th scope="col">first pair</th>
          <th scope="col">turns apart at the end of the text</th>
          <th scope="col">angles differ by 0.1 radian from token</th>
        </tr>
      </thead>
      <tbody>
        {differences.map((each) => (
          <tr key={`${each.a} ${each.b} ${each.layerType}`}>
            <th scope="row">{each.a}</th>
            <td>{each.b}</td>
            <td>{each.layerType ?? "all"}</td>
            <td>{each.firstPair < 0 ? "none" : each.firstPair}</td>
            <td>{significant(each.turnsAtContext, 4)}</td>
            <td>{Number.isFinite(each.tokensUntilTenthRadian) ? each.tokensUntilTenthRadian : "never"}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

/** Refusals, notes and the versions that are followed. */
function Remarks({ readings, refusals }: RopeReport) {
  const sources = new Map(readings.map(({ reader, source }) => [reader, source]));
  return (
    <ul class="explained">
      {refusals.map(({ reader, message }) => (
        <li key={`${reader} ${message}`}>
          {reader} refuses: {quoted(message)}
        </li>
      ))}
      {readings.flatMap(({ reader, layerType, notes }) =>
        notes.map((note) => (
          <li key={`${reader} ${layerType} ${note}`}>
            {reader}
            {layerType === undefined ? "" : ` (${layerType})`}: {quoted(note)}
          </li>
        )),
      )}
      {Array.from(sources, ([reader, source]) => (
        <li class="hint" key={reader}>
          {reader} follows {source}
        </li>
      ))}
    </ul>
  );
}

/** Every number that the verdict was made from. */
export function AllReadings({ report }: { report: RopeReport }) {
  return (
    <>
      {report.readings.length > 0 && <Readings {...report} />}
      {drifts(report).map((each, i) => (
        <DriftFigure key={each.layerType} id={`reader-drift${i === 0 ? "" : `-${i + 1}`}`} drifts={each} />
      ))}
      {report.differences.length > 0 && <Differences {...report} />}
      <Remarks {...report} />
    </>
  );
}
