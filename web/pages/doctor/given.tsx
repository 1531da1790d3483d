import { useEffect } from "preact/hooks";
import { Failure } from "../../components/failure.js";
import { checker } from "../../library/library.js";
import { droppedConfig } from "../../state/dropped.js";
import { give, giveMistake, mistakes, textOf } from "./examples.js";
import { take, unread } from "./file.js";
import { Options } from "./options.js";
import { published } from "./published.js";
import { state } from "./state.js";

/** Published configurations and known mistakes, by name. */
function Choice() {
  const isShown = (config: string, printed = "") => config === state.config.value && printed === state.printed.value;
  const chosen = published.findIndex(({ text }) => isShown(text));
  const mistake = mistakes.findIndex((each) => isShown(textOf(each), each.printed));
  return (
    <div class="select">
      <label for="doctor-choice">or look at one of these</label>
      <select
        id="doctor-choice"
        value={chosen >= 0 ? `p${chosen}` : mistake >= 0 ? `m${mistake}` : ""}
        onChange={({ currentTarget: { value } }) => {
          const i = Number(value.slice(1));
          if (value.startsWith("p")) give(published[i]!.text);
          else if (value.startsWith("m")) giveMistake(mistakes[i]!);
          else give("");
        }}
      >
        <option value="">{state.config.value ? "the file above" : "none"}</option>
        <optgroup label="published configurations">
          {published.map(({ name, title }, i) => (
            <option key={name} value={`p${i}`}>
              {title}
            </option>
          ))}
        </optgroup>
        <optgroup label="mistakes that people made">
          {mistakes.map(({ title }, i) => (
            <option key={title} value={`m${i}`}>
              {title}
            </option>
          ))}
        </optgroup>
      </select>
    </div>
  );
}

/** Takes a file: dropped, pasted, chosen, or one of those that are here. */
export function Given() {
  useEffect(() => {
    const file = droppedConfig.value;
    // A GGUF file waits for the library, which reads it.
    if (!file || !checker.value) return;
    droppedConfig.value = undefined;
    void take(file);
  }, [droppedConfig.value, checker.value]);
  return (
    <>
      <label for="doctor-config">Drop or paste a config.json, or GGUF metadata as JSON</label>
      <textarea
        id="doctor-config"
        spellcheck={false}
        placeholder={'{ "model_type": "llama", "hidden_size": 4096, "rope_theta": 500000, … }'}
        value={state.config.value}
        onInput={(event) => {
          unread.value = "";
          state.config.value = event.currentTarget.value;
        }}
      />
      <div class="doctor-ways">
        <label class="button file primary">
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
        <Choice />
      </div>
      <Failure says={unread.value} />
      <Options />
    </>
  );
}
