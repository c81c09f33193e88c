import { readFileSync } from 'node:fs';

/** The running release, such as 0.2.0: all packages share the version of the root package. */
export const VERSION: string = readVersion();

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  // `npm` itself requires this field of package.json.
  return (manifest as { readonly version: string }).version;
}
