import type { Signal } from "@preact/signals";
import { Failure } from "../components/failure.js";
import { NumberBox } from "../components/number-box.js";
import type { Parameter } from "./rule-kind.js";
import { changeRule, exampleList, type Given, parseList, type Rule, type RuleName, ruleNames, rules } from "./rules.js";

interface Props<R extends Rule | null> {
  readonly id: string;
  readonly legend: string;
  readonly tone?: "a" | "b";
  readonly rule: Signal<R>;
  readonly headDim: number;
  /** Set where there may be no rule at all. */
  readonly none?: R & null;
  /** The library's error about the rule. */
  readonly error: string | undefined;
}

/** A rule and its parameters, the same for every rule of the library. */
export function RuleEditor<R extends Rule | null>({ id, legend, tone, rule, headDim, none, error }: Props<R>) {
  const current = rule.value;
  const change = (next: Rule) => {
    rule.value = next as R;
  };
  const set = (name: string, value: Given | undefined) => {
    if (!current) return;
    const { [name]: _, ...others } = current.values;
    change({ type: current.type, values: value === undefined ? others : { ...others, [name]: value } });
  };
  return (
    <fieldset class="rule" data-tone={tone}>
      <legend>{legend}</legend>
      <select
        aria-label={`${legend}, which rule`}
        value={current?.type ?? "none"}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          if (chosen === "none") rule.value = none as R;
          else change(changeRule(current ?? undefined, chosen as RuleName, headDim / 2));
        }}
      >
        {none !== undefined && <option value="none">none</option>}
        {ruleNames.map((name) => (
          <option key={name} value={name}>
            {rules[name].label}
          </option>
        ))}
      </select>
      {current && (
        <>
          <p class="hint">{rules[current.type].says}</p>
          <div class="parameters">
            {rules[current.type].parameters.map((parameter) => (
              <ParameterBox
                key={parameter.name}
                id={`${id}-${parameter.name}`}
                parameter={parameter}
                value={current.values[parameter.name]}
                pairs={headDim / 2}
                onSet={(value) => set(parameter.name, value)}
              />
            ))}
          </div>
        </>
      )}
      <Failure says={error} />
    </fieldset>
  );
}

interface BoxProps {
  readonly id: string;
  readonly parameter: Parameter;
  readonly value: Given | undefined;
  readonly pairs: number;
  onSet(value: Given | undefined): void;
}

function ParameterBox({ id, parameter, value, pairs, onSet }: BoxProps) {
  const { name, label, kind, otherwise } = parameter;
  if (kind === "switch") {
    return (
      <label class="switch">
        <input
          type="checkbox"
          checked={value !== false}
          onChange={(event) => onSet(event.currentTarget.checked ? undefined : false)}
        />
        {label}
      </label>
    );
  }
  if (kind === "list") {
    const values = Array.isArray(value) ? (value as readonly number[]) : [];
    return (
      <div class="list-box">
        <label for={id}>
          {label} <span class="hint">({values.length} given)</span>
        </label>
        <textarea
          id={id}
          rows={2}
          spellcheck={false}
          value={values.join(", ")}
          onChange={(event) => {
            const given = parseList(event.currentTarget.value);
            if (given) onSet(given);
            else event.currentTarget.value = values.join(", ");
          }}
        />
        {values.length !== pairs && (
          <button type="button" onClick={() => onSet(exampleList(name, pairs))}>
            An example of {pairs}
          </button>
        )}
      </div>
    );
  }
  return (
    <NumberBox
      id={id}
      label={label}
      value={typeof value === "number" ? value : undefined}
      whenEmpty={otherwise}
      onTake={onSet}
    />
  );
}
