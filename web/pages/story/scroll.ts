import { effect } from "@preact/signals";
import { shownPage } from "../../state/address.js";
import { reducedMotion } from "../../state/theme.js";
import { SCENES, state } from "./state.js";

/** The longest that a scroll of ours takes: some browsers do not say when it ends. */
const LONGEST = 1200;

/** Keeps the address, the drawing and the text in step: reading on shows the next scene, an address goes to its text. */
export function followScenes(sections: readonly HTMLElement[]): () => void {
  const scenes = new Map(sections.map((section) => [section, Number(section.dataset.scene)]));
  /** The scene that the visitor has scrolled to: nobody need be taken there. */
  let read = 1;
  let busy = 0;
  const settled = () => {
    clearTimeout(busy);
    busy = 0;
  };
  const bring = (scene: number) => {
    settled();
    read = scene;
    busy = setTimeout(settled, LONGEST) as unknown as number;
    sections[scene - 1]!.scrollIntoView({ block: "start", behavior: reducedMotion.peek() ? "instant" : "smooth" });
  };
  /** By a key or a link: reading goes on there, for the keyboard and screen readers, too. */
  const goTo = (scene: number) => {
    bring(scene);
    state.scene.value = scene;
    sections[scene - 1]!.focus({ preventScroll: true });
  };
  const see = (section: HTMLElement) => {
    read = scenes.get(section)!;
    state.scene.value = read;
  };
  const watcher = new IntersectionObserver(
    (entries) => {
      if (busy || document.documentElement.dataset.embed !== undefined) return;
      for (const { isIntersecting, target } of entries) if (isIntersecting) see(target as HTMLElement);
    },
    // A line a little below the middle: what is read, and on a phone below the drawing.
    { rootMargin: "-62% 0px -37% 0px" },
  );
  for (const section of sections) watcher.observe(section);
  const stop = effect(() => {
    const scene = state.scene.value;
    if (shownPage.value !== "story") {
      // A visitor who comes back finds the scene of the address.
      read = 1;
      return;
    }
    for (const section of sections) section.toggleAttribute("data-current", scenes.get(section) === scene);
    for (const dot of document.querySelectorAll<HTMLElement>(".scene-dots a")) {
      if (dot.dataset.to === String(scene)) dot.setAttribute("aria-current", "step");
      else dot.removeAttribute("aria-current");
    }
    if (scene === read) return;
    // After the page has gone to its top.
    requestAnimationFrame(() => bring(scene));
  });
  const key = ({ key, target, altKey, ctrlKey, metaKey, shiftKey, defaultPrevented }: KeyboardEvent) => {
    if (shownPage.peek() !== "story" || altKey || ctrlKey || metaKey || shiftKey || defaultPrevented) return;
    if (target instanceof Element && target.closest("input, textarea, select, pre, [contenteditable]")) return;
    const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
    const next = state.scene.peek() + by;
    if (by !== 0 && next >= 1 && next <= SCENES) goTo(next);
  };
  const click = (event: MouseEvent) => {
    const target = event.target as Element;
    // Visitors who answer in a scene see its drawing, also where the line above has left it.
    const section = target.closest<HTMLElement>(".scene");
    if (section) see(section);
    const link = target.closest<HTMLElement>("[data-to]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    goTo(Number(link.dataset.to));
  };
  // A visitor who works in a scene sees its drawing.
  const focus = ({ target }: FocusEvent) => {
    const section = target instanceof Element && target.closest<HTMLElement>(".scene");
    if (section && !busy && target.matches(":focus-visible")) see(section);
  };
  addEventListener("keydown", key);
  // Before the follower of links, which would take the other scenes back to how they began.
  document.addEventListener("click", click, true);
  addEventListener("scrollend", settled);
  document.addEventListener("focusin", focus);
  return () => {
    stop();
    settled();
    watcher.disconnect();
    removeEventListener("keydown", key);
    document.removeEventListener("click", click, true);
    removeEventListener("scrollend", settled);
    document.removeEventListener("focusin", focus);
  };
}
