/** Bounds on what a template may take. Templates come with models, so they are programs of strangers. */
import { TemplateRefused } from "./refused.js";
import { isText, type Value } from "./values.js";

/** Evaluations of one rendering, beside those that each value of the messages allows. */
const STEPS = 1_000_000;
const STEPS_PER_VALUE = 2_000;
/** Characters and items that one rendering may make. */
const MADE = 2 ** 26;
const MADE_PER_CHARACTER = 64;
/** Expressions within expressions, and macros within macros. */
const DEPTH = 400;
/** Characters of one text, and items of one list. */
const LONGEST = 2 ** 24;

export class Budget {
  #steps: number;
  #made: number;
  #depth = 0;

  /** For a rendering of so many values with so many characters. */
  constructor(values: number, characters: number) {
    this.#steps = STEPS + STEPS_PER_VALUE * values;
    this.#made = MADE + MADE_PER_CHARACTER * characters;
  }

  step(count = 1): void {
    this.#steps -= count;
    if (this.#steps < 0) throw new TemplateRefused("it takes too many steps");
  }

  enter(): void {
    this.step();
    if (++this.#depth > DEPTH) throw new TemplateRefused(`it nests deeper than ${DEPTH} levels`);
  }

  leave(): void {
    this.#depth--;
  }

  /** Announces characters or items, before they are made where that is possible. */
  make(size: number): void {
    this.#made -= size;
    if (size > LONGEST || this.#made < 0) throw new TemplateRefused("it makes too much text");
  }

  /** Announces that all of a value will be walked through. */
  walk(value: Value): void {
    this.enter();
    if (isText(value)) this.make(value.value.length);
    else if (Array.isArray(value.value)) for (const each of value.value as Value[]) this.walk(each);
    else if (value.value instanceof Map)
      for (const [key, each] of value.value as Map<string, Value>) {
        this.make(key.length);
        this.walk(each);
      }
    this.leave();
  }
}
