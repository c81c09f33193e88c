import { expect, it } from 'vitest';
import { readActionId, toTraceHex, makeLookUpId, readIdTime, createTypedCode, newId, newTraceId } from './ids.ts';

it('readIdTime returns the creation time of an id, and null for a text that is no id', () => {
  expect(readIdTime(newId('turn', 1_795_629_142_833))).toBe(1_795_629_142_833);
  expect(readIdTime(newTraceId(1_795_629_142_833))).toBe(1_795_629_142_833);
  expect(readIdTime('trc_01m8j3k5qh0000000000')).toBe(readIdTime('turn_01m8j3k5qh0000000000')); // An id from an older release
  for (const text of ['trc_1', 'trace', '', 'user_1001_3', 'trc_UUUUUUUUUUUUUUUUUUUU', `trace_${'0'.repeat(31)}`])
    expect(readIdTime(text)).toBeNull();
});

it('the id of a trace contains its W3C trace id, and ids sort by time', () => {
  expect(toTraceHex(newTraceId())).toMatch(/^[0-9a-f]{32}$/);
  expect(newTraceId(1_795_629_142_833) < newTraceId(1_795_629_142_834)).toBe(true);
  expect(toTraceHex('trc_01m8j3k5qh0000000000')).toBeNull();
});

it("the ids of an action's look-ups and changes contain the id of the action", () => {
  const hash = 'ab12'.repeat(16);
  expect(makeLookUpId('act_abc_0', hash)).toBe(`act_abc_0_r${hash.slice(0, 20)}`);
  for (const id of ['act_abc_0', 'act_abc_0_m', makeLookUpId('act_abc_0', hash), makeLookUpId('act_abc_0_m', hash)])
    expect(readActionId(id)).toBe('act_abc_0');
});

it('a code always contains a digit, so that it is not mistaken for a word', () => {
  const codes = Array.from({ length: 2_000 }, () => createTypedCode(3));
  expect(codes.filter((code) => !/^(?=.*\d)[0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}$/.test(code))).toEqual([]);
});
