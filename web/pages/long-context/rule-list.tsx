import { rules } from "../../rope/rules.js";
import { LineKey } from "../../training/tones.js";
import { tested } from "./recipe.js";
import { state } from "./state.js";
import { previewRule, shownRule } from "./view.js";

/** A sentence on each rule. Pointing at one brings out its line, choosing it locks that. */
export function RuleList() {
  return (
    <fieldset class="rule-list">
      <legend>rules: point at one to preview it, click or tap to keep it</legend>
      {(["all", ...tested] as const).map((name) => (
        <label
          key={name}
          data-shown={shownRule.value === name || undefined}
          onPointerEnter={() => {
            previewRule.value = name;
          }}
          onPointerLeave={() => {
            previewRule.value = undefined;
          }}
        >
          <input
            type="radio"
            name="long-rule"
            value={name}
            checked={state.rule.value === name}
            onChange={() => {
              state.rule.value = name;
            }}
          />
          {name === "all" ? (
            <span>show all</span>
          ) : (
            <span>
              <LineKey tone={tested.indexOf(name)} /> <b>{rules[name].label}</b>{" "}
              <span class="hint">{name === "default" ? "The frequencies stay as trained." : rules[name].says}</span>
            </span>
          )}
        </label>
      ))}
    </fieldset>
  );
}
