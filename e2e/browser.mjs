// A real browser for the tests, and pages that hold what they load to the rules: no error on the console, no uncaught
// error, no violation of the content security policy, no failed request, no request to another origin.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { chromium } from "playwright-core";
import { serve } from "./server.mjs";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// Starts the browser that `cargo xtask test` has found (or, by hand, the one that MMSCOPE_CHROMIUM names).
export function launch(options = {}) {
  const executablePath = process.env.MMSCOPE_CHROMIUM || "/usr/bin/chromium";
  return chromium.launch({ executablePath, headless: true, args: FLAGS, ...options });
}

// For the top of a test file: one server and one browser for all its tests. Every test opens pages of its own:
//
//   const site = useSite();
//   test("…", async (t) => { const page = await site.open(t, "/#…"); … });
export function useSite(serverOptions = {}) {
  const site = {
    server: undefined,
    browser: undefined,
    url: (path) => site.server.url(path),
    newPage: (t, options) => newPage(t, site.browser, { origins: [site.server.origin], ...options }),
    // A new page at `path` in which the app has mounted.
    async open(t, path = "/", options = {}) {
      const page = await site.newPage(t, options);
      await page.goto(site.url(path));
      await mounted(page);
      return page;
    },
  };
  before(async () => {
    [site.server, site.browser] = await Promise.all([serve(serverOptions), launch()]);
  });
  after(async () => {
    await site.browser?.close();
    await site.server?.close();
  });
  return site;
}

// A page in a context of its own. When the test ends, what the page did wrong fails it. Options: `origins` that may be
// asked, `init` (a function or source run before any script of the page), `allow` (regular expressions of problems that the
// test expects), and all options of a Playwright context (viewport, colorScheme, reducedMotion, …).
export async function newPage(t, browser, { origins = [], init, allow = [], ...contextOptions } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...contextOptions });
  const problems = [];
  const requests = [];
  const problem = (text) => {
    if (!allow.some((expected) => expected.test(text))) {
      problems.push(text);
    }
  };
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await page.exposeFunction("__mmscopeProblem", problem);
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      window.__mmscopeProblem(
        `content security policy: ${event.effectiveDirective} blocked ${event.blockedURI} (${event.sourceFile}:${event.lineNumber} ${event.sample})`,
      );
    });
  });
  if (init) {
    await page.addInitScript(init);
  }
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      problem(`console ${message.type()}: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => problem(`uncaught: ${error.stack ?? error}`));
  page.on("crash", () => problem("the page crashed"));
  context.on("request", (request) => {
    const url = new URL(request.url());
    requests.push(url.href);
    if (!["data:", "blob:", "about:"].includes(url.protocol) && !origins.includes(url.origin)) {
      problem(`request to another origin: ${url.href}`);
    }
  });
  context.on("requestfailed", (request) => problem(`request failed: ${request.url()} ${request.failure()?.errorText}`));
  context.on("response", (response) => {
    if (response.status() >= 400) {
      problem(`status ${response.status()}: ${response.url()}`);
    }
  });
  t.after(async () => {
    await context.close();
    assert.deepEqual(problems, [], "what the page did wrong");
  });
  return Object.assign(page, { problems, requests });
}

// Waits until the app has taken the place of the loading text.
export async function mounted(page) {
  await page.waitForSelector("#mmscope:not([aria-busy]):not(.boot) .mmscope");
}
