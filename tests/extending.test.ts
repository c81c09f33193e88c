import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createLog } from '@signalbox/platform/log';
import { createRegistry } from '@signalbox/worker/tools/registry';
import { issueContext, type ToolContext } from '@signalbox/worker/tools/tool';
import { describe, expect, it } from 'vitest';
import { createDiskReport } from './examples/disk-report.ts';
import worldClock from './examples/world-clock.ts';

// docs/extending.md shows whole files. They exist in tests/examples, where they are type-checked, and are run here.

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');

/** Code blocks that begin with the path of the file that they show, by that path. */
const shown = new Map(
  [...read('docs/extending.md').matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = '', code = '']) => [
    path,
    code,
  ]),
);

/** An example sees the packages from outside; the file that it shows lies inside of one. */
function asSeenFrom(path: string, code: string): string {
  return code.replace(/'@signalbox\/(worker|jobs)\/([^']+)'/g, (whole, service: string, rest: string) => {
    const root = `services/${service}/src`;
    return path.startsWith(root) ? `'${posix.relative(posix.dirname(path), `${root}/${rest}`)}.ts'` : whole;
  });
}

const lines = (code: string): readonly string[] =>
  code
    .split('\n')
    .filter((line) => line.trim() !== '')
    .toSorted();

describe('docs/extending.md', () => {
  it.each([
    ['services/worker/src/capabilities/world-clock.ts', 'tests/examples/world-clock.ts'],
    ['services/jobs/src/jobs/disk-report.ts', 'tests/examples/disk-report.ts'],
  ])('shows %s as it compiles', (path, example) => {
    // Sorted, because the order of imports depends on how they are written.
    expect(lines(shown.get(path) ?? '')).toEqual(lines(asSeenFrom(path, read(example))));
  });

  it('shows a capability that the registry takes and that answers', async () => {
    const found = createRegistry([worldClock]).find('tell_time', ['world_clock']);
    const input = found?.tool.input.parse({ city: 'Tokyo' });
    const touched = { now: () => new Date('2026-03-01T00:00:00Z') } as unknown as ToolContext; // all that it touches
    const context = issueContext(touched);
    const output = await found?.tool.run(input, context);
    expect(found?.tool.done(output, input)).toBe('It is **Mar 1, 2026, 9:00 AM** in Tokyo.');
    expect(found?.tool.input.safeParse({ city: 'Atlantis' }).success).toBe(false);
  });

  it('shows a job that does what it says', async () => {
    const job = createDiskReport(tmpdir());
    const signal = new AbortController().signal;
    const context = {
      runId: 'run_1',
      attempt: 1,
      owner: null,
      tell: async () => undefined,
      signal,
      log: createLog('test', 'silent'),
      now: () => new Date(),
      progress: async () => undefined,
      openSecret: async () => 'nothing',
    };
    const result = await job.run({}, context);
    expect(result.totalMb).toBeGreaterThan(result.freeMb);
    expect(job.say({ freeMb: 10, totalMb: 200 })).toBe('10 of 200 MB are free.');
    expect(job.isNotable({ freeMb: 10, totalMb: 200 })).toBe(true);
  });
});
