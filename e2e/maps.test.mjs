// /proc/PID/maps and smaps on the page: the kernel's lines, what differs, what is chosen, what is copied.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible } from "./axe.mjs";
import { useSite } from "./browser.mjs";

const site = useSite();

const pane = (page) => page.locator(".maps");
const lines = (page) => pane(page).locator(".line");
// As it is heard: without the sign.
const told = (page) =>
  lines(page).evaluateAll((all) => all.map((one) => [...one.children].filter((part) => part.ariaHidden !== "true").map((part) => part.textContent).join("")));

async function open(t, options) {
  const page = await site.open(t, "/", options);
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await page.getByRole("button", { name: "maps", exact: true }).click();
  await lines(page).first().waitFor();
  return page;
}

test("lines that all lanes have stand once, others say whose they are and what differs", async (t) => {
  const page = await open(t);
  const all = await told(page);
  assert.equal(all[0].slice(0, 30), "ABC 555555554000-555555555000 ");
  assert.ok(all.includes("B new: 7ffff7200000-7ffff7686000 rw-p 00000000 00:00 0 "));
  assert.ok(all.includes("AC gone: 7ffff794a000-7ffff7dd3000 rw-p 00000000 00:00 0 "));
  const differs = await pane(page).locator(".line mark").evaluateAll((all) => all.map((one) => one.textContent));
  assert.ok(differs.includes("7ffff7200000-") && !differs.includes("rw-p"));
  const size = pane(page).locator(".smaps tr", { hasText: "Size" }).first();
  assert.deepEqual(await size.locator("mark").allTextContents(), ["9276 kB", "4632 kB", "9276 kB"]);
});

test("a line is chosen by pointer and by key, in the strip as well", async (t) => {
  const page = await open(t);
  await lines(page).filter({ hasText: "libc.so.6" }).first().click();
  await page.locator(".space [data-item][aria-pressed=true]").waitFor({ state: "attached" });
  const chosen = pane(page).locator('.line[aria-selected="true"]');
  assert.match(await chosen.textContent(), /7ffff7dd3000-7ffff7df9000 r--p/);
  await chosen.focus();
  await page.keyboard.press("ArrowDown");
  await pane(page).locator('.line[aria-selected="true"]', { hasText: "7ffff7df9000" }).waitFor();
  assert.match(await page.locator(".space [data-item][aria-pressed=true]").getAttribute("aria-label"), /libc\.so\.6/);
});

test("maps and smaps of a lane are copied whole", async (t) => {
  const page = await open(t);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await pane(page).getByRole("button", { name: "maps of B", exact: true }).click();
  await pane(page).getByText("Copied.").waitFor();
  const maps = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(maps.split("\n").length, 25);
  assert.ok(maps.includes("\n7ffff7200000-7ffff7686000 rw-p 00000000 00:00 0 \n"));
  await pane(page).getByRole("button", { name: "smaps of A", exact: true }).click();
  await page.waitForFunction(() => navigator.clipboard.readText().then((text) => text.includes("VmFlags:")));
});

test("where the browser does not let the page copy, the text is there to be copied by hand", async (t) => {
  const page = await open(t, { init: () => Object.defineProperty(navigator, "clipboard", { value: undefined }) });
  await pane(page).getByRole("button", { name: "maps of A", exact: true }).click();
  assert.match(await pane(page).locator(".by-hand textarea").inputValue(), /^555555554000-555555555000 r--p/);
});

test("65 531 mappings are turned page by page", async (t) => {
  const page = await site.open(t);
  let text = "mmscope 1\nkernels 6.6\na = mmap(NULL, 1073741824, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n";
  for (let index = 0; index < 32765; index += 1) {
    text += `mprotect(a+${index * 8192 + 4096}, 4096, PROT_READ)\n`;
  }
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
  await page.getByText("Call 1 of 32\u202f766", { exact: true }).waitFor();
  await page.locator(".mmscope").press("End");
  await page.getByText("Call 32\u202f766 of 32\u202f766", { exact: true }).waitFor();
  await page.getByRole("button", { name: "maps", exact: true }).click();
  await lines(page).first().waitFor();
  assert.ok((await lines(page).count()) <= 300);
  assert.ok((await told(page)).some((line) => line.includes("new: ")), "the line of the call is there");
  const first = await lines(page).first().textContent();
  await pane(page).getByRole("button", { name: "Lines before" }).click();
  await page.waitForFunction((first) => document.querySelector(".maps .line").textContent !== first, first);
});

for (const [name, options] of [
  ["light", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
  ["dark phone", { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  test(`axe finds nothing in maps, and nothing sticks out: ${name}`, async (t) => {
    const page = await open(t, options);
    await assertAccessible(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), "no sideways scrolling");
  });
}
