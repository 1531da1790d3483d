import { type Signal, signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { DropFiles } from "../components/drop-files.js";
import { Limit } from "../components/limit.js";
import { OpeningStatus } from "../components/opening-status.js";
import { step } from "../state/address.js";
import "./bench.css";
import type { Session } from "./openable.js";
import { type LookText, MOST, notLanguage } from "./text.js";

interface TextProps {
  readonly id: string;
  /** The role of the text in the look, such as “query”. */
  readonly label: ComponentChildren;
  readonly of: LookText;
  /** The text in the box, for a look that takes it up later than at every letter. */
  readonly draft?: {
    readonly text: string;
    readonly onInput: (text: string) => void;
    /** Called when the visitor leaves the box after a change. */
    readonly onLeave: () => void;
  };
  /** Why the look can do nothing with the text; "" where it can. By default it reads language. */
  readonly misfit?: string;
}

/** The text of the tab Models, the same in every look. */
export function TextBox({ id, label, of: { field, value }, draft, misfit = notLanguage(value.value) }: TextProps) {
  const shown = draft?.text ?? value.value;
  return (
    <div class="text-box">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={2}
        maxLength={MOST}
        spellcheck={false}
        autocomplete="off"
        value={shown}
        onInput={({ currentTarget }) => {
          if (draft) draft.onInput(currentTarget.value);
          else value.value = currentTarget.value;
        }}
        onChange={draft?.onLeave}
      />
      <Limit of={shown} most={MOST} />
      {misfit && (
        <p class="hint" role="status">
          {misfit}{" "}
          <button
            type="button"
            onClick={() =>
              step(() => {
                value.value = field.fallback;
              })
            }
          >
            Take an example instead
          </button>
        </p>
      )}
    </div>
  );
}

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
  /** The end of the hint, on other files than a model's that may be dropped. */
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
          Model: <b>{of.model.value?.name ?? (shipped ? "the shipped one" : "none yet")}</b> (change)
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
