import { pageNames, picturedAt } from "./pages.js";
import { expect, openPage, test } from "./site.js";

/** Runs in the page: every element in sight that is painted in one of the colours of query and key, by its classes. */
function paintedAsQueryOrKey(name: string): string[] {
  const probe = document.body.appendChild(document.createElement("i"));
  const [q, k] = ["--q", "--k"].map((token) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  const found = new Set<string>();
  for (const each of document.querySelectorAll(`#${name}-page *`)) {
    if (!each.checkVisibility()) continue;
    for (const pseudo of [undefined, "::before", "::after"]) {
      const style = getComputedStyle(each, pseudo);
      if (pseudo && style.content === "none") continue;
      const inks = [
        style.color,
        style.backgroundColor,
        style.accentColor,
        style.borderTopColor,
        style.borderBottomColor,
      ];
      if (each instanceof SVGElement) inks.push(style.fill, style.stroke);
      for (const [ink, meaning] of [
        [q, "q"],
        [k, "k"],
      ])
        if (inks.includes(ink!)) {
          const marked = each.closest(`.${meaning}, [data-tone="${meaning}"], .map[data-attention]`);
          found.add(`${meaning}: ${marked ? "marked" : (each.getAttribute("class") ?? each.tagName)}`);
        }
    }
  }
  return [...found].sort();
}

/** Pages that show queries and keys. Elsewhere nothing is blue or orange. */
const both: readonly string[] = ["k: marked", "q: marked"];
const expected: Readonly<Record<string, readonly string[]>> = {
  story: both,
  rotate: both,
  roformer: both,
  encodings: both,
};

for (const theme of ["light", "dark"] as const)
  for (const name of pageNames) {
    test(`${name}, ${theme}: blue is a query, orange a key, and nothing else has these colours`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: theme });
      await openPage(page, name, name === "story" ? "#story/4" : picturedAt(name));
      await expect.poll(() => page.evaluate(paintedAsQueryOrKey, name)).toEqual(expected[name] ?? []);
    });
  }

test("a picture’s query is blue, and the key that it should look at orange", async ({ page }) => {
  await openPage(page, "receptive-field", "#receptive-field?view=picture");
  await expect.poll(() => page.evaluate(paintedAsQueryOrKey, "receptive-field")).toEqual(both);
});

/** Hue in degrees and chroma from 0 to 1 of a colour as the browser resolves it. */
function hueOf(colour: string): { hue: number; chroma: number } {
  const [r, g, b] = colour.match(/[\d.]+/g)!.map(Number) as [number, number, number];
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  const chroma = most - least;
  if (chroma === 0) return { hue: 0, chroma: 0 };
  const sixth = most === r ? ((g - b) / chroma + 6) % 6 : most === g ? (b - r) / chroma + 2 : (r - g) / chroma + 4;
  return { hue: sixth * 60, chroma: chroma / 255 };
}

test("no line of a figure and no stop of a heat map comes near the hue of query or key", async ({ page }) => {
  const names = [...["--a", "--b"], ...[0, 1, 2, 3, 4].flatMap((i) => [`--tone-${i}`, `--heat-${i}`, `--signed-${i}`])];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await openPage(page, "train");
    const resolved = await page.evaluate(
      (all) => {
        const probe = document.body.appendChild(document.createElement("i"));
        const colours = all.map((name) => {
          probe.style.color = `var(${name})`;
          return getComputedStyle(probe).color;
        });
        probe.remove();
        return colours;
      },
      ["--q", "--k", ...names],
    );
    const [q, k, ...others] = resolved.map(hueOf);
    for (const [i, { hue, chroma }] of others.entries()) {
      // Near to grey, a hue is not seen.
      if (chroma < 0.15) continue;
      for (const own of [q!, k!]) {
        const apart = Math.abs(((hue - own.hue + 540) % 360) - 180);
        expect(apart, `${names[i]}, ${colorScheme}`).toBeGreaterThan(15);
      }
    }
  }
});

test("between a page's title and its hints are two sizes of type", async ({ page }) => {
  const found = new Set<number>();
  for (const name of pageNames) {
    await openPage(page, name, picturedAt(name));
    const sizes = await page.evaluate((own) => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const seen = new Set<number>();
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const parent = text.parentElement!;
        if (!text.nodeValue!.trim() || !parent.checkVisibility()) continue;
        // Formulas and indices have sizes of their own, and the stage scales its drawing.
        if (parent.closest("math, sub, sup, small, code, .stage-drawing")) continue;
        if (parent.closest(`#${own}-page, .site-head, .site-foot`))
          seen.add(Number.parseFloat(getComputedStyle(parent).fontSize));
      }
      return [...seen];
    }, name);
    for (const size of sizes) found.add(size);
  }
  const [title, hint] = [22, 13];
  expect(found).toContain(title);
  expect(found).toContain(hint);
  expect([...found].filter((size) => size > hint && size < title).sort((a, b) => a - b)).toEqual([16, 18]);
});
