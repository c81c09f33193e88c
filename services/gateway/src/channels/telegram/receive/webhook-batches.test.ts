import { expect, test } from 'vitest';
import type { Incoming } from '../../channel.ts';
import { createBatches } from './webhook-batches.ts';

const update = (id: number | null): Incoming => ({
  kind: 'ignored',
  updateId: id === null ? null : String(id),
  reason: 'test',
  pressId: null,
});

/** An admission that waits until it is told how it ends. */
function openAdmission() {
  const batches: string[][] = [];
  const ends: { readonly commit: () => void; readonly fail: () => void }[] = [];
  const admit = (updates: readonly Incoming[]): Promise<void> => {
    batches.push(updates.map((one) => one.updateId ?? 'none'));
    return new Promise((commit, reject) => ends.push({ commit, fail: () => reject(new Error('away')) }));
  };
  return { batches, ends, add: createBatches(admit) };
}

test('what comes during an admission goes together afterwards, in the order of its ids', async () => {
  const { batches, ends, add } = openAdmission();
  const first = add(update(5));
  const rest = [9, 7, 12, 8].map((id) => add(update(id)));
  expect(batches).toEqual([['5']]);
  ends[0]?.commit();
  await first;
  expect(batches).toEqual([['5'], ['7', '8', '9', '12']]);
  ends[1]?.commit();
  await Promise.all(rest);
});

test('an update is done only when its own admission is committed', async () => {
  const { ends, add } = openAdmission();
  const done: number[] = [];
  const first = add(update(1)).then(() => done.push(1));
  const second = add(update(2)).then(() => done.push(2));
  ends[0]?.commit();
  await first;
  expect(done).toEqual([1]);
  ends[1]?.commit();
  await second;
  expect(done).toEqual([1, 2]);
});

test('a failed admission fails its own updates, and the next ones are tried', async () => {
  const { ends, add } = openAdmission();
  const first = add(update(1));
  const second = add(update(2));
  ends[0]?.fail();
  await expect(first).rejects.toThrow('away');
  ends[1]?.commit();
  await expect(second).resolves.toBeUndefined();
  const third = add(update(3));
  ends[2]?.commit();
  await expect(third).resolves.toBeUndefined();
});

test('a hundred go together at most, and beyond five hundred nobody may wait', async () => {
  const { batches, ends, add } = openAdmission();
  const added = Array.from({ length: 501 }, (_, id) => add(update(id)));
  await expect(add(update(1_000))).rejects.toThrow('too many updates');
  for (let n = 0; n < 6; n += 1) {
    ends[n]?.commit();
    await added[n * 100];
  }
  await Promise.all(added);
  expect(batches.map((batch) => batch.length)).toEqual([1, 100, 100, 100, 100, 100]);
});
