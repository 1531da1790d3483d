import type { Page } from "@playwright/test";
import { brokenConfig, type ChosenFile, config, cutWeights, vocab, weights } from "./checkpoint-files.js";
import { expect, fact, maskedSentence, openChooser, openRoformer, test, textOf } from "./site.js";

async function drop(page: Page, files: readonly ChosenFile[]): Promise<void> {
  const transfer = await page.evaluateHandle(
    (given) => {
      const data = new DataTransfer();
      for (const { name, base64 } of given) {
        data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
      }
      return data;
    },
    files.map(({ name, buffer }) => ({ name, base64: buffer.toString("base64") })),
  );
  await page.dispatchEvent("body", "dragover", { dataTransfer: transfer });
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

test("a chosen checkpoint answers, and the shipped one comes back", async ({ page }) => {
  await openRoformer(page);
  const input = await openChooser(page, "roformer");
  const shipped = await textOf(fact(page, "parameters"));
  await input.setInputFiles([config, weights, vocab]);
  await expect(fact(page, "layers × heads")).toHaveText("2 × 4");
  await expect(page.getByRole("radio", { name: /^Layer/ })).toHaveCount(8);
  await expect(page.locator(".fill li")).toHaveCount(8);
  await page.getByRole("button", { name: "Back to the shipped model" }).click();
  await expect(fact(page, "parameters")).toHaveText(shipped);
});

test("a dropped checkpoint may come file by file", async ({ page }) => {
  await openRoformer(page);
  await drop(page, [config]);
  await expect(page.locator(".parts li[data-here]")).toHaveCount(1);
  await drop(page, [vocab, weights]);
  await expect(fact(page, "layers × heads")).toHaveText("2 × 4");
  await expect(page.locator(".parts li[data-here]")).toHaveCount(0);
});

test("a bad checkpoint is told in the library’s words, and the model before it still answers", async ({ page }) => {
  await openRoformer(page);
  const input = await openChooser(page, "roformer");
  const before = await textOf(fact(page, "parameters"));
  await input.setInputFiles([config, cutWeights, vocab]);
  await expect(page.getByRole("alert")).toContainText(/allowed:|safetensors/);
  await expect(fact(page, "parameters")).toHaveText(before);
  await maskedSentence(page).fill("the sailor gave the [MASK] to the captain");
  await expect(page.locator(".fill h4")).toContainText("to the");
  await expect(page.locator(".fill li")).toHaveCount(8);
  // The sound file takes the place of the broken one.
  await input.setInputFiles([weights]);
  await expect(fact(page, "layers × heads")).toHaveText("2 × 4");
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("a config.json that is not JSON, and a file that is no part of a checkpoint, are named", async ({ page }) => {
  await openRoformer(page);
  const input = await openChooser(page, "roformer");
  await input.setInputFiles([brokenConfig, weights, vocab]);
  await expect(page.getByRole("alert")).toContainText("config.json");
  await input.setInputFiles([{ name: "notes.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF") }]);
  await expect(page.getByRole("alert").filter({ hasText: "notes.pdf" })).toContainText("not part of a model");
});

test("a broken config.json is named at once, and without a tokenizer the model takes ids", async ({ page }) => {
  await openRoformer(page);
  const input = await openChooser(page, "roformer");
  await input.setInputFiles([brokenConfig]);
  await expect(page.getByRole("alert")).toContainText("config.json");
  await expect(page.locator(".parts li[data-here]")).toHaveCount(0);
  await input.setInputFiles([config, weights]);
  await page.getByRole("button", { name: "Open without a tokenizer" }).click();
  await expect(fact(page, "layers × heads")).toHaveText("2 × 4");
  await expect(fact(page, "vocabulary")).toHaveText("97 tokens, no tokenizer");
  await page.getByLabel("Type token ids with spaces between them", { exact: true }).fill("2 5 7 11 3");
  await expect(page.locator(".map-rows span")).toHaveText(["2", "5", "7", "11", "3"]);
  await page.getByLabel("Type token ids with spaces between them", { exact: true }).fill("2 five 3");
  await expect(page.getByRole("alert").filter({ hasText: "“five” is none" })).toBeVisible();
});

test("a config.json of another family leads to its look, and files that are no tokenizer are refused", async ({
  page,
}) => {
  await openRoformer(page);
  const input = await openChooser(page, "roformer");
  const llama = Buffer.from(
    JSON.stringify({ model_type: "llama", hidden_size: 64, architectures: ["LlamaForCausalLM"] }),
  );
  await input.setInputFiles([{ name: "config.json", mimeType: "application/json", buffer: llama }]);
  await expect(page.getByText("Its model_type is “llama”, of which RoFormer shows nothing.")).toContainText("Generate");
  await page.getByRole("button", { name: "Forget these" }).click();
  await expect(page.locator(".parts li")).toHaveCount(0);
  await input.setInputFiles([{ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("buy milk") }]);
  await expect(page.getByRole("alert")).toContainText("notes.txt: it has no line [UNK]");
  await expect(page.locator(".parts li[data-here]")).toHaveCount(0);
});

test("a tokenizer of another size is named", async ({ page }) => {
  await openRoformer(page);
  const input = await openChooser(page, "roformer");
  const short = { ...vocab, buffer: Buffer.from(`${vocab.buffer.toString().split("\n").slice(0, 31).join("\n")}\n`) };
  await input.setInputFiles([config, weights, short]);
  await expect(fact(page, "vocabulary")).toHaveText("97 tokens; the tokenizer has 31");
});

test("reading can be cancelled, and begun again", async ({ page }) => {
  let letThrough = false;
  await page.route("**/model.safetensors", (route) => (letThrough ? route.continue() : undefined));
  await page.goto("./#roformer");
  // The answer that is recorded stands until another question is asked.
  await expect(page.locator(".fill li")).toHaveCount(8);
  await expect(page.getByRole("button", { name: "Cancel" })).toHaveCount(0);
  const text = maskedSentence(page);
  await text.fill("the sailor gave the [MASK] to the captain");
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("alert")).toContainText("was cancelled");
  letThrough = true;
  await page.getByRole("button", { name: "Read the shipped model" }).click();
  await expect(page.locator(".fill li")).toHaveCount(8);
  await expect(page.getByRole("alert")).toHaveCount(0);
});
