// The maple trees on the page: node for node, step by step, opened and closed, linked with the strip.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible } from "./axe.mjs";
import { useSite } from "./browser.mjs";

const site = useSite();

const step = (page) => page.getByRole("button", { name: "Step", exact: true });
const pane = (page) => page.locator(".tree");
const items = (page) => pane(page).locator("[data-item]");
const names = (page) => items(page).evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
const nodes = async (page) => (await names(page)).filter((name) => /maple_(leaf|arange|range)_64/.test(name));
const texts = (page) => pane(page).locator("svg text").allTextContents();

async function openTree(page) {
  await page.getByRole("button", { name: "Maple tree", exact: true }).click();
  await pane(page).locator("svg").waitFor();
}

// Puts the focus on the first item whose name matches; gives the name.
function focus(page, pattern) {
  return items(page).evaluateAll((all, source) => {
    const item = all.find((one) => new RegExp(source).test(one.getAttribute("aria-label")));
    item.focus();
    return item.getAttribute("aria-label");
  }, pattern.source);
}

// Asserts something that is drawn a moment later.
async function eventually(check) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await check();
    } catch (error) {
      if (tries === 60) {
        throw error;
      }
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

async function settled(page) {
  await page.waitForTimeout(450);
}

// A scenario typed or pasted anywhere on the page.
async function paste(page, text) {
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

test("the trees of the lanes are drawn, with kinds, pivots, gaps and what the call did", async (t) => {
  const page = await site.open(t);
  await openTree(page);
  const all = await texts(page);
  for (const text of ["maple_arange_64", "maple_leaf_64", "7ffff7949fff", "ULONG_MAX", "2 of 10 slots"]) {
    assert.ok(all.includes(text), `${text} among ${all}`);
  }
  // 6.6 and 6.12 move a boundary in the leaf; 6.7 writes the leaf anew for one mapping more.
  const told = await nodes(page);
  const leaf = (lane) => told.find((name) => name.startsWith(`${lane}: `) && name.includes("maple_leaf_64"));
  assert.match(leaf("A"), /changed in place/);
  assert.match(leaf("B"), /new/);
  assert.match(leaf("C"), /changed in place/);
});

test("a mapping chosen in the tree is chosen in the strip, and the other way round", async (t) => {
  const page = await site.open(t);
  await openTree(page);
  const pressed = (root) => page.locator(`${root} [data-item][aria-pressed=true]`).evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  await focus(page, /^A: libc\.so\.6, 1368 kB/);
  await page.keyboard.press("Enter");
  await eventually(async () => {
    assert.match((await pressed(".tree"))[0], /libc\.so\.6, 1368 kB/);
    assert.match((await pressed(".space"))[0], /libc\.so\.6, 1368 kB/);
  });
  await page.locator(".space [data-item]").evaluateAll((all) => {
    all.find((one) => /^B: .*4632 kB/.test(one.getAttribute("aria-label"))).focus();
  });
  await page.keyboard.press("Enter");
  await eventually(async () => assert.match((await pressed(".tree"))[0], /^B: .*4632 kB/));
});

test("the tree is shown half-way through a split: filled, put in, the old one dead", async (t) => {
  const page = await site.open(t);
  await step(page).click();
  await openTree(page);
  await page.getByRole("button", { name: "B", exact: true }).click();
  const seen = [];
  for (let decision = 0; decision < 20; decision += 1) {
    await page.locator(".mmscope").press("Shift+ArrowRight");
    await page.getByText(`${decision + 1} of 21 decisions`).waitFor();
    seen.push({ told: await pane(page).locator(".tree-why").textContent(), nodes: await nodes(page) });
  }
  const at = (pattern) => seen.find(({ told }) => pattern.test(told)) ?? assert.fail(`${pattern} in ${seen.map(({ told }) => told).join("\n")}`);
  assert.ok(at(/wr_split_store.*5 nodes asked for/));
  assert.ok(at(/is filled\. It is not in the tree yet/).nodes.some((name) => /not in the tree/.test(name)), "a node apart");
  assert.ok(at(/is put into the tree/).nodes.some((name) => /new/.test(name)), "a new node");
  assert.ok(at(/out of the tree and dead/).nodes.some((name) => /dead/.test(name)), "a dead node");
});

test("what is opened and closed stands in the link and survives a step", async (t) => {
  const page = await site.open(t);
  await openTree(page);
  await page.getByRole("button", { name: "A", exact: true }).click();
  const before = await nodes(page);
  await focus(page, /level 0/);
  await page.keyboard.press("Enter");
  await pane(page).locator('[aria-label*="level 0"][aria-label*="closed"]').waitFor({ state: "attached" });
  const after = await nodes(page);
  assert.notDeepEqual(after, before);
  assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? ""), /level 0.*closed/, "the focus stays");
  await step(page).click();
  await page.locator(".mmscope").press("ArrowLeft");
  await eventually(async () => assert.deepEqual(await nodes(page), after));
  await settled(page);
  const again = await site.open(t, new URL(page.url()).pathname + new URL(page.url()).hash);
  await eventually(async () => assert.deepEqual(await nodes(again), after));
});

test("keys 1 and 2 change the part that is shown", async (t) => {
  const page = await site.open(t);
  await page.locator(".mmscope").press("2");
  await pane(page).waitFor();
  await page.locator(".mmscope").press("1");
  await page.locator(".why").waitFor();
});

test("6.0 has no maple tree, and says so", async (t) => {
  const page = await site.open(t);
  await openTree(page);
  await page.locator(".chip select").first().selectOption("6.0");
  await eventually(async () => assert.match(await pane(page).textContent(), /red-black tree/));
});

test("a tree of 65 531 mappings is drawn with everything in it counted, and any part opens", async (t) => {
  const page = await site.open(t);
  let text = "mmscope 1\nkernels 6.6\na = mmap(NULL, 1073741824, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n";
  for (let index = 0; index < 32765; index += 1) {
    text += `mprotect(a+${index * 8192 + 4096}, 4096, PROT_READ)\n`;
  }
  text += "mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n";
  await paste(page, text);
  await page.getByText("Call 1 of 32\u202f767", { exact: true }).waitFor();
  await page.locator(".mmscope").press("End");
  await page.getByText("Call 32\u202f767 of 32\u202f767", { exact: true }).waitFor();
  await openTree(page);
  assert.match(await pane(page).locator(".spoken").first().textContent(), /65.531 VMAs/);
  const count = await items(page).count();
  assert.ok(count < 1200, `${count} items`);
  const name = await focus(page, /: node \d+ · .*closed/);
  await page.keyboard.press("Enter");
  const range = /(\w+–\w+)/.exec(name)[1];
  await pane(page).locator(`[data-item][aria-label*="maple_"][aria-label*="${range}"][aria-label*="open"]`).waitFor({ state: "attached" });
});

for (const [name, options] of [
  ["light", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
  ["dark phone", { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  test(`axe finds nothing in the trees, and nothing sticks out: ${name}`, async (t) => {
    const page = await site.open(t, "/", options);
    await openTree(page);
    await pane(page).getByRole("button", { name: "Table", exact: true }).click();
    await assertAccessible(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), "no sideways scrolling");
  });
}
