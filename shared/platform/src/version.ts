import { readFileSync } from 'node:fs';

/** The release that runs, such as 0.2.0: every package has the version of the root. */
export const VERSION: string = readVersion();

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  // The file is ours, and `npm` itself needs this field.
  return (manifest as { readonly version: string }).version;
}
