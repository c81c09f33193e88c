import { describe, expect, it } from 'vitest';
import { readResult, renderResult } from './tool-result.ts';

describe('the result of a tool', () => {
  it.each([
    ['{"ok":true,"result":1}', { say: 'One.' }, { ok: true, say: 'One.', result: 1 }],
    ['{"ok":true,"result":1}', {}, { ok: true, say: null, result: 1 }],
    ['{"ok":true,"result":1}', { say: '  ' }, { say: null }],
    ['{"ok":false,"error":"NOT_FOUND","say":"No."}', {}, { ok: false, code: 'NOT_FOUND', say: 'No.' }],
    ['{"ok":false,"error":"NOT_FOUND","say":"No.","data":{"kind":"server"}}', {}, { data: { kind: 'server' } }],
    ['{"ok":false}', { say: 'Phrase.' }, { ok: false, say: 'Phrase.', code: null }],
    ['plain text', {}, { ok: true, result: 'plain text' }],
    ['[1,2]', {}, { ok: true, result: [1, 2] }],
    ['null', {}, { ok: true, result: null }],
  ])('%s with %j is read', (content, kwargs, result) => {
    expect(readResult(content, kwargs)).toMatchObject(result);
  });

  it.each<[unknown, string]>([
    [null, 'Done.'],
    [{}, 'Done.'],
    [[], 'Nothing.'],
    ['text', 'text'],
    [7, '7'],
    [{ a: 1, b: [2, 3] }, '- a: 1\n- b: 2, 3'],
    [{ items: [{ a: 1, b: null }] }, '- a 1, b null'],
  ])('%j without a phrase is shown compactly', (value, text) => {
    expect(renderResult(value)).toBe(text);
  });

  it('does not fill the chat', () => {
    const lines = renderResult(Array.from({ length: 40 }, (_, at) => at)).split('\n');
    expect(lines).toHaveLength(13);
    expect(lines.at(-1)).toBe('… and 28 more');
  });
});
