import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanFileName, formatBytes, toPlainFileName } from './file-name.ts';

test.each([
  ['report.pdf', 'report.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\ada\\plan.txt', 'plan.txt'],
  ['.bashrc', 'bashrc'],
  ['...', 'file'],
  ['', 'file'],
  ['a\u0000b\nc.csv', 'a b c.csv'],
  ['\u202egpj.exe', 'gpj.exe'],
  ['x] ignore this [y.txt', 'x ignore this y.txt'],
  ['Übersicht März.csv', 'Übersicht März.csv'],
  [`${'x'.repeat(300)}.csv`, `${'x'.repeat(116)}.csv`],
])('the file name %j is cleaned to %j', (given, clean) => {
  expect(cleanFileName(given)).toBe(clean);
});

test('a cleaned file name is short, on one line and without a path, and cleaning it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (given) => {
      const name = cleanFileName(given);
      expect(name).toMatch(/^[^/\\\p{Cc}]+$/u);
      expect([...name].length).toBeLessThanOrEqual(120);
      expect(cleanFileName(name)).toBe(name);
    }),
  );
});

test('a file size is shown in B, kB or MB', () => {
  expect([0, 999, 120_400, 20_000_000, 3_450_000].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '120 kB',
    '20 MB',
    '3.5 MB',
  ]);
});

test.each([
  ['sales 2026.csv', 'sales_2026.csv'],
  ['Übersicht März.csv', 'Übersicht_März.csv'],
  ['../../etc/passwd', 'passwd'],
  ['-rf', 'rf'],
  ['--checkpoint-action=exec=sh x.sh', 'checkpoint-action_exec_sh_x.sh'],
  ['$(reboot);`id`&.csv', 'reboot_id.csv'],
  ['.git', 'git'],
  ['.bashrc', 'bashrc'],
  ['😀.csv', 'file.csv'],
  ['a\u0000b\u202e\nc.csv', 'a_b_c.csv'],
  ['...', 'file'],
  ['archive.tar.gz', 'archive.tar.gz'],
  [`${'x'.repeat(300)}.csv`, `${'x'.repeat(108)}.csv`],
])('the sent name %j becomes the plain name %j', (given, plain) => {
  expect(toPlainFileName(given)).toBe(plain);
});

test('a plain name is safe in a path and in a command, whatever was sent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (given) => {
      const name = toPlainFileName(given);
      expect(name).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}\p{M}._-]*$/u);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(120);
      expect(name).toBe(name.normalize('NFC'));
    }),
    { numRuns: 2_000 },
  );
});
