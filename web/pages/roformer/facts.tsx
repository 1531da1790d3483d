import type { ModelFacts } from "../../model/model-calls.js";
import { model, run } from "../../model/session.js";
import { bytes, milliseconds, whole } from "../../text/format.js";

/** How long the last sentence took. */
export function Timing() {
  const times = run.value?.milliseconds;
  return (
    <dl class="timing" aria-label="How long it took">
      <div>
        <dt>tokenise</dt>
        <dd>{times ? milliseconds(times.tokenise) : "–"}</dd>
      </div>
      <div>
        <dt>forward</dt>
        <dd>{times ? milliseconds(times.forward) : "–"}</dd>
      </div>
      <div>
        <dt>fill masks</dt>
        <dd>{times ? milliseconds(times.fill) : "–"}</dd>
      </div>
      <div>
        <dt>tokens</dt>
        <dd>{run.value ? run.value.tokens.length : "–"}</dd>
      </div>
    </dl>
  );
}

/** A tokenizer with other than the model's number of words is often another model's. */
function vocabulary({ vocabulary, words }: ModelFacts): string {
  if (words === undefined) return `${whole(vocabulary)} tokens, no tokenizer`;
  if (words === vocabulary) return `${whole(vocabulary)} tokens`;
  return `${whole(vocabulary)} tokens; the tokenizer has ${whole(words)}`;
}

/** Facts about the model that answers. */
export function ModelFactsList() {
  const facts = model.value;
  const rows: Array<[string, string]> = [
    ["parameters", facts ? whole(facts.parameters) : "–"],
    ["layers × heads", facts ? `${facts.layers} × ${facts.heads}` : "–"],
    ["hidden size", facts ? whole(facts.hidden) : "–"],
    ["head dimension", facts ? whole(facts.hidden / facts.heads) : "–"],
    ["vocabulary", facts ? vocabulary(facts) : "–"],
    ["weights", facts?.bytes ? bytes(facts.bytes) : "–"],
    ["loaded in", facts ? milliseconds(facts.milliseconds) : "–"],
    ["WebAssembly build", facts ? facts.variant : "–"],
  ];
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
