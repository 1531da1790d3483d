import { BaseChoice } from "../../components/base-choice.js";
import { Segmented } from "../../components/segmented.js";
import { Slider } from "../../components/slider.js";
import { VectorChoice } from "../../rope/vector-choice.js";
import { significant } from "../../text/format.js";
import { hilbert, parts } from "./model.js";
import { fields, state } from "./state.js";

export function Controls() {
  const { d, seed } = fields;
  const phi = parts.value?.found?.phi ?? 0;
  return (
    <div class="controls">
      <Slider
        id="field-alpha"
        label="α, how much is shared"
        value={state.alpha}
        min={0}
        max={1}
        step={0.01}
        fineStep={0.0001}
      />
      <Slider
        id="field-rho"
        label="ρ, how slow it is"
        value={state.rho}
        min={0}
        max={Math.max(2, state.rho.value)}
        step={0.01}
        fineStep={0.0001}
      />
      <dl class="facts">
        <div>
          <dt>
            φ = α / 10000<sup>ρ</sup>
          </dt>
          <dd>
            <output id="field-phi">{parts.value ? significant(phi, 4) : "…"}</output>
          </dd>
        </div>
        <div>
          <dt>one turn of φ, positions</dt>
          <dd>{phi > 0 ? significant((2 * Math.PI) / phi, 4) : "never"}</dd>
        </div>
      </dl>
      <Hilbert />
      <Slider id="field-d" label="head dimension d" value={state.d} min={d.min} max={d.max} step={d.step} />
      <BaseChoice name="field-base" value={state.base} />
      <Segmented
        legend="distances up to"
        name="field-span"
        value={state.span}
        options={[
          ["64", "64"],
          ["256", "256"],
          ["1024", "1 024"],
        ]}
      />
      <VectorChoice idPrefix="field" value={state.vectors} seed={state.seed} seedField={seed} />
    </div>
  );
}

/** The library's numerical check: the Hilbert transform of a', computed from its values alone, compared with b'. */
function Hilbert() {
  const check = hilbert.value;
  return (
    <div class="hilbert">
      <p>
        a′ is the score with (1 − α)θ alone, b′ its <strong>Hilbert transform</strong>: every component delayed by 90
        degrees.
      </p>
      <p class="hint">
        <output id="field-hilbert">
          {!check
            ? "checking…"
            : "refused" in check
              ? check.refused
              : check.holds
                ? `Largest difference ${significant(check.error, 2)}, which is within the error of this numerical transform, ${significant(check.bound, 2)}.`
                : `They differ by up to ${significant(check.error, 2)}: at α = 1 no wave is left in a′.`}
        </output>
      </p>
    </div>
  );
}
