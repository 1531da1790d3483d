import { LazyDetails } from "../components/lazy-details.js";
import { ScrollTable } from "../components/scroll-table.js";
import { significant } from "../format.js";
import { pairCount, sides } from "./model.js";
import { scaled } from "./spectrum.js";

/** What both figures show, in numbers. */
export function FrequencyTable() {
  return (
    <LazyDetails summary="Every pair as a table">
      {() => (
        <ScrollTable label="Every pair">
          <thead>
            <tr>
              <th scope="col">pair</th>
              {sides.value.flatMap(({ name }) =>
                ["θ", "wavelength", "turns", "θ by rule", "band"].map((column) => (
                  <th scope="col" key={name + column}>
                    {name} {column}
                  </th>
                )),
              )}
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: pairCount.value }, (_, pair) => (
              <tr key={pair}>
                <th scope="row">{pair}</th>
                {sides.value.flatMap(({ name, facts }) => {
                  const { scaledBy = 1, band = "" } = facts.explanation.pairs[pair] ?? {};
                  return [
                    <td key={`${name}θ`}>{significant(facts.theta[pair]!, 6)}</td>,
                    <td key={`${name}λ`}>{significant(facts.wavelengths[pair]!, 6)}</td>,
                    <td key={`${name}t`}>{significant(facts.turns[pair]!, 4)}</td>,
                    <td key={`${name}s`}>{scaled(scaledBy)}</td>,
                    <td key={`${name}b`}>{band}</td>,
                  ];
                })}
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
    </LazyDetails>
  );
}
