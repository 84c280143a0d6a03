// What a person does with the page: stepping, keys, kernels, links, traces; and that it stays accessible while they do.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { test } from "node:test";
import { assertAccessible } from "./axe.mjs";
import { mounted, useSite } from "./browser.mjs";

const site = useSite();

// Results of the first three calls in the lanes 6.6 | 6.7 | 6.12.
const ADDRESSES = [
  ["0x7ffff794a000", "0x7ffff7800000", "0x7ffff794a000"],
  ["0x7ffff74c4000", "0x7ffff7200000", "0x7ffff74c4000"],
  ["0x7ffff703e000", "0x7ffff6c00000", "0x7ffff703e000"],
];

const results = (page) => page.locator(".why .result").allTextContents();
const hashes = (page) => page.locator(".why [data-state-hash]").evaluateAll((all) => all.map((one) => one.dataset.stateHash));
const where = (page) => page.locator(".where").textContent();
const step = (page) => page.getByRole("button", { name: "Step", exact: true });

// All that is said and drawn, without what only time brings: the survey of the calls to come.
async function seen(page) {
  await surveyed(page);
  return page.evaluate(() => {
    const root = document.querySelector(".mmscope");
    return { text: root.innerText, pictures: [...root.querySelectorAll("svg.figure")].map((svg) => svg.innerHTML) };
  });
}

async function surveyed(page) {
  await page.locator(".mmscope .scrub[data-surveyed]").waitFor();
  // The tracks are drawn with the answer to the last slice.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

async function settled(page) {
  await page.waitForTimeout(450);
}

test("opens with the cactusBSSN lesson, its first call done, and plays nothing", async (t) => {
  const page = await site.open(t);
  assert.deepEqual(await results(page), ADDRESSES[0]);
  assert.equal(await where(page), "Call 1 of 25");
  assert.deepEqual(await page.locator(".chip select").evaluateAll((all) => all.map((one) => one.value)), ["6.6", "6.7.0", "6.12.0"]);
  await page.waitForTimeout(700);
  assert.equal(await where(page), "Call 1 of 25");
});

test("the three lanes show the addresses, the mappings added and the gaps of three calls", async (t) => {
  const page = await site.open(t);
  for (const [index, expected] of ADDRESSES.entries()) {
    assert.deepEqual(await results(page), expected, `call ${index + 1}`);
    if (index < 2) {
      await step(page).click();
    }
  }
  const since = await page.locator('tr[data-row="vmas"] .since').evaluateAll((all) => all.map((one) => one.textContent));
  assert.deepEqual(since, ["0", "+3", "0"]);
  const items = await page.locator(".space .item").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  const gaps = items.map((name) => /^B: gap of (\d+ kB).*alignment|^B: gap of (\d+ kB).*boundary/.exec(name)).filter(Boolean);
  assert.deepEqual(gaps.map((found) => found[1] ?? found[2]).sort(), ["1320 kB", "1512 kB", "1512 kB"]);
});

// The file that the native test writes and is held to.
const LESSON_STATES = readFileSync(new URL("../crates/lab/tests/data/lesson_states.txt", import.meta.url), "utf8");

for (const line of LESSON_STATES.trim().split("\n")) {
  const [lesson, link, ...expected] = line.split(" ");
  test(`the end of lesson ${lesson} is the same state here as natively`, async (t) => {
    const page = await site.open(t, `/#${link}`);
    assert.deepEqual(await hashes(page), expected);
    await page.getByRole("button", { name: "To the start" }).click();
    assert.notDeepEqual(await hashes(page), expected);
    await page.getByRole("button", { name: "To the end" }).click();
    assert.deepEqual(await hashes(page), expected);
  });
}

test("the state hash of each lane stands in the page, twice", async (t) => {
  const page = await site.open(t);
  const all = await hashes(page);
  assert.equal(all.length, 3);
  assert.match(all[0], /^[0-9a-f]{16}$/);
  assert.equal(all[0], all[2], "6.6 and 6.12 do the same");
  assert.notEqual(all[0], all[1]);
  assert.deepEqual(await page.locator(".foot [data-state-hash]").evaluateAll((found) => found.map((one) => one.dataset.stateHash)), all);
});

test("back and forward give identical pages, and so does the link", async (t) => {
  const page = await site.open(t);
  await step(page).click();
  await step(page).click();
  await page.locator(".mmscope").focus();
  const there = await seen(page);
  for (const key of ["ArrowLeft", "ArrowLeft", "Home", "End", "Shift+ArrowLeft", "Shift+ArrowLeft", "Home", "ArrowRight", "ArrowRight", "ArrowRight"]) {
    await page.keyboard.press(key);
  }
  assert.deepEqual(await seen(page), there, "by keys");
  await settled(page);
  assert.match(page.url(), /#v1\./);
  await page.reload();
  await mounted(page);
  assert.deepEqual(await seen(page), there, "after a reload");
  const other = await site.open(t, new URL(page.url()).hash.replace(/^/, "/"));
  assert.deepEqual(await seen(other), there, "in another window");
});

test("a decision at a time, forward and back", async (t) => {
  const page = await site.open(t);
  await page.locator(".mmscope").focus();
  await page.keyboard.press("Shift+ArrowRight");
  assert.equal(await where(page), "Call 2 of 25");
  assert.match(await page.locator(".micro").textContent(), /^1 of \d+ decisions$/);
  await page.keyboard.press("Shift+ArrowLeft");
  assert.equal(await where(page), "Call 1 of 25");
  await page.getByRole("button", { name: /^All \d+ decisions$/ }).click();
  await page.locator(".column").nth(1).locator(".decision").nth(3).click();
  assert.match(await page.locator(".micro").textContent(), /^4 of \d+ decisions$/);
});

test("keys work only inside the figure, and can be switched off", async (t) => {
  const page = await site.open(t);
  await page.keyboard.press("ArrowRight");
  assert.equal(await where(page), "Call 1 of 25", "nothing has the focus");
  await page.locator(".mmscope").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await where(page), "Call 2 of 25");
  await page.keyboard.press("BracketRight");
  assert.equal(await where(page), "Call 3 of 25");
  await page.keyboard.press("KeyG");
  await page.getByRole("spinbutton", { name: "Go to call" }).fill("17");
  await page.keyboard.press("Enter");
  assert.equal(await where(page), "Call 17 of 25");
  await page.keyboard.press("Shift+Slash");
  await page.getByRole("checkbox", { name: "Single keys do something" }).uncheck();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("ArrowRight");
  assert.equal(await where(page), "Call 17 of 25");
});

test("everything can be reached with Tab, and Tab leaves again", async (t) => {
  const page = await site.open(t);
  const names = [];
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const focused = document.activeElement;
      if (focused === document.body || focused === null) {
        return null;
      }
      return focused.getAttribute("aria-label") ?? focused.textContent;
    });
    if (name === null) {
      break;
    }
    names.push(name);
  }
  assert.ok(names.length < 80, "Tab comes to an end");
  for (const wanted of ["Kernel of lane B", "Single changes of lane C", "Open…", "Link…", "Help", "Next stop", "Zoom in", "Step", "Play", "Call"]) {
    assert.ok(names.includes(wanted), `${wanted} in ${names.join(" | ")}`);
  }
  assert.ok(names.some((name) => /^1mmap/.test(name)), "the current call");
  assert.ok(names.some((name) => /^[ABC]:|folded|lens/i.test(name)), "an item of the picture");
});

test("the items of the picture are walked with up and down, and chosen with Enter", async (t) => {
  const page = await site.open(t);
  await page.locator(".space .item[tabindex='0']").focus();
  const first = await page.locator(".detail").textContent();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await page.locator(".detail").textContent(), first);
  const gap = page.locator(".space .item[aria-label^='B: gap of 1320 kB']");
  while (!(await gap.evaluate((item) => item === document.activeElement))) {
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  assert.equal(await gap.getAttribute("aria-pressed"), "true");
  await settled(page);
  await page.reload();
  await mounted(page);
  assert.equal(await page.locator(".space .item[aria-pressed='true']").getAttribute("aria-label"), await gap.getAttribute("aria-label"));
});

test("a step is spoken once, and the slider has it as its value", async (t) => {
  const page = await site.open(t);
  await step(page).click();
  const status = await page.getByRole("status").filter({ hasText: "mmap" }).textContent();
  assert.match(status, /0x7ffff74c4000/);
  assert.equal(await page.getByRole("slider", { name: "Call" }).getAttribute("aria-valuetext"), status);
});

test("the slider goes anywhere", async (t) => {
  const page = await site.open(t);
  await page.getByRole("slider", { name: "Call" }).fill("12");
  assert.equal(await where(page), "Call 12 of 25");
  assert.equal(await page.locator(".call[aria-current]").getAttribute("data-step"), "12");
});

test("the list of calls leads to a call, and the keys walk in it", async (t) => {
  const page = await site.open(t);
  await page.locator('.call[data-step="4"]').click();
  assert.equal(await where(page), "Call 4 of 25");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await where(page), "Call 6 of 25");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.step), "6");
});

test("another kernel in a lane, and single changes by hand", async (t) => {
  const page = await site.open(t);
  await page.getByRole("combobox", { name: "Kernel of lane A" }).selectOption("6.7.0");
  assert.equal((await results(page))[0], ADDRESSES[0][1]);
  await page.getByRole("button", { name: "Single changes of lane A" }).click();
  await page.getByRole("checkbox", { name: /efa7df3e3bb5/ }).uncheck();
  assert.equal((await results(page))[0], ADDRESSES[0][0]);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".chip").first().locator(".switched").textContent(), "−1");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Single changes of lane A");
  await settled(page);
  await page.reload();
  await mounted(page);
  assert.equal(await page.locator(".column h3").first().textContent(), "6.7.0-efa7df3e3bb5");
  assert.equal((await results(page))[0], ADDRESSES[0][0]);
});

test("a broken link shows the lesson, says so and keeps the text", async (t) => {
  const page = await site.open(t, "/#v1.notalink");
  await page.getByRole("alert").getByText("cut off or was changed").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Link that could not be opened" }).inputValue(), "v1.notalink");
  assert.deepEqual(await results(page), ADDRESSES[0]);
  await step(page).click();
  await settled(page);
  assert.match(page.url(), /#v1\.notalink$/, "not overwritten while the message stands");
  await assertAccessible(page);
  await page.evaluate(() => {
    location.hash = "#v77.AAAA";
  });
  await page.getByRole("alert").getByText("newer mmscope").waitFor();
});

// A link as any mmscope would make it.
const linkOf = (text) => `v1.${deflateRawSync(Buffer.from(text)).toString("base64url")}`;

test("a link with kernels, a lens and colours that are not known says so, shows the rest and stays", async (t) => {
  const link = linkOf("at 2\nkernels 9.9 7.4\nlens nonsense\ntheme pink\nlesson cactusbssn\n");
  const page = await site.open(t, `/#${link}`);
  const alert = page.getByRole("alert");
  for (const word of ["newer mmscope", "9.9", "7.4", "Shown instead: 6.6, 6.7.0, 6.12.0", "nonsense", "pink"]) {
    assert.ok((await alert.textContent()).includes(word), word);
  }
  assert.equal(await page.getByRole("textbox", { name: "Link that could not be opened" }).inputValue(), link);
  assert.equal(await where(page), "Call 2 of 25");
  await settled(page);
  assert.ok(page.url().endsWith(link));
  const many = await site.open(t, `/#${linkOf("kernels 6.6 6.7 6.12 6.18\nlesson cactusbssn\n")}`);
  await many.getByRole("alert").getByText("at most 3").waitFor();
});

test("back to the bare address shows the first lesson where it opens", async (t) => {
  const page = await site.open(t);
  await page.evaluate((link) => {
    location.hash = link;
  }, linkOf("at 7\nlesson cactusbssn\n"));
  await page.getByText("Call 7 of 25", { exact: true }).waitFor();
  await page.goBack();
  await page.getByText("Call 1 of 25", { exact: true }).waitFor();
});

const TRACE = `brk(NULL)                               = 0x555555559000
mmap(NULL, 4743168, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff794a000
write(1, "x", 1)                        = 1
mmap(NULL, 4743168, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff74c4000
+++ exited with 0 +++
`;

const MAPS = `555555554000-555555559000 rw-p 00000000 fe:00 10020671                   /srv/w/bin/cactus
7ffff7dd0000-7ffff7dd3000 rw-p 00000000 00:00 0
7ffff7dd3000-7ffff7fff000 r--p 00000000 fe:00 326279                     /usr/lib/libc.so.6
7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0                          [stack]
`;

// Drops files on the figure, as a person would from a file manager.
async function drop(page, files) {
  const data = await page.evaluateHandle((all) => {
    const transfer = new DataTransfer();
    for (const [name, text] of all) {
      transfer.items.add(new File([text], name, { type: "text/plain" }));
    }
    return transfer;
  }, files);
  await page.locator(".space").dispatchEvent("dragover", { dataTransfer: data });
  await page.locator(".space").dispatchEvent("drop", { dataTransfer: data });
}

test("a trace and its maps, dropped together, are replayed and compared", async (t) => {
  const page = await site.open(t);
  await drop(page, [["maps", MAPS], ["trace.strace", TRACE]]);
  const report = page.getByRole("dialog", { name: "Imported trace" });
  await report.waitFor();
  assert.match(await report.locator(".agreement").textContent(), /A 2 of 2 addresses equal/);
  assert.match(await report.getByRole("group", { name: "Lines that were skipped" }).textContent(), /write\(1/);
  await assertAccessible(page);
  await page.keyboard.press("Escape");
  await page.keyboard.press("End");
  assert.equal(await where(page), "Call 2 of 2", "the figure has the focus once the dialog is closed");
  await page.getByRole("combobox", { name: "Lesson" }).selectOption("cactusbssn");
  assert.deepEqual(await results(page), ADDRESSES[0]);
});

test("the importer is loaded when there is a trace, and the page stays alive while it reads", async (t) => {
  const page = await site.open(t, "/a/b/");
  const loaded = () => page.requests.map((url) => new URL(url).pathname).filter((name) => name.includes("importer"));
  await drop(page, [["mine.txt", "mmscope 1\nkernels 6.6\nbrk(NULL)\n"]]);
  await page.getByText("Call 1 of 1", { exact: true }).waitFor();
  assert.deepEqual(loaded(), [], "a scenario needs none");
  let goOn;
  const gate = new Promise((resolve) => (goOn = resolve));
  await page.route("**/mmscope-importer_bg.wasm", (route) => gate.then(() => route.continue()));
  await drop(page, [["trace.strace", TRACE]]);
  await page.getByRole("status").getByText("Reading…").waitFor();
  await page.locator(".mmscope").focus();
  await page.keyboard.press("Home");
  await page.getByText("Start of 1 call", { exact: true }).waitFor();
  goOn();
  await page.getByRole("dialog", { name: "Imported trace" }).waitFor();
  assert.deepEqual(loaded(), ["/a/b/importer.mjs", "/a/b/mmscope-importer.js", "/a/b/mmscope-importer_bg.wasm"]);
});

for (const part of ["importer.mjs", "mmscope-importer.js", "mmscope-importer_bg.wasm"]) {
  test(`a trace is kept where ${part} does not load, and read once it does`, async (t) => {
    const page = await site.open(t, "/", { allow: [/importer|fetch|console error/] });
    await page.route(`**/${part}`, (route) => route.abort());
    await drop(page, [["maps", MAPS], ["trace.strace", TRACE]]);
    const dialog = page.getByRole("dialog", { name: "Open a trace or a scenario" });
    await dialog.getByRole("alert").getByText("did not load").waitFor();
    assert.equal(await dialog.getByRole("textbox", { name: "Trace, scenario or link" }).inputValue(), TRACE);
    assert.equal(await dialog.getByRole("textbox", { name: "Start layout" }).inputValue(), MAPS);
    await assertAccessible(page);
    await page.unroute(`**/${part}`);
    await dialog.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("dialog", { name: "Imported trace" }).waitFor();
  });
}

test("two figures read traces at the same time", async (t) => {
  const page = await site.open(t);
  await page.evaluate(async () => {
    const { mount } = await import("./mmscope.js");
    const place = document.createElement("div");
    place.id = "one";
    document.body.append(place);
    mount(place, {});
  });
  const figures = ["#mmscope", "#one"];
  await page.evaluate(([names, texts]) => {
    names.forEach((name, index) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([texts[index]], "a.strace", { type: "text/plain" }));
      document.querySelector(`${name} .space`).dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    });
  }, [figures, [TRACE, TRACE + TRACE]]);
  for (const [index, name] of figures.entries()) {
    await page.locator(`${name} .agreement`, { hasText: index ? "2 of 4 addresses" : "1 of 1 address" }).first().waitFor();
  }
});

test("text that is neither is kept, with what is wrong in which line", async (t) => {
  const page = await site.open(t);
  const bad = "mmscope 1\nkernels 6.6\nmmap(NULL, 4096, PROT_REED, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n";
  await drop(page, [["mine.txt", bad]]);
  const dialog = page.getByRole("dialog", { name: "Open a trace or a scenario" });
  await dialog.getByRole("alert").getByText("Line 3").first().waitFor();
  const box = dialog.getByRole("textbox", { name: "Trace, scenario or link" });
  assert.equal(await box.inputValue(), bad);
  await assertAccessible(page);
  await box.fill(bad.replace("REED", "READ"));
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await where(page), "Call 1 of 1");
});

test("what was typed stays through Escape, a link, and a file dropped over it", async (t) => {
  const page = await site.open(t);
  const open = page.getByRole("button", { name: "Open…", exact: true });
  const dialog = page.getByRole("dialog", { name: "Open a trace or a scenario" });
  const box = dialog.getByRole("textbox", { name: "Trace, scenario or link" });
  await open.click();
  await box.fill("my long text");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await open.click();
  assert.equal(await box.inputValue(), "my long text", "after Escape");
  await page.evaluate((link) => {
    location.hash = link;
  }, linkOf("at 7\nlesson cactusbssn\n"));
  await dialog.waitFor({ state: "detached" });
  await open.click();
  assert.equal(await box.inputValue(), "my long text", "after a link");
  await drop(page, [["bad.txt", "what is this"]]);
  await dialog.getByRole("alert").waitFor();
  assert.equal(await box.inputValue(), "what is this");
  await dialog.getByRole("button", { name: "Put back what was here before" }).click();
  assert.equal(await box.inputValue(), "my long text", "put back");
  await assertAccessible(page);
});

test("maps alone are a start without calls", async (t) => {
  const page = await site.open(t);
  await drop(page, [["maps", MAPS]]);
  await page.getByText("Start of 0 calls", { exact: true }).waitFor();
  await page.getByRole("alert").getByText("no call to step through").waitFor();
  assert.ok((await page.locator(".space .item").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")))).some((name) => name.includes("libc.so.6")));
  await assertAccessible(page);
});

test("a program too long for a link says so at once, and is there after a reload", async (t) => {
  const page = await site.open(t);
  const calls = Array.from({ length: 6000 }, (_, index) => `mmap(NULL, ${4096 * (1 + (index % 7))}, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n`);
  await drop(page, [["long.txt", `mmscope 1\nkernels 6.12\n${calls.join("")}`]]);
  await page.getByRole("alert").getByText("too long for a link").waitFor();
  await assertAccessible(page);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as a file" }).click()]);
  assert.match(readFileSync(await download.path(), "utf8"), /^mmscope 1\n/);
  await step(page).click();
  await settled(page);
  await page.reload();
  await mounted(page);
  assert.match(await where(page), /^Call 2 of 6/);
  await page.getByRole("alert").getByText("too long for a link").waitFor();
  const other = await site.open(t, "/#kept");
  await other.getByRole("alert").getByText("another tab").waitFor();
});

test("a text that is too large is refused with words", async (t) => {
  const page = await site.open(t);
  await drop(page, [["huge.txt", "brk(NULL) = 0x1000\n".repeat(1_000_000)]]);
  await page.getByRole("alert").getByText("larger than 16 MB").waitFor();
});

test("the focus stays in the figure when a lane is removed", async (t) => {
  const page = await site.open(t);
  await page.getByRole("button", { name: "Single changes of lane C" }).click();
  await page.getByRole("button", { name: "Remove this lane" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.waitForTimeout(100);
  assert.ok(await page.evaluate(() => document.activeElement.closest(".mmscope") !== null));
});

test("a scenario is pasted anywhere on the page", async (t) => {
  const page = await site.open(t);
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData("text/plain", "mmscope 1\ntitle Two pages\nkernels 6.6 7.3\nmmap(NULL, 8192, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n");
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await page.getByText("Call 1 of 1", { exact: true }).waitFor();
  assert.equal((await results(page)).length, 2);
});

test("colours: as the system, light, dark, and remembered", async (t) => {
  const page = await site.open(t, "/", { colorScheme: "light" });
  const ground = () => page.locator(".mmscope").evaluate((root) => getComputedStyle(root).backgroundColor);
  const light = await ground();
  await page.getByRole("button", { name: "Colours: as the system" }).click();
  await page.getByRole("button", { name: "Colours: light" }).click();
  assert.notEqual(await ground(), light);
  await page.goto(site.url("/"));
  await mounted(page);
  await page.getByRole("button", { name: "Colours: dark" }).waitFor();
});

for (const [name, options] of [
  ["light", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1440, height: 900 } }],
  ["tablet", { colorScheme: "light", viewport: { width: 1024, height: 768 } }],
  ["phone", { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  test(`axe finds nothing, and nothing sticks out: ${name}`, async (t) => {
    const page = await site.open(t, "/", options);
    await surveyed(page);
    await assertAccessible(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), "no sideways scrolling");
    await page.getByRole("button", { name: "Table", exact: true }).click();
    await page.getByRole("button", { name: /^All \d+ decisions$/ }).click();
    await assertAccessible(page);
    for (const button of ["Open…", "Link…", "Help", "Single changes of lane B"]) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByRole("dialog").waitFor();
      await assertAccessible(page);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    const small = await page.evaluate(() =>
      [...document.querySelectorAll(".mmscope *")]
        .filter((one) => [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim()) && one.getClientRects().length)
        .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 12)
        .map((one) => one.outerHTML.slice(0, 100)),
    );
    assert.deepEqual(small, [], "text below 12 px");
  });
}

test("the table says what the picture shows", async (t) => {
  const page = await site.open(t);
  await page.getByRole("button", { name: "Table", exact: true }).click();
  const rows = await page.locator(".twin").nth(1).locator("tbody tr").allTextContents();
  assert.ok(rows.some((row) => row.includes("0x7ffff7800000") && row.includes("4632 kB")), rows.join("\n"));
  assert.ok(rows.some((row) => row.includes("1320 kB") && row.includes("gap")), rows.join("\n"));
});

test("two figures on one page share nothing", async (t) => {
  const page = await site.open(t);
  await page.evaluate(async () => {
    const { mount } = await import("./mmscope.js");
    for (const name of ["one", "two"]) {
      const place = document.createElement("div");
      place.id = name;
      document.body.append(place);
      window[name] = mount(place, {});
    }
  });
  const [one, two] = [page.locator("#one"), page.locator("#two")];
  await one.getByRole("button", { name: "Step", exact: true }).click();
  await one.getByRole("button", { name: "Step", exact: true }).click();
  assert.equal(await one.locator(".where").textContent(), "Call 3 of 25");
  assert.equal(await two.locator(".where").textContent(), "Call 1 of 25");
  assert.equal(await page.locator("#mmscope .where").textContent(), "Call 1 of 25");
  await settled(page);
  assert.ok(!page.url().includes("#"), "the address belongs to the first figure alone");
  await page.keyboard.press("ArrowRight");
  assert.equal(await one.locator(".where").textContent(), "Call 4 of 25", "keys go to the figure with the focus");
  assert.equal(await two.locator(".where").textContent(), "Call 1 of 25");
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("[id]")].map((one) => one.id).sort()), ["mmscope", "one", "two"]);
  await page.evaluate(() => window.one.destroy());
  assert.equal(await one.locator("*").count(), 0);
  await two.getByRole("button", { name: "Step", exact: true }).click();
  assert.equal(await two.locator(".where").textContent(), "Call 2 of 25");
});

test("a panic shows a card with the link to the state", async (t) => {
  const page = await site.open(t, "/", { allow: [/panicked|unreachable|RuntimeError/] });
  await step(page).click();
  await settled(page);
  await page.evaluate(() => {
    // What Yew draws pictures with fails from now on.
    Document.prototype.createElementNS = () => {
      throw new Error("broken by the test");
    };
    Node.prototype.cloneNode = Document.prototype.createElementNS;
  });
  await page.getByRole("button", { name: "Zoom in" }).click({ noWaitAfter: true });
  await page.getByRole("alert").getByText("made a mistake").waitFor();
  const href = await page.getByRole("link", { name: "Open this state again" }).getAttribute("href");
  const again = await site.newPage(t);
  await again.goto(href);
  await mounted(again);
  assert.deepEqual(await results(again), ADDRESSES[1]);
});

test("long programs stay quick: a hundred thousand calls", async (t) => {
  const page = await site.open(t);
  const text = "mmscope 1\nkernels 6.6 6.7.0\nrepeat 50000 {\n  mmap(NULL, 4096, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n  munmap(0x7ffff7ffe000, 4096)\n}\n";
  await drop(page, [["long.txt", text]]);
  await page.getByText("Call 1 of 100\u202f000", { exact: true }).waitFor();
  assert.ok((await page.locator(".call").count()) < 60, "only the rows in sight");
  await page.locator(".mmscope").focus();
  await page.keyboard.press("ArrowRight");
  await page.getByText("Call 2 of 100\u202f000", { exact: true }).waitFor();
  await page.getByRole("slider", { name: "Call" }).fill("70000");
  await page.getByText("Call 70\u202f000 of 100\u202f000", { exact: true }).waitFor();
  assert.equal(await page.locator(".call[aria-current]").getAttribute("data-step"), "70000");
});

const lesson = (page, id) => page.getByRole("combobox", { name: "Lesson" }).selectOption(id);
const nextStop = (page) => page.getByRole("button", { name: "Next stop" });
const nodes = (page, row, cell) => page.locator(`tr[data-row="${row}"] .${cell}`).allTextContents();

// All texts of the page, scripts among them, and all attributes but those that only place a shape.
const everything = (page) =>
  page.evaluate(() => {
    const places = /^(d|x|y|x1|x2|y1|y2|width|height|points|transform|viewBox|style)$/;
    const attributes = [...document.querySelectorAll("*")].flatMap((one) => [...one.attributes].filter((each) => !places.test(each.name)).map((each) => each.value));
    return [document.documentElement.textContent, ...attributes].join("\n");
  });

test("page_test asks for a prediction, and the answer is not in the page before", async (t) => {
  const page = await site.open(t);
  await lesson(page, "page_test");
  await surveyed(page);
  await nextStop(page).click();
  assert.deepEqual(await nodes(page, "asked", "since"), ["+15", "+15", "+2"], "the shrink");
  await nextStop(page).click();
  assert.deepEqual(await nodes(page, "asked", "since"), ["0", "+7", "0"], "a growth");
  const box = page.getByRole("spinbutton", { name: "How many nodes will B 6.1 ask for" });
  // 15 + 16 * 7, and the sums that lead there: in the text, in attributes, in scripts, in what the address bar holds.
  await settled(page);
  assert.doesNotMatch((await everything(page)) + page.url(), /(?<![\d.])(127|132)(?![\d.])/);
  assert.match(await page.locator("p[role=status]").textContent(), /How many nodes will B 6\.1 ask for/);
  await box.focus();
  await page.keyboard.press("Enter");
  assert.equal(await where(page), "Call 4 of 150", "nothing typed");
  await page.keyboard.type("119");
  await page.keyboard.press("Enter");
  assert.equal(await where(page), "Call 19 of 150");
  await page.getByText("You said 119, counted were 127: 8 too few.").first().waitFor();
  assert.match(await page.locator("p[role=status]").textContent(), /counted were 127/);
  await page.getByText("nodes asked for in calls 3 to 19: A\u00a015 \u00b7 B\u00a0127 \u00b7 C\u00a02.").waitFor();
  assert.equal(await box.count(), 0);
  assert.ok(await page.evaluate(() => document.activeElement.matches(".lesson")), "the focus stays in the lesson");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await where(page), "Call 18 of 150", "keys go on to work");
});

test("a question may be skipped, or ends by itself, and none is asked in the other lesson", async (t) => {
  const page = await site.open(t);
  const form = page.locator(".ask");
  assert.equal(await form.count(), 0);
  await lesson(page, "page_test");
  await nextStop(page).click();
  await nextStop(page).click();
  await form.getByRole("button", { name: "Skip" }).click();
  assert.equal(await where(page), "Call 19 of 150");
  assert.equal(await page.getByText("You said").count(), 0);
  await nextStop(page).click();
  await nextStop(page).click();
  await page.getByText("676\u202f600 with 28c5609fb236 (\u221211.4\u00a0%)").waitFor();
  await nextStop(page).click();
  assert.equal(await form.count(), 1, "the second question");
  await step(page).click();
  assert.equal(await form.count(), 0, "stepped past");
  await page.getByRole("button", { name: "Next stop" }).click();
  await page.getByText("nodes asked for in calls 134 to 150: A\u00a021 \u00b7 B\u00a0181 \u00b7 C\u00a02.").waitFor();
});

test("a kernel without a maple tree has no numbers of nodes, and an assumed one says so", async (t) => {
  const page = await site.open(t, "/", { viewport: { width: 1440, height: 900 } });
  await lesson(page, "page_test");
  await page.getByRole("combobox", { name: "Kernel of lane A" }).selectOption("6.0");
  await page.getByRole("combobox", { name: "Kernel of lane C" }).selectOption("7.1");
  await nextStop(page).click();
  const row = page.locator('tr[data-row="asked"] td');
  assert.equal(await row.nth(0).textContent(), "\u2013red-black tree: no maple tree nodes");
  assert.deepEqual(await row.allTextContents().then((all) => all.slice(3)), ["\u2013", "\u2013"], "differences");
  assert.deepEqual((await page.locator(".numbers .part td").allTextContents()).slice(0, 3), ["rb-tree", "", "assumed"]);
  await assertAccessible(page);
});

for (const [name, options] of [
  ["light", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
  ["phone", { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  test(`axe finds nothing in page_test, and nothing sticks out: ${name}`, async (t) => {
    const page = await site.open(t, "/", options);
    await lesson(page, "page_test");
    for (let stop = 1; stop < 8; stop += 1) {
      await nextStop(page).click();
      if ([2, 5].includes(stop)) {
        await assertAccessible(page);
      }
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), "no sideways scrolling");
    }
    assert.equal(await where(page), "Call 150 of 150");
  });
}
