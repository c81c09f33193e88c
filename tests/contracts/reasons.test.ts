import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LANGUAGES } from '@signalbox/messages/language';
import { sayError, sayReason } from '@signalbox/messages/say';
import { runInLanguage } from '@signalbox/messages/language';
import { classifyCommand } from '@signalbox/safety/shell/classification';
import { Visitor, parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { englishIn } from '../support/english.ts';

// Rules and the classifier of commands give their reasons in English. Everybody reads them in their own language.

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const others = LANGUAGES.filter((language) => language !== 'en');

const filesBelow = (folder: string, end: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end) && !name.includes('.test.'))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'));

/** The reasons of every rule that is shipped. */
const ofRules = [...filesBelow('infra/policy', '.cedar'), ...filesBelow('examples', '.cedar')].flatMap((text) =>
  [...text.matchAll(/@reason\("([^"]+)"\)/g)].map(([, reason = '']) => reason),
);

/** What the engine says where no rule speaks: sentences that are put together of several. */
const BUILT = [
  'No rule permits this to somebody with the role viewer.',
  'No rule permits this to agents of the class x.',
  'The rules could not be evaluated, so this is refused.',
  'The question does not fit the schema of the rules, so this is refused.',
  'The rule x could not be evaluated, so this is refused.',
  'There is no rule x in this set, so this is refused.',
];

/** Every sentence in the sources of the classifier; a word stands for what it fills in. */
const ofSources = filesBelow('shared/safety/src/shell', '.ts').flatMap((text) => {
  const found: string[] = [];
  new Visitor({
    Literal: ({ value }) => void (typeof value === 'string' && found.push(value)),
    TemplateLiteral: ({ quasis }) => void found.push(quasis.map(({ value }) => value.cooked ?? '').join("'x'")),
  }).visit(parseSync('x.ts', text).program);
  // What begins small is the end of a sentence that begins with the name of a program.
  return found
    .filter((one) => /^[^\n]*[a-z] [a-z][^\n]*\.$/.test(one) && !/[\\$]|^\./.test(one.replace(' $.', '')))
    .map((one) => (/^[a-z]+s /.test(one) && !/^(?:xargs|find|ps|top|vmstat) /.test(one) ? `x ${one}` : one));
});

describe.each(others)('in the language %s', (language) => {
  it('every shipped policy rule has a reason that is not English', () => {
    expect(ofRules.length).toBeGreaterThan(30);
    expect(ofRules.filter((reason) => sayReason(reason, language) === reason)).toEqual([]);
  });

  it('every sentence of the command check and of the policy engine is translated', () => {
    expect(ofSources.length).toBeGreaterThan(70);
    const all = [...ofSources, ...BUILT];
    expect(all.filter((reason) => sayReason(reason, language) === reason)).toEqual([]);
  });

  it('the refusal of a command contains the name of the unknown program', () => {
    const { reason } = classifyCommand('git frobnicate');
    const said = runInLanguage(language, () => sayError('COMMAND_REFUSED', { reason }));
    expect([reason, said]).toEqual([expect.stringContaining("'frobnicate'"), expect.stringContaining("'frobnicate'")]);
    expect(said).not.toContain('is not on the list');
  });

  it('a policy reason is translated as a whole, without its final full stop', () => {
    const said = sayReason('Dangerous actions need the approval of an operator', language);
    expect(said).not.toMatch(/Dangerous|[.。]$/);
  });
});

it("an operator's own policy reason is shown unchanged", () => {
  expect(sayReason('Nobody deploys on Fridays.', 'de')).toBe('Nobody deploys on Fridays.');
  expect(sayReason('Nobody deploys on Fridays.', 'xx')).toBe('Nobody deploys on Fridays.');
});

it('the check finds an English sentence in a translated text', () => {
  expect(englishIn('Fertig. Nothing has been changed yet.', 'de')).not.toEqual([]);
  expect(englishIn('Weil: Dangerous actions need the approval of an operator.', 'de')).not.toEqual([]);
  expect(englishIn('demo in staging: 1.0 is ok', 'de')).toEqual([]);
});

it('no translation exists for a reason that no rule or check gives', () => {
  const folder = 'shared/messages/src/languages/de';
  const keys = Object.keys(JSON.parse(readFileSync(join(ROOT, folder, 'reasons.json'), 'utf8')) as object);
  const given = [...ofRules, ...ofSources, ...BUILT].map((one) => one.replaceAll("'x'", 'x'));
  const unused = keys.filter((key) => {
    const form = key.replace(/[\\^$.*+?()[\]|]/g, '\\$&').replace(/\{\w+\}/g, '.+');
    return !given.some((one) => new RegExp(`^${form}$`).test(one));
  });
  expect(unused).toEqual([]);
});
