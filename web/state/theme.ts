import { signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";
const key = "ropewalk-theme";

function stored(): Theme {
  const value = document.documentElement.dataset.theme;
  return value === "light" || value === "dark" ? value : "auto";
}

/** The visitor's choice; boot.js has already applied it before the first paint. */
export const theme = signal<Theme>(stored());
/** Counts changes of what is seen: canvases read it to paint themselves anew. */
export const appearance = signal(0);

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  if (chosen === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
  appearance.value++;
}

/** Pictures for a paper: saved in light colours whatever the page shows. */
export const saveInLight = signal(false);

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Runs `draw` on the page in light colours; afterwards the page is back in its own. */
export async function inLight<T>(draw: () => T): Promise<T> {
  const root = document.documentElement;
  const { theme: before } = root.dataset;
  const repaint = async () => {
    appearance.value++;
    await frame();
    await frame();
  };
  root.dataset.theme = "light";
  await repaint();
  try {
    return draw();
  } finally {
    if (before === undefined) delete root.dataset.theme;
    else root.dataset.theme = before;
    await repaint();
  }
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => appearance.value++);

export const reducedMotion = signal(false);
const still = matchMedia("(prefers-reduced-motion: reduce)");
reducedMotion.value = still.matches;
still.addEventListener("change", () => {
  reducedMotion.value = still.matches;
});
