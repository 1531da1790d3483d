import type { Page } from "@playwright/test";
import { load } from "ropewalk";
import { published } from "../../web/model/hub.js";
import { vocab } from "./checkpoint-files.js";
import { type Hub, standInForHub } from "./hub.js";
import { expect, fact, goTo, openChooser, openRoformer, test, textOf } from "./site.js";

test.use({ elsewhere: ["https://huggingface.co"] });

const config = {
  model_type: "roformer",
  architectures: ["RoFormerForMaskedLM"],
  vocab_size: 97,
  embedding_size: 24,
  hidden_size: 16,
  num_hidden_layers: 3,
  num_attention_heads: 1,
  intermediate_size: 32,
  max_position_embeddings: 128,
  type_vocab_size: 2,
  rotary_value: true,
};

/** A checkpoint of the hub's shape: embeddings wider than the model, one head, values rotated, too. */
async function standIn(): Promise<Buffer> {
  const ropewalk = await load();
  using trainer = await ropewalk.trainer({ config, seed: 5 });
  return Buffer.from(trainer.save());
}

async function hub(page: Page, configText = JSON.stringify(config), held?: string): Promise<Hub> {
  const files = { "config.json": configText, "vocab.txt": vocab.buffer, "model.safetensors": await standIn() };
  return standInForHub(page, files, held);
}

const hubModel = published[0]!;
const fetchButton = (page: Page) => page.getByRole("button", { name: "Fetch 18.3 MB from huggingface.co" });

test("a real checkpoint comes from its hub, only after a click that knows its size", async ({ page }) => {
  const { asked } = await hub(page);
  await openRoformer(page);
  await openChooser(page, "roformer");
  await expect(page.getByText("Nothing is asked before you click.")).toBeVisible();
  await expect(fetchButton(page)).toBeVisible();
  expect(asked).toEqual([]);
  await fetchButton(page).click();
  await expect(fact(page, "layers × heads")).toHaveText("3 × 1");
  const at = (revision: string) => `https://huggingface.co/${hubModel.repository}/resolve/${revision}`;
  expect(asked).toContain(`${at("main")}/config.json`);
  expect(asked).toContain(`${at("refs%2Fpr%2F1")}/model.safetensors`);
  await page.getByRole("button", { name: `Ask it: ${hubModel.example}` }).click();
  await expect(page.locator(".fill li")).toHaveCount(8);
  await expect(page.locator(".token-dial")).toHaveCount(8);
  // Search reads the same model, without a second download of its weights.
  await goTo(page, "Models", "Search");
  await expect(page.locator("#search-page .model-choice summary")).toContainText(hubModel.repository);
  expect(asked.filter((address) => address.endsWith(".safetensors"))).toHaveLength(1);
  await expect(page.locator("#search-page .search-result").first()).toBeVisible();
  await goTo(page, "Models", "RoFormer");
  await page.getByRole("button", { name: "Back to the shipped model" }).click();
  await expect(fetchButton(page)).toBeVisible();
  await goTo(page, "Models", "Search");
  await expect(page.locator("#search-page .model-choice summary")).toContainText("The shipped encoder");
});

test("a model that another look gives is fetched there", async ({ page }) => {
  const asked: string[] = [];
  await page.route(/^https:/, (route) => {
    asked.push(route.request().url());
    return route.fulfill({ status: 404, headers: { "access-control-allow-origin": "*" } });
  });
  await openRoformer(page);
  await openChooser(page, "roformer");
  await page.getByRole("button", { name: "Fetch 271.0 MB from huggingface.co for Generate" }).click();
  await expect(page.locator("#generate-page")).toBeVisible();
  await expect(page.locator("#generate-page").getByRole("alert")).toBeVisible();
  expect(asked[0]).toContain("HuggingFaceTB/SmolLM2-135M");
});

test("fetching from the hub shows that it goes on, and can be cancelled and begun again", async ({ page }) => {
  const { release } = await hub(page, undefined, "model.safetensors");
  await openRoformer(page);
  await openChooser(page, "roformer");
  const before = await textOf(fact(page, "parameters"));
  await fetchButton(page).click();
  await expect(page.getByRole("progressbar", { name: /^Reading/ })).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("alert")).toContainText("Reading was cancelled.");
  await expect(fact(page, "parameters")).toHaveText(before);
  release();
  await fetchButton(page).click();
  await expect(fact(page, "layers × heads")).toHaveText("3 × 1");
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("what the hub sends is checked: a broken file is told, and the model before it stays", async ({ page }) => {
  await hub(page, "<html>Please sign in</html>");
  await openRoformer(page);
  await openChooser(page, "roformer");
  const before = await textOf(fact(page, "parameters"));
  await fetchButton(page).click();
  await expect(page.getByRole("alert")).toContainText(/^config\.json: .*JSON/);
  await expect(fact(page, "parameters")).toHaveText(before);
});
