import type { Table } from "../../export/table.js";
import { rules } from "../../rope/rules.js";
import { fixed } from "../../text/format.js";
import { LinesFigure } from "./lines-figure.js";
import { factors, tested } from "./recipe.js";
import { results, settings, spreadOf, task } from "./session.js";
import { fields, state } from "./state.js";
import { previewFactor, shownFactor, shownRule } from "./view.js";

const write = (value: number) => fixed(value, 3);

function data(): Table {
  return {
    columns: [
      { name: "tokens" },
      ...tested.flatMap((rule) =>
        ["accuracy", "least", "most", "loss"].map((name) => ({ name: `${rules[rule].label} ${name}`, write })),
      ),
    ],
    rows: factors.map((factor) => [
      factor * settings.value.length,
      ...tested.flatMap((rule) => {
        const accuracy = spreadOf(rule, factor, "accuracy");
        return [accuracy?.median, accuracy?.least, accuracy?.most, spreadOf(rule, factor, "loss")?.median];
      }),
    ]),
  };
}

/** The same weights under each rule, at ever longer sequences. */
export function LengthFigure() {
  const measure = state.measure.value;
  const losses = results.value.map(({ loss }) => loss).filter(Number.isFinite);
  return (
    <LinesFigure
      name="long-context"
      title="Accuracy and loss by test length"
      data={data}
      lines={tested.map((rule) => ({
        id: rule,
        // Tested at one length at a time, dynamic NTK has the frequencies of NTK-aware.
        label: rule === "dynamic" ? `${rules.dynamic.label} = ${rules.ntk.label}` : rules[rule].label,
        under: rule === "dynamic",
        faint: shownRule.value !== "all" && shownRule.value !== rule,
        spread: (factor) => spreadOf(rule, factor, measure),
      }))}
      kind="rule"
      measure={measure}
      axis={measure === "accuracy" ? "accuracy" : "loss, nats"}
      most={measure === "accuracy" ? 1 : Math.max(1, ...losses) * 1.05}
      chance={measure === "accuracy" ? task.value?.chance : undefined}
      unit="tokens"
      length={settings.value.length}
      factors={factors}
      at={shownFactor.value}
      preview={previewFactor}
      lock={(factor) => {
        state.at.value = fields.at.parse(String(factor)) ?? state.at.value;
      }}
      write={write}
    />
  );
}
