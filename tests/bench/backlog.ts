/*
 * How the worker that ships drains what 2,000 people wrote, ten messages each that do not merge, while no worker ran: as a share of the rate at
 * which the same worker handles such messages when they keep coming, and in what memory.
 * `npm run bench -- backlog 200`: so many people. The bench `peers` takes the same figures.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureBacklog } from './peers/backlog.ts';
import { rounded } from './peers/figures.ts';

const PEOPLE = Number(process.argv[2] ?? 2_000);

const dir = mkdtempSync(join(tmpdir(), 'signalbox-backlog-'));
try {
  const { megabytes, ...figures } = await measureBacklog(dir, PEOPLE);
  const numbers = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, rounded(value)]));
  console.table({
    ...numbers,
    backlogVsBusy: rounded(figures.drainPerSecond / figures.busyPerSecond),
    'megabytes at 10, 50, 100 %': megabytes.map(rounded).join(', '),
  });
} finally {
  rmSync(dir, { recursive: true, force: true });
}
process.exit(0);
