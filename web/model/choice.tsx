import { type Signal, signal, useSignal } from "@preact/signals";
import { DropFiles } from "../components/drop-files.js";
import { OpeningStatus } from "../components/opening-status.js";
import { visit } from "../state/address.js";
import { bytes } from "../text/format.js";
import "./choice.css";
import type { Published } from "./hub.js";
import { chosen, type Session } from "./openable.js";
import { listed } from "./source.js";

type Chooser = typeof import("./chooser.js");
/** Loaded once somebody wants another model. */
const chooser = signal<Chooser | undefined>(undefined);
async function chooserOf(open: Signal<boolean>): Promise<Chooser> {
  chooser.value ??= await import("./chooser.js");
  open.value = true;
  return chooser.value;
}

interface Props {
  readonly of: Session;
  /** Takes dropped files that are no model; false: they may be one. */
  readonly take?: (files: readonly File[]) => boolean;
  /** What may be dropped beside a model. */
  readonly drops?: string;
}

/** The model that answers, and the way to another one, the same in every look. */
export function ModelChoice({ of, take, drops = "" }: Props) {
  const open = useSignal(false);
  const now = of.opening.value;
  const isAsked = now !== undefined && !("shipped" in now.source);
  const failure = of.failure.value;
  const { shipped } = of;
  const Chooser = open.value ? chooser.value?.Chooser : undefined;
  return (
    <div class="model-choice">
      <DropFiles
        pages={[of.look]}
        take={(files) => {
          if (files.length > 0 && !take?.(files)) void chooserOf(open).then((loaded) => loaded.take(of, files));
        }}
      >
        Drop the folder of a model, its files, or a .gguf file{drops}
      </DropFiles>
      <details
        class="drawer"
        open={open.value}
        onToggle={({ currentTarget }) => {
          if (currentTarget.open) void chooserOf(open);
          else open.value = false;
        }}
      >
        <summary>
          Model: <b>{of.model.value?.name ?? (shipped ? "the shipped one" : "none yet")}</b>, or choose another
        </summary>
        {Chooser && <Chooser of={of} />}
      </details>
      <OpeningStatus
        id={`${of.look}-opening`}
        reading={isAsked ? now : undefined}
        failure={failure}
        cancel={of.cancel}
      />
      {failure && shipped && !of.model.value && (
        <button type="button" onClick={() => void of.choose(shipped)}>
          Read the shipped model
        </button>
      )}
    </div>
  );
}

/** Fetches a published model, and shows it in a look that it gives. */
export function Fetch({ of, model, primary }: { of: Session; model: Published; primary?: boolean }) {
  const isHere = model.gives.includes(of.look);
  return (
    <button
      type="button"
      class={primary ? "primary" : undefined}
      disabled={of.opening.value !== undefined}
      onClick={() => {
        if (isHere) return void of.choose(model);
        // The look opens what is chosen when it is shown.
        chosen.value = { source: model, name: model.repository, gives: model.gives };
        visit(model.gives[0]!);
      }}
    >
      Fetch {bytes(model.bytes)} from huggingface.co{!isHere && ` for ${listed(model.gives)}`}
    </button>
  );
}
