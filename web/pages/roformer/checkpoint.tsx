import { useRef } from "preact/hooks";
import { DropFiles } from "../../components/drop-files.js";
import { OpeningStatus as Status } from "../../components/opening-status.js";
import {
  cancelOpening,
  forgetFailure,
  isRecorded,
  isShipped,
  isStale,
  model,
  open,
  openFailure,
  opening,
  openShipped,
} from "../../model/session.js";
import { bytes } from "../../text/format.js";
import { checkpoint, choose, chosen, forget, partNames, parts, refused, withoutTokenizer } from "./chosen-files.js";
import { FromHub } from "./from-hub.js";

async function openChosen(): Promise<void> {
  const whole = checkpoint.value;
  if (!whole) return;
  await open(whole);
  if (!openFailure.value) forget();
}

async function take(files: Iterable<File>): Promise<void> {
  forgetFailure();
  await choose(files);
  await openChosen();
}

/** A checkpoint of the visitor: chosen or dropped anywhere on the page, read on this machine, never sent. */
export function Checkpoint() {
  const card = useRef<HTMLDivElement>(null);
  const drop = (files: File[]) => {
    card.current?.scrollIntoView({ block: "nearest" });
    void take(files);
  };
  return (
    <div class="checkpoint" ref={card}>
      <DropFiles pages={["roformer"]} take={drop}>
        Drop config.json, model.safetensors and the tokenizer
      </DropFiles>
      <p>
        Open any RoFormer masked-LM checkpoint in Hugging Face format: choose its files, or drop them on this page. The
        files never leave your machine.
      </p>
      <ul class="parts">
        {parts.map((part) => {
          const file = chosen.value[part];
          return (
            <li key={part} data-here={file !== undefined || undefined}>
              <span class="part-mark" aria-hidden="true" />
              <span>{file ? file.name : partNames[part]}</span>
              <span class="hint">{file ? bytes(file.size) : "still needed"}</span>
            </li>
          );
        })}
      </ul>
      <div class="actions">
        <label class="button file">
          Choose files
          <input
            type="file"
            multiple
            accept=".json,.txt,.safetensors"
            onChange={(event) => {
              void take(Array.from(event.currentTarget.files ?? []));
              event.currentTarget.value = "";
            }}
          />
        </label>
        {chosen.value.config && chosen.value.weights && !chosen.value.tokenizer && !opening.value && (
          <button
            type="button"
            onClick={() => {
              withoutTokenizer.value = true;
              void openChosen();
            }}
          >
            Open without a tokenizer
          </button>
        )}
        {Object.keys(chosen.value).length > 0 && !opening.value && (
          <button type="button" onClick={forget}>
            Forget these
          </button>
        )}
        {model.value && !isShipped.value && !opening.value && (
          <button type="button" onClick={() => void openShipped()}>
            Back to the shipped model
          </button>
        )}
      </div>
      <FromHub />
      <OpeningStatus own />
      {refused.value && (
        <div class="failure" role="alert">
          {refused.value}
        </div>
      )}
    </div>
  );
}

/** Progress of reading the shipped model or one's own, and why it was not taken. */
export function OpeningStatus({ own }: { own: boolean }) {
  // Nobody waits while a recorded answer stands for what is asked.
  const quiet = !own && isRecorded.value && !isStale.value;
  const now = !quiet && opening.value?.own === own ? opening.value : undefined;
  const failure = openFailure.value?.own === own ? openFailure.value.message : "";
  const id = own ? "opening-own" : "opening-shipped";
  return (
    <div class="opening-status">
      <Status id={id} name={now?.name} reading={now} failure={failure} cancel={cancelOpening} />
      {failure && !model.value && (
        <button type="button" onClick={() => void openShipped()}>
          Read the shipped model
        </button>
      )}
    </div>
  );
}
