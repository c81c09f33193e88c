import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadPlugins } from '@signalbox/plugins/load-plugins';
import { describePlugin } from './plugins.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Every plug-in of the repository: a new folder is tested before its author writes a test. */
const FOLDERS = [...readdirSync(`${ROOT}examples`).map((name) => `examples/${name}`), 'tests/examples/shelf'];

for (const folder of FOLDERS) await describePlugin(folder);

it.each([
  ['a folder that is not there', 'examples/nothing', /there is no folder .*examples\/nothing\. Correct AGENTS/],
  ['a folder that is no plug-in', 'tests/fixtures', /it has no src\/index\.ts/],
  ['a package that is not installed', '@acme/nothing', /it cannot be loaded/],
  ['a package that is no plug-in', 'zod', /has to export definePlugin/],
])('a plug-in that is %s is refused with a remedy', async (_, name, said) => {
  await expect(loadPlugins(name)).rejects.toMatchObject({ code: 'STARTUP_REFUSED' });
  await expect(loadPlugins(name)).rejects.toThrow(said);
});

it('`none` and an empty list load no plug-in, and a plug-in that is named twice is loaded once', async () => {
  expect([await loadPlugins(''), await loadPlugins('none')]).toEqual([[], []]);
  expect((await loadPlugins('examples/bank, examples/bank')).map(({ name }) => name)).toEqual(['bank']);
});
