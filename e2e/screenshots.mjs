// Draws the pictures in docs/: the first lesson after three calls, at three widths in both themes.
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
await browser.close();
await server.close();
