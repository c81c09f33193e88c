import { readFileSync } from 'node:fs';
import { RULES } from '@signalbox/analysis/rules/rules';
import { expect, it } from 'vitest';

/** A row of the page: `| secrets/private-key | why it matters, and what to do |`. */
const ROW = /^\| `([a-z-]+\/[a-z0-9-]+)`\s*\| (.+?)\s*\|$/gm;

it('the documentation page of rules lists each rule once, with the product’s text about it', () => {
  const page = readFileSync(new URL('../../../docs/rules.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(ROW)].map(([, rule, why]) => [rule, why?.replaceAll(String.raw`\|`, '|')]);
  const rules = Object.entries(RULES).map(([rule, { why }]) => [rule, why()]);
  expect(rows).toEqual(rules.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)));
});
