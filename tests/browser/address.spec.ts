import { readFileSync } from "node:fs";
import { pageNames, pathOf } from "../../web/pages/index.js";
import { readJson } from "../ts/files.js";
import { expect, goTo, maskedSentence, openPage, openRoformer, openRotate, test } from "./site.js";

test("a link restores the Rotate page", async ({ page }) => {
  await openRotate(page, "#rotate?d=32&pairing=half&span=256&m=200&n=20.5&shift=3&pair=5&vectors=equal&base=100");
  await expect(page.getByRole("spinbutton", { name: "query position m" })).toHaveValue("200");
  await expect(page.getByRole("spinbutton", { name: "key position n" })).toHaveValue("20.5");
  await expect(page.getByRole("radio", { name: /^Pair \d/ })).toHaveCount(16);
  await expect(page.getByRole("radio", { name: /^Pair 5/ })).toBeChecked();
  await expect(page.getByRole("radio", { name: "equal" })).toBeChecked();
  await expect(page.locator("#notes-slot")).toBeEmpty();
});

test("the address follows, and each tab keeps its page’s state", async ({ page }) => {
  await openRotate(page);
  await page.getByRole("slider", { name: "query position m" }).fill("33");
  await expect(page).toHaveURL(/#rotate\?m=33$/);
  await goTo(page, "Models", "RoFormer");
  await expect(page.getByRole("heading", { name: "Every head" })).toBeVisible();
  // The tab leads to the page of it that was seen last.
  await page.getByRole("link", { name: "Lab", exact: true }).click();
  await expect(page.getByRole("spinbutton", { name: "query position m" })).toHaveValue("33");
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Every head" })).toBeVisible();
});

test("a link restores the RoFormer page", async ({ page }) => {
  await openRoformer(page, "#roformer?text=the+sailor+gave+the+[MASK]&layer=1&head=1&from=2&to=1");
  await expect(maskedSentence(page)).toHaveValue("the sailor gave the [MASK]");
  await expect(page.getByRole("radio", { name: "Layer 1, head 1" })).toBeChecked();
  await expect(page.locator(".reading")).toContainText("sailor (2) attends to the (1)");
});

test("hostile values fall back with a note, unknown fields are ignored", async ({ page }) => {
  await openRotate(page, "#rotate?d=1e9&pairing=<script>&m=-5&whatever=1&n=7");
  await expect(page.getByRole("status").filter({ hasText: "The link asks for" }).locator("p")).toHaveCount(3);
  await expect(page.getByRole("spinbutton", { name: "head dimension d" })).toHaveValue("16");
  await expect(page.getByRole("spinbutton", { name: "key position n" })).toHaveValue("7");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect(page.locator("#notes-slot")).toBeEmpty();
});

test("Back undoes a choice and keeps what a slider did before it", async ({ page }) => {
  await openRotate(page);
  await page.getByRole("slider", { name: "query position m" }).fill("33");
  await page.getByRole("radio", { name: "equal" }).check();
  await expect(page).toHaveURL(/vectors=equal/);
  await page.goBack();
  await expect(page).toHaveURL(/#rotate\?m=33$/);
  await expect(page.getByRole("radio", { name: "equal" })).not.toBeChecked();
  await expect(page.getByRole("spinbutton", { name: "query position m" })).toHaveValue("33");
});

test("an unknown page in a link is named, and the skip link stays on its page", async ({ page }) => {
  await openPage(page, "story", "#rotation?m=3");
  await expect(page.getByRole("status").filter({ hasText: "the page “rotation”, which does not exist" })).toBeVisible();
  await openRotate(page, "#rotate?m=3");
  await page.locator("a.skip").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("spinbutton", { name: "query position m" })).toBeVisible();
  await expect(page).toHaveURL(/#rotate\?m=3$/);
});

test("a page begins at its top, and a box says which numbers it takes", async ({ page }) => {
  await openRoformer(page);
  await page.evaluate(() => scrollTo(0, 900));
  await goTo(page, "Lab", "Rotate");
  const box = page.getByRole("spinbutton", { name: "query position m" });
  await expect(box).toBeVisible();
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await box.fill("1000000000");
  await box.press("Enter");
  await expect(page.locator(".range-hint", { hasText: /^from -?\d+ to \d+$/ })).toBeVisible();
});

test("each page has an address of its own, which a tab, a link and Back follow without loading anew", async ({
  page,
}) => {
  await openPage(page, "rotate", "rotate/");
  await page.evaluate(() => Object.assign(window, { same: true }));
  await page.locator("#train-tab").click();
  await expect(page).toHaveURL(/\/train\/$/);
  await expect(page).toHaveTitle("Which encoding learns it first? · Ropewalk");
  await page.locator("#train-page .guide-step").last().click();
  await expect(page).toHaveURL(/\/train\/#train\?/);
  await page.goBack();
  await expect(page).toHaveURL(/\/train\/$/);
  await page.goBack();
  await expect(page).toHaveURL(/\/rotate\/$/);
  await expect(page.getByRole("heading", { name: "Rotate a query and a key" })).toBeVisible();
  await page.getByRole("link", { name: "Ropewalk", exact: true }).click();
  await expect(page).toHaveURL(/41\d+\/$|:\d+\/$/);
  expect(await page.evaluate(() => "same" in window)).toBe(true);
});

test("a page’s address opens it, with its state, and so do addresses of old, which become it", async ({ page }) => {
  for (const address of ["rotate/#rotate?m=33", "#rotate?m=33", "index.html#rotate?m=33", "speed/#rotate?m=33"]) {
    await page.goto("about:blank");
    await openPage(page, "rotate", address);
    await expect(page.getByRole("spinbutton", { name: "query position m" })).toHaveValue("33");
    await expect(page).toHaveURL(/[^d]\/rotate\/#rotate\?m=33$/);
  }
});

test("the skip link of a page in a folder stays there, and files of the site are found from it", async ({ page }) => {
  await openPage(page, "search", "search/");
  await page.locator("a.skip").focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/search\/$/);
  await expect(page.locator("#main-content")).toBeFocused();
  await page.getByRole("link", { name: "Docs", exact: true }).click();
  await expect(page).toHaveURL(/\/docs\/index\.html$/);
});

test("a link in another tab, or with a key, is the browser’s own", async ({ page, context }) => {
  await openPage(page, "rotate", "rotate/");
  const other = context.waitForEvent("page");
  await page.locator("#train-tab").click({ modifiers: ["ControlOrMeta"] });
  await expect(await other).toHaveURL(/\/train\/$/);
  await expect(page).toHaveURL(/\/rotate\/$/);
});

/** The file of a page in the built site. */
const documentOf = (name: string) => readFileSync(`dist-site/${pathOf(name)}index.html`, "utf8");

for (const name of pageNames) {
  test(`${name}: a shared link says what it is, with a picture`, async ({ page }) => {
    await page.goto(pathOf(name));
    const html = documentOf(name);
    const meta = (key: string) =>
      new RegExp(`<meta (?:name|property)="${key}" content="([^"]*)"`).exec(html)?.[1] ?? "";
    expect(html.match(/<title>/g)).toHaveLength(1);
    expect(meta("description").length).toBeGreaterThan(60);
    expect(meta("description").length).toBeLessThanOrEqual(220);
    expect(meta("description")).not.toMatch(/[\\<]|&amp;\w+;/);
    expect(meta("og:description")).toBe(meta("description"));
    expect(html).toContain(`<title>${meta("og:title")} · Ropewalk</title>`);
    expect(html).toContain(`<link rel="canonical" href="${pathOf(name)}" />`);
    const picture = readFileSync(`dist-site/${meta("og:image")}`);
    const frame = picture.indexOf(Buffer.from([0xff, 0xc0]));
    expect([picture.readUInt16BE(frame + 7), picture.readUInt16BE(frame + 5)]).toEqual([1200, 630]);
    expect(picture.length).toBeLessThan(60_000);
  });
}

test("pages differ in what they say of themselves, and the site map names them all", () => {
  const titles = pageNames.map((name) => /<title>(.*?)<\/title>/.exec(documentOf(name))![1]);
  const descriptions = pageNames.map((name) => /name="description" content="(.*?)"/.exec(documentOf(name))![1]);
  expect(new Set(titles).size).toBe(pageNames.length);
  expect(new Set(descriptions).size).toBe(pageNames.length);
  const map = readFileSync("dist-site/sitemap.xml", "utf8");
  for (const name of pageNames) expect(map).toContain(`<loc>${pathOf(name)}</loc>`);
});

test("where the site will stand is in its canonical addresses, pictures and site map", async () => {
  const { addresses } = await import("../../web/plugins/addresses.js");
  const site = "https://example.org/ropewalk/";
  const emitted = new Map<string, string>();
  const emitFile = ({ fileName, source }: { fileName: string; source: string }) => emitted.set(fileName, source);
  // As web/plugins/prose.ts makes it.
  const page = (name: string) =>
    `<!-- page ${name} --><h2>About ${name}</h2><p>It is the page ${name}.</p><!-- /page -->`;
  const index = {
    type: "asset",
    source: `<base href="./" /><!-- head --><a href="#main-content"></a><main>${pageNames.map(page).join("")}</main>`,
  };
  const plugin = addresses(site) as unknown as {
    generateBundle: { handler(this: object, options: object, bundle: object): void };
  };
  plugin.generateBundle.handler.call({ emitFile }, {}, { "index.html": index });
  expect(index.source).toContain(`<link rel="canonical" href="${site}" />`);
  const rotate = emitted.get("rotate/index.html")!;
  expect(rotate).toContain(`<link rel="canonical" href="${site}rotate/" />`);
  expect(rotate).toContain(`content="${site}previews/rotate.jpg"`);
  expect(rotate).toContain('<base href="../" />');
  expect(emitted.get("sitemap.xml")).toContain(`<loc>${site}rotate/</loc>`);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });
  test("a page’s address shows the text of that page alone, and its links lead to the others", async ({ page }) => {
    await page.goto("./frequencies/");
    await expect(page.locator("main h2")).toHaveText(["Frequencies, and the rules that change them"]);
    const current = page.locator(".site-nav [aria-current]").filter({ visible: true });
    await expect(current).toHaveText(["Lab", "Frequencies"]);
    await expect(page.locator(".views").filter({ visible: true })).toHaveCount(1);
    await page.getByRole("link", { name: "Rotate", exact: true }).click();
    await expect(page).toHaveURL(/\/rotate\/$/);
    await expect(page.locator("main h2")).toHaveText(["Rotate a query and a key"]);
  });
});

test("past the header the keyboard is on the page at once", async ({ page }) => {
  await openRotate(page, "rotate/");
  await page.keyboard.press("Tab");
  await expect(page.locator("a.skip")).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.closest(".page")?.id)).toBe("rotate-page");
});

test("five tabs, and the pages of the one that is shown in a row that has its name", async ({ page }) => {
  await openPage(page, "story", "");
  const pages = page.getByRole("navigation", { name: "Pages" });
  const current = pages.locator("[aria-current]").filter({ visible: true });
  const tabs = ["Story", "Lab", "Models", "Doctor", "Docs"];
  await expect(pages.getByRole("link")).toHaveText(tabs);
  const rows = {
    Lab: ["Rotate", "Encodings", "Frequencies", "Distance", "Receptive field", "Train", "Long context"],
    Models: ["RoFormer", "Generate", "Search", "Proteins"],
  };
  for (const [tab, names] of Object.entries(rows)) {
    await pages.getByRole("link", { name: tab, exact: true }).click();
    await expect(pages.getByRole("group", { name: tab }).getByRole("link")).toHaveText(names);
    await expect(pages.getByRole("link")).toHaveText([...tabs, ...names]);
    for (const name of names) {
      await pages.getByRole("link", { name, exact: true }).click();
      await expect(current).toHaveText([tab, name]);
    }
  }
  await pages.getByRole("link", { name: "Doctor", exact: true }).click();
  await expect(page).toHaveURL(/\/doctor\/$/);
  await expect(current).toHaveText(["Doctor"]);
  await expect(pages.getByRole("link")).toHaveText(tabs);
  await pages.getByRole("link", { name: "Docs", exact: true }).click();
  await expect(page).toHaveURL(/\/docs\/index\.html$/);
  await page.getByRole("link", { name: "Speed", exact: true }).click();
  await expect(page).toHaveURL(/\/speed\//);
  await expect(current).toHaveText(["Docs", "Speed"]);
});

test("the foot of the page has the version, and, once published, ways to the source and to report a fault", async ({
  page,
}) => {
  const { version } = readJson<{ version: string }>("package.json");
  await openRotate(page, "rotate/");
  await expect(page.getByRole("contentinfo")).toContainText(`Ropewalk ${version}`);
  const { pageProse } = await import("../../web/plugins/prose.js");
  const made = (repository?: string) => {
    const plugin = pageProse("web/pages", "docs/guide.md", version, repository) as unknown as {
      transformIndexHtml: { handler(html: string): string };
    };
    return plugin.transformIndexHtml.handler(readFileSync("web/index.html", "utf8"));
  };
  expect(made("https://example.org/rope")).toContain(
    '<a href="https://example.org/rope/issues/new" rel="noreferrer">Report a fault</a>',
  );
  expect(made()).not.toContain("Report a fault");
});
