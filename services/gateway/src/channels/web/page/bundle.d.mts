/** Bundles the page for browsers: `main.js` and `main.css`, by name. Throws what esbuild throws. */
export function bundlePage(): Promise<ReadonlyMap<string, Uint8Array>>;

/** Builds the page into `dist`, where a gateway without sources finds it. */
export function buildPage(): Promise<void>;
