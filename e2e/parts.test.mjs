// The parts of the page that the first lesson does not need: loaded when one is opened, with nothing lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible } from "./axe.mjs";
import { useSite } from "./browser.mjs";

const site = useSite();

const FULL = ["mmscope-full.js", "mmscope-full_bg.wasm"];
const loaded = (page) => page.requests.map((url) => new URL(url).pathname.slice(1)).filter((name) => name.includes("full"));
const tree = (page) => page.getByRole("button", { name: "Maple tree", exact: true });
const step = (page) => page.getByRole("button", { name: "Step", exact: true });
const where = (page) => page.locator(".where").textContent();

test("the first lesson loads none of them, and the first that is opened loads all", async (t) => {
  const page = await site.open(t, "/a/b/");
  await step(page).click();
  assert.deepEqual(loaded(page), []);
  await tree(page).click();
  await page.locator(".tree svg").waitFor();
  assert.deepEqual(loaded(page), FULL.map((name) => `a/b/${name}`));
  assert.equal(await where(page), "Call 2 of 25");
  assert.equal(await page.locator(".mmscope").count(), 1);
  await page.locator(".mmscope").press("1");
  await page.locator(".why").waitFor();
  await page.locator(".mmscope").press("2");
  await page.locator(".tree svg").waitFor();
  assert.equal(loaded(page).length, 2, "once");
});

test("the page goes on while a part is loaded, and the part goes on with it", async (t) => {
  const page = await site.open(t);
  let goOn;
  const gate = new Promise((resolve) => (goOn = resolve));
  await page.route("**/mmscope-full_bg.wasm", (route) => gate.then(() => route.continue()));
  await tree(page).click();
  await page.getByText("Loading this part…").waitFor();
  await step(page).click();
  await page.getByRole("button", { name: /^Open/ }).click();
  const text = page.getByRole("dialog").getByRole("textbox", { name: "Trace, scenario or link" });
  await text.fill("half a thought");
  goOn();
  await page.waitForTimeout(500);
  assert.equal(await text.inputValue(), "half a thought", "an open window is not taken away");
  await page.keyboard.press("Escape");
  await page.locator(".tree svg").waitFor();
  assert.equal(await where(page), "Call 2 of 25");
  await page.getByRole("button", { name: /^Open/ }).click();
  assert.equal(await page.getByRole("dialog").getByRole("textbox", { name: "Trace, scenario or link" }).inputValue(), "half a thought");
});

test("the focus stays where it was, and so does what is looked at", async (t) => {
  const page = await site.open(t, "/", { viewport: { width: 1280, height: 500 } });
  await page.locator(".scrub[data-surveyed]").waitFor();
  await page.waitForTimeout(300);
  await tree(page).scrollIntoViewIfNeeded();
  const top = () => tree(page).evaluate((button) => Math.round(button.getBoundingClientRect().top));
  const before = await top();
  await tree(page).focus();
  await page.keyboard.press("Enter");
  await page.locator(".tree svg").waitFor();
  assert.ok(await tree(page).evaluate((button) => button === document.activeElement), "the button has the focus");
  // The line below the strip that says how to read it makes room for the trees.
  assert.ok(Math.abs(await top() - before) <= 32, `${await top()} after ${before}`);
  await page.locator(".mmscope").press("1");
  await page.locator(".why").waitFor();
  await step(page).focus();
});

test("a link to such a part opens it, and the address bar keeps it", async (t) => {
  const first = await site.open(t);
  await step(first).click();
  await tree(first).click();
  await first.locator(".tree svg").waitFor();
  await first.waitForTimeout(450);
  const link = new URL(first.url()).hash;
  assert.ok(link.startsWith("#v1."));
  const page = await site.open(t, `/${link}`);
  await page.locator(".tree svg").waitFor();
  assert.equal(await where(page), "Call 2 of 25");
  assert.equal(new URL(page.url()).hash, link);
  await page.evaluate(() => (location.hash = ""));
  await page.locator(".why").waitFor();
  assert.equal(await where(page), "Call 1 of 25");
});

for (const part of FULL) {
  test(`the page goes on where ${part} does not load, and opens the part once it does`, async (t) => {
    const page = await site.open(t, "/", { allow: [/full|fetch|console error/] });
    await page.route(`**/${part}*`, (route) => route.abort());
    await tree(page).click();
    await page.getByRole("alert").getByText("did not load").waitFor();
    await page.locator(".why").waitFor();
    await step(page).click();
    assert.equal(await where(page), "Call 2 of 25");
    await assertAccessible(page);
    await page.unroute(`**/${part}*`);
    await tree(page).click();
    await page.locator(".tree svg").waitFor();
    assert.equal(await where(page), "Call 2 of 25");
    await page.getByRole("alert").getByText("did not load").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });
}

test("figures change hands one by one, and each can be taken out of the page", async (t) => {
  const page = await site.open(t);
  await page.evaluate(async () => {
    const { mount } = await import("./mmscope.js");
    window.figures = [0, 1].map((index) => {
      const place = document.body.appendChild(document.createElement("div"));
      place.id = `figure-${index}`;
      return mount(place, {});
    });
  });
  const other = (index) => page.locator(`#figure-${index}`);
  await other(0).getByRole("button", { name: "Maple tree", exact: true }).click();
  await other(0).locator(".tree svg").waitFor();
  await other(1).locator(".why").waitFor();
  await page.locator("#mmscope .why").waitFor();
  await other(1).getByRole("button", { name: "Step", exact: true }).click();
  assert.equal(await other(1).locator(".where").textContent(), "Call 2 of 25");
  assert.equal(await other(0).locator(".where").textContent(), "Call 1 of 25");
  assert.equal(new URL(page.url()).hash, "", "the address bar is not theirs");
  await page.evaluate(() => window.figures.forEach((figure) => figure.destroy()));
  await page.locator("#figure-0 > *").waitFor({ state: "detached" });
  await page.locator("#figure-1 > *").waitFor({ state: "detached" });
  await page.locator("#mmscope .why").waitFor();
});
