// The theme that was chosen in the playground, before the first paint.
(() => {
  try {
    const theme = localStorage.getItem("ropewalk-theme");
    const chosen = theme === "light" || theme === "dark" ? theme : "";
    if (chosen) document.documentElement.dataset.theme = chosen;
    // TypeDoc's own script reads this one.
    localStorage.setItem("tsd-theme", chosen || "os");
  } catch {
    // Storage may be forbidden; the system's theme then holds.
  }
})();
