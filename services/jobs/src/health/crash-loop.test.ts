import { expect, test } from 'vitest';
import { CRASH_LOOP_LIMITS, NO_CRASHES, addRestarts, type CrashLoop, type CrashHistory } from './crash-loop.ts';

const START = Date.parse('2026-01-01T10:00:00.000Z');
const instance = { ref: 'shop/staging/act_1', startedAt: new Date(START).toISOString() };

/** Looks at these seconds after the start, each with how often it had been started again by then; the last answer. */
function look(
  looks: readonly (readonly [seconds: number, restarts: number])[],
  isGivenUp = false,
): { readonly memory: CrashHistory; readonly loop: CrashLoop | null } {
  let found: { memory: CrashHistory; loop: CrashLoop | null } = { memory: NO_CRASHES, loop: null };
  for (const [seconds, restarts] of looks)
    found = addRestarts(found.memory, { instance, restarts, isGivenUp, at: START + seconds * 1_000 });
  return found;
}

test('five restarts within three minutes count as a crash loop, and four do not', () => {
  expect(look([[20, 5]]).loop).toMatchObject({ restarts: 5, withinMs: 20_000, isOver: false });
  expect(look([[20, 4]]).loop).toBeNull();
});

test('a program that crashed twice and then stays up is not in a crash loop, however often it is probed', () => {
  const looks = Array.from({ length: 400 }, (_, n) => [n * 15, 2] as const);
  const { loop, memory } = look(looks);
  expect(loop).toBeNull();
  expect(memory.seen.length).toBeLessThan(20);
});

test('restarts outside the window of three minutes, or before a gap without probes, do not count', () => {
  expect(
    look([
      [15, 3],
      [30, 3],
      [400, 6],
    ]).loop,
  ).toBeNull();
  expect(look([[3_600, 9]]).loop).toBeNull();
  const slow = Array.from({ length: 40 }, (_, n) => [n * 60, n] as const);
  expect(look(slow).loop).toBeNull();
});

test('a program in a crash loop is stopped after ten restarts, or when its supervisor gives up', () => {
  expect(look([[60, 10]]).loop).toMatchObject({ isOver: true });
  expect(look([[60, 9]]).loop).toMatchObject({ isOver: false });
  expect(look([[20, 5]], true).loop).toMatchObject({ isOver: true });
});

test('a program is stopped after a crash loop of ten minutes, even if it restarts slowly', () => {
  // Every half minute: six within the window.
  const looks = (minutes: number) => Array.from({ length: minutes * 2 }, (_, n) => [n * 30, n] as const);
  expect(look(looks(12)).loop).toMatchObject({ isOver: false });
  expect(look(looks(13)).loop).toMatchObject({ isOver: true });
});

test('a crash loop ends when the program stays up, and a deliberate start resets the count', () => {
  const stays = [
    [20, 5],
    [100, 5],
    [199, 5],
    [201, 5],
  ] as const;
  expect(look(stays.slice(0, 2)).loop).not.toBeNull();
  expect(look(stays)).toMatchObject({ loop: null, memory: { since: null } });
  const { memory } = look([[20, 5]]);
  const at = START + 40_000;
  const again = { ...instance, startedAt: new Date(at - 10_000).toISOString() };
  expect(addRestarts(memory, { instance: again, restarts: 1, isGivenUp: false, at }).loop).toBeNull();
  expect(
    addRestarts(memory, { instance: { ...again, ref: 'other' }, restarts: 4, isGivenUp: false, at }).loop,
  ).toBeNull();
  // Its engine counts from none when it is started by hand, and has no new time of its start.
  expect(addRestarts(memory, { instance, restarts: 4, isGivenUp: false, at }).loop).toBeNull();
  expect(CRASH_LOOP_LIMITS.restarts).toBe(5);
});
