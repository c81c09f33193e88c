import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { planScaffold } from '@signalbox/local/scaffold/kinds';
import { writeScaffold } from '@signalbox/local/scaffold/scaffold';
import { beforeAll, describe, expect, it } from 'vitest';
import { PERSON, startPostbox, TOKEN } from '../contracts/channels/benches/postbox-platform.ts';
import { createDatabase } from '../support/database.ts';
import { openScaffoldCopy, type ScaffoldCopy } from '../support/scaffold-copy.ts';
import { startService } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { openWiring } from '../support/wiring.ts';
import { CHANNEL_FAULTS } from './channel-faults.ts';

// What docs/extending/channels.md says is done in a copy of the product, by its commands. Then channels with mistakes are made there.

const PAGE = 'docs/extending/channels.md';
const BENCHES = 'tests/contracts/channels/benches';

let copy: ScaffoldCopy;
let root: string;
let written: string;
let tested: string;

beforeAll(async () => {
  copy = await openScaffoldCopy();
  ({ root } = copy);
  const [, make = '', test = ''] = /```sh\n(.+)\n(.+)\n```/.exec(readFileSync(join(root, PAGE), 'utf8')) ?? [];
  written = await copy.npm(make);
  tested = await copy.npm(test);
}, 180_000);

describe('npm run new -- channel wire', () => {
  it('lists the files it has written, and the next steps', () => {
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

  it('adds its variables to .env.example, with the descriptions of its schema', () => {
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

  it('leaves no name of the template in the new files', () => {
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

  it('writes code that compiles, is formatted, and keeps the rules of the architecture', async () => {
    const paths = ['services/gateway/src/channels/wire', `${BENCHES}/wire.ts`, `${BENCHES}/wire-platform.ts`];
    await copy.check(paths);
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', 'tests/architecture.test.ts'];
    const others = ['tests/contracts/channels/registered.test.ts', 'tests/contracts/service-variables.test.ts'];
    expect(await copy.node(...vitest, ...others)).toMatch(/Test Files.*3 passed/);
  });

  it('writes a channel through which a gateway answers people', async () => {
    const [platform, database] = [await startPostbox(), await createDatabase()];
    const prefix = `x${randomBytes(4).toString('hex')}:`;
    const wiring = await openWiring({ databaseUrl: database.url, prefix });
    const gateway = await startService(
      'gateway',
      'scaffold-gateway',
      // The copy's own list of variables has those of its new channel; this checkout's has not.
      { ...wiring.env('gateway', { GATEWAY_CHANNELS: 'wire' }), WIRE_URL: platform.url, WIRE_TOKEN: TOKEN },
      root,
    );
    try {
      platform.add({ kind: 'message', text: '/whoami' });
      await until(() => platform.shown.some(({ text }) => text.includes(`wire-${PERSON}`)), 60_000);
    } finally {
      await gateway.kill();
      await platform.close();
      await wiring.close();
      await database.drop();
    }
  });

  it.each([
    ['a kind that is not made', ['job', 'scribe'], /no 'job'[\s\S]*channel/],
    ['no kind', [], /<kind> <name>\n.*\n {2}channel +\S.*\n {2}agent +\S.*\n {2}capability +\S.*\n {2}driver +\S/],
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
    const before = copy.list();
    const refused: unknown = await copy.npm(['npm run -s new --', ...words].join(' ')).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(said) as string });
    expect(copy.list()).toEqual(before);
  });

  it('removes its files when it cannot write all of them', () => {
    const plan = planScaffold(root, ['channel', 'torn']);
    if ('problem' in plan) throw new Error(plan.problem);
    const files = [...plan.files, { path: 'package.json/x.ts', text: '' }];
    const before = copy.list();
    expect(() => writeScaffold(root, { ...plan, files })).toThrow(/ENOTDIR|EEXIST/);
    expect(copy.list()).toEqual(before);
  });
});

describe('a mistake in a channel', () => {
  const nameOf = (place: number): string =>
    `fault${String.fromCharCode(97 + Math.floor(place / 26), 97 + (place % 26))}`;
  const failed = new Map<string, readonly string[]>();

  beforeAll(async () => {
    CHANNEL_FAULTS.forEach(({ file, right, wrong }, place) => {
      const name = nameOf(place);
      const renamed = (text: string): string => text.replaceAll('postbox', name);
      const fault = { right: renamed(right), wrong: renamed(wrong) };
      copy.makeFaulty(['channel', name], `/channels/${name}/${file}.ts`, fault);
    });
    for (const { path, title } of await copy.failures('unit', `${BENCHES}/fault`)) {
      const name = basename(path, '.test.ts');
      failed.set(name, [...(failed.get(name) ?? []), title]);
    }
  }, 600_000);

  it.each(CHANNEL_FAULTS.map((fault, place) => [fault.what, fault.rule, nameOf(place)] as const))(
    'that %s fails exactly the contract test of its rule',
    (_, rule, name) => {
      expect(failed.get(name)).toEqual([rule]);
    },
  );
});
