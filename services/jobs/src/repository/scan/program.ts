import { text } from 'node:stream/consumers';
import { ANALYZERS } from '../analyzers/analyzers.ts';
import type { ScanAnswer, ScanRequest } from './request.ts';
import { scan } from './scan.ts';

/*
 * A scan in a process of its own: texts of strangers are read here, and neither a secret nor a connection of the service is.
 */
const answer = await work().catch((error: unknown): ScanAnswer => ({
  outcome: 'failed',
  problem: error instanceof Error ? error.message : String(error),
}));
process.stdout.write(JSON.stringify(answer));

async function work(): Promise<ScanAnswer> {
  const { dir, path, commit, folder, analyzers, cache } = JSON.parse(await text(process.stdin)) as ScanRequest; // our own service wrote it
  const wanted = ANALYZERS.filter(({ name }) => analyzers.includes(name));
  const mirror = { dir, path, signal: new AbortController().signal };
  return { outcome: 'done', ...(await scan(mirror, { commit, folder }, wanted, cache)) };
}
