import { AsyncLocalStorage } from 'node:async_hooks';
import { abortAfter, MINUTE_MS, sleep } from '@signalbox/contracts/time';
import { expect, it } from 'vitest';
import { collectGarbage } from '../support/collect-garbage.ts';

it('a deadline that is joined with another signal fires after a garbage collection too', async () => {
  const fired = async (deadline: (ms: number) => AbortSignal): Promise<unknown> => {
    const joined = AbortSignal.any([new AbortController().signal, deadline(100)]);
    await sleep(1); // what is held by the code that runs is no garbage
    collectGarbage();
    await sleep(200);
    return joined.reason;
  };
  expect(await fired(abortAfter)).toMatchObject({ name: 'TimeoutError' });
});

it('a deadline that is not reached keeps nothing of the work that set it', async () => {
  const storage = new AsyncLocalStorage<object>();
  const begin = (): WeakRef<object> => {
    const work = { text: 'a whole turn' };
    storage.run(work, () => abortAfter(3 * MINUTE_MS));
    return new WeakRef(work);
  };
  const works = Array.from({ length: 10 }, begin);
  await sleep(10);
  collectGarbage();
  expect(works.filter((work) => work.deref() !== undefined)).toEqual([]);
});
