import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { check, type Wrong } from './check.ts';
import { startFaults } from './faults.ts';
import { openField } from './field.ts';
import { measureSlowness } from './probe.ts';
import { deployPagers } from './paging.ts';
import { startCrowd } from './people.ts';
import { openVoices } from './voices/voices.ts';
import { createRandom } from './random.ts';

export interface SoakOptions {
  /** How long people write and things break; what was asked for is then waited for. */
  readonly minutes: number;
  readonly people: number;
  readonly seed: number;
  /** A folder of the run's own, which stays: databases, logs, and what was broken when. */
  readonly dir: string;
  readonly say: (line: string) => void;
}

export interface SoakReport {
  /** How many were written, by channel. */
  readonly messages: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  /** From the last fault until nothing was under way, in seconds; null when that did not come. */
  readonly drainedInSeconds: number | null;
  readonly wrong: readonly Wrong[];
}

/** On a machine that answers a message in a second; one that takes longer while nothing is broken gets more. */
const DRAIN_MS = 180_000;
/** Nothing may come after this: later than every sweeper and every lease. */
const QUIET_MS = 8_000;
const SAY_MS = 30_000;

/**
 * Lets people write to the whole product while its processes, servers and wires break at random, and then looks at what they were told
 * and what exists. The same seed draws the same faults and words; how they meet depends on the machine.
 */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { minutes, people, seed, dir, say } = options;
  const field = await openField(dir, createRandom(seed + 1));
  try {
    const pagers = await deployPagers(field);
    const slowness = await measureSlowness(field);
    const drainMs = DRAIN_MS * slowness;
    say(`seed ${seed}, ${minutes} min, ${people} people, slowness ${slowness.toFixed(1)}, in ${dir}`);
    const begin = Date.now();
    const events = createWriteStream(join(dir, 'faults.log'));
    const note = (line: string): void =>
      void events.write(`${((Date.now() - begin) / 1_000).toFixed(1)} ${new Date().toISOString()} ${line}\n`);
    const { pool, repository } = field;
    const voices = await openVoices(field, people);
    const crowd = await startCrowd({ pool, voices, seed, repository });
    await delay(10_000); // some have begun
    const faults = startFaults(field, createRandom(seed), note);
    pagers.start(createRandom(seed + 2), note);
    for (let left = minutes * 60_000 - 10_000; left > 0; left -= SAY_MS) {
      await delay(Math.min(left, SAY_MS));
      const made = Object.values(faults.counts).reduce((sum, count) => sum + count, 0);
      say(`${Math.round((Date.now() - begin) / 1_000)} s: ${crowd.asked.length} messages, ${made} faults`);
    }
    await crowd.stop();
    await faults.stop();
    note('the last fault is over');
    await pagers.stop();
    const healed = Date.now();
    let quietSince: number | null = null;
    while (Date.now() - healed < drainMs && (quietSince === null || Date.now() - quietSince < QUIET_MS)) {
      if ((await crowd.isQuiet()) === true) quietSince ??= Date.now();
      else quietSince = null;
      await delay(500);
    }
    await crowd.close();
    const drainedInSeconds = quietSince === null ? null : Math.round((quietSince - healed) / 1_000);
    const wrong = [...(await check(field, voices, crowd.asked, pagers))];
    if (drainedInSeconds === null)
      wrong.unshift({
        what: `not drained ${Math.round(drainMs / 1_000)} s after the last fault`,
        count: 1,
        example: '',
      });
    for (const voice of voices) await voice.close();
    events.end();
    const messages: Record<string, number> = {};
    for (const { channel } of crowd.asked) messages[channel] = (messages[channel] ?? 0) + 1;
    return { messages, faults: faults.counts, drainedInSeconds, wrong };
  } finally {
    await field.close();
  }
}

/** The report as lines: what was done, and a table of what was wrong with the first of each kind. */
export function describeReport(report: SoakReport): readonly string[] {
  const { messages, faults, drainedInSeconds, wrong } = report;
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  return [
    `messages: ${list(messages)}; faults: ${list(faults)}`,
    drainedInSeconds === null ? 'not drained' : `drained ${drainedInSeconds} s after the last fault`,
    wrong.length === 0 ? 'nothing was wrong' : `wrong in ${wrong.length} ways:`,
    ...wrong
      .toSorted((a, b) => b.count - a.count)
      .flatMap(({ what, count, example }) => [`${String(count).padStart(6)}  ${what}`, `        ${example}`]),
  ];
}
