/**
 * Shows the meaning of a `.term` while it is pointed at or has the focus of the keyboard. A tap, a click and Enter open
 * and close it, Escape and a tap elsewhere close it: that is the browser's own doing (`popovertarget`), without scripts too.
 */

/** Space to the edges of the window, and to the word. */
const [EDGE, GAP] = [8, 4];
/** Width of a meaning where the window has room for it; styles/page.css has the same. */
const WIDTH = 320;

const termAt = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLButtonElement>(".term") : null;
const meaningOf = (term: Element) => document.getElementById(term.getAttribute("popovertarget") ?? "");
const isOpen = (meaning: Element) => meaning.matches(":popover-open");

/** Below the word, or above it in the lower part of the window. */
function place(term: Element, { style }: HTMLElement): void {
  const { left, top, bottom } = term.getBoundingClientRect();
  const width = document.documentElement.clientWidth;
  const most = width - Math.min(WIDTH, width - 2 * EDGE) - EDGE;
  style.left = `${Math.max(EDGE, Math.min(left, most))}px`;
  const below = bottom < 0.6 * innerHeight;
  style.top = below ? `${bottom + GAP}px` : "auto";
  style.bottom = below ? "auto" : `${innerHeight - top + GAP}px`;
}

export function followTerms(): void {
  /** The term whose meaning the pointer or the focus has opened, rather than a click. */
  let passing: Element | undefined;
  const open = (term: Element) => {
    const meaning = meaningOf(term);
    if (!meaning || isOpen(meaning)) return;
    passing = term;
    meaning.showPopover();
  };
  const close = (term: Element) => {
    if (passing !== term) return;
    passing = undefined;
    meaningOf(term)?.hidePopover();
  };
  document.addEventListener("pointerover", (event) => {
    const term = termAt(event.target);
    // A finger taps.
    if (term && event.pointerType === "mouse") open(term);
  });
  document.addEventListener("pointerout", (event) => {
    const term = termAt(event.target);
    if (term && event.pointerType === "mouse" && !term.matches(":focus-visible")) close(term);
  });
  document.addEventListener("focusin", (event) => {
    const term = termAt(event.target);
    if (term?.matches(":focus-visible")) open(term);
  });
  document.addEventListener("focusout", (event) => {
    const term = termAt(event.target);
    if (term) close(term);
  });
  document.addEventListener("click", (event) => {
    const term = termAt(event.target);
    if (!term || passing !== term) return;
    // A click on what the pointer has opened keeps it open.
    event.preventDefault();
    passing = undefined;
  });
  // Events of popovers do not bubble; they are caught on their way down.
  document.addEventListener(
    "beforetoggle",
    (event) => {
      const meaning = event.target;
      if (!(meaning instanceof HTMLElement) || !meaning.matches(".term-meaning")) return;
      const term = document.querySelector(`.term[popovertarget="${meaning.id}"]`);
      if ((event as ToggleEvent).newState === "open") {
        if (term) place(term, meaning);
      } else if (passing === term) passing = undefined;
    },
    true,
  );
  const follow = () => {
    const meaning = document.querySelector<HTMLElement>(".term-meaning:popover-open");
    const term = meaning && document.querySelector(`.term[popovertarget="${meaning.id}"]`);
    if (meaning && term) place(term, meaning);
  };
  addEventListener("scroll", follow, { passive: true, capture: true });
  addEventListener("resize", follow);
}
