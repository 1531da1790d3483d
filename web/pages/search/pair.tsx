import { signal } from "@preact/signals";
import { Figure } from "../../components/figure.js";
import { type Cell, HeatMap } from "../../components/heat-map.js";
import { Legend } from "../../components/legend.js";
import { ScrollTable } from "../../components/scroll-table.js";
import { fixed } from "../../text/format.js";
import type { Pair } from "./calls.js";
import { pair } from "./model.js";

const preview = signal<Cell | undefined>(undefined);
const kept = signal<Cell | undefined>(undefined);

const share = (cosine: number) => (cosine + 1) / 2;

/** The token of the text that is most like a token of the query. */
function bestOf({ similarities, textTokens }: Pair, row: number): number {
  const values = similarities.subarray(row * textTokens.length, (row + 1) * textTokens.length);
  return values.indexOf(Math.max(...values));
}

/** The share of each token of the text in the cosine. */
function Shares({ of: { textTokens, shares, cosine } }: { of: Pair }) {
  if (!shares)
    return (
      <p class="hint">
        This model does not take the mean of its tokens, so its cosine of {fixed(cosine, 4)} is no sum over them.
      </p>
    );
  const largest = Math.max(...shares.map(Math.abs));
  const sum = shares.reduce((all, each) => all + each, 0);
  return (
    <>
      <ul class="shares" aria-label="What each token adds">
        {textTokens.map((token, i) => (
          <li key={i} data-less={shares[i]! < 0 || undefined} style={{ "--share": Math.abs(shares[i]!) / largest }}>
            <span>{token}</span>
            <strong>{fixed(shares[i]!, 4)}</strong>
          </li>
        ))}
      </ul>
      <p class="shares-sum">
        The tokens add up to <strong>{fixed(sum, 4)}</strong>, which is the cosine, <strong>{fixed(cosine, 4)}</strong>.
      </p>
    </>
  );
}

/** The open result beside the query, token by token. */
export function PairCard() {
  const found = pair.value;
  if (!found) return null;
  const { queryTokens: rows, textTokens: columns, similarities } = found;
  const inside = (cell: Cell | undefined) =>
    cell && cell.row < rows.length && cell.column < columns.length ? cell : undefined;
  const shown = inside(preview.value ?? kept.value);
  const at = ({ row, column }: Cell) => fixed(similarities[row * columns.length + column]!, 4);
  return (
    <section class="card search-pair" aria-labelledby="search-pair-title">
      <h3 id="search-pair-title">Token by token</h3>
      <Shares of={found} />
      <Figure
        name="search-tokens"
        title="Similarity of tokens"
        data={() => ({
          columns: [{ name: "token of the query" }, ...columns.map((name) => ({ name }))],
          rows: rows.map((name, i) => [name, ...similarities.subarray(i * columns.length, (i + 1) * columns.length)]),
        })}
        table={() => (
          <ScrollTable label="Best matches">
            <thead>
              <tr>
                <th scope="col">query</th>
                <th scope="col">best match</th>
                <th scope="col">cosine</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((name, row) => (
                <tr key={row}>
                  <th scope="row">{name}</th>
                  <td>{columns[bestOf(found, row)]}</td>
                  <td>{at({ row, column: bestOf(found, row) })}</td>
                </tr>
              ))}
            </tbody>
          </ScrollTable>
        )}
        below={
          <output class="reading">
            {shown ? (
              <span>
                <b>{rows[shown.row]}</b> and <b>{columns[shown.column]}</b>: <strong>{at(shown)}</strong>
              </span>
            ) : (
              <span class="hint">Point at a cell, or focus the map and use the arrow keys, to read a cosine.</span>
            )}
          </output>
        }
      >
        <HeatMap
          values={similarities}
          rows={rows}
          columns={columns}
          colours="signed"
          share={share}
          names={["query", "text"]}
          label={`Cosines of the last hidden states: ${rows.length} tokens of the query by ${columns.length} of the text.`}
          shown={shown}
          locked={inside(kept.value)}
          onPreview={(cell) => {
            preview.value = cell;
          }}
          onLock={(cell) => {
            kept.value = cell;
          }}
        />
        <Legend colours="signed" least="−1" most="1" ticks={[[0.5, "0"]]} />
      </Figure>
    </section>
  );
}
