import { abortAfter, sleep } from '@signalbox/contracts/time';
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
