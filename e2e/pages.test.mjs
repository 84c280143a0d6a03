// The page tables on the page: blocks and pages, step by step, linked with the strip.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible } from "./axe.mjs";
import { useSite } from "./browser.mjs";

const site = useSite();

const PROGRAM = `mmscope 1
set thp always
kernels 6.6 6.7 6.18
a = mmap(NULL, 11M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
touch(a, 5M)
madvise(a+1040k, 40k, MADV_DONTNEED)
`;
const pane = (page) => page.locator(".pages");
const names = (root) => root.locator("[data-item]").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
const pressed = (root) => root.locator("[data-item][aria-pressed=true]").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));

async function open(t, options) {
  const page = await site.open(t, "/", options);
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, PROGRAM);
  await page.getByText("Call 1 of 3", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Page tables", exact: true }).click();
  await pane(page).locator("svg").waitFor();
  return page;
}

async function step(page, expected) {
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await page.getByText(expected, { exact: true }).waitFor();
}

test("each block says what it is, and what keeps it from being a huge page", async (t) => {
  const page = await open(t);
  const blocks = async (letter) => (await names(pane(page))).filter((name) => name.startsWith("Block ")).slice(letter * 6, letter * 6 + 6);
  for (const name of await blocks(1)) {
    assert.match(name, /empty\. (A write to it would map a huge page|No huge page, for the mapping ends 1 MiB before it does)\.$/);
  }
  await step(page, "Call 2 of 3");
  await pane(page).getByText("huge page", { exact: true }).first().waitFor();
  assert.match((await blocks(0))[0], /1028 kB lie in the mapping: a page table with 257 pages\. No huge page, for the mapping begins 1020 kB into it\./);
  assert.match((await blocks(1))[0], /huge page\.$/);
  await step(page, "Call 3 of 3");
  await pane(page).locator('[aria-label*="22 written, 10 without a page"]').first().waitFor({ state: "attached" });
});

test("a block that is chosen is chosen in the strip as its mapping, and the other way round", async (t) => {
  const page = await open(t);
  await step(page, "Call 2 of 3");
  await pane(page).locator('[aria-label^="Block 0x7ffff7a00000"]').first().focus();
  await page.keyboard.press("Enter");
  await pane(page).getByText("Block 0x7ffff7a00000: empty.", { exact: true }).first().waitFor();
  assert.match((await pressed(page.locator(".space")))[0], /^A: .*11 MiB/);
  assert.match((await pressed(pane(page)))[0], /^Block 0x7ffff7a00000/);
  await page.locator(".space [data-item]").evaluateAll((all) => all.find((one) => /^A: .*libc/.test(one.getAttribute("aria-label")))?.focus());
  await page.keyboard.press("Enter");
  await page.waitForTimeout(450);
  const hash = new URL(page.url()).hash;
  const again = await site.open(t, `/${hash}`);
  await pane(again).locator("svg").waitFor();
  assert.deepEqual(await names(pane(again)), await names(pane(page)));
});

for (const [name, options] of [
  ["light", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
  ["dark phone", { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  test(`axe finds nothing in the page tables, and nothing sticks out: ${name}`, async (t) => {
    const page = await open(t, options);
    await pane(page).getByRole("button", { name: "Table", exact: true }).click();
    await assertAccessible(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), "no sideways scrolling");
  });
}
