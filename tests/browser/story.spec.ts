import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { load } from "ropewalk";
import { record } from "../../web/pages/story/record.js";
import { LLAMA, llamaThetas, STRANDS, strandThetas } from "../../web/pages/story/ropes.js";
import { PROMPT, words } from "../../web/pages/story/scenes.js";
import { visit } from "./newcomer.js";
import { printedBy } from "./programs.js";
import { axeViolations, COLOUR_RULES, expect, openPage, test, textOf } from "./site.js";

const scene = (page: Page, number: number) => page.locator(`.scene[data-scene="${number}"]`);
const answered = (page: Page) => expect(page.getByText("Answered in this page by the shipped model")).toBeVisible();
const stage = (page: Page) => page.locator("#story-stage");
const shares = (page: Page, bars: number) => page.locator(`#story-bars-${bars} small`).allInnerTexts();
/** The text of a scene is in sight, below the drawing where that stays on top. */
async function isRead(page: Page, number: number): Promise<void> {
  await expect(scene(page, number)).toHaveAttribute("data-current", "");
  await expect(scene(page, number).getByRole("heading")).toBeInViewport();
  await expect(page.locator(".scene-dots [aria-current]")).toHaveText(String(number));
}

test("a newcomer goes through all scenes by the keyboard, guesses, and sees each answer", async ({ page }) => {
  await openPage(page, "story");
  await expect(scene(page, 1).locator(".reveal")).toBeHidden();
  for (let number = 1; number <= 7; number++) {
    await isRead(page, number);
    await expect(stage(page).locator(".new")).toHaveCount(0);
    const before = await stage(page).innerHTML();
    const guess = scene(page, number).locator("[data-guess]").first();
    await guess.focus();
    await page.keyboard.press("Enter");
    await expect(guess).toHaveAttribute("aria-pressed", "true");
    await expect(scene(page, number).locator(".reveal")).toBeVisible();
    await expect(scene(page, number).locator(".reveal")).toContainText(/^You guessed (right|wrong)\. /);
    // The answer is in the drawing, too, and was not before.
    await expect.poll(() => stage(page).innerHTML()).not.toBe(before);
    if (number === 6) await expect(stage(page).locator(".new").first()).toBeAttached();
    if (number < 7) {
      await page.keyboard.press("ArrowRight");
      await isRead(page, number + 1);
      await expect(page).toHaveURL(new RegExp(`scene=${number + 1}`));
    }
  }
  await page.keyboard.press("ArrowLeft");
  await isRead(page, 6);
  // In a control, the arrow keys are the control's.
  await scene(page, 6).getByRole("radio", { name: "none" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(scene(page, 6).getByRole("radio", { name: "slow all" })).toBeChecked();
  await isRead(page, 6);
});

test("each scene has its address, long and short, and what its control says is in it", async ({ page }) => {
  for (const number of [3, 5, 7]) {
    await page.goto("about:blank");
    await openPage(page, "story", `#story/${number}`);
    await isRead(page, number);
    await expect(page.locator("#notes-slot")).toBeEmpty();
  }
  await page.goto("about:blank");
  await openPage(page, "story", "#story?scene=4&shift=30");
  await isRead(page, 4);
  await expect(page.locator("#story-reading-4")).toContainText("Positions 50 and 38: angle 68.8°, score 0.362.");
  await page.locator("#story-shift").fill("5");
  await expect(page).toHaveURL(/#story\?scene=4&shift=5$/);
  await page.goto("about:blank");
  await openPage(page, "story", "#story/9");
  await expect(page.getByText("The link asks for scene “9”; allowed: 1 to 7.")).toBeVisible();
});

test("reading on by scrolling changes the drawing and the address", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await openPage(page, "story");
  const title = () => stage(page).getAttribute("aria-label");
  const first = await title();
  await scene(page, 3).evaluate((section) => section.scrollIntoView({ block: "center" }));
  await isRead(page, 3);
  expect(await title()).not.toBe(first);
  await expect(page).toHaveURL(/#story\?scene=3$/);
  await expect(stage(page)).toBeInViewport();
});

test("addresses of the former home page lead to the same", async ({ page }) => {
  await openPage(page, "story", "#home");
  await isRead(page, 1);
  await page.goto("about:blank");
  await openPage(page, "story", "#home?swap=yes");
  await expect(page.locator("#story-answer")).toHaveText("captain");
  await page.goto("about:blank");
  await openPage(page, "story", "#home?rotation=off");
  await isRead(page, 2);
  await expect(page.getByRole("checkbox", { name: "rotation" })).not.toBeChecked();
  expect(await shares(page, 2)).toEqual(await shares(page, 3));
  await expect(page.locator("#notes-slot")).toBeEmpty();
});

test("the answer follows the swap; without rotation it cannot", async ({ page }) => {
  await openPage(page, "story");
  await answered(page);
  await expect(page.locator("#story-answer")).toHaveText("sailor");
  await scene(page, 1).getByRole("button", { name: "still the sailor" }).click();
  await expect(page.locator("#story-answer")).toHaveText("captain");
  expect((await shares(page, 1))[0]).toMatch(/^9\d\.\d/);
  await scene(page, 2).getByRole("button", { name: "no", exact: true }).click();
  const [one, other] = [await shares(page, 2), await shares(page, 3)];
  expect(one).toEqual(other);
  await page.getByRole("checkbox", { name: "rotation" }).check();
  expect(await shares(page, 2)).not.toEqual(await shares(page, 3));
  // Playing is no step of its own: one step back leaves the page.
  expect(await page.evaluate(() => history.length)).toBe(2);
});

test("what is shown before the model has answered is what it answers", async ({ page }) => {
  const read = async () => {
    const all: unknown[] = [];
    for (const address of ["#story", "#story?swap=yes", "#story?scene=2", "#story?scene=2&rotation=off"]) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, address);
      await expect(page.locator("#story-rotation")).toBeChecked({ checked: !address.includes("off") });
      await expect(page.locator("#story-answer")).toHaveText(address.includes("swap") ? "captain" : "sailor");
      all.push([await shares(page, 1), await shares(page, 2), await shares(page, 3)]);
    }
    return all;
  };
  let letThrough = () => {};
  const waiting = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route("**/model.safetensors", async (route) => {
    await waiting;
    await route.continue();
  });
  await openPage(page, "story");
  await expect(page.getByText("These are recorded answers of the shipped model.")).toBeVisible();
  const recorded = await read();
  letThrough();
  await answered(page);
  expect(await read()).toEqual(recorded);
});

test("what is recorded is what the library says", async () => {
  const found = await record(await load());
  const recorded = JSON.parse(readFileSync("web/pages/story/recorded.json", "utf8")) as typeof found;
  expect(recorded.tokens).toEqual(found.tokens);
  const library = await load();
  for (const [options, thetas] of [
    [STRANDS, strandThetas],
    [LLAMA, llamaThetas],
  ] as const) {
    using rope = library.rope(options);
    expect(rope.frequencies).toHaveLength(thetas.length);
    for (const [j, theta] of rope.frequencies.entries()) expect(thetas[j]! / theta).toBeCloseTo(1, 9);
  }
  using decoder = await library.decoder("web/public/decoder", { context: 512 });
  expect(decoder.encode(PROMPT)).toHaveLength(words.length);
  for (const [name, lane] of Object.entries(found.lanes)) {
    const own = recorded.lanes[name as keyof typeof found.lanes];
    expect(own.text).toBe(lane.text);
    expect(own.sailor).toBeCloseTo(lane.sailor, 3);
  }
  for (const rotation of ["on", "off"] as const)
    for (const swap of ["no", "yes"] as const)
      for (const [i, share] of found.answers[rotation][swap].entries())
        expect(recorded.answers[rotation][swap][i]).toBeCloseTo(share, 3);
});

test("embedding survives a change of the address, and the short form in the hash is enough", async ({ page }) => {
  await openPage(page, "story", "#story?scene=5&embed=1");
  await expect(page.locator(".site-head")).toBeHidden();
  await scene(page, 5).getByRole("button", { name: "no" }).click();
  await expect(page).toHaveURL(/\?embed=1#story\?scene=5&strands=32$/);
  await page.reload();
  await expect(page.locator("#story-reading-5")).toContainText("32 strands: score 0.60 at distance 44");
  await expect(page.locator(".site-head")).toBeHidden();
});

test("a phone on a slow line reads, guesses and sees the first scene before library and model have come", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.route(/\/lib\/|\.safetensors$|tokenizer\.json$/, () => {});
  await page.goto("./");
  await expect(page.locator("#story-page .alive")).toBeAttached();
  const button = scene(page, 1).getByRole("button", { name: "the captain" });
  const { y, height } = (await button.boundingBox())!;
  expect(y + height).toBeLessThan(844);
  await button.tap().catch(() => button.click());
  await expect(page.locator("#story-answer")).toHaveText("captain");
  // The drawing stays while the text is read.
  await page.locator(".scene-dots a").nth(2).click();
  await isRead(page, 3);
  await expect(stage(page)).toBeInViewport();
  const [drawing, heading] = [await stage(page).boundingBox(), await scene(page, 3).getByRole("heading").boundingBox()];
  expect(heading!.y).toBeGreaterThan(drawing!.y + drawing!.height);
  await scene(page, 3).locator("[data-guess=right]").click();
  await expect(page.locator("#story-reading-3")).toHaveText("…");
});

for (const theme of ["light", "dark"] as const) {
  test(`${theme}: axe finds nothing in any scene, asked or answered`, async ({ page }) => {
    test.slow();
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await openPage(page, "story");
    for (let number = 1; number <= 7; number++) {
      await page
        .locator(".scene-dots a")
        .nth(number - 1)
        .click();
      await isRead(page, number);
      await scene(page, number).locator("[data-guess]").first().click();
    }
    for (const summary of await page.locator("#story-page summary").all()) await summary.click();
    expect(await axeViolations(page, theme === "light" ? undefined : COLOUR_RULES)).toEqual([]);
  });
}

test("where motion is not wanted, the drawing is at once what the answer says", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openPage(page, "story", "#story/4");
  await isRead(page, 4);
  const drawn: string[] = [];
  await page.exposeFunction("drawn", (svg: string) => drawn.push(svg));
  await stage(page).evaluate((svg) => {
    const tell = (window as unknown as { drawn(svg: string): void }).drawn;
    new MutationObserver(() => tell(svg.innerHTML)).observe(svg, { childList: true });
  });
  await scene(page, 4).getByRole("button", { name: "it stays" }).click();
  await expect.poll(() => drawn.length).toBeGreaterThan(0);
  expect(new Set(drawn).size).toBe(1);
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
});

test("blue is the query and orange the key, in every scene", async ({ page }) => {
  await openPage(page, "story");
  for (let number = 1; number <= 7; number++) {
    await page
      .locator(".scene-dots a")
      .nth(number - 1)
      .click();
    await isRead(page, number);
    const used = await stage(page).evaluate((svg) => {
      const probe = document.createElement("i");
      document.body.append(probe);
      const resolved = (name: string) => {
        probe.style.color = `var(${name})`;
        return getComputedStyle(probe).color;
      };
      const [q, k] = [resolved("--q"), resolved("--k")];
      probe.remove();
      const colours = [...svg.querySelectorAll("*")].flatMap((each) => {
        const { fill, stroke } = getComputedStyle(each);
        return [fill, stroke]
          .filter((colour) => colour === q || colour === k)
          .map(() => each.getAttribute("class") ?? "");
      });
      return [...new Set(colours)];
    });
    if (number === 4) expect(used.some((name) => / ?q/.test(name)) && used.some((name) => / ?k/.test(name))).toBe(true);
    for (const name of used)
      expect(
        name.split(" ").some((part) => part === "q" || part === "k"),
        name,
      ).toBe(true);
  }
});

test("the story ends in doors: the Lab takes the positions of scene 4 along", async ({ page }) => {
  await openPage(page, "story", "#story?scene=4&shift=12");
  await page.getByRole("link", { name: "Turn the arrows of scene 4 by hand" }).click();
  await expect(page.getByRole("spinbutton", { name: "query position m" })).toHaveValue("32");
  await expect(page.getByRole("spinbutton", { name: "key position n" })).toHaveValue("20");
});

test("a long config.json arrives whole on the page that checks it", async ({ page }) => {
  const labels = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`label ${i}`, i]));
  const config = JSON.stringify({ hidden_size: 128, num_attention_heads: 4, rope_theta: 10000, label2id: labels });
  expect(config.length).toBeGreaterThan(30_000);
  await openPage(page, "story");
  await page.getByLabel("Paste its config.json").fill(config);
  await page.getByRole("button", { name: "Check this config.json" }).click();
  await expect(page.locator("#doctor-config")).toHaveValue(config);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });
  test("every scene has its drawing, its question and its answer, and the eight lines are there", async ({ page }) => {
    await page.goto("./");
    await expect(stage(page).locator(".strand").first()).toBeAttached();
    await expect(page.locator("#story-bars-1")).toContainText("98.5 %");
    for (let number = 1; number <= 7; number++) {
      await expect(scene(page, number).locator(".reveal")).toBeVisible();
      if (number === 1) continue;
      const still = scene(page, number).locator("img");
      await expect(still).toBeVisible();
      await expect.poll(() => still.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(640);
    }
    await expect(page.getByText('import { load } from "ropewalk";')).toBeVisible();
  });
});

test("the bars that stand in the HTML are the recorded ones", async ({ page }) => {
  const html = /id="story-bars-1">(.*?)<\/div>/s.exec(readFileSync("web/pages/story/prose.html", "utf8"))![1]!;
  const written = [...html.matchAll(/<small>(.*?)<\/small>/g)].map(([, share]) => share);
  await page.route("**/model.safetensors", () => {});
  await openPage(page, "story");
  expect((await shares(page, 1)).map((share) => share.replace("\u202f", " "))).toEqual(written);
  // Rows of one figure: no space of paragraphs between them.
  const rows = await page
    .locator("#story-bars-1 p")
    .evaluateAll((all) => all.map((row) => row.getBoundingClientRect()));
  for (const [i, { top }] of rows.entries()) if (i > 0) expect(top - rows[i - 1]!.bottom).toBeLessThan(8);
});

test("the eight lines print in Node what they print in the page", async ({ page }) => {
  await openPage(page, "story");
  const lines = await textOf(page.locator(".door-use pre code"));
  expect(lines.trim().split("\n")).toHaveLength(8);
  const printed = printedBy("story", lines);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator("#story-printed")).toHaveText(printed.trim());
  // The same distance, the same score.
  const [first, second] = printed.trim().split(" ");
  expect(first).toBe(second);
});

test("a newcomer finds word order, a wrong config.json and lines that run, in five clicks", async ({ page }) => {
  expect(await visit(page)).toBeLessThanOrEqual(5);
});

test("no line of the eight is cut, at any width", async ({ page }) => {
  await openPage(page, "story");
  for (const width of [320, 390, 768, 1024, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const cut = await page
      .locator(".doors pre")
      .evaluateAll((all) => all.map((pre) => pre.scrollWidth - pre.clientWidth));
    expect(Math.max(...cut), `${width} px`).toBe(0);
  }
});

test("a word is dragged along its strand, and both words at once in scene 4", async ({ page }) => {
  await openPage(page, "story", "#story/3");
  await isRead(page, 3);
  const { x, y, width, height } = (await stage(page).boundingBox())!;
  await page.mouse.move(x + 0.1 * width, y + 0.5 * height);
  await page.mouse.down();
  await page.mouse.move(x + 0.5 * width, y + 0.5 * height, { steps: 4 });
  await page.mouse.up();
  const at = Number(await page.locator("#story-at").inputValue());
  expect(at).toBeGreaterThan(30);
  await expect(page.locator("#story-reading-3")).toContainText(`At position ${at} `);
  await page.goto("about:blank");
  await openPage(page, "story", "#story/4");
  await isRead(page, 4);
  await page.mouse.move(x + 0.1 * width, y + 0.4 * height);
  await page.mouse.down();
  await page.mouse.move(x + 0.45 * width, y + 0.4 * height, { steps: 4 });
  await page.mouse.up();
  expect(Number(await page.locator("#story-shift").inputValue())).toBeGreaterThan(10);
  await expect(page.locator("#story-reading-4")).toContainText("angle 68.8°");
});
