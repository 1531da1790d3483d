// Before the first paint: the chosen theme, and the page of the address. Everything else waits for the module.
(() => {
  const root = document.documentElement;
  const asked = /^#([a-z-]+)(\?|$)/.exec(location.hash)?.[1] ?? "";
  const pages = (root.dataset.pages ?? "").split(" ");
  const only = new CSSStyleSheet();
  // Only one page is seen: main.tsx writes the same rule anew for another.
  only.replaceSync(`.page:not(#${pages.includes(asked) ? asked : pages[0]}-page) { display: none; }`);
  document.adoptedStyleSheets = [only];
  try {
    const theme = localStorage.getItem("ropewalk-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; the system's theme then holds.
  }
})();
