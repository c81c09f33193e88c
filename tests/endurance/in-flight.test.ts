import { spawn, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openField, type Field } from '../support/field.ts';
import type { Person } from '../support/person.ts';
import { until } from '../support/until.ts';

const PEOPLE = 300;
const AT_ONCE = 50;
const THINK_MS = 20_000;
/** Longer than a lease, and shorter than what a process that lives may be silent. */
const FREEZE_MS = 7_000;

let field: Field;
let burners: ChildProcess[] = [];
beforeEach(async () => {
  field = await openField({ thinkMs: THINK_MS });
});
afterEach(async () => {
  for (const burner of burners) burner.kill('SIGKILL');
  burners = [];
  await field.close();
});

/** Takes half of each core: a process computes for 15 of every 30 ms. */
function stealHalf(): void {
  const program = `const spin = () => { const end = performance.now() + 15; while (performance.now() < end); setTimeout(spin, 15); }; spin();`;
  burners = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', program], { stdio: 'ignore' }),
  );
}

async function everybodySays(people: readonly Person[], text: string): Promise<void> {
  const left = [...people];
  const speak = async (): Promise<void> => {
    for (let person = left.pop(); person; person = left.pop()) await person.send(text);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, speak));
}

it('three hundred people who wait are answered once while a worker freezes, another is killed, and half of the processor is taken', async () => {
  await field.start('gateway', 'g1');
  const frozen = await field.start('worker', 'frozen');
  const killed = await field.start('worker', 'killed');
  const people = await field.people(PEOPLE);
  await everybodySays(people, 'one');
  // On a machine of its own, all of them; on a busy one the first have their answer before the last have asked.
  await until(() => field.model.requests() >= PEOPLE / 2, 90_000);
  const { rows } = await field.pool.query<{ key: string }>(
    `select user_key as key from lanes where worker = 'frozen' order by epoch, user_key desc limit 2`,
  );
  const impatient = people.filter(({ id }) => rows.some(({ key }) => key === String(id)));
  const others = people.filter((person) => !impatient.includes(person));
  const stoppedMs: number[] = [];
  for (const person of impatient) {
    stoppedMs.push(await measureStop(person));
    if (burners.length === 0) stealHalf();
  }
  frozen.signal('SIGSTOP');
  await killed.kill();
  await killed.start();
  await delay(FREEZE_MS);
  frozen.signal('SIGCONT');
  expect(await field.check(others, ['one'])).toEqual([]);
  // Only what the killed worker waited for was asked again.
  expect(field.model.requests()).toBeLessThan(1.7 * PEOPLE);
  // On a machine that others use, in proportion to what it took before half was taken.
  const [usual = Number.NaN, underLoad = Number.NaN] = stoppedMs;
  expect(underLoad).toBeLessThan(Math.max(1_000, 4 * usual));
}, 240_000);

async function measureStop(person: Person): Promise<number> {
  const startedAt = performance.now();
  await person.send('/stop');
  await until(async () => {
    const { rowCount } = await field.pool.query(`select 1 from inbox where user_key = $1 and outcome = 'stopped'`, [
      String(person.id),
    ]);
    return rowCount === 1;
  }, 30_000);
  return performance.now() - startedAt;
}
