// The probe on Node, with the WebAssembly program in the folder that is named first: `counts`, or `time ACCESSES`.
const path = require("node:path");
const [folder, what, accesses] = process.argv.slice(2);
const probe = require(path.resolve(folder, "mmscope_tlb_probe.js"));

if (what === "counts") {
  process.stdout.write(probe.counted());
} else {
  for (const kind of probe.kinds().split("\n")) {
    let best = Infinity;
    let done = 0;
    for (let round = 0; round < 5; round += 1) {
      const started = performance.now();
      done = probe.work(kind, Number(accesses));
      best = Math.min(best, performance.now() - started);
    }
    console.log(`${kind}: ${(done / best / 1e3).toFixed(1)}`);
  }
}
