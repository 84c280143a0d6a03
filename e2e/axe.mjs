// Accessibility by axe-core. Its source is evaluated by the debugger, which no content security policy hinders.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const source = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// Fails with a readable list if axe finds anything in the page, or in the part that `options.include` selects.
export async function assertAccessible(page, { include, rules = {} } = {}) {
  await page.evaluate(source);
  const { violations } = await page.evaluate(
    ([context, rules]) => window.axe.run(context ?? document, { resultTypes: ["violations"], rules }),
    [include, rules],
  );
  const found = violations.map(({ id, impact, help, nodes }) => ({
    rule: `${id} (${impact}): ${help}`,
    nodes: nodes.map(({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary.replace(/\s+/g, " ")}`),
  }));
  assert.deepEqual(found, [], "what axe found");
}
