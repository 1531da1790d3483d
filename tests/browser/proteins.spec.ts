import { readFileSync } from "node:fs";
import { load } from "ropewalk";
import { standInForHub } from "./hub.js";
import { axeViolations, csvLines, expect, openChooser, openPage, readNumber, test, textOf, textsOf } from "./site.js";

test.use({ elsewhere: ["https://huggingface.co"] });

const folder = "tests/golden/encoders/esm2";
const lines = ["<cls>", "<pad>", "<eos>", "<unk>", ..."LAGVSERTIDPKQNFYHMWCXBUZO.-", "<null_1>", "<mask>"];
/** A random model of ESM-2's shape, with a contact head. */
const files: Readonly<Record<string, Buffer>> = {
  "config.json": readFileSync(`${folder}/config.json`),
  "model.safetensors": readFileSync(`${folder}/model.safetensors`),
  "vocab.txt": Buffer.from(lines.join("\n")),
};
const chosen = (names = Object.keys(files)) =>
  names.map((name) => ({ name, mimeType: "application/octet-stream", buffer: files[name]! }));

/** The map that the library computes of the same files. */
async function contactsOf(sequence: string): Promise<Float32Array> {
  const ropewalk = await load();
  using model = await ropewalk.encoder(new Map(Object.entries(files)));
  const { inputIds } = model.encode(sequence);
  const { contacts } = model.forward({ inputIds, sequence: inputIds.length }, { contacts: true, logits: false });
  return Float32Array.from(contacts!);
}

test("Proteins: the map of chosen files is the library’s, residue by residue", async ({ page }) => {
  const sequence = "MKTAYIAKQRQ";
  await openPage(page, "proteins", `#proteins?sequence=${sequence}`);
  const input = await openChooser(page, "proteins");
  await input.setInputFiles(chosen());
  await expect(page.getByRole("figure", { name: "Predicted contacts" })).toBeVisible();
  const field = page.locator("#proteins-page .map-field");
  const wanted = await contactsOf(sequence);
  await field.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
  for (let i = 0; i < 8; i++) await page.keyboard.press("ArrowRight");
  const reading = page.locator("#proteins-page .reading");
  await expect(reading).toContainText("A4 and Q9 touch with probability");
  const shown = readNumber(await textOf(reading.locator("strong")));
  expect(shown).toBeCloseTo(wanted[3 * sequence.length + 8]!, 3);
  await expect(page).toHaveURL(/from=3&to=8/);
  const figure = page.getByRole("figure", { name: "Predicted contacts", exact: true });
  await figure.getByText("Table and files").click();
  const found = page.getByRole("region", { name: "Likeliest contacts" }).locator("tbody tr");
  await expect(found).toHaveCount(Math.ceil(sequence.length / 2));
  const rows = await textsOf(found);
  const best = Math.max(
    ...Array.from(wanted).filter((_, at) => (at % sequence.length) - Math.floor(at / sequence.length) >= 6),
  );
  expect(Number(rows[0]!.split("\t").at(-1))).toBeCloseTo(best, 2);
  const csv = await csvLines(figure);
  expect(csv).toHaveLength(sequence.length + 1);
  expect(csv[4]!.split(",").slice(1).map(Number)).toEqual(
    Array.from(wanted.subarray(3 * sequence.length, 4 * sequence.length), (value) => expect.closeTo(value, 5)),
  );
  expect(await axeViolations(page)).toEqual([]);
});

test("Proteins: the model comes from the hub at a click, and nothing is asked before", async ({ page }) => {
  const { asked } = await standInForHub(page, files);
  await openPage(page, "proteins");
  await expect(page.getByText("No protein model is part of this site")).toBeVisible();
  expect(asked).toEqual([]);
  await page.getByRole("button", { name: "Fetch 31.4 MB from huggingface.co" }).click();
  await expect(page.getByText("facebook/esm2_t6_8M_UR50D: ")).toBeVisible();
  await expect(page.locator("#proteins-page .map-rows span").first()).toHaveText("M1");
  expect(asked).toContainEqual(expect.stringContaining("/facebook/esm2_t6_8M_UR50D/resolve/main/model.safetensors"));
  await page.getByRole("button", { name: "crambin (1CRN)" }).click();
  await expect(page.getByText("46 residues, at most 600.")).toBeVisible();
  await expect(page.locator("#proteins-page .map-rows span").first()).toHaveText("T1");
});

test("Proteins: signs that stand for no amino acid are left out and named, before a model is there", async ({
  page,
}) => {
  await openPage(page, "proteins");
  await page.getByLabel("sequence of amino acids").fill(">a header, 2 lines\n12 bjou\nxz\u{1F600}");
  await expect(
    page.getByText("5 residues, at most 600. Left out, since no amino acid is written so: 1 2 J \u{1F600}"),
  ).toBeVisible();
});

test("Proteins: other models and missing files are named", async ({ page }) => {
  await openPage(page, "proteins");
  const input = await openChooser(page, "proteins");
  await input.setInputFiles(chosen(["config.json", "vocab.txt"]));
  await expect(page.locator("#proteins-page .parts")).toContainText("model.safetensorsstill needed");
  const base = "tests/golden/roformer/base";
  await input.setInputFiles([`${base}/config.json`, `${base}/model.safetensors`]);
  await expect(page.getByText("Its model_type is “roformer”, of which Proteins shows nothing.")).toBeVisible();
});

test("Proteins: before a model is there, a drawing says what to look for; the model’s map takes its place", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openPage(page, "proteins", "#proteins?sequence=MKTAYIAKQRQ");
  const input = await openChooser(page, "proteins");
  const drawing = page.getByRole("figure", { name: "Contacts of an invented chain" });
  await expect(drawing).toBeInViewport();
  await expect(drawing.locator(".reading")).toHaveText("14 and 24: two strands that run in opposite directions");
  await drawing.locator(".map-field").focus();
  await page.keyboard.press("ArrowDown");
  await expect(drawing.locator(".reading")).toHaveText("2 and 1: neighbours along the chain");
  await input.setInputFiles(chosen());
  await expect(page.getByRole("figure", { name: "Predicted contacts" })).toBeVisible();
  await expect(drawing).toHaveCount(0);
});
