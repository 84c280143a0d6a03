// The worker that reads traces: answers one question, [text, maps or undefined, kernels], with the importer's text.
// An empty answer says that the importer broke down; no text, that it could not be loaded.

import init, { read } from "./mmscope-importer.js";

onmessage = async ({ data: [text, maps, kernels] }) => {
  try {
    await init();
  } catch (error) {
    console.error(error);
    postMessage(undefined);
    return;
  }
  try {
    postMessage(read(text, maps, kernels));
  } catch (error) {
    console.error(error);
    postMessage("");
  }
};
