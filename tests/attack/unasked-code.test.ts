import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../support/bubblewrap.ts';
import { plantTargets, parseAttempts, successes, type Targets } from '../support/hostile-release.ts';
import { createPlayedModels, type PlayedCall } from '../support/played-model.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/until.ts';

// A model that is steered by what it read writes code and runs it, and nobody is asked. The code tries to reach what is not its own.

const sandbox = await locateTestSandbox('code that runs unasked');
const SECRET = `secret-of-ben-${Math.random().toString(36).slice(2)}`;

const write = (path: string, content: string): PlayedCall => ({ tool: 'write_file', args: { path, content } });
const run = (command: string): PlayedCall => ({ tool: 'run_command', args: { command } });

describe.skipIf(sandbox === null)('code that a model writes and runs unasked', { timeout: 120_000 }, () => {
  let stack: Stack;
  let ada: Person;
  let ben: Person;
  let home: string;
  let targets: Targets;
  const parts: Record<string, readonly PlayedCall[]> = {
    'keep a secret': [write('secret.txt', SECRET)],
    'keep a file of shop': [
      { tool: 'write_file', args: { path: 'plans.txt', content: `${SECRET} of shop`, project: 'shop' } },
    ],
  };
  beforeAll(async () => {
    home = join(makeTemporaryFolder('workspaces'), 'home');
    targets = await plantTargets();
    const models = createPlayedModels(['workspace'], parts);
    stack = await openStack({
      jobs: true,
      pools: ['agents'],
      wiring: { models: () => Promise.resolve(models) },
      env: { ...sandbox?.settings, WORKSPACE_DIR: home, WORKSPACE_LIMIT_MB: '20' },
    });
    await stack.pool.query(
      `insert into projects (name, description, status, owner, action_id) values ('shop', '', 'active', '1002', 'shop')`,
    );
    ada = await stack.person(1001, 'developer');
    ben = await stack.person(1002, 'developer');
    await ben.ask('keep a secret');
    await ben.ask('keep a file of shop');
  }, 60_000);
  afterAll(async () => {
    targets.close();
    await stack.close();
  });

  let count = 0;
  /** Has the model make these calls for Ada. Answers what the person reads, and the outputs of the commands. */
  const play = async (calls: readonly PlayedCall[]): Promise<{ said: string; output: string; killed: unknown[] }> => {
    const name = `part-${(count += 1)}.`;
    parts[name] = calls;
    const before = new Set(await listRuns());
    const said = (await ada.ask(`play ${name}`)).join('\n');
    const { rows } = await stack.pool.query<{ id: string; output: string; killed: unknown }>(
      `select run_id as id, result #>> '{result,output}' as output, result #>> '{result,killed}' as killed
         from runs where job = 'workspace.run' and thread_id like 'user_1001_%' order by created_at`,
    );
    const own = rows.filter(({ id }) => !before.has(id));
    return { said, output: own.map(({ output }) => output).join('\n'), killed: own.map(({ killed }) => killed) };
  };
  const listRuns = async (): Promise<readonly string[]> =>
    (await stack.pool.query<{ id: string }>('select run_id as id from runs')).rows.map(({ id }) => id);

  it('gains nothing by any of more than a hundred attempts', async () => {
    const source = targets.makeSource();
    const files = ['attempts.mjs', 'targets.json'].map((name) => write(name, readFileSync(join(source, name), 'utf8')));
    const { output } = await play([...files, run('node attempts.mjs command all')]);
    const attempts = parseAttempts(output.split('\n'));
    expect(attempts.length).toBeGreaterThan(100);
    expect(attempts.at(-1)?.attempt).toBe('finished');
    expect(successes(attempts)).toEqual([]);
    targets.assertUntouched();
  });

  it('reaches no server, not even one of this machine', async () => {
    let reached = 0;
    const server = createServer((socket) => void ((reached += 1), socket.destroy())).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const own = typeof address === 'object' && address !== null ? address.port : 0;
    const ports = [own, ...[stack.databaseUrl, stack.redisUrl, stack.simulatorUrl].map((url) => new URL(url).port)];
    const tries = ports.map((port) => `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo reached ${port}`);
    const { output } = await play([
      write('dial.sh', [...tries, 'getent hosts example.org && echo resolved', 'cat /proc/net/dev', 'true'].join('\n')),
      run('bash dial.sh'),
    ]);
    server.close();
    expect(output).not.toMatch(/reached|resolved/);
    expect(output.match(/^\s*\w+:/gm)?.map((name) => name.trim())).toEqual(['lo:']);
    expect(reached).toBe(0);
  });

  it('reads no folder of another conversation, of a project or of the service', async () => {
    expect(readFileSync(join(home, 'files/thread-user_1002_1/secret.txt'), 'utf8')).toBe(SECRET);
    expect(readFileSync(join(home, 'files/project-shop/plans.txt'), 'utf8')).toContain(SECRET);
    const places = [
      join(home, 'files/thread-user_1002_1/secret.txt'),
      '../thread-user_1002_1/secret.txt',
      '/workspace/../thread-user_1002_1/secret.txt',
      join(home, 'files/project-shop/plans.txt'),
      '/proc/1/root/workspace/../../secret.txt',
    ];
    const { output } = await play([
      write('look.sh', [...places.map((place) => `cat '${place}' 2>&1`), `ls -A '${home}' 2>&1`].join('\n')),
      run(
        'sh look.sh; find / -name secret.txt -o -name plans.txt 2>/dev/null; grep -rl "secret-of-ben" /home /tmp /run /var /srv /opt /mnt /media 2>/dev/null; true',
      ),
    ]);
    expect(output).not.toContain(SECRET);
    expect(output).not.toMatch(/^\/.*(secret|plans)\.txt/m);
  });

  it('finds no secret in an environment', async () => {
    const { output } = await play([
      run('env; cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n"; ls /proc | grep -c "^[0-9]"'),
    ]);
    const names = output.split('\n').flatMap((line) => /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(line)?.[1] ?? []);
    // The last is bubblewrap's own, where its libraries are not installed.
    const known = ['HOME', 'LANG', 'OLDPWD', 'PATH', 'PWD', 'TMPDIR', '_', 'LD_LIBRARY_PATH'];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    expect(output).not.toMatch(/DATABASE_URL|REDIS|TOKEN|SECRET|KEY/);
    expect(Number(output.trim().split('\n').at(-1))).toBeLessThan(10);
  });

  it('leads no tool out of its folder by a link', async () => {
    const bens = join(home, 'files/thread-user_1002_1');
    const { said } = await play([
      run(
        `ln -sfn ${bens} ben; ln -sf ${bens}/secret.txt direct; ln -sf /etc/passwd users; mkdir -p deep; ln -sfn /etc deep/etc; ls`,
      ),
      { tool: 'read_file', args: { path: 'ben/secret.txt' } },
      { tool: 'read_file', args: { path: 'direct' } },
      { tool: 'read_file', args: { path: 'users' } },
      { tool: 'read_file', args: { path: 'deep/etc/passwd' } },
      { tool: 'list_files', args: { path: 'ben' } },
      write('ben/planted.txt', 'x'),
      write('direct', 'x'),
      { tool: 'apply_diff', args: { diff: '--- /dev/null\n+++ b/ben/planted.txt\n@@ -0,0 +1 @@\n+x\n' } },
      run('cat ben/secret.txt direct 2>&1; true'),
    ]);
    expect(said).not.toContain(SECRET);
    expect(readdirSync(bens).toSorted()).toEqual(['.git', 'secret.txt']);
    expect(readFileSync(join(bens, 'secret.txt'), 'utf8')).toBe(SECRET);
    const { rows } = await stack.pool.query<{ n: number }>(
      `select count(*)::int as n from audit_events where kind = 'file.denied' and actor = '1001'`,
    );
    expect(rows[0]?.n).toBeGreaterThanOrEqual(8);
  });

  it('writes nothing outside of its folder, nor into the configuration of the repository', async () => {
    const marker = makeTemporaryFolder('outside');
    const places = [marker, '/', '/usr', '/etc', '/home', '/var', '/run', '/dev', '/proc', home].map((folder) =>
      join(folder, 'planted'),
    );
    const { output } = await play([
      write(
        'plant.sh',
        `for f in ${places.join(' ')}; do (echo x > $f) 2>/dev/null && echo wrote $f; done\necho x > .git/hooks/pre-commit; echo x >> .git/config; mv .git away; chmod u+s plant.sh; ls -l plant.sh`,
      ),
      run('sh plant.sh'),
    ]);
    expect(output).not.toContain('wrote');
    for (const place of places) expect(existsSync(place)).toBe(false);
    const own = join(home, 'files/thread-user_1001_1');
    expect(readdirSync(join(own, '.git/hooks'))).toEqual([]);
    expect(readFileSync(join(own, '.git/config'), 'utf8')).not.toContain('x\n');
    expect(lstatSync(join(own, 'plant.sh')).mode & 0o6000).toBe(0);
  });

  it('keeps nobody else from working with its fork bomb, and ends with it', async () => {
    parts['say hello'] = [run('echo hello of ben > hello.txt && cat hello.txt')];
    const bomb = 'bomb() { bomb | bomb & }\nbomb 2>/dev/null\nsleep 2\n';
    const exploded = play([write('bomb.sh', bomb), run('timeout -s KILL 10 bash bomb.sh; true')]);
    expect((await ben.ask('say hello')).join()).toContain('hello of ben');
    expect((await exploded).killed).toHaveLength(1);
    // Whether a control group refused its processes or the sandbox was ended with them, none of them is left.
    expect((await play([run('echo alive; ls /proc | grep -c "^[0-9]"')])).output).toMatch(/alive\n[0-9]\n/);
  });

  it('leaves no process behind, and fills no disk', async () => {
    const mark = `7${process.pid}9`;
    await play([
      write(
        'daemon.sh',
        `setsid sleep ${mark} >/dev/null 2>&1 &\nnohup sleep ${mark} >/dev/null 2>&1 &\necho started\n`,
      ),
      run('sh daemon.sh'),
    ]);
    await eventually(
      async () =>
        execFileSync('sh', ['-c', `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '`], { encoding: 'utf8' }),
      (all) => !all.includes(`sleep ${mark}`),
    );
    const { killed } = await play([
      write('fill.sh', 'i=0; while :; do head -c 4000000 /dev/zero > f$i || exit; i=$((i+1)); done\n'),
      run('sh fill.sh'),
    ]);
    expect(killed).toEqual(['workspace']);
    expect((await play([run('rm -f f[0-9]* && ls')])).output).not.toMatch(/^f\d/m);
  });

  it('asked nobody for all of this', async () => {
    const { rows } = await stack.pool.query(
      `select (select count(*) from actions where tool = 'run_command' and status = 'done' and user_key = '1001') > 9 as ran,
              (select count(*)::int from approvals) as asked`,
    );
    expect(rows).toEqual([{ ran: true, asked: 0 }]);
  });
});
