// Starts the app in the page, or says why it cannot start.

const place = document.getElementById("mmscope");

start().catch((error) => {
  console.error(error);
  explain(error);
});

async function start() {
  if (typeof WebAssembly !== "object") {
    throw new Error("no WebAssembly");
  }
  const { default: init, mount } = await import("./mmscope.js");
  await init({ module_or_path: new URL("mmscope_bg.wasm", import.meta.url) });
  // What stood here while loading is not part of the app.
  place.replaceChildren();
  place.classList.remove("boot");
  place.removeAttribute("aria-busy");
  mount(place, { url: true });
}

function explain(error) {
  place.classList.add("boot");
  place.removeAttribute("aria-busy");
  const heading = document.createElement("h1");
  heading.textContent = "mmscope could not start";
  const reason = document.createElement("p");
  reason.textContent = reasonFor(error);
  const detail = document.createElement("pre");
  detail.textContent = String(error);
  const again = document.createElement("button");
  again.type = "button";
  again.textContent = "Try again";
  again.addEventListener("click", () => location.reload());
  const card = document.createElement("section");
  card.setAttribute("role", "alert");
  card.append(heading, reason, detail, again);
  place.replaceChildren(card);
}

function reasonFor(error) {
  const text = String(error);
  if (typeof WebAssembly !== "object") {
    return "This browser has no WebAssembly, or it is switched off. Firefox, Chrome, Edge and Safari of the last few years have it.";
  }
  if (/unsafe-eval|Content Security Policy|Wasm code generation disallowed/i.test(text)) {
    return "The page's content security policy forbids WebAssembly: its script-src needs 'wasm-unsafe-eval'.";
  }
  if (!navigator.onLine) {
    return "The browser is offline, and a part of the app was not in its cache.";
  }
  if (/CompileError|invalid opcode|LinkError/i.test(text)) {
    return "This browser cannot compile the app: it is probably too old. Firefox, Chrome, Edge and Safari of the last few years can.";
  }
  if (/fetch|import|module|network|HTTP|Load failed/i.test(text)) {
    return "A part of the app did not load. The network may have failed, or the server may not have all the files.";
  }
  return "Something unexpected happened.";
}
