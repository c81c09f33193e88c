import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openField, type Field } from '../support/field.ts';
import { eventually } from '../support/until.ts';

const TEXTS = ['one', 'two', 'three', 'four'];

describe('every message is answered once, and no thread id is used twice, when', () => {
  let field: Field;
  beforeEach(async () => {
    field = await openField({ thinkMs: 150 });
  });
  afterEach(() => field.close());

  it('workers are killed in the middle of turns', async () => {
    await field.start('gateway', 'g1');
    const workers = [await field.start('worker', 'w1'), await field.start('worker', 'w2')];
    const people = await field.people(12);
    // Something new before each kill: a worker takes so long to start that the other one may be through by then.
    for (const [round, text] of TEXTS.entries()) {
      await talk(people, [text]);
      if (round === TEXTS.length - 1) break;
      await eventually(
        async () => field.model.thinking(),
        (busy) => busy > 0,
      );
      const worker = workers[round % workers.length];
      await worker?.kill();
      await worker?.start();
    }
    expect(await field.check(people, TEXTS)).toEqual([]);
  });

  it('the gateway is killed while updates come in', async () => {
    const gateway = await field.start('gateway', 'g1');
    await field.start('worker', 'w1');
    const people = await field.people(12);
    const talking = talk(people);
    for (let round = 0; round < 3; round++) {
      const before = await received(field);
      // Killed as soon as something new was received, which is before it could be acknowledged with the next poll, or right after.
      await eventually(
        () => received(field),
        (count) => count > before || count >= people.length * TEXTS.length,
      );
      await gateway.kill();
      await gateway.start();
    }
    await talking;
    expect(await field.check(people, TEXTS)).toEqual([]);
  });

  it('Redis is killed with its data deleted', async () => {
    await field.start('gateway', 'g1');
    await field.start('worker', 'w1');
    const people = await field.people(12);
    const talking = talk(people);
    await eventually(
      async () => field.model.thinking(),
      (busy) => busy > 0,
    );
    await field.redis.restart({ empty: true });
    await talking;
    expect(await field.check(people, TEXTS)).toEqual([]);
  });

  it('the inbound stream is deleted under load', async () => {
    await field.start('gateway', 'g1');
    await field.start('worker', 'w1');
    const people = await field.people(12);
    const talking = talk(people);
    const redis = field.redisClient();
    for (let round = 0; round < 5; round++) {
      await eventually(
        async () => field.model.thinking(),
        (busy) => busy > 0,
      );
      await redis.del(`${field.prefix}{in:0}:messages`);
    }
    await talking;
    expect(await field.check(people, TEXTS)).toEqual([]);
  });

  it('a worker freezes for longer than its lease and wakes up again', async () => {
    await field.start('gateway', 'g1');
    const frozen = await field.start('worker', 'w1');
    const people = await field.people(6);
    const talking = talk(people);
    await eventually(
      async () => field.model.thinking(),
      (busy) => busy > 0,
    );
    frozen.signal('SIGSTOP');
    await field.start('worker', 'w2');
    await eventually(
      async () => (await field.pool.query(`select 1 from turns where worker = 'w2'`)).rowCount ?? 0,
      (turns) => turns >= people.length / 2,
      40_000,
    );
    frozen.signal('SIGCONT');
    await talking;
    expect(await field.check(people, TEXTS)).toEqual([]);
  });
});

/** Everybody says everything, one after another, without waiting for answers. */
async function talk(people: Awaited<ReturnType<Field['people']>>, texts: readonly string[] = TEXTS): Promise<void> {
  await Promise.all(
    people.map(async (person) => {
      for (const text of texts) await person.send(text);
    }),
  );
}

async function received(field: Field): Promise<number> {
  const { rows } = await field.pool.query<{ count: number }>('select count(*)::int as count from inbox');
  return rows[0]?.count ?? 0;
}
