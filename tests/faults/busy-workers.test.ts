import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openField, type Field } from '../support/field.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { until } from '../support/until.ts';

/** Longer than a second worker takes to start, and than the first one computes. */
const THINK_MS = 20_000;
const PEOPLE = 6;

/** The environment of a process whose only thread computes for this long whenever it gets SIGUSR2. */
function thatComputes(ms: number): Readonly<Record<string, string>> {
  const program = `process.on('SIGUSR2',()=>{const end=performance.now()+${ms};while(performance.now()<end);})`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
}

describe('a worker that answers several people', () => {
  let field: Field;
  let people: Awaited<ReturnType<Field['people']>>;
  beforeEach(async () => {
    field = await openField({ thinkMs: THINK_MS });
    await field.start('gateway', 'g1');
    people = await field.people(PEOPLE);
  });
  afterEach(() => field.close());

  /** Everybody has written, and the model thinks about each answer. */
  async function letThemAsk(): Promise<void> {
    for (const person of people) await person.send('one');
    await until(() => field.model.thinking() === PEOPLE);
  }
  const heldBy = async (worker: string): Promise<number> =>
    (await field.pool.query('select 1 from lanes where worker = $1', [worker])).rowCount ?? 0;

  it('and computes for longer than its lease asks the model once for each answer', async () => {
    const busy = await field.start('worker', 'busy', thatComputes(7_000));
    await letThemAsk();
    await field.start('worker', 'other');
    busy.signal('SIGUSR2');
    expect(await field.check(people, ['one'])).toEqual([]);
    expect(field.model.requests()).toBe(PEOPLE);
    expect((await field.pool.query(`select distinct worker from turns`)).rows).toEqual([{ worker: 'busy' }]);
  });

  it('and computes for a long time gives its people to another one, and nothing is answered twice', async () => {
    const busy = await field.start('worker', 'busy', thatComputes(45_000));
    await letThemAsk();
    await field.start('worker', 'other');
    busy.signal('SIGUSR2');
    await until(async () => (await answeredBy('other')) === PEOPLE, 44_000);
    expect(await field.check(people, ['one'])).toEqual([]);
    expect(await answeredBy('busy')).toBe(0);
  });

  it('and is killed gives its people to another one within seconds', async () => {
    const killed = await field.start('worker', 'killed');
    await letThemAsk();
    await field.start('worker', 'other');
    const takenMs = await measureTakeover(killed);
    // A lease of 5 s, a sweep a second, and the sweeper's patience with a wake-up.
    expect(takenMs).toBeLessThan(7_500);
    expect(await field.check(people, ['one'])).toEqual([]);
  });

  const answeredBy = async (worker: string): Promise<number> =>
    (await field.pool.query('select 1 from turns where worker = $1', [worker])).rowCount ?? 0;

  async function measureTakeover(killed: ServiceProcess): Promise<number> {
    const startedAt = performance.now();
    await killed.kill();
    await until(async () => (await heldBy('other')) > 0, 20_000);
    return performance.now() - startedAt;
  }
});
