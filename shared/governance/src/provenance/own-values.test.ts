import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { findForeignValue } from './own-values.ts';

const restart = {
  input: z.object({
    project: z.string(),
    environment: z.enum(['staging', 'production']),
    reason: z.string().default('asked for'),
    labels: z.array(z.string()).optional(),
    options: z.record(z.string(), z.unknown()).optional(),
    times: z.number().optional(),
    isForced: z.boolean().optional(),
  }),
};
const SHOP = { project: 'shop', environment: 'staging', reason: 'asked for' };
const find = (said: readonly string[], input: unknown = SHOP, made: readonly string[] = []) =>
  findForeignValue(restart, input, { said, made: new Set(made) });

it.each<[string, readonly string[], unknown]>([
  ['the person typed it, in any case', ['Neustart von SHOP bitte'], SHOP],
  ['the value is an enum that the tool lists', ['shop'], { ...SHOP, environment: 'production' }],
  ['the value is the default of its argument', ['shop'], { ...SHOP, reason: 'asked for' }],
  ['it is a sentence whose first letter the model wrote large', ['shop, it hangs'], { ...SHOP, reason: 'It hangs' }],
  ['a sentence ends with a full stop', ['shop: it hangs again'], { ...SHOP, reason: 'It hangs again.' }],
  ['a text ends with a line break', ['shop: see the wiki'], { ...SHOP, reason: 'see the wiki\n' }],
  ['the parts were said in several messages', ['shop', 'because it hangs'], { ...SHOP, reason: 'because it hangs' }],
])('a value is no foreign value when %s', (_, said, input) => {
  expect(find(said, input)).toBeNull();
});

it.each<[string, readonly string[], unknown, string]>([
  ['nobody typed it', [], SHOP, 'shop'],
  ['its name is a part of another name', ['restart shop-2'], SHOP, 'shop'],
  ['its name is a part of an address', ['restart shop.example.com'], SHOP, 'shop'],
  ['its default was changed', ['shop'], { ...SHOP, reason: 'x1' }, 'x1'],
  ['it continues in another line', ['shop, a b'], { ...SHOP, reason: 'a\nb' }, 'a\nb'],
  ['a sentence has one more word', ['shop, it hangs'], { ...SHOP, reason: 'It hangs. Stop' }, 'It hangs. Stop'],
  ['only its end is a full stop', ['shop, rm x'], { ...SHOP, reason: 'rm x .' }, 'rm x .'],
  ['a text has another case', ['shop, rm -R x'], { ...SHOP, reason: 'rm -r x' }, 'rm -r x'],
  ['it is joined from parts', ['shop, al pha'], { ...SHOP, reason: 'alpha' }, 'alpha'],
  ['it is deep inside of a list', ['shop one'], { ...SHOP, labels: ['one', 'two'] }, 'two'],
  ['it is the key of an object', ['shop true'], { ...SHOP, options: { force: true } }, 'force'],
  ['it is an empty text', ['shop'], { ...SHOP, reason: '' }, ''],
])('a value is foreign when %s', (_, said, input, part) => {
  expect(find(said, input)).toBe(part);
});

it('a number is foreign unless the person typed it, and a switch never is', () => {
  const input = { ...SHOP, times: 3, isForced: true };
  expect(find(['restart shop three times'], input)).toBe('3');
  expect(find(['restart shop 3 times'], input)).toBeNull();
});

it('a value that the runtime made is never foreign', () => {
  expect(find([], SHOP, ['shop'])).toBeNull();
});

const setVariable = { input: z.object({ project: z.string(), name: z.string(), value: z.string() }) };
const findVariable = (name: string, value: string, said: readonly string[]) =>
  findForeignValue(
    setVariable,
    { project: 'shop', name, value },
    { said, made: new Set(['project=shop', `name=${name}`]) },
  );

it('a switch that the person named needs no word for on or off', () => {
  expect(findVariable('DEBUG', 'false', ['выключи DEBUG'])).toBeNull();
  expect(findVariable('DEBUG', 'On', ['turn debug on again'])).toBeNull();
});

it('an empty value is no foreign one only when the person named the variable and wrote that it is empty', () => {
  const findEmpty = (said: string) =>
    findForeignValue(
      { input: z.object({ name: z.string(), value: z.string() }) },
      { name: 'FLAGS', value: '' },
      { said: [said], made: new Set(['FLAGS']) },
    );
  expect(findEmpty('set FLAGS of shop to ""')).toBeNull();
  expect(findEmpty('set FLAGS of shop to “”')).toBeNull();
  for (const said of ['set FLAGS of shop', 'set OTHER of shop to ""', 'set FLAGS of shop to "x"'])
    expect(findEmpty(said)).toBe('');
});

it('the value of a variable that the person did not name, or that is no switch, is foreign', () => {
  expect(findVariable('SSL_VERIFY', 'false', ['выключи DEBUG'])).toBe('false');
  expect(findVariable('DEBUG', 'false', ['turn DEBUG_SQL off'])).toBe('false');
  expect(findVariable('DEBUG', '0', ['выключи DEBUG'])).toBe('0');
  expect(findVariable('DEBUG', 'owned', ['выключи DEBUG'])).toBe('owned');
});

const rollback = { input: z.object({ project: z.string(), to_version: z.string(), words: z.string().optional() }) };
const findVersion = (to_version: string, said: readonly string[], made: readonly string[] = []) =>
  findForeignValue(rollback, { project: 'shop', to_version }, { said: ['shop', ...said], made: new Set(made) });

it('a version is no foreign value with or without its v', () => {
  expect(findVersion('1.2.0', ['back to v1.2.0'])).toBeNull();
  expect(findVersion('v1.2.0', ['back to 1.2.0'])).toBeNull();
  expect(findVersion('v1.2.0', [], ['shop/version=1.2.0'])).toBeNull();
  expect(findVersion('main', ['back to main'])).toBeNull();
  expect(findVersion('vmain', ['back to main'])).toBe('vmain');
});

it('a version that the runtime knows of another project, or a part of what was typed, is foreign', () => {
  expect(findVersion('1.2.0', [], ['blog/version=1.2.0'])).toBe('1.2.0');
  expect(findVersion('1.2', ['back to v1.2.0'])).toBe('1.2');
  const input = { project: 'shop', to_version: '1.0', words: '1.2.0' };
  const sources = { said: ['shop 1.0'], made: new Set(['shop/version=1.2.0']) };
  expect(findForeignValue(rollback, input, sources)).toBe('1.2.0');
});

it('a name is no foreign value when it is a part of a path or an address that was typed', () => {
  expect(find(['register /tmp/repos/shop, please'])).toBeNull();
  expect(find(['it is at https://git.example.com/team/shop.git'])).toBeNull();
  expect(find(['see /tmp/shop-2 and shop.example.com'])).toBe('shop');
});

it('a folder of the installation is no foreign value when the person named it', () => {
  const create = { input: z.object({ name: z.string(), repository: z.string() }) };
  const find2 = (repository: string) =>
    findForeignValue(create, { name: 'shop', repository }, { said: ['create shop, it lies there'], made: new Set() });
  expect(find2('./shop')).toBeNull();
  expect(find2('./evil')).toBe('./evil');
  expect(find2('./shop/../evil')).toBe('./shop/../evil');
});

it('a name written with a dash of any kind does not match its first half', () => {
  for (const dash of ['–', '—', '‑', '−', '-']) expect(find([`restart shop${dash}2 on staging`])).toBe('shop');
  expect(find(['restart shop on staging – it hangs'])).toBeNull();
});

it('a text counts as said only when the person typed all of it', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: 'grapheme' }), (typed, reason) => {
      const found = find([`restart shop ${typed}`], { ...SHOP, reason });
      const said = `restart shop ${typed}`.toLowerCase();
      expect(found !== null || said.includes(reason.trim().toLowerCase()) || reason === 'asked for').toBe(true);
    }),
    { numRuns: 500 },
  );
});
