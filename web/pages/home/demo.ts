import { effect } from "@preact/signals";
import { reducedMotion } from "../../state/theme.js";
import { milliseconds, percent } from "../../text/format.js";
import { answers, live, namesOf } from "./answers.js";
import { state } from "./state.js";

/** Positions of the two names among the tokens: [CLS] the captain gave the rope to the sailor. */
const positions = [2, 7] as const;

const element = <E extends Element = HTMLElement>(id: string) => document.getElementById(id) as unknown as E;

/** Both names go from where the other one stood to their new places. */
function moveNames(names: readonly HTMLElement[]): void {
  if (reducedMotion.peek() || !names[0]!.animate) return;
  const [first, second] = names.map((name) => name.getBoundingClientRect()) as [DOMRect, DOMRect];
  const [x, y] = [second.left - first.left, second.top - first.top];
  const how = { duration: 400, easing: "ease-in-out" };
  names[0]!.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], how);
  names[1]!.animate([{ transform: `translate(${-x}px, ${-y}px)` }, { transform: "none" }], how);
}

/** A word that the model may answer with, and how likely it is. */
function barOf([word, probability]: readonly [string, number]): HTMLLIElement {
  const item = document.createElement("li");
  const [name, bar, share] = ["span", "i", "small"].map((tag) => document.createElement(tag));
  name!.textContent = word;
  bar!.style.setProperty("--share", String(probability));
  share!.textContent = percent(probability);
  item.append(name!, bar!, share!);
  return item;
}

const says = {
  on: "The model answers with the one who received the rope.",
  off: "Without rotation both sentences are the same bag of words, so both get this same uncertain answer.",
} as const;

/** The demonstration stands in the HTML: this makes it answer. */
export function startDemo(): () => void {
  const names = [...element("home-sentence").querySelectorAll<HTMLElement>(".name")];
  const swap = element<HTMLButtonElement>("home-swap");
  const rotation = element<HTMLInputElement>("home-rotation");
  let shownSwap = "no";
  const stop = effect(() => {
    const [swapped, rotated] = [state.swap.value, state.rotation.value];
    const [word, probability] = answers.value[rotated][swapped][0] ?? ["", 0];
    for (const [i, name] of namesOf(swapped).entries()) {
      names[i]!.textContent = name;
      names[i]!.dataset.name = name;
      const radians = rotated === "on" ? positions[i]! : 0;
      element<SVGPathElement>(`home-dial-${i}`).style.transform = `rotate(${-radians}rad)`;
      element(`home-turn-${i}`).textContent =
        rotated === "on"
          ? `${name}, position ${positions[i]}: its first pair of channels is rotated by ${radians} radians`
          : `${name}, position ${positions[i]}: not rotated`;
    }
    if (swapped !== shownSwap) moveNames(names);
    shownSwap = swapped;
    element("home-answer").textContent = word;
    element("home-share").textContent = percent(probability);
    element("home-reading").textContent = `${word}, ${percent(probability)}. ${says[rotated]}`;
    element("home-bars").replaceChildren(...answers.value[rotated][swapped].map(barOf));
    element("home-answer-box").style.setProperty("--share", String(probability));
    rotation.checked = rotated === "on";
    element("home-source").textContent =
      live.value === undefined
        ? "These are recorded answers of the shipped model."
        : `Answered in this page by the shipped model, in ${milliseconds(live.value)} for all four cases.`;
  });
  const change = () => {
    state.swap.value = state.swap.peek() === "no" ? "yes" : "no";
  };
  const turn = () => {
    state.rotation.value = rotation.checked ? "on" : "off";
  };
  swap.addEventListener("click", change);
  rotation.addEventListener("change", turn);
  return () => {
    stop();
    swap.removeEventListener("click", change);
    rotation.removeEventListener("change", turn);
  };
}
