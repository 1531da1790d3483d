import { load } from "ropewalk";
import { encodingNames } from "../../web/pages/encodings/kinds.js";
import { modelOf } from "../../web/pages/encodings/models.js";
import { curveOf, placesOf, viewOf } from "../../web/pages/encodings/views.js";
import { cellsOf, expect, openEncodings, readNumber, test, textOf, textsOf } from "./site.js";

const ropewalk = await load();
const large = "#encodings-value";

test("every map holds the scores of the library’s models", async ({ page }) => {
  await openEncodings(page, "#encodings?words=one+two+three+two+one&head=1&seed=5&view=stretched&show=scores");
  const figure = page.getByRole("figure", { name: "Twelve maps of the same words" });
  await figure.getByText("Table and files").click();
  const rows = await cellsOf(figure.locator("tbody tr"));
  expect(rows).toHaveLength(25);
  for (const [column, name] of encodingNames.entries()) {
    const model = await modelOf(ropewalk, name, 5);
    const { scores } = viewOf(model, [1, 2, 3, 2, 1], placesOf("stretched", 5, 0), 1);
    for (const [i, row] of rows.entries()) expect(readNumber(row[column + 2]!)).toBeCloseTo(scores[i]!, 3);
    model.dispose();
  }
});

test("the page opens on what mirrored words change: nothing in two maps, something in the others", async ({ page }) => {
  await openEncodings(page);
  const figure = page.getByRole("figure", { name: "Twelve maps of the same words" });
  await figure.getByText("Table and files").click();
  const rows = await cellsOf(figure.locator("tbody tr"));
  const changed = encodingNames.filter((_, column) => rows.some((row) => readNumber(row[column + 2]!) !== 0));
  expect(encodingNames.filter((name) => !changed.includes(name))).toEqual(["none", "alibi"]);
});

test("the curve is the score of the same two words at every distance", async ({ page }) => {
  await openEncodings(page, "#encodings?words=a+b+a+c&from=1&to=3&encoding=t5&at=-9");
  const model = await modelOf(ropewalk, "t5", 1);
  const curve = curveOf(model, [2, 3], 0);
  const value = page.locator("#encodings-curve-value");
  expect(readNumber(await textOf(value))).toBeCloseTo(curve[31 - 9]!, 3);
  const cursor = page.getByRole("slider", { name: "key position − query position" });
  await cursor.focus();
  await page.keyboard.press("ArrowRight");
  await expect(cursor).toHaveAttribute("aria-valuetext", /^-8: score .* under T5 bias$/);
  expect(readNumber(await textOf(value))).toBeCloseTo(curve[31 - 8]!, 3);
  model.dispose();
});

test("what each can see is what theory says", async ({ page }) => {
  await openEncodings(page);
  const seen = async (name: string) =>
    (await textsOf(page.locator(`[data-encoding="${name}"] td`))).map((text) => /\d/.test(text));
  await expect(page.locator("[data-encoding=rope] td").first()).toHaveText("unchanged");
  // Shifted, mirrored, stretched.
  expect(await seen("none")).toEqual([false, false, false]);
  expect(await seen("sinusoidal")).toEqual([true, true, true]);
  expect(await seen("learned")).toEqual([true, true, true]);
  expect(await seen("transformer-xl")).toEqual([false, true, true]);
  expect(await seen("t5")).toEqual([false, true, true]);
  expect(await seen("alibi")).toEqual([false, false, true]);
  expect(await seen("alibi-asymmetric")).toEqual([false, true, true]);
  for (const name of ["rope", "pope", "rope-plus-plus", "clipped-rope", "distance-bias"])
    expect(await seen(name), name).toEqual([false, true, true]);
});

test("the differences from the sentence as typed are those of its scores", async ({ page }) => {
  await openEncodings(page, "#encodings?words=a+b+c+a&encoding=sinusoidal&view=mirrored&show=change&from=1&to=2");
  const model = await modelOf(ropewalk, "sinusoidal", 1);
  const [typed, mirrored] = (["as-is", "mirrored"] as const).map(
    (view) => viewOf(model, [1, 2, 3, 1], placesOf(view, 4, 0), 0).scores[1 * 4 + 2]!,
  );
  model.dispose();
  await expect(page.getByRole("radio", { name: "difference" })).toBeChecked();
  const shown = async () => readNumber(await textOf(page.locator(large)));
  await expect.poll(shown).toBeCloseTo(mirrored! - typed!, 3);
  await page.getByRole("radio", { name: "as typed" }).check({ force: true });
  await expect.poll(shown).toBe(0);
  await expect(page.getByRole("figure", { name: "Difference of scores under sinusoidal" })).toBeVisible();
});

test("beyond the trained length learned positions end, in the library’s words; the others go on", async ({ page }) => {
  await openEncodings(page, "#encodings?encoding=learned");
  await page.getByRole("button", { name: /^longer than the trained/ }).click();
  await expect(page.locator(".encodings-refused")).toHaveText(
    /^forward: `sequence` is 72; allowed: with `positionEncoding` "learned", at most `maxPositionEmbeddings` = 64$/,
  );
  await expect(page.getByRole("radio", { name: "learned: refused" })).toBeChecked();
  await page.getByRole("radio", { name: "RoPE", exact: true }).click();
  await expect(page.locator(large)).toHaveText(/\d/);
});

test("maps are walked by keyboard, hover previews, a click keeps", async ({ page }) => {
  await openEncodings(page, "#encodings?encoding=none&view=as-is&show=scores");
  const title = page.locator("#encodings-large-title");
  await page.getByRole("radio", { name: "no positions", exact: true }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(title).toHaveText("sinusoidal");
  await page.keyboard.press("End");
  await expect(page.locator("[role=radio].encoding").last()).toBeFocused();
  await page.getByRole("radio", { name: "RoPE", exact: true }).click();
  await page.getByRole("radio", { name: "T5 bias" }).hover();
  await expect(title).toHaveText("T5 bias");
  await page.getByRole("heading", { name: "What each can see" }).hover();
  await expect(title).toHaveText("RoPE");

  const reading = page.locator(".encodings-large .reading");
  const map = page.getByRole("group", { name: /^Scores under RoPE/ });
  await map.focus();
  await page.keyboard.press("ArrowDown");
  await expect(reading).toContainText("query saw (2), key cat (4)");
  await map.click({ position: { x: 3, y: 3 } });
  await expect(reading).toContainText("query the (0), key the (0)");
  await expect(page).toHaveURL(/from=0/);
});

test("a link restores the page", async ({ page }) => {
  await openEncodings(page, "#encodings?view=as-is&show=scores");
  await page.getByRole("textbox", { name: "words" }).fill("left right left");
  await page.getByRole("radio", { name: "attention" }).check({ force: true });
  await page.getByRole("slider", { name: "head" }).fill("3");
  await page.getByRole("button", { name: "Another draw" }).click();
  await expect(page).toHaveURL(/words=left\+right\+left.*seed=2.*head=3.*show=attention/);
  await expect(page.locator(".encodings-large .map-rows span")).toHaveCount(3);
  const model = await modelOf(ropewalk, "rope", 2);
  const { attention } = viewOf(model, [1, 2, 1], [0, 1, 2], 3);
  const shown = async () => readNumber(await textOf(page.locator(large)));
  // The pair of a longer text is pulled into this one: right asks left.
  await expect.poll(shown).toBeCloseTo(attention[5]!, 3);
  await page.reload();
  await expect.poll(shown).toBeCloseTo(attention[5]!, 3);
  await expect(page.getByRole("textbox", { name: "words" })).toHaveValue("left right left");
  model.dispose();
});
