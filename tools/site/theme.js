// The theme that was chosen in the playground or here (web/state/theme.ts), before the first paint.
(() => {
  const key = "ropewalk-theme";
  const root = document.documentElement;
  const show = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    // Pictures in dark colours.
    const media = { auto: "(prefers-color-scheme: dark)", light: "not all", dark: "all" }[theme];
    for (const source of document.querySelectorAll("picture source")) source.media = media;
    try {
      localStorage.setItem(key, theme);
      // TypeDoc's own script reads this one.
      localStorage.setItem("tsd-theme", theme === "auto" ? "os" : theme);
    } catch {
      // Storage may be forbidden; the choice then lasts as long as the page.
    }
  };
  let theme = "auto";
  try {
    const stored = localStorage.getItem(key);
    if (stored === "light" || stored === "dark") theme = stored;
  } catch {
    // The system's theme then holds.
  }
  show(theme);
  addEventListener("DOMContentLoaded", () => {
    show(theme);
    for (const choice of document.querySelectorAll(".theme-slot input")) {
      choice.checked = choice.value === theme;
      choice.addEventListener("change", () => show(choice.value));
    }
  });
})();
