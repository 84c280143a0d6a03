// Walks through the mappings of the lanes on the page: counts, sets, access by access, other TLBs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible } from "./axe.mjs";
import { useSite } from "./browser.mjs";

const site = useSite();

const program = (walk, thp = "never") => `mmscope 1
kernels 6.6 6.7 6.12
set thp ${thp}
set mmap_base 0x7effffe49000
tlb ivybridge_ep
walk ${walk}
repeat 20 {
  a = mmap(NULL, 4632k, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)
}
`;
const LOCKSTEP = "lockstep n=200000 size=4632k stride=8";

const pane = (page) => page.locator(".tlb");
const row = (page, name) => pane(page).locator(".tlb-counts tr", { has: page.getByRole("rowheader", { name, exact: true }) }).locator("td");
const items = (page) => pane(page).locator("[data-item]");

// Numbers with their thin spaces taken out.
const numbers = async (page, name) => (await row(page, name).allTextContents()).map((text) => text.replaceAll("\u202f", ""));

async function open(t, text = program(LOCKSTEP), options) {
  const page = await site.open(t, "/", options);
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
  await page.getByText("Call 1 of 20", { exact: true }).waitFor();
  await page.locator(".mmscope").press("End");
  await page.getByRole("button", { name: "TLB", exact: true }).click();
  await pane(page).locator("svg.figure").waitFor();
  return page;
}

// Asserts something that is drawn a moment later.
async function eventually(check) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await check();
    } catch (error) {
      if (tries === 100) {
        throw error;
      }
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

test("the walk of each lane is counted, and another index makes the difference vanish", async (t) => {
  const page = await open(t);
  await eventually(async () => assert.deepEqual(await numbers(page, "page walks"), ["400", "200000", "400"]));
  assert.deepEqual(await numbers(page, "walks per 1000 accesses"), ["2.000", "1000.000", "2.000"]);
  await pane(page).getByLabel("L2 index").selectOption("xor");
  await pane(page).getByLabel("L2 ways").selectOption("12");
  await eventually(async () => assert.deepEqual(await numbers(page, "page walks"), ["400", "400", "400"]));
  assert.equal(await pane(page).getByLabel("Geometry").inputValue(), "4K:16x4:plru,2M:8x4:plru/4K:128x12:xor7:lru/32-4-2");
  await pane(page).getByRole("button", { name: "As the program has it" }).click();
  await eventually(async () => assert.deepEqual(await numbers(page, "page walks"), ["400", "200000", "400"]));
  await pane(page).locator(".picker").first().selectOption("skylake");
  await eventually(async () => assert.deepEqual(await numbers(page, "page walks"), ["400", "400", "400"]));
});

test("the table of the specification, in the browser", async (t) => {
  // Stencil over 84³ doubles, every eighth row and column; teaching configurations under LRU; merged, aligned, merged.
  const page = await open(t, program("stencil k=2..82:8 j=2..82 i=2..82:8"));
  for (const [geometry, merged, aligned] of [
    ["4K:16x4:lru,2M:8x4:lru/4K+2M:128x8:lru/32-4-2", ["1220620", "845120", "14260", "14323"], ["1174860", "0", "905140", "937169"]],
    ["4K:16x4:lru,2M:8x4:lru/4K+2M:128x12:lru/32-4-2", ["1220620", "845540", "13840", "13903"], ["1174860", "0", "905140", "937169"]],
    ["4K:16x4:lru,2M:8x4:lru/4K+2M:128x12:xor7:lru/32-4-2", ["1220620", "845327", "14053", "14116"], ["1174860", "891276", "13864", "14801"]],
    ["4K:16x4:lru,2M:8x4:lru/4K+2M:256x6:xor8:lru/32-4-2", ["1220620", "845320", "14060", "14123"], ["1174860", "890952", "14188", "15131"]],
  ]) {
    const field = pane(page).getByLabel("Geometry");
    await field.fill(geometry);
    await field.press("Enter");
    for (const [index, name] of ["L1 hits", "L2 hits", "page walks", "walk references"].entries()) {
      await eventually(async () => assert.deepEqual(await numbers(page, name), [merged[index], aligned[index], merged[index]], `${geometry}: ${name}`));
    }
  }
});

test("an access at a time, forward and back, in words", async (t) => {
  const page = await open(t);
  await pane(page).getByRole("button", { name: "Before the first access" }).click();
  await pane(page).getByText("Access 0 of 200\u202f000", { exact: true }).waitFor();
  await pane(page).getByRole("button", { name: "One access on" }).click();
  await pane(page).getByText("Stream 0 uses 0x7effff9c3000, in a 4K page.").first().waitFor();
  await pane(page).getByText("A page walk, from the top: 4 entries read.").first().waitFor();
  await pane(page).getByRole("button", { name: "One access on" }).click();
  await pane(page).getByText("Stream 1 uses 0x7effff53d000, in a 4K page.").first().waitFor();
  await pane(page).getByRole("button", { name: "One access back" }).click();
  await pane(page).getByText("Stream 0 uses 0x7effff9c3000, in a 4K page.").first().waitFor();
  await page.waitForTimeout(450);
  const again = await site.open(t, `/${new URL(page.url()).hash}`);
  await pane(again).getByText("Stream 0 uses 0x7effff9c3000, in a 4K page.").first().waitFor();
});

test("a set is chosen, and a chosen mapping lights its sets", async (t) => {
  const page = await open(t);
  const before = await pane(page).locator("svg path.pmd-flag").count();
  await items(page).evaluateAll((all) => all.find((one) => /^L2 4K set 0: .*evictions/.test(one.getAttribute("aria-label"))).focus());
  await page.keyboard.press("Enter");
  await pane(page).locator("svg rect.selected").waitFor();
  await page.keyboard.press("Enter");
  await pane(page).locator("svg rect.selected").waitFor({ state: "detached" });
  await page.locator(".space [data-item]").evaluateAll((all) => all.find((one) => /^B: .*4632 kB/.test(one.getAttribute("aria-label"))).focus());
  await page.keyboard.press("Enter");
  await eventually(async () => assert.ok((await pane(page).locator("svg path.pmd-flag").count()) > before));
});

test("a geometry that can't be built is told of, kept, and mended", async (t) => {
  const page = await open(t);
  const field = pane(page).getByLabel("Geometry");
  await field.fill("4K:16x4:plru/4K:100x4:lru/32-4-2");
  await field.press("Enter");
  await pane(page).getByRole("alert").getByText("This TLB can't be built").waitFor();
  assert.equal(await field.inputValue(), "4K:16x4:plru/4K:100x4:lru/32-4-2");
  await assertAccessible(page);
  await field.fill("4K:16x4:plru/4K:128x4:lru/32-4-2");
  await field.press("Enter");
  await pane(page).getByRole("alert").waitFor({ state: "detached" });
});

test("66 million accesses leave the page alive, and can be left", async (t) => {
  const page = await open(t, program("stencil k=2..82 j=2..82 i=2..82 taps=0.0.0,1.0.0,-1.0.0,0.1.0,0.-1.0,0.0.1,0.0.-1"));
  await page.evaluate(() => {
    window.frames_drawn = 0;
    const count = () => {
      window.frames_drawn += 1;
      requestAnimationFrame(count);
    };
    count();
  });
  await pane(page).getByRole("button", { name: "Before the first access" }).click();
  await pane(page).getByRole("button", { name: "All accesses" }).click();
  await eventually(async () => assert.ok((await page.evaluate(() => window.frames_drawn)) > 10, "frames are drawn while it runs"));
  await page.locator(".mmscope").press("1");
  await page.locator(".why").waitFor();
});

test("without a walk of its own a program gets one that says so, and before any mapping there is none", async (t) => {
  const page = await open(t, program(LOCKSTEP).replace(/walk .*\n/, ""));
  await pane(page).getByText("The program has no walk; this one is ours.").waitFor();
  await page.locator(".mmscope").press("Home");
  await pane(page).getByText("Nothing to walk through yet").first().waitFor();
});

for (const [name, options] of [
  ["light", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
  ["dark phone", { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  test(`axe finds nothing in the TLBs, and nothing sticks out: ${name}`, async (t) => {
    const page = await open(t, program(LOCKSTEP), options);
    await pane(page).getByRole("button", { name: "Table", exact: true }).click();
    await assertAccessible(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), "no sideways scrolling");
  });
}
