// Draws the pictures in docs/: the first lesson after three calls, at three widths in both themes; beside it, at the desktop's
// width, the maple trees of a call that splits a leaf, and a round of page_test.
//
//   cargo xtask dist && node e2e/screenshots.mjs

import { fileURLToPath } from "node:url";
import { launch, mounted } from "./browser.mjs";
import { serve } from "./server.mjs";

const WIDTHS = {
  desktop: { width: 1440, height: 960 },
  tablet: { width: 1024, height: 1100 },
  phone: { width: 390, height: 844 },
};

const server = await serve();
const browser = await launch();
for (const [name, viewport] of Object.entries(WIDTHS)) {
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(server.url("/"));
    await mounted(page);
    for (const _ of [2, 3]) {
      await page.getByRole("button", { name: "Step", exact: true }).click();
    }
    await page.locator(".mmscope .scrub[data-surveyed]").waitFor();
    const path = fileURLToPath(new URL(`../docs/${name}-${colorScheme}.png`, import.meta.url));
    await page.screenshot({ path });
    await context.close();
  }
}
const { desktop } = WIDTHS;
for (const [name, key, lesson, stops, height] of [
  ["tree", "2", "cactusbssn", 0, 1500],
  ["page_test", "1", "page_test", 3, desktop.height],
]) {
  const viewport = { width: desktop.width, height };
  const context = await browser.newContext({ viewport, colorScheme: "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(server.url("/"));
  await mounted(page);
  await page.getByRole("combobox").first().selectOption(lesson);
  for (let stop = 0; stop < stops; stop += 1) {
    await page.getByRole("button", { name: "Next stop" }).click();
  }
  await page.locator(".mmscope").press(key);
  await page.locator(".mmscope .scrub[data-surveyed]").waitFor();
  await page.screenshot({ path: fileURLToPath(new URL(`../docs/${name}-light.png`, import.meta.url)) });
  await context.close();
}
await browser.close();
await server.close();
