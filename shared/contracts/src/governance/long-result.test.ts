import { expect, test } from 'vitest';
import { cutLongResult, estimateTokens, MAX_RESULT_TOKENS, readRows } from './long-result.ts';
import { wrapOutside } from './outside.ts';

const LINES = Array.from({ length: 900 }, (_, at) => `20:48:01 GET /tea/${at} 200 in ${at} ms`);
const LOG = { project: 'shop', lines: wrapOutside('get_service_logs', LINES) };

test('a short result is not cut', () => {
  expect(cutLongResult({ project: 'shop', lines: LINES.slice(0, 9) }, { handle: 'res_1' })).toBeNull();
});

test('a long result is cut at whole rows, with its newest rows and the handle of the rest', () => {
  const cut = cutLongResult(LOG, { handle: 'res_12', newest: 'last' });
  const { lines } = (cut?.result ?? {}) as { lines: { outside: string; text: string[] } };
  expect(lines.outside).toBe('get_service_logs');
  expect(lines.text).toEqual(LINES.slice(-lines.text.length));
  expect(cut?.more).toEqual([{ field: 'lines', rows: `${901 - lines.text.length} to 900 of 900`, handle: 'res_12' }]);
  expect(estimateTokens(JSON.stringify(cut?.result))).toBeLessThanOrEqual(MAX_RESULT_TOKENS);
});

test('reading on from row to row gives every row once, always in an envelope', () => {
  const read: string[] = [];
  for (let from = 1; ;) {
    const page = readRows(LOG, null, from) as { content: { outside: string; text: string[] }; next_from?: number };
    expect(page.content.outside).toBe('read_result');
    expect(estimateTokens(JSON.stringify(page))).toBeLessThanOrEqual(MAX_RESULT_TOKENS);
    read.push(...page.content.text);
    if (page.next_from === undefined) break;
    from = page.next_from;
  }
  expect(read).toEqual(LINES);
});

test('a text is cut at whole lines, and another list of the result has a handle of its own', () => {
  const found = { output: LINES.join('\n'), names: LINES };
  const cut = cutLongResult(found, { handle: 'res_3' });
  expect(cut?.more.map(({ handle }) => handle)).toEqual(['res_3', expect.stringMatching(/^res_3\.(output|names)$/)]);
  const { output } = (cut?.result ?? {}) as { output: string };
  expect(LINES).toContain(output.split('\n').at(-1));
  expect(readRows(found, 'nothing of it', 1)).toBeNull();
});

test('one endless line is read in parts', () => {
  const cut = cutLongResult({ text: wrapOutside('read_file', 'ab1 '.repeat(9_000)) }, { handle: 'res_1' });
  expect(cut?.more).toHaveLength(1);
  expect(JSON.stringify(cut?.result).length).toBeLessThan(9_000);
});
