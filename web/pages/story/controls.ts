import { effect, type Signal } from "@preact/signals";
import { libraryFailure } from "../../library/library.js";
import { milliseconds, percent } from "../../text/format.js";
import { type Answer, answers, live, NAMES } from "./answers.js";
import { repaired, told } from "./stage.js";
import { fields, state } from "./state.js";

export const element = <E extends Element = HTMLElement>(id: string) => document.getElementById(id) as unknown as E;

interface Scene {
  readonly changed: () => boolean;
  /** Sets the control to the answer, which the drawing then shows. */
  readonly show: () => void;
}
const differs = (name: keyof typeof fields) => () => state[name].value !== fields[name].fallback;
const scenes: readonly Scene[] = [
  { changed: differs("swap"), show: () => set(state.swap, "yes") },
  { changed: differs("rotation"), show: () => set(state.rotation, "off") },
  { changed: differs("at"), show: () => set(state.at, 6) },
  { changed: differs("shift"), show: () => set(state.shift, 20) },
  { changed: differs("strands"), show: () => set(state.strands, 32) },
  { changed: differs("repair"), show: () => {} },
  { changed: differs("cut"), show: () => set(state.cut, "turned") },
];
function set<T>(value: Signal<T>, to: T): void {
  value.value = to;
}

function askQuestion(section: HTMLElement, index: number, undo: Array<() => void>): void {
  const buttons = [...section.querySelectorAll<HTMLButtonElement>("[data-guess]")];
  const guess = ({ currentTarget }: Event) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button === currentTarget));
    const right = (currentTarget as HTMLElement).dataset.guess === "right";
    told.value = new Set([...told.peek(), index]);
    scenes[index]!.show();
    // Said at once, and by screen readers, which hear only what changes.
    const reveal = section.querySelector<HTMLElement>(".reveal")!;
    reveal.dataset.words ??= reveal.textContent.trim();
    reveal.textContent = `${right ? "You guessed right." : "You guessed wrong."} ${reveal.dataset.words}`;
  };
  for (const button of buttons) {
    button.addEventListener("click", guess);
    undo.push(() => button.removeEventListener("click", guess));
  }
  undo.push(
    effect(() => {
      if (scenes[index]!.changed() && !told.value.has(index)) told.value = new Set([...told.value, index]);
      section.toggleAttribute("data-told", told.value.has(index));
    }),
  );
}

/** Bars of the two names, and of all other words together. */
function drawBars(place: HTMLElement, answer: Answer): void {
  const rest = 1 - answer.reduce((sum, share) => sum + share, 0);
  const rows = [...NAMES.map((name, i) => [name, answer[i]!] as const), ["other words", rest] as const];
  place.replaceChildren(
    ...rows.map(([word, probability]) => {
      const item = document.createElement("p");
      const [name, bar, share] = ["span", "i", "small"].map((tag) => document.createElement(tag));
      name!.textContent = word;
      bar!.style.setProperty("--share", String(probability));
      share!.textContent = percent(probability);
      item.append(name!, bar!, share!);
      return item;
    }),
  );
}

function follow(id: string, value: Signal<number>, undo: Array<() => void>): void {
  const input = element<HTMLInputElement>(id);
  const take = () => set(value, Number(input.value));
  input.addEventListener("input", take);
  undo.push(
    () => input.removeEventListener("input", take),
    effect(() => {
      input.value = String(value.value);
    }),
  );
}

function choose<T extends string>(name: string, value: Signal<T>, undo: Array<() => void>): void {
  const inputs = [...document.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`)];
  const take = ({ currentTarget }: Event) => set(value, (currentTarget as HTMLInputElement).value as T);
  for (const input of inputs) {
    input.addEventListener("change", take);
    undo.push(() => input.removeEventListener("change", take));
  }
  undo.push(
    effect(() => {
      for (const input of inputs) input.checked = input.value === value.value;
    }),
  );
}

/** The scenes stand in the HTML: this makes their questions and controls answer. */
export function startControls(sections: readonly HTMLElement[]): () => void {
  const undo: Array<() => void> = [];
  for (const [index, section] of sections.entries()) askQuestion(section, index, undo);
  const swap = element("story-swap");
  const rotation = element<HTMLInputElement>("story-rotation");
  const change = () => set(state.swap, state.swap.peek() === "no" ? "yes" : "no");
  const rotate = () => set(state.rotation, rotation.checked ? "on" : "off");
  swap.addEventListener("click", change);
  rotation.addEventListener("change", rotate);
  undo.push(
    () => swap.removeEventListener("click", change),
    () => rotation.removeEventListener("change", rotate),
    effect(() => {
      const answer = answers.value.on[state.swap.value];
      element("story-answer").textContent = NAMES[Number(answer[1]! > answer[0]!)]!;
      drawBars(element("story-bars-1"), answer);
    }),
    effect(() => {
      rotation.checked = state.rotation.value === "on";
      const both = answers.value[state.rotation.value];
      drawBars(element("story-bars-2"), both.no);
      drawBars(element("story-bars-3"), both.yes);
    }),
    effect(() => {
      element("story-source").textContent =
        live.value === undefined
          ? "These are recorded answers of the shipped model."
          : `Answered in this page by the shipped model, in ${milliseconds(live.value)} for all four cases.`;
    }),
    effect(() => {
      // The Lab begins where scene 4 is.
      element("story-lab").setAttribute("href", labAddress());
    }),
  );
  follow("story-at", state.at, undo);
  follow("story-shift", state.shift, undo);
  follow("story-strands", state.strands, undo);
  choose("story-repair", state.repair, undo);
  choose("story-cut", state.cut, undo);
  return () => {
    for (const each of undo) each();
  };
}

/** Query and key of scene 4, on the page that rotates them in every pair. */
function labAddress(): string {
  return `./rotate/#rotate?m=${20 + state.shift.value}&n=${8 + state.shift.value}&vectors=ones`;
}

/** Fills in the readings of the scenes once the library is there. Returns a function that stops this. */
export async function readNumbers(): Promise<() => void> {
  const numbers = await import("./numbers.js");
  const { library } = await import("../../library/library.js");
  const readings = [
    () => numbers.clockReading(state.at.value),
    () => numbers.pairReading(state.shift.value),
    () => numbers.sumReading(state.strands.value),
    () => numbers.repairReading(state.repair.value),
    () => numbers.cutReading(state.cut.value),
  ];
  const undo = readings.map((reading, i) =>
    effect(() => {
      void library.value;
      element(`story-reading-${i + 3}`).textContent = reading() ?? (libraryFailure.value || "…");
    }),
  );
  undo.push(
    effect(() => {
      void library.value;
      repaired.value = numbers.repairedBy();
    }),
  );
  return () => {
    for (const each of undo) each();
  };
}
