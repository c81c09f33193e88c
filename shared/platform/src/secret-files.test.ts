import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { readConfig } from './config.ts';
import { listVariables } from './secret-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SCHEMA = z.object({
  API_KEY: z.string().regex(/^\S+$/, 'takes no spaces').optional().meta({ secret: true }),
  DATABASE_URL: z.url().meta({ secret: true }),
  NAME: z.string().default('x'),
});
const URL = { DATABASE_URL: 'postgres://x' };

function write(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

test.each([
  ['a value without a newline', 'sk-1', 'sk-1'],
  ['a value with a newline at its end', 'sk-2\n', 'sk-2'],
  ['a value with a Windows newline at its end', 'sk-3\r\n', 'sk-3'],
])('a secret is read from the file that its _FILE variable names: %s', (_, content, value) => {
  expect(readConfig(SCHEMA, { ...URL, API_KEY_FILE: write('key', content) }).API_KEY).toBe(value);
});

test('a required secret may be given by its _FILE variable alone', () => {
  const file = write('url', 'postgres://in-a-file\n');
  expect(readConfig(SCHEMA, { DATABASE_URL_FILE: file }).DATABASE_URL).toBe('postgres://in-a-file');
});

test('an empty environment variable counts as not set, and so does an empty _FILE variable', () => {
  expect(readConfig(SCHEMA, { ...URL, API_KEY: '', API_KEY_FILE: write('key', 'sk-4') }).API_KEY).toBe('sk-4');
  expect(readConfig(SCHEMA, { ...URL, API_KEY_FILE: '' }).API_KEY).toBeUndefined();
});

test('a secret that is given both directly and as a file is refused, and the error names both variables', () => {
  const both = { ...URL, API_KEY: 'sk-5', API_KEY_FILE: write('key', 'sk-6') };
  expect(() => readConfig(SCHEMA, both)).toThrow(/API_KEY and API_KEY_FILE are both set\. Remove one of them\./);
  expect(() => readConfig(SCHEMA, both)).not.toThrow(/sk-/);
});

test.each([
  ['is missing', () => join(folder, 'nowhere'), 'cannot be read (ENOENT). Correct the path'],
  ['is a folder', () => folder, 'cannot be read (EISDIR). Correct the path'],
  ['is empty', () => write('empty', ''), 'is empty. Write the value of DATABASE_URL into that file.'],
  [
    'has nothing but a newline',
    () => write('empty', '\n'),
    'is empty. Write the value of DATABASE_URL into that file.',
  ],
])('a secret file that %s is refused in one error with its variable, its path and a remedy', (_, makeFile, what) => {
  const file = makeFile();
  const refusal = `The configuration is not usable: DATABASE_URL_FILE: ${file} ${what}`;
  const read = () => readConfig(SCHEMA, { DATABASE_URL_FILE: file });
  expect(read).toThrow(refusal);
  expect(read).not.toThrow('DATABASE_URL: ');
});

test('an invalid secret from a file is refused with the name of its variable, and its value is not shown', () => {
  const read = () => readConfig(SCHEMA, { ...URL, API_KEY_FILE: write('key', 'sk 7') });
  expect(read).toThrow('API_KEY: takes no spaces');
  expect(read).not.toThrow('sk 7');
});

test('a setting that is no secret cannot be read from a file', () => {
  expect(readConfig(SCHEMA, { ...URL, NAME_FILE: write('name', 'y') }).NAME).toBe('x');
  expect(listVariables(SCHEMA.shape)).toEqual(['API_KEY', 'API_KEY_FILE', 'DATABASE_URL', 'DATABASE_URL_FILE', 'NAME']);
});

test('a schema with a _FILE setting of its own receives the path, and the file is not read', () => {
  const OWN = z.object({ KEY: z.string().optional().meta({ secret: true }), KEY_FILE: z.string().default('made.key') });
  expect(readConfig(OWN, { KEY_FILE: '/nowhere' })).toEqual({ KEY_FILE: '/nowhere' });
  expect(listVariables(OWN.shape)).toEqual(['KEY', 'KEY_FILE']);
  expect(() => readConfig(OWN, { KEY: 'x', KEY_FILE: '/nowhere' })).toThrow('KEY and KEY_FILE are both set');
});
