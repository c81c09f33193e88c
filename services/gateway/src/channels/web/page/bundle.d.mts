/** Bundles the page for browsers: `main.js` and `main.css`, by name. Throws what esbuild throws. */
export function bundlePage(): Promise<ReadonlyMap<string, Uint8Array>>;
