import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { planScaffold } from '@signalbox/local/scaffold/kinds';
import { writeScaffold } from '@signalbox/local/scaffold/scaffold';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { PERSON, startPostbox, TOKEN } from '../contracts/channels/benches/postbox-platform.ts';
import { loadTestConfig } from '../support/config.ts';
import { createDatabase } from '../support/database.ts';
import { copyProduct } from '../support/recipes.ts';
import { TEST_SEALING_KEY } from '../support/secrets-key.ts';
import { startService } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { CHANNEL_FAULTS, type ChannelFault } from './channel-faults.ts';

// What docs/extending/channels.md says is done in a copy of the product, by its commands. Then channels with mistakes are made there.

const PAGE = 'docs/extending/channels.md';
const BENCHES = 'tests/contracts/channels/benches';

let root: string;
let written: string;
let tested: string;

beforeAll(async () => {
  root = copyProduct();
  const [, make = '', test = ''] = /```sh\n(.+)\n(.+)\n```/.exec(readFileSync(join(root, PAGE), 'utf8')) ?? [];
  written = await npm(make);
  tested = await npm(test);
}, 180_000);

/** Runs a program in the copy. Rejects when it fails, with what it wrote. */
async function run(program: string, words: readonly string[]): Promise<string> {
  const env = { PATH: loadTestConfig().path, HOME: homedir(), NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)(program, words, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** Runs a command of a page, which is npm's. */
function npm(command: string): Promise<string> {
  const [program, ...words] = command.split(' ');
  if (program !== 'npm') throw new Error(`not npm's: ${command}`);
  return run('npm', words);
}

const node = (...words: readonly string[]): Promise<string> => run(process.execPath, words);

/** Every file of the copy, with its size and the time of its last change. */
function listCopy(): readonly string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || /\/(?:node_modules|\.signalbox)\//.test(path.slice(root.length))) return [];
    const { size, mtimeMs } = statSync(path);
    return [`${path} ${size} ${mtimeMs}`];
  });
}

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ title: z.string(), status: z.enum(['passed', 'failed']) })),
    }),
  ),
});

describe('npm run new -- channel wire', () => {
  it('says what it has written and what to do next', () => {
    const files = ['channel', 'client', 'config', 'encode', 'index', 'receive'].map((one) => `channels/wire/${one}.ts`);
    const all = [
      ...files,
      `${BENCHES}/wire.ts`,
      `${BENCHES}/wire.test.ts`,
      `${BENCHES}/wire-platform.ts`,
      '.env.example',
    ];
    expect(all.filter((file) => !written.includes(file))).toEqual([]);
    expect(written).toContain(`npm test -- --project unit ${BENCHES}/wire.test.ts`);
  });

  it('writes a channel that passes the contract suite unchanged', () => {
    expect(tested).toMatch(/Test Files.*1 passed/);
    expect(tested).toMatch(/Tests.*\b[4-9]\d passed/);
  });

  it('adds its variables to those of the example, with what its schema says of each', () => {
    const [, added = ''] = readFileSync(join(root, '.env.example'), 'utf8').split(/^# ---- Wire .*$/m);
    expect(added.trim().split('\n')).toEqual([
      '# Where its HTTP interface is served.',
      '# WIRE_URL=',
      '# What calls present. Secret.',
      '# WIRE_TOKEN=',
      '# The name of our account there. Messages are known by it, so it stays when the token changes.',
      '# WIRE_ACCOUNT=signalbox',
    ]);
  });

  it('leaves nothing of the name of what it was made of', () => {
    const made = [
      ...readdirSync(join(root, 'services/gateway/src/channels/wire')).map(
        (name) => `services/gateway/src/channels/wire/${name}`,
      ),
      ...readdirSync(join(root, BENCHES))
        .filter((name) => name.startsWith('wire'))
        .map((name) => `${BENCHES}/${name}`),
    ];
    expect(made).toHaveLength(9);
    expect(made.filter((path) => /postbox/i.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
  });

  it('writes what compiles, is formatted, and keeps the rules of the architecture', async () => {
    const paths = ['services/gateway/src/channels/wire', `${BENCHES}/wire.ts`, `${BENCHES}/wire-platform.ts`];
    // By itself, because the whole product takes a minute.
    const config = { extends: './tsconfig.json', include: paths.map((path) => `../${path}`), references: [] };
    writeFileSync(join(root, 'tests/tsconfig.wire.json'), JSON.stringify(config));
    await node('node_modules/typescript/bin/tsc', '-p', 'tests/tsconfig.wire.json');
    await node('node_modules/prettier/bin/prettier.cjs', '--check', ...paths);
    await node('node_modules/oxlint/bin/oxlint', ...paths);
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', 'tests/architecture.test.ts'];
    const others = ['tests/contracts/channels/registered.test.ts', 'tests/contracts/service-variables.test.ts'];
    expect(await node(...vitest, ...others)).toMatch(/Test Files.*3 passed/);
  });

  it('writes a channel through which a gateway answers people', async () => {
    const [platform, database] = [await startPostbox(), await createDatabase()];
    const gateway = await startService(
      'gateway',
      'scaffold-gateway',
      {
        DATABASE_URL: database.url,
        REDIS_URL: inject('redisUrl'),
        REDIS_PREFIX: `x${randomBytes(4).toString('hex')}:`,
        SECRETS_SEALING_KEY: TEST_SEALING_KEY,
        GATEWAY_CHANNELS: 'wire',
        WIRE_URL: platform.url,
        WIRE_TOKEN: TOKEN,
      },
      root,
    );
    try {
      platform.add({ kind: 'message', text: '/whoami' });
      await until(() => platform.shown.some(({ text }) => text.includes(`wire-${PERSON}`)), 60_000);
    } finally {
      await gateway.kill();
      await platform.close();
      await database.drop();
    }
  });

  it.each([
    ['a kind that is not made', ['agent', 'scribe'], /no 'agent'[\s\S]*channel/],
    ['no kind', [], /npm run new -- <kind> <name>[\s\S]*channel/],
    ['no name', ['channel'], /npm run new -- channel <name>/],
    ['two names', ['channel', 'wire', 'less'], /npm run new -- channel <name>/],
    ['a name that is there', ['channel', 'wire'], /channels\/wire is there already/],
    ['the name of a folder that is no channel', ['channel', 'http'], /channels\/http is there already/],
    ['a name with a hyphen', ['channel', 'my-wire'], /small letters/],
    ['a name that leads out of the folder', ['channel', '../wire'], /small letters/],
    ['a name in capitals', ['channel', 'Wire'], /small letters/],
    ['the name of the example', ['channel', 'postbox'], /example/],
    ['a name whose variables belong to somebody else', ['channel', 'database'], /DATABASE_/],
  ])('refuses %s, and changes nothing', async (_, words, said) => {
    const before = listCopy();
    const refused: unknown = await npm(['npm run -s new --', ...words].join(' ')).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(said) as string });
    expect(listCopy()).toEqual(before);
  });

  it('removes what it has written when it cannot write all of it', () => {
    const plan = planScaffold(root, ['channel', 'torn']);
    if ('problem' in plan) throw new Error(plan.problem);
    const files = [...plan.files, { path: 'package.json/x.ts', text: '' }];
    const before = listCopy();
    expect(() => writeScaffold(root, { ...plan, files })).toThrow(/ENOTDIR|EEXIST/);
    expect(listCopy()).toEqual(before);
  });
});

describe('a mistake in a channel', () => {
  const nameOf = (place: number): string =>
    `fault${String.fromCharCode(97 + Math.floor(place / 26), 97 + (place % 26))}`;
  const failed = new Map<string, readonly string[]>();

  beforeAll(async () => {
    CHANNEL_FAULTS.forEach((fault, place) => makeFaulty(nameOf(place), fault));
    const report = join(root, 'faults.json');
    const words = ['run', '--project', 'unit', '--reporter', 'json', '--outputFile', report, `${BENCHES}/fault`];
    // It fails, as it should; without a report the next line does.
    await node('node_modules/vitest/vitest.mjs', ...words).catch(() => undefined);
    for (const { name, assertionResults } of Report.parse(JSON.parse(readFileSync(report, 'utf8'))).testResults) {
      const broken = assertionResults.filter(({ status }) => status === 'failed').map(({ title }) => title);
      failed.set(basename(name, '.test.ts'), broken);
    }
  }, 600_000);

  function makeFaulty(name: string, { file, right, wrong }: ChannelFault): void {
    const plan = planScaffold(root, ['channel', name]);
    if ('problem' in plan) throw new Error(plan.problem);
    const [from, to] = [right, wrong].map((text) => text.replaceAll('postbox', name));
    const files = plan.files.map(({ path, text }) => {
      if (!path.endsWith(`/channels/${name}/${file}.ts`)) return { path, text };
      expect(text.split(from ?? '')).toHaveLength(2);
      return { path, text: text.replace(from ?? '', () => to ?? '') };
    });
    writeScaffold(root, { ...plan, files });
    expect(existsSync(join(root, BENCHES, `${name}.test.ts`))).toBe(true);
  }

  it.each(CHANNEL_FAULTS.map((fault, place) => [fault.what, fault.rule, nameOf(place)] as const))(
    'that %s fails with the sentence of its rule and with no other',
    (_, rule, name) => {
      expect(failed.get(name)).toEqual([rule]);
    },
  );
});
