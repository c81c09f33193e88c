import { createInterface } from 'node:readline';
import type { AdvisoryAnswer, AdvisorySource } from '../advisories/advisory-source.ts';
import { ANALYZERS } from '../analyzers/analyzers.ts';
import type { ScanAnswer, ScanRequest } from './request.ts';
import { scan } from './scan.ts';

/*
 * A scan in a process of its own: texts of strangers are read here, and neither a secret nor a connection of the service is.
 */
const input = createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();
// The service keeps it open until it has its answer. One that died waits for none, and git is not to outlive either.
const stop = new AbortController();
input.once('close', () => {
  stop.abort(new Error('nobody waits for this scan any more'));
  process.exit(1);
});
const answer = await work().catch((error: unknown): ScanAnswer => ({
  outcome: 'failed',
  problem: error instanceof Error ? error.message : String(error),
}));
input.removeAllListeners('close');
write(answer);
process.stdin.destroy();

async function work(): Promise<ScanAnswer> {
  const request = (await readLine()) as ScanRequest; // our own service wrote it
  const { dir, path, commit, folder, analyzers, cache, advisories } = request;
  const wanted = ANALYZERS.filter(({ name }) => analyzers.includes(name));
  const mirror = { dir, path, signal: stop.signal };
  const source = advisories === null ? null : askingSource(advisories);
  return { outcome: 'done', ...(await scan(mirror, { commit, folder, advisories: source }, wanted, cache)) };
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
