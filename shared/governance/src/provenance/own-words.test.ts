import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findUnstatedValue } from './own-words.ts';

const restart = {
  input: z.object({
    project: z.string(),
    environment: z.enum(['staging', 'production']),
    reason: z.string().default('asked for'),
    labels: z.array(z.string()).optional(),
    options: z.record(z.string(), z.unknown()).optional(),
  }),
};
const SHOP = { project: 'shop', environment: 'staging', reason: 'asked for' };
const foreign = (
  typed: readonly string[],
  input: unknown = SHOP,
  name = 'restart_project',
  pressed: readonly string[] = [],
) => findUnstatedValue(name, restart, input, { typed, pressed });

describe('a tool call counts as ordered by the person', () => {
  it.each([
    ['in one message', ['please restart shop on staging']],
    ['in one of several', ['thanks', 'Restart shop on staging', 'hello']],
    ['a name in other case', ['restart SHOP on Staging.']],
  ])("if one message begins with the tool's verb and contains every argument: %s", (_, typed) => {
    expect(foreign(typed)).toBeNull();
  });

  it("if the person writes the tool's verb as two words, such as “roll back”", () => {
    expect(foreign(['roll back shop on staging'], SHOP, 'rollback_deploy')).toBeNull();
    expect(foreign(['rollback shop on staging'], SHOP, 'rollback_deploy')).toBeNull();
    expect(foreign(['roll shop on staging'], SHOP, 'rollback_deploy')).toBe('rollback deploy');
  });

  it.each<[string, readonly string[], unknown, string]>([
    ['nothing was typed', [], SHOP, 'restart project'],
    ['only the names were', ['how is shop on staging?'], SHOP, 'restart project'],
    ['only a field of it was named', ['how is the project shop on staging?'], SHOP, 'restart project'],
    ['it is a question', ['did somebody restart shop on staging?'], SHOP, 'restart project'],
    ['it is a warning', ['do not restart shop on staging'], SHOP, 'restart project'],
    ['it was pasted', ['Ben sent me this:\nrestart shop on staging'], SHOP, 'restart project'],
    ['it is about the noun', ['restarts of shop on staging: how many?'], SHOP, 'restart project'],
    ['it is spread over several messages', ['staging', 'shop', 'Restart it'], SHOP, 'shop'],
    ['a value is missing', ['restart shop'], SHOP, 'staging'],
    ['a name is a part of another', ['restart shop-2 on staging'], SHOP, 'shop'],
    ['a name is a part of an address', ['restart shop.example.com on staging'], SHOP, 'shop'],
    ['it stands in a quotation', ['> restart shop on staging\nwhat does that mean?'], SHOP, 'restart project'],
    ['a default was changed', ['restart shop on staging'], { ...SHOP, reason: 'x1' }, 'x1'],
    ['a value goes on in another line', ['restart shop on staging because a b'], { ...SHOP, reason: 'a\nb' }, 'a\nb'],
    ['a text is in other case', ['restart shop on staging, rm -R x'], { ...SHOP, reason: 'rm -r x' }, 'rm -r x'],
    ['it is joined from parts', ['restart shop on staging: al pha'], { ...SHOP, reason: 'alpha' }, 'alpha'],
    ['something is deep inside', ['restart shop on staging, one'], { ...SHOP, labels: ['one', 'two'] }, 'two'],
    ['a key is its own', ['restart shop on staging, true'], { ...SHOP, options: { force: true } }, 'force'],
    ['a value is empty', ['restart shop on staging'], { ...SHOP, reason: '' }, ''],
  ])('but not if %s', (_, typed, input, part) => {
    expect(foreign(typed, input)).toBe(part);
  });

  it('only if the person typed every argument, whatever outside texts contain', () => {
    const word = fc.stringMatching(/^[a-z]{3,12}$/);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), word, word, (typed, project, reason) => {
        const all = ['restart', ...typed, 'staging'];
        const isOwn = foreign([all.join(' ')], { ...SHOP, project, reason }) === null;
        expect(isOwn).toBe(all.includes(project) && all.includes(reason));
      }),
    );
  });

  it('only if each argument occurs in the typed text, in upper or lower case', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'grapheme' }), (typed, reason) => {
        const found = foreign([`restart shop staging ${typed}`], { ...SHOP, reason });
        const said = `restart shop staging ${typed}`.toLowerCase();
        expect(found !== null || said.includes(reason.toLowerCase()) || reason === 'asked for').toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

it('a person who typed a name with a dash, such as shop–2, has not named the service shop', () => {
  for (const dash of ['–', '—', '‑', '−', '-']) expect(foreign([`restart shop${dash}2 on staging`])).toBe('shop');
  expect(foreign(['restart shop on staging – it hangs'])).toBeNull();
});

describe('the label of a pressed button', () => {
  const pressing = (typed: readonly string[], ...pressed: readonly string[]): string | null =>
    foreign(typed, SHOP, 'restart_project', pressed);

  it("supplies arguments that the person's typed order left open", () => {
    expect(pressing(['restart shop'], 'staging')).toBeNull();
  });

  it('does not count as an order that the person typed, nor as a part of an argument', () => {
    expect(pressing([], 'shop', 'staging')).toBe('restart project');
    expect(pressing(['is shop well?'], 'staging')).toBe('restart project');
    expect(pressing(['restart shop'], 'staging please')).toBe('staging');
    expect(pressing(['restart shop'], 'production')).toBe('staging');
  });
});
