import { describe, expect, it } from 'vitest';
import { readResult } from './tool-result.ts';

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
  ])('%s with the additional fields %j is parsed', (content, kwargs, result) => {
    expect(readResult(content, kwargs)).toMatchObject(result);
  });
});
