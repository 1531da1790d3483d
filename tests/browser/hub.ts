import type { Page } from "@playwright/test";

export interface Hub {
  /** Addresses that the page asked for, in order. */
  readonly asked: readonly string[];
  /** Lets the files come that were held back. */
  release(): void;
}

/** Answers in the hub's place, by the names of the files. The one named `held` waits until it is released. */
export async function standInForHub(
  page: Page,
  files: Readonly<Record<string, string | Buffer>>,
  held?: string,
): Promise<Hub> {
  const asked: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/^https:/, async (route) => {
    const { href, pathname } = new URL(route.request().url());
    asked.push(href);
    const name = pathname.split("/").at(-1)!;
    if (name === held) await released;
    const body = files[name];
    // The page may have hung up meanwhile.
    await route
      .fulfill({ status: body ? 200 : 404, body: body ?? "", headers: { "access-control-allow-origin": "*" } })
      .catch(() => {});
  });
  return { asked, release };
}
