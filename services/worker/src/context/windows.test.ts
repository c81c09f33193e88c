import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { loadPolicySet, readPolicyFolder } from '@signalbox/safety/policy/policy-set';
import { expect, it } from 'vitest';
import { findTimedRules } from './windows.ts';

const FOLDER = new URL('../../../../infra/policy/', import.meta.url);
const read = (file: string): Promise<string> => readFile(new URL(file, FOLDER), 'utf8');

it('the shipped policy rules contain no change window', async () => {
  const set = await loadPolicySet(await readPolicyFolder(fileURLToPath(FOLDER)), 'UTC');
  expect(set.rules.length).toBeGreaterThan(10);
  expect(findTimedRules(set)).toEqual([]);
});

it('only policy rules that depend on the hour or the day count as change windows', async () => {
  const { files } = await readPolicyFolder(fileURLToPath(FOLDER));
  const window = await read('optional/change-window.cedar');
  const spoken = '// What follows does not look at context.hour.\n';
  const changed = files.map(({ name, text }) =>
    name === 'windows.cedar' ? { name, text: `${spoken}${text}\n${window}` } : { name, text },
  );
  const examples = { name: 'examples/change-window.json', text: await read('optional/change-window.json') };
  const set = await loadPolicySet({ files: [...changed, examples], version: 'with a window' }, 'UTC');
  const found = findTimedRules(set);
  expect(found.map(({ id }) => id)).toEqual(['off-hours-asks-admins', 'off-hours-admins-approve']);
  expect(found[0]?.reason).toMatch(/^At night and at weekends/);
  expect(set.rules.filter(({ file }) => file === 'windows.cedar').length).toBeGreaterThan(2);
});
