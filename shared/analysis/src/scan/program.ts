import { createInterface } from 'node:readline';
import type { AdvisoryAnswer, AdvisorySource } from '../advisory-source.ts';
import { ANALYZERS } from '../analyzers/analyzers.ts';
import { packCache, unpackCache } from './cache.ts';
import type { ScanAnswer, ScanSetup, ScanRequest } from './request.ts';
import { openScanner } from './scan.ts';

/* Scans a commit in a separate process, because it reads untrusted texts. The process has no secrets and no connections. */
const input = createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();
// The service keeps stdin open. When stdin closes, the service has ended, and git must end too.
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

/** Answers scan requests until one fails. */
async function work(): Promise<never> {
  const { dir, path, commit, folder, advisories, cache, without } = (await readLine()) as ScanSetup; // The service writes this line
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
      const { analyzers } = (await readLine()) as ScanRequest; // The service writes this line
      const scanned = await scanner.scan(ANALYZERS.filter(({ name }) => analyzers.includes(name)));
      const packed = Object.entries(scanned.cache).map(([name, content]) => [name, packCache(content)] as const);
      const fresh = packed.filter(([name, content]) => kept.get(name) !== content);
      write({ outcome: 'done', result: scanned.result, cache: Object.fromEntries(fresh) });
    }
  } finally {
    scanner.close();
  }
}

/** Returns an advisory source that asks the service, because the scan process has no network. */
function askingSource(name: string): AdvisorySource {
  return {
    describe: () => name,
    find: async (packages) => {
      write({ outcome: 'asks', packages });
      return (await readLine()) as AdvisoryAnswer; // The service writes this line
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
