import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { classifyCommand } from '@signalbox/safety/shell/classification';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);
const env = { PATH: '/usr/bin:/bin' };
let folder: string;

/** Runs what the product would run for a command, one program after another, and answers what the last one prints. */
async function runUnasked(command: string): Promise<string> {
  const { pipeline } = classifyCommand(command);
  if (!pipeline) throw new Error(`${command} does not run unasked`);
  let input = Buffer.alloc(0);
  for (const [name = '', ...args] of pipeline)
    input = spawnSync(name, args, { cwd: folder, env, input, timeout: 20_000 }).stdout;
  return input.toString();
}

beforeAll(() => {
  folder = makeTemporaryFolder('search');
  for (const place of ['app', 'app/.git', 'app/.ssh', 'app/secrets', 'old']) mkdirSync(join(folder, place));
  for (const name of [
    'app/.env',
    'app/.env.local',
    'app/prod.env',
    'app/server.key',
    'app/.git/config',
    'app/secrets/db',
    'app/.ssh/id_rsa',
  ])
    writeFileSync(join(folder, name), 'PASSWORD=hunter2\n');
  writeFileSync(join(folder, 'old/.env'), 'PASSWORD=hunter1\n');
  writeFileSync(join(folder, 'app/main.ts'), '// PASSWORD comes from the environment\n');
  writeFileSync(join(folder, 'old/main.ts'), '// PASSWORD is written here\n');
});

describe('a search that runs without approval', () => {
  it.each([
    'grep -r PASSWORD app',
    'grep -rn PASSWORD',
    'grep --recursive -h PASSWORD .',
    `grep -r PASSWORD . --include='*.ts' --include='.en?'`,
    `grep -r --include='*' -e PASSWORD -- app`,
    'diff old app',
    'find . -type f | xargs grep -n PASSWORD',
    'find . ! -name nothing -print0 | xargs -0 -n 1 cat',
    'find . -name nothing -o -type f -print | xargs -I {} head -n 3 {} | grep PASSWORD',
    'find . -type f -exec grep -n PASSWORD {} +',
    "find . -name nothing -o -type f -exec cat {} + -o -exec cat {} ';'",
    String.raw`find app old -type f \( -exec grep -q PASSWORD {} \; \) -exec cat {} \;`,
    String.raw`find . -depth -exec head -n 5 {} \; -o -true`,
  ])('finds the expected files and no secrets: %s', async (command) => {
    const found = await runUnasked(command);
    expect(found).toContain('PASSWORD comes from');
    expect(found).not.toContain('hunter');
  });

  it('treats a file name as a file name, even when it looks like a flag', async () => {
    const odd = ['-r', '-fapp', '+f', 'a -f .env x', 'b\n-r\n', "'", '{}', '*', '$(id)', ';'];
    mkdirSync(join(folder, 'odd'));
    for (const name of odd) writeFileSync(join(folder, 'odd', name), 'PASSWORD is in here\n');
    for (const command of [
      'find odd -type f -exec grep -h PASSWORD {} +',
      String.raw`find odd -type f -exec tail -n 1 {} \;`,
      String.raw`find odd -exec head -q -n 1 {} \;`,
      'find odd -type f | xargs cat',
      'find odd -type f -print0 | xargs -0 -n 1 grep -h PASSWORD',
      "find odd -type f | xargs -I '{}' tail -n 1 {}",
    ]) {
      const found = await runUnasked(command);
      expect([command, found.match(/PASSWORD is in here/g)?.length]).toEqual([command, odd.length]);
      expect(found).not.toContain('hunter');
    }
  });

  it('would find secrets if Signalbox added no flags', async () => {
    const { stdout } = await run('grep', ['-r', 'PASSWORD', 'app'], { cwd: folder, env, timeout: 20_000 });
    expect(stdout).toContain('hunter2');
  });
});
