import { batch, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { CodeDrawer } from "../../code/code-drawer.js";
import { checker } from "../../library/library.js";
import { ruleOf } from "../../rope/rules.js";
import { droppedConfig } from "../../state/dropped.js";
import { significant, whole } from "../../text/format.js";
import { messageOf } from "../../text/message.js";
import { configSnippets } from "./code.js";
import type { Length } from "./config-length.js";
import { configs } from "./configs.js";
import { Explained } from "./explained.js";
import { type Facts, reading } from "./model.js";
import { fields, state } from "./state.js";

/** The rope of a model's config.json, read by the library and described in words. */
export function ConfigCard() {
  const unread = useSignal("");
  const card = useRef<HTMLDivElement>(null);
  const take = async (file: File | undefined) => {
    if (!file) return;
    unread.value = "";
    if (/\.gguf$/i.test(file.name)) {
      // The header alone is read, however large the file is.
      try {
        const metadata = await checker.value?.gguf(file);
        if (metadata) state.config.value = JSON.stringify(metadata, null, 2);
      } catch (error) {
        unread.value = `${file.name}: ${messageOf(error)}`;
      }
      return;
    }
    // A tokenizer or weights chosen by mistake: no config comes near it.
    if (file.size > 1e6) {
      unread.value = `${file.name} has ${file.size} bytes; allowed: a config.json of at most 1 MB, or a .gguf file.`;
      return;
    }
    const text = await file.text();
    // A picture, say: nobody wants to see its bytes in the box.
    if (/[\0\ufffd]/.test(text)) unread.value = `${file.name} is not a text; choose a config.json or a .gguf file.`;
    else
      batch(() => {
        state.config.value = text;
        state.layers.value = "";
      });
  };
  useEffect(() => {
    const file = droppedConfig.value;
    // A GGUF file waits for the library, which reads it.
    if (!file || !checker.value) return;
    droppedConfig.value = undefined;
    void take(file).then(() => card.current?.scrollIntoView({ block: "start" }));
  }, [droppedConfig.value, checker.value]);
  return (
    <div class="config" ref={card}>
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
        <Readings />
      </div>
    </div>
  );
}

function Readings() {
  const read = reading.value;
  if (!read) {
    return (
      <p class="hint">
        Paste a config.json to see which pairs it rescales and by how much, at the length that it names. Unknown rope
        keys are errors on purpose: wrong frequencies fail silently.
      </p>
    );
  }
  const { length, own, readings } = read;
  const sound = readings.some(({ told }) => told.facts);
  return (
    <>
      {sound && (
        <p class="hint">
          Read for {whole(length)} positions, {saysOf(own)}
        </p>
      )}
      {readings.map(({ layerType, told }) => (
        <section key={layerType} aria-label={layerType ? `Layers of type ${layerType}` : "All layers"}>
          {layerType && <h4>{layerType}</h4>}
          {told.facts ? (
            <>
              <Explained explanation={told.facts.explanation} />
              <div class="actions">
                <button type="button" onClick={() => putBeside(told.facts, length)}>
                  Draw it as B{layerType && <span class="visually-hidden">, {layerType}</span>}
                </button>
              </div>
              <CodeDrawer name={`config-${layerType ?? "all"}`} of={() => configSnippets(told.facts.options)} />
            </>
          ) : (
            <p class="failure">{told.error}</p>
          )}
        </section>
      ))}
    </>
  );
}

function saysOf(own: Length | undefined): string {
  if (!own) return "the context length above, since the file names no length.";
  if (own.original === undefined || own.factor === undefined) return "the length that the file names.";
  return `${whole(own.original)} × ${significant(own.factor)}: the original length that the file names, times its factor.`;
}

/** The rotated part of the head becomes the head of the figures, at the length that the file was read for. */
function putBeside({ options }: Facts, length: number): void {
  const { d, context } = fields;
  batch(() => {
    if (options.frequencies) state.b.value = ruleOf(options.frequencies);
    state.context.value = Math.min(context.max, Math.max(context.min, length));
    state.d.value = Math.min(d.max, Math.max(d.min, options.rotaryDim ?? options.headDim));
  });
}
