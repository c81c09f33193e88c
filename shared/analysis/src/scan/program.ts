import { createInterface } from 'node:readline';
import type { AdvisoryAnswer, AdvisorySource } from '../advisory-source.ts';
import { ANALYZERS } from '../analyzers/analyzers.ts';
import { packCache, unpackCache } from './cache.ts';
import type { ScanAnswer, ScanOpening, ScanRequest } from './request.ts';
import { openScanner } from './scan.ts';

/*
 * The scans of a commit in a process of its own: texts of strangers are read here, and neither a secret nor a connection of the service is.
 */
const input = createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();
// The service keeps it open while it wants anything. One that died waits for no answer, and git is not to outlive either.
const stop = new AbortController();
input.once('close', () => {
  stop.abort(new Error('nobody waits for this scan any more'));
  process.exit(1);
});
await work().catch((error: unknown) => {
  input.removeAllListeners('close');
  write({ outcome: 'failed', problem: error instanceof Error ? error.message : String(error) });
});
process.stdin.destroy();

/** Answers requests until one fails. */
async function work(): Promise<never> {
  const { dir, path, commit, folder, advisories, cache, without } = (await readLine()) as ScanOpening; // our own service wrote it
  const kept = new Map(Object.entries(cache));
  const mirror = { dir, path, signal: stop.signal };
  const source = advisories === null ? null : askingSource(advisories);
  const read = (name: string): unknown => {
    const packed = kept.get(name);
    return packed === undefined ? null : unpackCache(packed);
  };
  const scanner = await openScanner(mirror, { commit, folder, advisories: source }, read, {
    without: new Set(without),
    reads: (file) => write({ outcome: 'reads', path: file }),
  });
  try {
    for (;;) {
      const { analyzers } = (await readLine()) as ScanRequest; // our own service wrote it
      const scanned = await scanner.scan(ANALYZERS.filter(({ name }) => analyzers.includes(name)));
      const packed = Object.entries(scanned.cache).map(([name, content]) => [name, packCache(content)] as const);
      const fresh = packed.filter(([name, content]) => kept.get(name) !== content);
      write({ outcome: 'done', result: scanned.result, cache: Object.fromEntries(fresh) });
    }
  } finally {
    scanner.close();
  }
}

/** The service has the connection, so it is asked. */
function askingSource(name: string): AdvisorySource {
  return {
    describe: () => name,
    find: async (packages) => {
      write({ outcome: 'asks', packages });
      return (await readLine()) as AdvisoryAnswer; // our own service wrote it
    },
  };
}

async function readLine(): Promise<unknown> {
  const { done, value } = await lines.next();
  return JSON.parse(done === true ? 'null' : value);
}

function write(said: ScanAnswer): void {
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
