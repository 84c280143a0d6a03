// A static server for dist/ as a careful host would set it up: a strict content security policy, the right types, no cache.
// The same files are served at / and below /a/b/.
//
// By itself, to look at the release build:  node e2e/server.mjs [PORT]

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const CSP =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

// Starts a server on a free port of 127.0.0.1 (or on `port`). `csp: null` sends no policy; `dir` serves another directory;
// `pages` adds pages that are not files: { "/host.html": "<!doctype html>…" }.
export async function serve({ port = 0, csp = CSP, dir = DIST, pages = {} } = {}) {
  const server = createServer((request, response) => {
    answer(request, { csp, dir, pages }).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    url: (path = "/") => origin + path,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

async function answer(request, { csp, dir, pages }) {
  const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  if (csp) {
    headers["content-security-policy"] = csp;
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return { status: 405, headers, body: "" };
  }
  const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
  if (path in pages) {
    return { status: 200, headers: { ...headers, "content-type": TYPES[".html"] }, body: pages[path] };
  }
  const name = path.replace(/^\/a\/b\//, "/").replace(/\/$/, "/index.html");
  const file = normalize(join(dir, name));
  if (!file.startsWith(normalize(dir + sep))) {
    return { status: 404, headers, body: "" };
  }
  try {
    const body = await readFile(file);
    return { status: 200, headers: { ...headers, "content-type": TYPES[extname(file)] ?? "application/octet-stream" }, body };
  } catch (error) {
    if (["ENOENT", "EISDIR", "ENOTDIR"].includes(error.code)) {
      return { status: 404, headers, body: "not found" };
    }
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { origin } = await serve({ port: Number(process.argv[2] ?? 8081) });
  console.log(`${origin}/ and ${origin}/a/b/`);
}
