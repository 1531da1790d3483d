// Before the first paint: the chosen theme, and the page of the address. Everything else waits for the module.
(() => {
  const root = document.documentElement;
  const pages = (root.dataset.pages ?? "").split(" ");
  // The root of the site, for good: the address changes with the page.
  const base = document.querySelector("base");
  base.setAttribute("href", base.href);
  const [asked, path] = [/^#([a-z-]+)(\?|$)/.exec(location.hash), location.href.slice(base.href.length).split(/[/?#]/)];
  const page = [asked?.[1], path[0]].find((name) => pages.includes(name)) ?? pages[0];
  const only = new CSSStyleSheet();
  // Only one page is seen, and its tab's row of pages: main.tsx writes the same rule anew for another.
  only.replaceSync(`.page:not(#${page}-page), .views:not(:has(#${page}-tab)) { display: none; } .gallery section:has([href^="./${page}/"]) { order: 0; }`);
  document.adoptedStyleSheets = [only];
  // Within somebody else's page: the figure and its scene, without header and footer.
  if (/[?&]embed=1([&#]|$)/.test(location.search + location.hash)) root.dataset.embed = "";
  // What the page needs before it can be drawn, beside the first script and not after it.
  for (const file of JSON.parse(root.dataset.preloads || "{}")[page] ?? []) {
    const link = document.createElement("link");
    const as = { css: "style", json: "fetch", woff2: "font" }[file.split(".").at(-1)];
    if (as) Object.assign(link, { rel: "preload", as, crossOrigin: "" });
    else link.rel = "modulepreload";
    link.href = `./${file}`;
    document.head.append(link);
  }
  try {
    const theme = localStorage.getItem("ropewalk-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; the system's theme then holds.
  }
})();
