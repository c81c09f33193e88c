import { expect, test } from 'vitest';
import { createUpdateSink, startAttachedListener } from './sink.ts';

test('updates go to the listener that attached last, even after an earlier listener detaches', () => {
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

test('closing a listener detaches it and resolves its promise `ended`', async () => {
  let isAttached = true;
  const listening = startAttachedListener({ detach: () => (isAttached = false), problem: () => null });
  await listening.close();
  await expect(listening.ended).resolves.toBeUndefined();
  expect(isAttached).toBe(false);
  await listening.close();
});

test('closing a listener aborts the work that it started', async () => {
  let isOver = false;
  const meet = (signal: AbortSignal): Promise<void> =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())).then(() => void (isOver = true));
  const listening = startAttachedListener({ detach: () => undefined, problem: () => null, meet });
  await listening.close();
  expect(isOver).toBe(true);
});

test('a listener that fails to start rejects its promise `ended`, and can still be closed', async () => {
  const meet = (): Promise<void> => Promise.reject(new Error('wrong token'));
  const listening = startAttachedListener({ detach: () => undefined, problem: () => 'refused', meet });
  await expect(listening.ended).rejects.toThrow('wrong token');
  await expect(listening.close()).resolves.toBeUndefined();
});
