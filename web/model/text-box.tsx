import type { ComponentChildren } from "preact";
import { Limit } from "../components/limit.js";
import { step } from "../state/address.js";
import { type LookText, MOST, notLanguage } from "./text.js";

interface Props {
  readonly id: string;
  /** What the look takes the text for. */
  readonly label: ComponentChildren;
  readonly of: LookText;
  /** What is in the box, where the look takes it up later than at every letter. */
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
export function TextBox({ id, label, of: { field, value }, draft, misfit = notLanguage(value.value) }: Props) {
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
