import { expect, it } from 'vitest';
import { actionOfRun, hexOfTraceId, lookUpIdOf, msOfId, newCode, newId, newTraceId } from './ids.ts';

it('an id tells when it was made, and what is none tells nothing', () => {
  expect(msOfId(newId('turn', 1_795_629_142_833))).toBe(1_795_629_142_833);
  expect(msOfId(newTraceId(1_795_629_142_833))).toBe(1_795_629_142_833);
  expect(msOfId('trc_01m8j3k5qh0000000000')).toBe(msOfId('turn_01m8j3k5qh0000000000')); // of older releases
  for (const text of ['trc_1', 'trace', '', 'user_1001_3', 'trc_UUUUUUUUUUUUUUUUUUUU', `trace_${'0'.repeat(31)}`])
    expect(msOfId(text)).toBeNull();
});

it('the id of a trace is its W3C trace id, and sorts by time', () => {
  expect(hexOfTraceId(newTraceId())).toMatch(/^[0-9a-f]{32}$/);
  expect(newTraceId(1_795_629_142_833) < newTraceId(1_795_629_142_834)).toBe(true);
  expect(hexOfTraceId('trc_01m8j3k5qh0000000000')).toBeNull();
});

it('a look-up and a changed action belong to the action that was proposed', () => {
  const hash = 'ab12'.repeat(16);
  expect(lookUpIdOf('act_abc_0', hash)).toBe(`act_abc_0_r${hash.slice(0, 20)}`);
  for (const id of ['act_abc_0', 'act_abc_0_m', lookUpIdOf('act_abc_0', hash), lookUpIdOf('act_abc_0_m', hash)])
    expect(actionOfRun(id)).toBe('act_abc_0');
});

it('a code always has a digit, so that nobody who sends or edits one is taken to have written words', () => {
  const codes = Array.from({ length: 2_000 }, () => newCode(3));
  expect(codes.filter((code) => !/^(?=.*\d)[0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}$/.test(code))).toEqual([]);
});
