import { type PageName, pageNames } from "./pages.js";
import { drop, expect, openPage, test } from "./site.js";

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
