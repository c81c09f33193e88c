import { expect, test } from 'vitest';
import { createUpdateSink, startAttachedListener } from './sink.ts';

test('the sink belongs to the last listener, even when an earlier one detaches afterwards', () => {
  const sink = createUpdateSink<() => void>();
  const [first, second] = [(): void => undefined, (): void => undefined];
  expect(sink.current()).toBeNull();
  const detachFirst = sink.attach(first);
  const detachSecond = sink.attach(second);
  detachFirst();
  expect(sink.current()).toBe(second);
  detachSecond();
  expect(sink.current()).toBeNull();
});

test('a closed listener ends and detaches itself', async () => {
  let isAttached = true;
  const listening = startAttachedListener({ detach: () => (isAttached = false), problem: () => null });
  await listening.close();
  await expect(listening.ended).resolves.toBeUndefined();
  expect(isAttached).toBe(false);
  await listening.close();
});

test('closing a listener ends its pending work', async () => {
  let isOver = false;
  const meet = (signal: AbortSignal): Promise<void> =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())).then(() => void (isOver = true));
  const listening = startAttachedListener({ detach: () => undefined, problem: () => null, meet });
  await listening.close();
  expect(isOver).toBe(true);
});

test('a listener that can never listen rejects `ended`, and still closes', async () => {
  const meet = (): Promise<void> => Promise.reject(new Error('wrong token'));
  const listening = startAttachedListener({ detach: () => undefined, problem: () => 'refused', meet });
  await expect(listening.ended).rejects.toThrow('wrong token');
  await expect(listening.close()).resolves.toBeUndefined();
});
