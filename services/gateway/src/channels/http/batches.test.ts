import { expect, test } from 'vitest';
import { createUpdateBatcher } from './batches.ts';

/** An admission that waits until the test ends it. */
function createAdmission(orderOf?: (update: number) => number) {
  const batches: (readonly number[])[] = [];
  const endings: { readonly commit: () => void; readonly fail: () => void }[] = [];
  const admit = (updates: readonly number[]): Promise<void> => {
    batches.push(updates);
    return new Promise((commit, reject) => endings.push({ commit, fail: () => reject(new Error('away')) }));
  };
  return { batches, ends: endings, add: createUpdateBatcher(admit, orderOf) };
}

test('updates that arrive during an admission are admitted together after it, sorted by `orderOf`', async () => {
  const { batches, ends, add } = createAdmission((update) => update);
  const first = add([5]);
  const rest = [[9, 3], [7], [12], [8]].map(add);
  expect(batches).toEqual([[5]]);
  ends[0]?.commit();
  await first;
  expect(batches).toEqual([[5], [3, 7, 8, 9, 12]]);
  ends[1]?.commit();
  await Promise.all(rest);
});

test('updates that have no order, or the same order, are admitted as they arrived', async () => {
  for (const { batches, ends, add } of [createAdmission(), createAdmission(() => 7)]) {
    const all = [[5], [9, 3], [7]].map(add);
    ends[0]?.commit();
    await all[0];
    ends[1]?.commit();
    await Promise.all(all);
    expect(batches).toEqual([[5], [9, 3, 7]]);
  }
});

test('the promise of an update resolves only when the admission of that update is committed', async () => {
  const { ends, add } = createAdmission();
  const done: number[] = [];
  const first = add([1]).then(() => done.push(1));
  const second = add([2]).then(() => done.push(2));
  ends[0]?.commit();
  await first;
  expect(done).toEqual([1]);
  ends[1]?.commit();
  await second;
  expect(done).toEqual([1, 2]);
});

test('a failed admission rejects only the updates in it, and later updates are admitted', async () => {
  const { ends, add } = createAdmission();
  const first = add([1]);
  const second = add([2]);
  ends[0]?.fail();
  await expect(first).rejects.toThrow('away');
  ends[1]?.commit();
  await expect(second).resolves.toBeUndefined();
  const third = add([3]);
  ends[2]?.commit();
  await expect(third).resolves.toBeUndefined();
});

test('at most 100 updates are admitted together, and requests beyond 500 waiting ones are rejected', async () => {
  const { batches, ends, add } = createAdmission();
  const added = Array.from({ length: 501 }, (_, id) => add([id]));
  await expect(add([1_000])).rejects.toThrow('too many updates');
  for (let n = 0; n < 6; n += 1) {
    ends[n]?.commit();
    await added[n * 100];
  }
  await Promise.all(added);
  expect(batches.map((batch) => batch.length)).toEqual([1, 100, 100, 100, 100, 100]);
});

test('the updates of one request are admitted together, even if they are more than 100', async () => {
  const { batches, ends, add } = createAdmission();
  const sizes = [1, 60, 60, 250, 1];
  const added = sizes.map((size) => add(Array.from({ length: size }, (_, id) => id)));
  for (const n of sizes.keys()) {
    ends[n]?.commit();
    await added[n];
  }
  expect(batches.map((batch) => batch.length)).toEqual([1, 60, 60, 250, 1]);
});
