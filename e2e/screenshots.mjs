// Draws the pictures in docs/: the first lesson after three calls, at three widths in both themes; beside it, at the desktop's
// width, the maple trees of a call that splits a leaf, a round of page_test, page tables with their pages, and maps.
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
const TOUCHED = `mmscope 1
title 5 MiB of 11 MiB are written to
set thp always
kernels 6.6 6.7 6.12
a = mmap(NULL, 11M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
touch(a, 5M)
`;
for (const [name, key, lesson, stops, height] of [
  ["tree", "2", "cactusbssn", 0, 1500],
  ["page_test", "1", "page_test", 3, desktop.height],
  ["pages", "3", TOUCHED, 0, 1080],
  ["maps", "4", "cactusbssn", 0, 1360],
]) {
  const viewport = { width: desktop.width, height };
  const context = await browser.newContext({ viewport, colorScheme: "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(server.url("/"));
  await mounted(page);
  if (lesson === TOUCHED) {
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, TOUCHED);
    await page.getByText("Call 1 of 2", { exact: true }).waitFor();
    await page.locator(".mmscope").press("End");
  } else {
    await page.getByRole("combobox").first().selectOption(lesson);
  }
  for (let stop = 0; stop < stops; stop += 1) {
    await page.getByRole("button", { name: "Next stop" }).click();
  }
  await page.locator(".mmscope").press(key);
  await page.locator({ 1: ".why", 2: ".tree svg", 3: ".pages svg", 4: ".maps .line" }[key]).first().waitFor();
  await page.locator(".mmscope .scrub[data-surveyed]").waitFor();
  await page.screenshot({ path: fileURLToPath(new URL(`../docs/${name}-light.png`, import.meta.url)) });
  await context.close();
}
await browser.close();
await server.close();
