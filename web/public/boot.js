// Before the first paint: the chosen theme, and the room of the address. Everything else waits for the module.
(() => {
  const root = document.documentElement;
  const asked = /^#([a-z-]+)(\?|$)/.exec(location.hash)?.[1] ?? "";
  const rooms = (root.dataset.rooms ?? "").split(" ");
  const only = new CSSStyleSheet();
  // Which room is seen: main.tsx writes the same rule anew for another.
  only.replaceSync(`.room:not(#${rooms.includes(asked) ? asked : rooms[0]}-room) { display: none; }`);
  document.adoptedStyleSheets = [only];
  try {
    const theme = localStorage.getItem("ropewalk-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; the system's theme then holds.
  }
})();
