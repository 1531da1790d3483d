import type { Page } from "@playwright/test";
import { type PageName, pageNames } from "./pages.js";
import { expect, openPage, test } from "./site.js";

interface Dropped {
  readonly name: string;
  readonly text: string;
}

/** Drops a file on the window; false if the page left it to the browser, which would open it. */
function drop(page: Page, file: Dropped): Promise<boolean> {
  return page.evaluate(({ name, text }) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    const event = (type: string) => new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
    const over = !document.body.dispatchEvent(event("dragover"));
    return !document.body.dispatchEvent(event("drop")) && over;
  }, file);
}

const config = JSON.stringify({ hidden_size: 128, num_attention_heads: 4, rope_theta: 10000 });
const models: readonly PageName[] = ["roformer", "generate", "search", "proteins"];

for (const name of pageNames.filter((each) => !models.includes(each))) {
  test(`${name}: a config.json that is dropped is read`, async ({ page }) => {
    await openPage(page, name);
    expect(await drop(page, { name: "config.json", text: config })).toBe(true);
    await expect(page.locator("#doctor-config")).toHaveValue(config);
    await expect(page.locator(".check-verdict")).toContainText("read");
  });
}

for (const name of models) {
  test(`${name}: a picture that is dropped is named, and the page goes on`, async ({ page }) => {
    await openPage(page, name);
    expect(await drop(page, { name: "pic.png", text: "\u0089PNG" })).toBe(true);
    await expect(page.locator(`#${name}-page`).getByRole("alert")).toContainText("pic.png");
    await expect(page.locator(`#${name}-page`).getByRole("alert")).toContainText("model.safetensors");
  });
}

test("a picture is no config.json, and its bytes stay out of the box", async ({ page }) => {
  await openPage(page, "doctor");
  await drop(page, { name: "pic.png", text: "\u0000\u0001PNG" });
  await expect(page.getByRole("alert")).toContainText("pic.png is not a text");
  await expect(page.locator("#doctor-config")).toHaveValue("");
});
