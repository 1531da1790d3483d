import { useRef } from "preact/hooks";
import { TextBox } from "../../model/bench.js";
import { questionText } from "../../model/question.js";
import { run, takesIds } from "../../model/session.js";

const mask = "[MASK]";
const text = questionText.value;

/** Words as they stand between spaces, with their places in the text. */
function wordsOf(value: string): Array<{ word: string; start: number }> {
  return Array.from(value.matchAll(/\[MASK\]|[^\s[\].,;:!?]+/g), (found) => ({ word: found[0], start: found.index }));
}

/** The text, and its words to be hidden by a click. */
export function Sentence() {
  /** The word behind each mask, so that a second click brings it back; for this text only. */
  const hidden = useRef({ text: "", words: new Map<number, string>() });
  if (hidden.current.text !== text.value) hidden.current = { text: text.value, words: new Map() };
  const covered = hidden.current.words;
  const words = wordsOf(text.value);
  const unknown = run.value?.unknown ?? [];
  const toggle = (index: number) => {
    const { word, start } = words[index]!;
    const by = word === mask ? covered.get(index) : mask;
    if (by === undefined) return;
    if (by === mask) covered.set(index, word);
    else covered.delete(index);
    const next = text.value.slice(0, start) + by + text.value.slice(start + word.length);
    hidden.current = { text: next, words: covered };
    text.value = next;
  };
  return (
    <div class="sentence">
      <TextBox
        id="roformer-text"
        label={
          takesIds.value
            ? "Type token ids with spaces between them"
            : `Type a sentence and write ${mask} for the missing word`
        }
        of={questionText}
      />
      {words.length > 0 && words.length <= 64 && !takesIds.value && (
        <fieldset class="words">
          <legend>Click a word to hide it</legend>
          {words.map(({ word }, index) => (
            <button
              type="button"
              key={index}
              aria-pressed={word === mask}
              data-unknown={unknown.includes(word) || undefined}
              onClick={() => toggle(index)}
            >
              {word}
              {word === mask && covered.has(index) && <span class="visually-hidden"> for {covered.get(index)}</span>}
            </button>
          ))}
        </fieldset>
      )}
      {unknown.length > 0 && (
        <p class="unknown hint" role="status">
          The model’s vocabulary does not have {unknown.map((word) => `“${word}”`).join(", ")}. It reads [UNK] instead,
          so its answer rests on the other words.
        </p>
      )}
    </div>
  );
}
