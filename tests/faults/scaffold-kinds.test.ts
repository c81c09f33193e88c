import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openScaffoldCopy, type FailedTest, type Fault, type ScaffoldCopy } from '../support/scaffold-copy.ts';
import { AGENT_FAULTS, CAPABILITY_FAULTS, DRIVER_FAULTS } from './plugin-faults.ts';

// What the pages of docs/extending/ say of agents, capabilities and drivers is done in one copy of the product, by their commands. Then
// some with mistakes are made there.

const AGENTS = 'services/worker/src/agents';
const CAPABILITIES = 'services/worker/src/capabilities';
const DRIVERS = 'services/jobs/src/drivers';

const MADE = {
  agent: [`${AGENTS}/night-scribe/index.ts`, 'tests/agents/night-scribe.test.ts'],
  capability: [`${CAPABILITIES}/lost-found.ts`, 'tests/integration/capabilities/lost-found.test.ts'],
  driver: [`${DRIVERS}/wire/wire-driver.ts`, 'tests/integration/jobs/driver-wire.test.ts'],
} as const;
type Kind = keyof typeof MADE;

const CHANGED = {
  agent: [],
  capability: ['tests/contracts/orders.test.ts'],
  driver: ['shared/contracts/src/operations/drivers.ts', `${DRIVERS}/open-driver.ts`],
} as const satisfies Readonly<Record<Kind, readonly string[]>>;

const PAGES = { agent: 'models', capability: 'tools', driver: 'jobs' } as const satisfies Readonly<
  Record<Kind, string>
>;
/** A word of what each was made of. */
const TEMPLATES = { agent: /echo/i, capability: /spare/i, driver: /spare/i } as const satisfies Readonly<
  Record<Kind, RegExp>
>;
const KINDS: readonly Kind[] = ['agent', 'capability', 'driver'];

let copy: ScaffoldCopy;
const written = new Map<Kind, string>();
const tested = new Map<Kind, string>();

beforeAll(async () => {
  copy = await openScaffoldCopy();
  const commands = KINDS.map((kind) => [kind, ...readCommands(kind)] as const);
  for (const [kind, make] of commands) written.set(kind, await copy.npm(make));
  for (const [kind, , test] of commands) tested.set(kind, await copy.npm(test));
}, 300_000);

/** What a page has a newcomer write, and then run. */
function readCommands(kind: Kind): readonly [make: string, test: string] {
  const page = readFileSync(join(copy.root, `docs/extending/${PAGES[kind]}.md`), 'utf8');
  const [, make, test] = new RegExp(`\`\`\`sh\\n(npm run new -- ${kind} .+)\\n(npm test .+)\\n\`\`\``).exec(page) ?? [];
  if (make === undefined || test === undefined) throw new Error(`the page of ${kind} shows no commands`);
  return [make, test];
}

const textOf = (path: string): string => readFileSync(join(copy.root, path), 'utf8');

describe.each(KINDS)('npm run new -- %s', (kind) => {
  it('lists the files it has written and changed, and the next steps', () => {
    const said = written.get(kind) ?? '';
    expect([...MADE[kind], ...CHANGED[kind]].filter((path) => !said.includes(`  ${path}\n`))).toEqual([]);
    expect(said).toMatch(/Next:\n {2}1\. npm test -- --project \w+ tests\/\S+ {3}passes now/);
    expect(said.includes('Changed:')).toBe(CHANGED[kind].length > 0);
  });

  it('writes code that passes the contract suite unchanged', () => {
    expect(tested.get(kind)).toMatch(/Test Files.*\b1 passed/);
    expect(tested.get(kind)).not.toMatch(/Tests.*failed/);
  });

  it('leaves no name of the template in the new files', () => {
    expect(MADE[kind].every((path) => existsSync(join(copy.root, path)))).toBe(true);
    expect(MADE[kind].filter((path) => TEMPLATES[kind].test(textOf(path)))).toEqual([]);
  });
});

it('the scaffold compiles, is formatted, and follows the style', async () => {
  const paths = KINDS.flatMap((kind) => [...MADE[kind], ...CHANGED[kind]]);
  await expect(copy.check(paths)).resolves.toBeUndefined();
});

it('the contract suites and the tests of the scaffold pass', async () => {
  const contracts = ['agents', 'capabilities', 'orders'].map((name) => `tests/contracts/${name}.test.ts`);
  const reporter = ['run', '--reporter', 'verbose', '--project'];
  const vitest = 'node_modules/vitest/vitest.mjs';
  const unit = await copy.node(
    vitest,
    ...reporter,
    'unit',
    ...contracts,
    'tests/architecture.test.ts',
    'tests/messages.test.ts',
  );
  expect(unit).toContain('the agent night_scribe');
  expect(unit).toContain('the group lost_found');
  expect(unit).toContain('contains every argument value of fill_lost_found');
  expect(unit).toMatch(/Test Files.*\b5 passed/);
  for (const [project, [, test]] of [['agents', MADE.agent] as const, ['integration', MADE.capability] as const])
    expect(await copy.node(vitest, ...reporter, project, test)).toMatch(/Test Files.*\b1 passed/);
}, 180_000);

it('a person deploys the demo program with the unchanged driver of the scaffold', async () => {
  const words = [
    'run',
    '--project',
    'e2e',
    '--reporter',
    'verbose',
    'tests/e2e/local-drivers.test.ts',
    '-t',
    'driver wire',
  ];
  const said = await copy.node('node_modules/vitest/vitest.mjs', ...words);
  expect(said).toContain('a person deploys the demo to a server of the driver wire');
  expect(said).toMatch(/Tests.*\b1 passed/);
}, 180_000);

it.each([
  ['an agent that is there', ['agent', 'product-owner'], /agents\/product-owner is there already/],
  ['the file of something else as an agent', ['agent', 'registry'], /agents\/registry\.ts is there already/],
  ['an agent with capitals', ['agent', 'Scribe'], /small letters/],
  ['an agent with an underscore', ['agent', 'night_owl'], /hyphens/],
  ['an agent out of its folder', ['agent', '../scribe'], /small letters/],
  ['an agent whose command would be too long', ['agent', 'a'.repeat(27)], /2 to 26/],
  ['the example as an agent', ['agent', 'echo'], /example/],
  ['a capability that is there', ['capability', 'deploy'], /capabilities\/deploy\.ts is there already/],
  ['a capability with a digit', ['capability', 'room-2'], /small letters/],
  ['a capability out of its folder', ['capability', '../room'], /small letters/],
  ['a capability whose tool is there', ['capability', 'allocations'], /list_allocations/],
  ['the example as a capability', ['capability', 'spare-room'], /example/],
  ['a driver that is there', ['driver', 'docker'], /drivers\/docker is there already/],
  ['the file of something else as a driver', ['driver', 'host'], /drivers\/host\.ts is there already/],
  ['a driver with a hyphen', ['driver', 'my-wire'], /small letters/],
  ['a driver out of its folder', ['driver', '../wire'], /small letters/],
  ['the example as a driver', ['driver', 'spare'], /example/],
])('creating %s is refused, and nothing changes', async (_, words, said) => {
  const before = copy.list();
  const refused: unknown = await copy.npm(['npm run -s new --', ...words].join(' ')).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(said) as string });
  expect(copy.list()).toEqual(before);
});

describe('a mistake', () => {
  let failed: readonly FailedTest[];
  const name = (kind: Kind, place: number): string => `${kind}${'abcdefghij'.charAt(place)}`;
  const files: Readonly<Record<Kind, (made: string) => string>> = {
    agent: (made) => `${AGENTS}/${made}/index.ts`,
    capability: (made) => `${CAPABILITIES}/${made}.ts`,
    driver: (made) => `${DRIVERS}/${made}/${made}-driver.ts`,
  };
  const faults = { agent: AGENT_FAULTS, capability: CAPABILITY_FAULTS, driver: DRIVER_FAULTS };
  const cases = KINDS.flatMap((kind) =>
    faults[kind].map((fault, place) => [kind, fault.what, fault.rule, name(kind, place)] as const),
  );

  beforeAll(async () => {
    const make = (kind: Kind, fault: Fault, place: number): void =>
      copy.makeFaulty([kind, name(kind, place)], files[kind](name(kind, place)), fault);
    for (const kind of KINDS) faults[kind].forEach((fault, place) => make(kind, fault, place));
    failed = [
      ...(await copy.failures('unit', 'tests/contracts/agents.test.ts', 'tests/contracts/capabilities.test.ts')),
      ...(await copy.failures('integration', 'tests/integration/jobs/driver-driver')),
    ];
  }, 600_000);

  it.each(cases)('in the %s that %s fails exactly the contract test of its rule', (_kind, _what, rule, made) => {
    const own = failed.filter(
      ({ path, text }) => path.includes(`-${made}.`) || new RegExp(`[ _]${made}\\b`).test(text),
    );
    expect(own.map(({ title }) => title)).toEqual([rule]);
  });

  it('in the id of an agent is reported with its folder', async () => {
    copy.makeFaulty(['agent', 'misnamed'], files.agent('misnamed'), {
      right: `id: 'misnamed'`,
      wrong: `id: 'somebody'`,
    });
    const words = ['run', '--project', 'unit', 'tests/contracts/agents.test.ts'];
    const refused: unknown = await copy
      .node('node_modules/vitest/vitest.mjs', ...words)
      .catch((error: unknown) => error);
    rmSync(join(copy.root, AGENTS, 'misnamed'), { recursive: true });
    const said = 'agents/misnamed exports the agent somebody; its id must be misnamed.';
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(said) as string });
  });
});
