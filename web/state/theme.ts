import { signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";
const key = "ropewalk-theme";

function stored(): Theme {
  const value = document.documentElement.dataset.theme;
  return value === "light" || value === "dark" ? value : "auto";
}

/** What the visitor chose; boot.js has already applied it before the first paint. */
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

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => appearance.value++);

export const reducedMotion = signal(false);
const still = matchMedia("(prefers-reduced-motion: reduce)");
reducedMotion.value = still.matches;
still.addEventListener("change", () => {
  reducedMotion.value = still.matches;
});
