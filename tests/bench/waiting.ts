/*
 * What people feel while a model takes seconds: the product as it ships beside the plain bot, both over one model server. 300 people with
 * a model of 5 s, a thousand with one of 20 s and one worker, and the calls of the model per answer while a third of the processor is
 * taken away. And the first word at 32 people. `--quick`: one round, and no turns of three calls. `--json <file>`. The bench `peers` takes the same figures.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rounded, type Figure } from './peers/figures.ts';
import { measureWaiting } from './peers/waiting.ts';

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, json: { type: 'string' } },
});
const dir = mkdtempSync(join(tmpdir(), 'signalbox-waiting-'));
try {
  const figures = await measureWaiting(dir, {
    rounds: options.quick ? 1 : 3,
    isQuick: options.quick,
    say: (what) => process.stderr.write(`${what}\n`),
  });
  const entries: readonly (readonly [string, Figure])[] = Object.entries(figures);
  const ratios = Object.fromEntries(entries.map(([name, { median }]) => [name, rounded(median)]));
  console.table(
    Object.fromEntries(
      entries.map(([name, { median, from, to }]) => [
        name,
        { median: rounded(median), from: rounded(from), to: rounded(to) },
      ]),
    ),
  );
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ ratios, figures }, null, 2)}\n`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
process.exit(0);
