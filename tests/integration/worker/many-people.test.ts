import { expect, it } from 'vitest';
import { intent } from '../../support/echo.ts';
import { until } from '../../support/until.ts';
import { openWorkerBench } from '../../support/worker.ts';

it('one worker with default settings serves four hundred people with a slow model at once', async () => {
  const bench = await openWorkerBench();
  let asked = 0;
  await bench.startWorker({
    script: (_messages, tools) => {
      if (tools.some((tool) => tool.name === 'classify_intent')) return intent();
      asked += 1;
      return { content: 'done', delayMs: 600_000 };
    },
  });
  const people = Array.from({ length: 400 }, (_, place) => String(7_000 + place));
  for (const person of people) await bench.addPerson(person);
  for (const person of people) await bench.say(person, 'hello');
  await until(() => asked === people.length, 50_000);
  const { rows } = await bench.pool.query('select count(*)::int as held from lanes where worker is not null');
  expect(rows).toEqual([{ held: people.length }]);
  await bench.close();
});
