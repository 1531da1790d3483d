import { effect, signal } from "@preact/signals";
import { reducedMotion } from "../../state/theme.js";
import { paperFor, WIDE } from "./draw/paper.js";
import { positionAt } from "./draw/strands.js";
import { drawings, drawScene, KEY, QUERY, type Repaired, type Shown } from "./scenes.js";
import { fields, state } from "./state.js";

/** Llama's frequencies under each repair, once the library is there. */
export const repaired = signal<Repaired>({});
/** Scenes whose question is answered, or whose control the link has set; the first is 0. */
export const told = signal<ReadonlySet<number>>(new Set());

/** The state of the drawing that the controls ask for. */
function wanted(): Shown {
  const repair = state.repair.value;
  const cut = state.cut.value;
  return {
    swap: Number(state.swap.value === "yes"),
    heap: Number(state.rotation.value === "off"),
    at: state.at.value,
    shift: state.shift.value,
    strands: state.strands.value,
    all: Number(repair === "all"),
    slow: Number(repair === "slow"),
    yarn: Number(repair === "yarn"),
    red: Number(told.value.has(5)),
    cut: Number(cut !== "whole"),
    back: Number(cut === "turned"),
  };
}

/** Sets a position, on the grid of its slider. */
function moveTo(name: "at" | "shift", position: number): void {
  const { min, max, step } = fields[name];
  state[name].value = Math.min(max, Math.max(min, Math.round(position / step) * step));
}

/** Milliseconds in which the drawing goes two thirds of its way. */
const PACE = 110;
const NEAR = 0.004;

/** Draws the scene and keeps it up with the controls. */
export function startStage(svg: SVGSVGElement): () => void {
  let shown = wanted();
  let target = shown;
  let frame = 0;
  let last = 0;
  let scene = state.scene.peek();
  let paper = WIDE;
  const draw = () => {
    svg.setAttribute("viewBox", `0 0 ${paper.width} ${paper.height}`);
    svg.innerHTML = drawScene(paper, scene, shown, repaired.peek());
  };
  const advance = (now: number) => {
    const share = 1 - Math.exp(-Math.min(Math.max(now - last, 0), 100) / PACE);
    last = now;
    let moves = false;
    const next = Object.entries(target).map(([name, to]) => {
      const from = shown[name as keyof Shown];
      const there = reducedMotion.peek() || Math.abs(to - from) < NEAR;
      moves ||= !there;
      return [name, there ? to : from + (to - from) * share];
    });
    shown = Object.fromEntries(next) as unknown as Shown;
    draw();
    frame = moves ? requestAnimationFrame(advance) : 0;
  };
  const stop = effect(() => {
    target = wanted();
    void repaired.value;
    if (state.scene.value !== scene) {
      scene = state.scene.value;
      // Another drawing has nothing to move from.
      shown = target;
      svg.setAttribute("aria-label", drawings[scene - 1]!);
      if (!reducedMotion.peek()) svg.animate([{ opacity: 0.2 }, { opacity: 1 }], 250);
    }
    if (frame) return;
    last = performance.now();
    frame = requestAnimationFrame(advance);
  });
  /** A word follows the finger or the mouse along its strand, both words in scene 4; the slider does the same for keys. */
  const drag = (event: PointerEvent) => {
    const matrix = svg.getScreenCTM();
    if (!(event.buttons & 1) || !matrix) return;
    const { x } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const position = positionAt(paper, x);
    if (scene === 3) moveTo("at", position);
    if (scene === 4) moveTo("shift", position - (QUERY + KEY) / 2);
  };
  svg.setAttribute("aria-label", drawings[scene - 1]!);
  const size = new ResizeObserver(() => {
    const { width, height } = svg.getBoundingClientRect();
    // None while another page is shown.
    if (width) paper = paperFor(width, height);
    draw();
  });
  size.observe(svg);
  svg.addEventListener("pointerdown", drag);
  svg.addEventListener("pointermove", drag);
  return () => {
    stop();
    cancelAnimationFrame(frame);
    svg.removeEventListener("pointerdown", drag);
    svg.removeEventListener("pointermove", drag);
    size.disconnect();
  };
}
