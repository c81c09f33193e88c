import { describe, expect, it } from 'vitest';
import { decodeParts, decodeText } from './decode-text.ts';

const SECRET = 'DB_PASSWORD=q7Rk2vXm9TzLp4Ws\n';

const big = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const GBK = Buffer.from('2320cafdbeddbfe2b5c4c3dcc2eb0a', 'hex');
const CP1251 = Buffer.from('2320ef e0 f0 ee eb fc 20 e1 e0 e7 fb 20 e4 e0 ed ed fb f5 0a'.replaceAll(' ', ''), 'hex');

describe('the text of a content', () => {
  it.each([
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${SECRET}`)],
    ['UTF-16 LE with a mark', Buffer.from(`\uFEFF${SECRET}`, 'utf16le')],
    ['UTF-16 BE with a mark', big(`\uFEFF${SECRET}`)],
    ['UTF-16 LE without a mark', Buffer.from(SECRET, 'utf16le')],
    ['UTF-16 BE without a mark', big(`# 数据库\n${SECRET}`)],
    ['Latin-1', Buffer.from(`# Passwort für die Datenbank\n${SECRET}`, 'latin1')],
    ['CP1251', Buffer.concat([CP1251, Buffer.from(SECRET)])],
    ['GBK', Buffer.concat([GBK, Buffer.from(SECRET)])],
    ['a NUL byte at the end', Buffer.from(`${SECRET}\0`)],
  ])('in %s contains the line that it has in UTF-8', (_, bytes) => {
    expect(decodeText(bytes)).toEqual(expect.stringContaining(SECRET.trim()));
  });

  it('in GBK and in CP1251 keeps the words of people', () => {
    expect(decodeText(Buffer.concat([GBK, GBK, GBK, GBK]))).toContain('数据库的密码');
    expect(decodeText(CP1251)).toContain('пароль базы данных');
  });

  it('is none for pictures, programs and pointers of Git LFS', () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
    const random = Buffer.from(Array.from({ length: 4_000 }, (_, at) => (at * 7_919 + (at >> 3) * 31) % 256));
    for (const bytes of [png, random, Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(200)])])
      expect(decodeText(bytes)).toEqual({ why: 'not-text' });
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`;
    expect(decodeText(Buffer.from(pointer))).toEqual({ why: 'elsewhere' });
  });

  it('comes in parts that overlap by whole lines, each with the number of its first line', () => {
    const lines = Array.from({ length: 120_000 }, (_, at) => `line ${at + 1}`);
    const parts = [...decodeParts(Buffer.from(lines.join('\n')))];
    expect(parts.length).toBeGreaterThan(2);
    for (const { text, line, wholeFrom } of parts) {
      expect([text.split('\n')[0], wholeFrom]).toEqual([`line ${line}`, line]);
      expect(text.length).toBeLessThan(600_000);
    }
  });
});
