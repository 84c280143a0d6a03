// The page loads wherever it is put, and says what is wrong where it cannot.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assertAccessible } from "./axe.mjs";
import { mounted, useSite } from "./browser.mjs";
import { CSP, serve } from "./server.mjs";

const site = useSite();

for (const path of ["/", "/a/b/", "/index.html", "/a/b/index.html"]) {
  test(`mounts at ${path} under the strict policy, with no request elsewhere`, async (t) => {
    const page = await site.newPage(t);
    const response = await page.goto(site.url(path));
    assert.equal(response.headers()["content-security-policy"], CSP);
    await mounted(page);
    assert.ok(page.requests.length >= 4, "index.html, boot.mjs, mmscope.js and the wasm at least");
    const under = new URL(".", site.url(path)).href;
    assert.deepEqual(page.requests.filter((url) => !url.startsWith(under)), [], `all below ${under}`);
  });
}

test("the first load takes nothing that the size budget leaves out", async (t) => {
  const page = await site.open(t);
  await page.waitForLoadState("networkidle");
  const budget = await readFile(new URL("../www/size-budget.txt", import.meta.url), "utf8");
  const later = [...budget.matchAll(/^later\s+(\S+)/gm)].map(([, entry]) => entry);
  const names = page.requests.map((url) => new URL(url).pathname.slice(1));
  assert.deepEqual(names.filter((name) => later.some((entry) => (entry.endsWith("/") ? name.startsWith(entry) : name === entry))), []);
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing, ${colorScheme}`, async (t) => {
    const page = await site.open(t, "/", { colorScheme });
    await assertAccessible(page);
  });
}

test("mounts where localStorage and sessionStorage are blocked", async (t) => {
  await site.open(t, "/", {
    init: () => {
      for (const name of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException("blocked by the test", "SecurityError");
          },
        });
      }
    },
  });
});

test("says so where the policy forbids WebAssembly", async (t) => {
  const strict = await serve({ csp: CSP.replace(" 'wasm-unsafe-eval'", "") });
  t.after(() => strict.close());
  const page = await site.newPage(t, { origins: [strict.origin], allow: [/wasm|WebAssembly/i] });
  await page.goto(strict.url("/"));
  await page.getByRole("alert").getByText("'wasm-unsafe-eval'").waitFor();
  await assertAccessible(page);
});

test("says so where a part does not load", async (t) => {
  const page = await site.newPage(t, { allow: [/mmscope_bg\.wasm|Failed to load resource|fetch|console error/] });
  await page.route("**/mmscope_bg.wasm", (route) => route.abort());
  await page.goto(site.url("/"));
  await page.getByRole("alert").getByText("did not load").waitFor();
});

test("says so without JavaScript", async (t) => {
  const page = await site.newPage(t, { javaScriptEnabled: false, allow: [/request failed: .*mmscope\.js csp/] });
  await page.goto(site.url("/"));
  // Playwright finds no text in a noscript: by its element, then.
  await page.locator("noscript p").waitFor();
});
