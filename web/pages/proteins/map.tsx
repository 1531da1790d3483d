import { Figure } from "../../components/figure.js";
import { HeatMap } from "../../components/heat-map.js";
import { Legend } from "../../components/legend.js";
import { ScrollTable } from "../../components/scroll-table.js";
import { fixed } from "../../text/format.js";
import { contacts, likeliest, lock, locked, preview, shown } from "./model.js";

const share = (probability: number) => Math.sqrt(probability);

/** The map of contacts, and the likeliest of them. */
export function ContactMap() {
  const found = contacts.value;
  if (!found) return null;
  const { residues, map } = found;
  const size = residues.length;
  const names = residues.map((residue, i) => `${residue}${i + 1}`);
  const cell = shown.value;
  return (
    <Figure
      name="contacts"
      title="Predicted contacts"
      data={() => ({
        columns: [{ name: "residue" }, ...names.map((name) => ({ name }))],
        rows: names.map((name, i) => [name, ...map.subarray(i * size, (i + 1) * size)]),
      })}
      table={() => (
        <ScrollTable label="Likeliest contacts">
          <thead>
            <tr>
              <th scope="col">residue</th>
              <th scope="col">residue</th>
              <th scope="col">apart</th>
              <th scope="col">probability</th>
            </tr>
          </thead>
          <tbody>
            {likeliest.value.map(({ i, j, probability }) => (
              <tr key={`${i} ${j}`}>
                <th scope="row">{names[i]}</th>
                <td>{names[j]}</td>
                <td>{j - i}</td>
                <td>{fixed(probability, 3)}</td>
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
      below={
        <output class="reading">
          {cell ? (
            <span>
              <b>{names[cell.row]}</b> and <b>{names[cell.column]}</b> touch with probability{" "}
              <strong>{fixed(map[cell.row * size + cell.column]!, 4)}</strong>
            </span>
          ) : (
            <span class="hint">Point at a cell, or focus the map and use the arrow keys, to read a probability.</span>
          )}
        </output>
      }
    >
      <HeatMap
        values={map}
        rows={names}
        columns={names}
        share={share}
        names={["residue", "residue"]}
        label={`Probability that two residues touch: ${size} by ${size}.`}
        shown={shown.value}
        locked={locked.value}
        onPreview={(next) => {
          preview.value = next;
        }}
        onLock={lock}
      />
      <Legend least="0" most="1" ticks={[[share(0.25), "0.25"]]} />
    </Figure>
  );
}
