import { bytes } from "../text/format.js";
import "./chooser.css";
import { Fetch, listed, lookNames, openIn } from "./fetch.js";
import { published } from "./hub.js";
import { chosen, type Session } from "./openable.js";
import { forget, gives, here, keep, partNames, parts, refused, type, whole, wholeButTokenizer } from "./own-files.js";
import { question } from "./question.js";
import { nameOf } from "./source.js";

async function openFiles(of: Session, files: readonly File[] | undefined): Promise<void> {
  if (!files || !gives.peek().includes(of.look)) return;
  await of.choose({ files }, gives.peek());
  if (!of.failure.peek()) forget();
}

/** Files of the visitor: chosen or dropped anywhere on the page, read on this machine, never sent. */
export async function take(of: Session, files: readonly File[]): Promise<void> {
  of.failure.value = "";
  await keep(files);
  await openFiles(of, whole.peek());
}

/** A model that the look before has, and this one does not give. */
function Elsewhere({ of }: { of: Session }) {
  const now = chosen.value;
  if (!now || "shipped" in now.source || now.gives.includes(of.look)) return null;
  return (
    <p>
      {nameOf(now.source)} is chosen. It gives {listed(now.gives)}; this look keeps its own model.
    </p>
  );
}

function Hub({ of }: { of: Session }) {
  const { shipped } = of;
  const found = of.model.value;
  const here = found?.name;
  return (
    <ul class="published" aria-label="Models">
      <li>
        <span>Models of this site, of generated English, give RoFormer, Generate and Search.</span>
        {shipped && found && !found.shipped && (
          <button type="button" disabled={of.opening.value !== undefined} onClick={() => void of.choose(shipped)}>
            Back to the shipped model
          </button>
        )}
      </li>
      {published.map((model) => {
        const { repository, licence, example } = model;
        return (
          <li key={repository}>
            <span>
              <a href={`https://huggingface.co/${repository}`}>{repository}</a> ({licence}) gives {listed(model.gives)}.
            </span>
            {here !== repository && <Fetch of={of} model={model} />}
            {here === repository && example && of.look === "roformer" && (
              <button
                type="button"
                onClick={() => {
                  question.text.value = example;
                }}
              >
                Ask it: {example}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The parts of a visitor's own model, chosen or still needed, and the looks that can show it. */
function OwnFiles({ of }: { of: Session }) {
  const isReading = of.opening.value !== undefined;
  const looks = gives.value;
  const isStrange = looks.length > 0 && !looks.includes(of.look);
  const files = whole.value;
  return (
    <>
      {here.value && (
        <ul class="parts" aria-label="Parts of the model">
          {parts.map((part) => {
            const file = here.value?.[part];
            return (
              <li key={part} data-here={file !== undefined || undefined}>
                <span class="part-mark" aria-hidden="true" />
                <span>{file ? file.name : partNames[part]}</span>
                <span class="hint">{file ? bytes(file.size) : "still needed"}</span>
              </li>
            );
          })}
        </ul>
      )}
      {isStrange && (
        <p role="status">
          Its model_type is “{type.value}”, of which {lookNames[of.look]} shows nothing. Try {listed(looks)}.
        </p>
      )}
      <div class="actions">
        {(["Choose files", "Choose a folder"] as const).map((label, i) => (
          <label class="button file" key={label}>
            {label}
            {/* The attribute has this name in every browser. */}
            <input
              type="file"
              multiple
              {...(i === 0 ? { accept: ".json,.txt,.safetensors,.gguf" } : { webkitdirectory: true })}
              onChange={({ currentTarget }) => {
                void take(of, Array.from(currentTarget.files ?? []));
                currentTarget.value = "";
              }}
            />
          </label>
        ))}
        {isStrange && files && (
          <button
            type="button"
            onClick={() => {
              openIn({ files }, looks);
              forget();
            }}
          >
            Open it in {lookNames[looks[0]!]}
          </button>
        )}
        {of.look === "roformer" && !isStrange && wholeButTokenizer.value && !isReading && (
          <button type="button" onClick={() => void openFiles(of, wholeButTokenizer.peek())}>
            Open without a tokenizer
          </button>
        )}
        {here.value && !isReading && (
          <button type="button" onClick={forget}>
            Forget these
          </button>
        )}
      </div>
      {refused.value && (
        <div class="failure" role="alert">
          {refused.value}
        </div>
      )}
    </>
  );
}

/** All models that one can choose: of this site, published ones, and the visitor's own. */
export function Chooser({ of }: { of: Session }) {
  return (
    <div class="chooser">
      <Elsewhere of={of} />
      <p>
        Your browser downloads a published model from huggingface.co, which will see your IP address, and keeps it for
        the next visit and for the other looks, which may ask there for a small file more. Nothing is asked before you
        click.
      </p>
      <Hub of={of} />
      <p>
        Or open files of your own, or drop them on this page. They never leave your machine. RoFormer shows a RoFormer
        masked-LM; Generate a decoder (Llama, Qwen, SmolLM, Gemma, GPT-NeoX, Phi) or a .gguf file; Search an encoder of
        sentence-transformers (BERT, ModernBERT, Nomic, GTE, E5 and others); Proteins an ESM-2 with a contact head.
      </p>
      <OwnFiles of={of} />
    </div>
  );
}
