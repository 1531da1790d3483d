// Before the first paint: the chosen theme, and the room of the address. Everything else waits for the module.
(() => {
  const root = document.documentElement;
  const room = /^#(roformer|rotate|frequencies|distance)(\?|$)/.exec(location.hash);
  root.dataset.room = room ? room[1] : "roformer";
  try {
    const theme = localStorage.getItem("ropewalk-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; the system's theme then holds.
  }
})();
