import { batch, useSignal } from "@preact/signals";
import { CodeDrawer } from "../../code/code-drawer.js";
import { checker } from "../../library/library.js";
import { ruleOf } from "../../rope/rules.js";
import { messageOf } from "../../text/message.js";
import { configSnippets } from "./code.js";
import { configs } from "./configs.js";
import { Explained } from "./explained.js";
import { type Facts, reading } from "./model.js";
import { fields, state } from "./state.js";

/** What a model's config.json says about its rope, read by the library and said in words. */
export function ConfigCard() {
  const unread = useSignal("");
  const take = async (file: File | undefined) => {
    if (!file) return;
    unread.value = "";
    if (/\.gguf$/i.test(file.name)) {
      // The header alone is read, however large the file is.
      try {
        const metadata = await checker.value?.gguf(file);
        if (metadata) state.config.value = JSON.stringify(metadata, null, 2);
      } catch (error) {
        unread.value = `${file.name}: ${messageOf(error).replace(/^\w+: /, "")}`;
      }
      return;
    }
    // A tokenizer or weights chosen by mistake: no config comes near it.
    if (file.size > 1e6)
      unread.value = `${file.name} has ${file.size} bytes; allowed: a config.json of at most 1 MB, or a .gguf file.`;
    else state.config.value = await file.text();
  };
  return (
    <div class="config">
      <div class="config-given">
        <label for="frequencies-config">config.json of a model, or GGUF metadata as JSON</label>
        <textarea
          id="frequencies-config"
          class="config-text"
          rows={12}
          spellcheck={false}
          placeholder={'{ "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000, … }'}
          value={state.config.value}
          onInput={(event) => {
            state.config.value = event.currentTarget.value;
          }}
        />
        <div class="actions">
          <label class="button file">
            Choose a file
            <input
              type="file"
              accept=".json,.gguf,application/json"
              onChange={(event) => {
                void take(event.currentTarget.files?.[0]);
                event.currentTarget.value = "";
              }}
            />
          </label>
          {configs.map(({ name, config }) => (
            <button
              type="button"
              key={name}
              onClick={() => {
                batch(() => {
                  state.config.value = JSON.stringify(config, null, 2);
                  state.layers.value = "";
                });
              }}
            >
              {name}
            </button>
          ))}
        </div>
        <div class="layers">
          <label for="frequencies-layers">layer type (if layers use different rules)</label>
          <input
            id="frequencies-layers"
            type="text"
            maxLength={64}
            placeholder="full_attention"
            value={state.layers.value}
            onChange={(event) => {
              state.layers.value = event.currentTarget.value;
            }}
          />
        </div>
        {unread.value && (
          <p class="failure" role="alert">
            {unread.value}
          </p>
        )}
      </div>
      <div class="config-read" aria-live="polite">
        <Reading />
      </div>
    </div>
  );
}

function Reading() {
  const read = reading.value;
  if (!read) {
    return (
      <p class="hint">
        Paste a config.json to see which pairs it rescales and by how much. Unknown rope keys are errors on purpose:
        wrong frequencies fail silently. Length-dependent rules use the context length above.
      </p>
    );
  }
  if (read.error !== undefined) return <p class="failure">{read.error}</p>;
  return (
    <>
      <Explained explanation={read.facts.explanation} />
      <div class="actions">
        <button type="button" onClick={() => putBeside(read.facts)}>
          Draw it as B
        </button>
      </div>
      <CodeDrawer name="config" of={() => configSnippets(read.facts.options)} />
    </>
  );
}

/** What rotates of the head becomes the head of the figures. */
function putBeside({ options }: Facts): void {
  const { d } = fields;
  batch(() => {
    if (options.frequencies) state.b.value = ruleOf(options.frequencies);
    state.d.value = Math.min(d.max, Math.max(d.min, options.rotaryDim ?? options.headDim));
  });
}
