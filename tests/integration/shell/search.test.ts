import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { classifyCommand } from '@signalbox/shared/shell/classification';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);
const env = { PATH: '/usr/bin:/bin' };
let folder: string;

/** Runs what the product would run for a command, and answers what it prints. */
async function runUnasked(command: string): Promise<string> {
  const [argv] = classifyCommand(command).pipeline ?? [];
  if (!argv) throw new Error(`${command} does not run unasked`);
  const [name = '', ...args] = argv;
  // grep ends with 1 when it finds nothing, and diff when it finds something.
  const ended = await run(name, args, { cwd: folder, env, timeout: 20_000 }).catch((error: unknown) => error);
  return (ended as { stdout: string }).stdout; // both outcomes of execFile have it
}

beforeAll(() => {
  folder = makeTemporaryFolder('search');
  for (const place of ['app', 'app/.git', 'app/.ssh', 'old']) mkdirSync(join(folder, place));
  for (const name of [
    'app/.env',
    'app/.env.local',
    'app/prod.env',
    'app/server.key',
    'app/.git/config',
    'app/.ssh/id_rsa',
  ])
    writeFileSync(join(folder, name), 'PASSWORD=hunter2\n');
  writeFileSync(join(folder, 'old/.env'), 'PASSWORD=hunter1\n');
  writeFileSync(join(folder, 'app/main.ts'), '// PASSWORD comes from the environment\n');
  writeFileSync(join(folder, 'old/main.ts'), '// PASSWORD is written here\n');
});

describe('a search that runs unasked', () => {
  it.each([
    'grep -r PASSWORD app',
    'grep -rn PASSWORD',
    'grep --recursive -h PASSWORD .',
    `grep -r PASSWORD . --include='*.ts' --include='.en?'`,
    `grep -r --include='*' -e PASSWORD -- app`,
    'diff old app',
    'find . -type f -exec grep -n PASSWORD {} +',
    "find . -name nothing -o -type f -exec cat {} + -o -exec cat {} ';'",
    String.raw`find app old -type f \( -exec grep -q PASSWORD {} \; \) -exec cat {} \;`,
    String.raw`find . -depth -exec head -n 5 {} \; -o -true`,
  ])('finds what is meant and no secrets: %s', async (command) => {
    const found = await runUnasked(command);
    expect(found).toContain('PASSWORD comes from');
    expect(found).not.toContain('hunter');
  });

  it('takes what a file is called for the name of a file, whatever it looks like', async () => {
    const odd = ['-r', '-fapp', '+f', 'a -f .env x', 'b\n-r\n', "'", '{}', '*', '$(id)', ';'];
    mkdirSync(join(folder, 'odd'));
    for (const name of odd) writeFileSync(join(folder, 'odd', name), 'PASSWORD is in here\n');
    for (const command of [
      'find odd -type f -exec grep -h PASSWORD {} +',
      String.raw`find odd -type f -exec tail -n 1 {} \;`,
      String.raw`find odd -exec head -q -n 1 {} \;`,
    ]) {
      const found = await runUnasked(command);
      expect([command, found.match(/PASSWORD is in here/g)?.length]).toEqual([command, odd.length]);
      expect(found).not.toContain('hunter');
    }
  });

  it('would find them with the words alone', async () => {
    const { stdout } = await run('grep', ['-r', 'PASSWORD', 'app'], { cwd: folder, env, timeout: 20_000 });
    expect(stdout).toContain('hunter2');
  });
});
