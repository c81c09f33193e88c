import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ERRORS } from '@signalbox/contracts/errors';
import { describe, expect, it } from 'vitest';
import { planCommand } from '../infra/local/commands.mjs';
import rootConfig from '../vitest.config.ts';
import {
  findDeadLinks,
  findDifferences,
  readComposeVariables,
  readConfigVariables,
  readExampleVariables,
} from './architecture/documents.ts';
import { describeErrors } from './architecture/error-page.ts';
import { findBareCasts } from './architecture/casts.ts';
import { findBadNames, findBarrels, findEnvironmentReads, findLongFiles } from './architecture/files.ts';
import { IMPORT_TABLE, PACKAGE_HOMES } from './architecture/import-table.ts';
import { findCycles, findForbiddenImports, findHomelessPackages } from './architecture/imports.ts';
import { findOtherVersions, findPackageCycles, findUndeclaredImports, type Manifest } from './architecture/packages.ts';
import { findLateAwaits, findLostDeadlines } from './architecture/promises.ts';
import { findUnmarkedSecrets } from './architecture/secret-variables.ts';
import { listFiles, parseSource, readSources, type SourceFile } from './architecture/sources.ts';
import { findForgottenTests, findOwnWirings, type Suite } from './architecture/suites.ts';
import { CI_SUITES } from './ci/suites.ts';
import { samples } from './support/samples.ts';

// Every rule is tried twice: on the repository, where it must find nothing, and on a made-up breach, which it must find.

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const files = readSources(ROOT);
const paths = listFiles(ROOT);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const breach = (path: string, ...lines: readonly string[]): readonly SourceFile[] => [
  parseSource(path, lines.join('\n')),
];

describe('the import table', () => {
  const find = (sources: readonly SourceFile[]): readonly string[] => findForbiddenImports(sources, IMPORT_TABLE);

  it('is obeyed by every file', () => {
    expect(find(files)).toEqual([]);
  });

  it.each([
    ['a capability that reaches for the database', 'services/worker/src/capabilities/x.ts', '@signalbox/store/pool'],
    ['a capability that imports another', 'services/worker/src/capabilities/x.ts', './knowledge.ts'],
    ['an agent that reaches for tools', 'services/worker/src/agents/repo-analyst/x.ts', '../../tools/registry.ts'],
    ['an agent that runs a tool', 'services/worker/src/agents/repo-analyst/x.ts', '../../tools/run.ts'],
    ['an agent that knows the planner', 'services/worker/src/agents/repo-analyst/x.ts', '@signalbox/planner/plan'],
    ['a core that imports a plug-in', 'services/worker/src/turn/x.ts', '@signalbox/example-bank/worker'],
    ['a plug-in that runs a tool', 'examples/bank/src/x.ts', '@signalbox/worker/tools/run'],
    ['a plug-in that imports another', 'examples/notes/src/x.ts', '@signalbox/example-bank/worker'],
    ['a service that knows the planner', 'services/gateway/src/admission/x.ts', '@signalbox/planner/plan'],
    ['an agent that imports another', 'services/worker/src/agents/repo-analyst/x.ts', '../product-owner/graph.ts'],
    ['a service that imports another', 'services/gateway/src/admission/admit.ts', '@signalbox/worker/turn'],
    ['a channel that admits by itself', 'services/gateway/src/channels/telegram/x.ts', '../../admit.ts'],
    ['a contract that reads the database', 'shared/contracts/src/x.ts', '@signalbox/store/pool'],
    ['a stream that reads the database', 'shared/platform/src/streams/x.ts', '@signalbox/store/pool'],
    ['a command line that imports a service', 'services/cli/src/x.ts', '@signalbox/gateway/config'],
    ['a shared file that imports a service', 'shared/store/src/x.ts', '@signalbox/jobs/config'],
  ])('rejects %s', (_, path, specifier) => {
    expect(find(breach(path, `import { x } from '${specifier}';`, 'export const y = x;'))).toHaveLength(1);
  });

  it('rejects forbidden re-exports and imports at run time', () => {
    const path = 'shared/platform/src/streams/x.ts';
    expect(find(breach(path, `export { x } from '@signalbox/store/pool';`))).toHaveLength(1);
    expect(find(breach(path, `export const x = () => import('@signalbox/store/pool');`))).toHaveLength(1);
  });

  it('distinguishes imports of types from imports of values where only types are allowed', () => {
    const path = 'services/worker/src/agents/repo-analyst/x.ts';
    expect(
      find(breach(path, `import type { C } from '../../checkpoints/checkpoints.ts';`, 'export type D = C;')),
    ).toEqual([]);
    expect(
      find(breach(path, `import { C } from '../../checkpoints/checkpoints.ts';`, 'export const d = C;')),
    ).toHaveLength(1);
  });

  it('fails for a new folder that has no rule', () => {
    expect(find(breach('services/console/src/x.ts', 'export const x = 1;'))[0]).toContain('no rule');
  });
});

describe('third-party packages', () => {
  it('are each imported by one package of the workspace only', () => {
    expect(findHomelessPackages(files, PACKAGE_HOMES)).toEqual([]);
  });

  it.each([
    ['services/worker/src/turn/turn.ts', 'pg'],
    ['services/gateway/src/delivery/deliver.ts', 'grammy'],
    ['services/jobs/src/main.ts', 'bullmq'],
    ['shared/store/src/x.ts', 'ioredis'],
    ['services/worker/src/worker.ts', '@langchain/core/messages'],
    ['services/gateway/src/admission/admit.ts', 'a-package-that-nobody-chose'],
  ])('are reported when a second package imports them: %s imports %s', (path, name) => {
    expect(
      findHomelessPackages(breach(path, `import { x } from '${name}';`, 'export const y = x;'), PACKAGE_HOMES),
    ).toHaveLength(1);
  });
});

describe('packages of the workspace', () => {
  const manifests = paths
    .filter((path) => /^(?:shared|services|infra|examples)\/[^/]+\/package\.json$/.test(path))
    .map((path): Manifest => ({ ...JSON.parse(read(path)), folder: path.replace('/package.json', '') }));
  const made: readonly Manifest[] = [
    { folder: 'shared/a', name: '@signalbox/a', version: '2' },
    { folder: 'shared/b', name: '@signalbox/b', version: '1', dependencies: { '@signalbox/a': '1', zod: '4' } },
  ];
  const circle = [
    ...breach('shared/a/src/x.ts', `export * from '@signalbox/b/y';`),
    ...breach('shared/b/src/y.ts', `import { z } from 'zod';`, `export const y = import('@signalbox/a/x');`, 'z;'),
  ];

  it('declare every package that they import in their package.json', () => {
    expect(manifests.length).toBeGreaterThan(10);
    expect(findUndeclaredImports(files, manifests)).toEqual([]);
    expect(findUndeclaredImports(circle, made)).toEqual([
      'shared/a/src/x.ts:1: shared/a/package.json does not declare @signalbox/b',
    ]);
  });

  it('have the same version as the root package', () => {
    const { version }: Manifest = JSON.parse(read('package.json'));
    expect(findOtherVersions(manifests, version)).toEqual([]);
    expect(read('CHANGELOG.md')).toContain(`\n## ${version}\n`);
    expect(findOtherVersions(made, '2')).toEqual([
      'shared/b/package.json: @signalbox/b has version 1, and the release 2',
      'shared/b/package.json: @signalbox/a has version 1, and the release 2',
    ]);
  });

  it('import each other in one direction only, without cycles', () => {
    expect(findPackageCycles(files, manifests)).toEqual([]);
    expect(findPackageCycles(circle, made)).toEqual(['@signalbox/a → @signalbox/b → @signalbox/a']);
  });
});

describe('files', () => {
  it('do not import each other in cycles', () => {
    expect(findCycles(files)).toEqual([]);
    const circle = [
      ...breach('shared/store/src/a.ts', `export * from './b.ts';`),
      ...breach('shared/store/src/b.ts', `export * from './a.ts';`),
    ];
    expect(findCycles(circle)).toEqual(['shared/store/src/a.ts → shared/store/src/b.ts → shared/store/src/a.ts']);
  });

  it('define something that they export, and do not only re-export other files', () => {
    expect(findBarrels(files)).toEqual([]);
    expect(
      findBarrels(
        breach('shared/store/src/index.ts', `import { a } from './a.ts';`, `export * from './b.ts';`, 'export { a };'),
      ),
    ).toHaveLength(1);
    expect(findBarrels(breach('services/jobs/src/main.ts', `import './start.ts';`))).toEqual([]);
  });

  it('have no more lines than the maximum', () => {
    const others = paths
      .filter((path) => /\.(sql|css|html|sh)$/.test(path))
      .map((path) => ({ path, lines: read(path).trimEnd().split('\n').length }));
    expect(findLongFiles([...files, ...others])).toEqual([]);
    expect(
      findLongFiles([
        { path: 'shared/store/src/a.ts', lines: 401 },
        { path: 'shared/store/src/a.test.ts', lines: 401 },
      ]),
    ).toHaveLength(1);
  });

  it('have specific names in kebab case, and never names such as utils, helpers or manager', () => {
    expect(findBadNames(files.map(({ path }) => path))).toEqual([]);
    const bad = [
      'shared/store/src/utils.ts',
      'shared/store/src/date-helpers.ts',
      'shared/store/src/types.ts',
      'shared/store/src/myFile.ts',
      'shared/store/src/job-manager.ts',
    ];
    expect(findBadNames(bad)).toHaveLength(bad.length);
  });

  it('read environment variables only in config.ts', () => {
    expect(findEnvironmentReads(files)).toEqual([]);
    expect(findEnvironmentReads(breach('services/jobs/src/a.ts', `export const a = process.env['A'];`))).toHaveLength(
      1,
    );
    expect(findEnvironmentReads(breach('services/jobs/src/a.ts', `export const { env } = process;`))).toHaveLength(1);
    expect(findEnvironmentReads(breach('services/jobs/src/a.ts', `import { env } from 'node:process';`))).toHaveLength(
      1,
    );
    expect(findEnvironmentReads(breach('services/jobs/src/config.ts', `export const a = process.env;`))).toEqual([]);
  });

  it('explain each type cast in a comment', () => {
    expect(findBareCasts(files)).toEqual([]);
    const cast = `export const a = JSON.parse('1') as number;`;
    expect(findBareCasts(breach('shared/store/src/a.ts', cast))).toHaveLength(1);
    expect(findBareCasts(breach('shared/store/src/a.ts', `// The text is a number.\n${cast}`))).toEqual([]);
    expect(findBareCasts(breach('shared/store/src/a.ts', `export const a = JSON.parse('1') as unknown;`))).toEqual([]);
  });
});

describe('promises', () => {
  it('are awaited where they are created, or handle their failure there', () => {
    expect(findLateAwaits(files)).toEqual([]);
    const late = (begun: string, ...lines: readonly string[]): readonly string[] =>
      findLateAwaits(breach('services/worker/src/a.ts', 'async function a() {', begun, ...lines, '}'));
    expect(late('const rows = read();', 'await write();', 'return await rows;')).toHaveLength(1);
    expect(late('const rows = read();', 'await write();', 'await Promise.all([rows, read()]);')).toHaveLength(1);
    expect(late('const reads = ids.map(read);', 'await write();', 'await Promise.all(reads);')).toHaveLength(1);
    expect(late('this.#rows ??= read();', 'return [await write(), await this.#rows];')).toHaveLength(1);
    expect(late('const rows = read();', 'return [await rows, await write()];')).toEqual([]);
    expect(late('const rows = read().catch(() => []);', 'await write();', 'await rows;')).toEqual([]);
    expect(late('const pool = open();', 'await write(pool);', 'await pool.end();')).toEqual([]);
  });

  it('have deadlines that survive garbage collection', () => {
    expect(findLostDeadlines(files)).toEqual([]);
    expect(findLostDeadlines(breach('services/worker/src/a.ts', 'await read(AbortSignal.timeout(5));'))).toHaveLength(
      1,
    );
  });
});

describe('tests', () => {
  const projects = (rootConfig.test?.projects ?? []).flatMap((project) =>
    typeof project === 'object' && 'test' in project && project.test ? [project.test] : [],
  );
  const all = projects.map(({ name, include = [] }): Suite => ({ name: String(name), include }));
  const suites = all.filter(({ name }) => !name.startsWith('together'));
  /** The suites that a project runs: one `together` has the files of several. */
  const suitesOf = (project: string): readonly string[] => {
    const include = all.find(({ name }) => name === project)?.include ?? [];
    return include.flatMap((one) => suites.filter((suite) => suite.include[0] === one).map(({ name }) => name));
  };

  it('belong to exactly one suite each, and the build runs every suite', () => {
    expect(findForgottenTests(paths, suites, CI_SUITES)).toEqual([]);
    expect(read('.ci/run')).toContain('npm run ci');
    // What is run without words is what the README's command runs.
    for (const suite of CI_SUITES) {
      const plan = planCommand('test', suite.words, ROOT, {});
      const args = 'steps' in plan ? (plan.steps[0]?.args ?? []) : [];
      const named = [...args.join(' ').matchAll(/--project[= ](\S+)/g)].flatMap(([, name = '']) => suitesOf(name));
      expect(suite.projects).toEqual(named);
    }
  });

  it('start each service through the shared wiring, with the settings of `npm start`', () => {
    expect(findOwnWirings(files)).toEqual([]);
    const [made] = findOwnWirings(
      breach('tests/e2e/x.ts', "import { createGateway } from '@signalbox/gateway/gateway';", 'createGateway(env);'),
    );
    expect(made).toContain('tests/support/wiring.ts');
  });

  it('are reported when no suite or no build runs them', () => {
    const unit: Suite = { name: 'unit', include: ['{shared,services}/*/src/**/*.test.ts'] };
    const build = { title: 'tests', projects: ['unit', 'twin'], words: [] };
    expect(findForgottenTests(['shared/store/src/a/b.test.ts', 'services/cli/src/a.test.ts'], [unit], [build])).toEqual(
      [],
    );
    expect(findForgottenTests(['tests/new/a.test.ts'], [unit], [build])).toEqual([
      'tests/new/a.test.ts: no suite runs it',
    ]);
    expect(findForgottenTests(['shared/store/src/a.test.ts'], [unit, { ...unit, name: 'twin' }], [build])).toHaveLength(
      1,
    );
    expect(findForgottenTests([], [unit], [])).toEqual(['unit: tests/ci/suites.ts does not run it']);
  });
});

describe('environment variables', () => {
  it('that hold a secret can be read from a file', () => {
    // Simulators hold no secrets: what opens them is worth nothing outside of their machine.
    const read = files.filter(({ path }) => !/^(?:infra\/\w+-simulator|tests\/(?!examples\/))/.test(path));
    expect(findUnmarkedSecrets(read)).toEqual([]);
  });

  it.each([
    ['A_TOKEN: z.string().optional()', 1],
    ['A_KEY: z.string()', 1],
    ['A_WORD: PASSWORD', 0],
    ['A_PASSWORD: PLAIN', 1],
    ['/** What opens it. Secret. */ A_URL: z.url()', 1],
    ['/** What opens it. Secret. */ A_URL: z.url().meta({ secret: true })', 0],
    ['A_KEY: CommonConfig.shape.A_KEY.optional()', 0],
    ['A_KEY_FILE: z.string()', 0],
  ])('are checked for a missing secret mark: %s', (field, count) => {
    const made = breach(
      'services/x/src/config.ts',
      'const PASSWORD = z.string().meta({ secret: true });',
      'const PLAIN = z.string();',
      `export const XConfig = z.object({ ${field} });`,
    );
    expect(findUnmarkedSecrets(made)).toHaveLength(count);
  });
});

describe('documentation files', () => {
  it('explain every error code with the text of the catalog', async () => {
    const own = new Set(samples.flatMap(({ errors = {} }) => Object.keys(errors))); // explained by the pages of their plug-ins
    const catalog = Object.fromEntries(Object.entries(ERRORS).filter(([code]) => !own.has(code)));
    const remedies: Readonly<Record<string, string>> = JSON.parse(read('shared/contracts/src/remedies.json'));
    expect(Object.keys(remedies).filter((code) => !(code in catalog))).toEqual([]);
    // With -u it writes the page: npm test -- tests/architecture.test.ts -u
    await expect(describeErrors(catalog, remedies)).toMatchFileSnapshot('../docs/errors.md');
    const made = describeErrors(
      { NO_TEA: { remedy: 'retry', say: 'There is no {kind} tea.' } },
      { NO_TEA: 'Boil water.' },
    );
    expect(made).toContain('### NO_TEA\n\n> There is no {kind} tea.\n\nBoil water.\n');
  });

  it('list every environment variable that is read, and no others', () => {
    const product = files.filter(({ path }) => !path.startsWith('tests/'));
    const names = [...readConfigVariables(product), ...readComposeVariables(read('docker-compose.yml'))];
    const told = { names: readExampleVariables(read('.env.example')), where: '.env.example' };
    expect(findDifferences({ names, where: 'a configuration' }, told)).toEqual([]);
  });

  it('are found to differ from the code when either of them has a variable that the other lacks', () => {
    expect(readExampleVariables('# A word = not one\nA_URL=x\n# B_MS=5\n')).toEqual(['A_URL', 'B_MS']);
    expect([
      ...readConfigVariables(
        breach(
          'a/config.ts',
          'const AConfig = z.object({ A_URL: z.url(), PATH: z.string() });',
          'const x = { NOT_ONE: 1 };',
        ),
      ),
    ]).toEqual(['A_URL']);
    expect([...readComposeVariables('A: ${A_URL:?set it} ${B-x}\nC: $$D')]).toEqual(['A_URL', 'B']);
    const [made, told] = [
      { names: ['A', 'B'], where: 'code' },
      { names: ['B', 'C'], where: 'docs' },
    ];
    expect(findDifferences(made, told)).toEqual(['A is in code but not in docs', 'C is in docs but not in code']);
  });

  it('link only to files and headings that exist', () => {
    // The demo project has a dead link for scans to find.
    const documents = paths
      .filter((path) => path.endsWith('.md') && !path.startsWith('infra/demo/releases/'))
      .map((path) => ({ path, text: read(path) }));
    const readAt = (path: string): string | null => (existsSync(join(ROOT, path)) ? readTarget(path) : null);
    const readTarget = (path: string): string => (path.endsWith('.md') ? read(path) : '');
    expect(documents.flatMap((document) => findDeadLinks(document, readAt))).toEqual([]);
    const made = {
      path: 'docs/a.md',
      text: '[x](gone.md#part) [y](../README.md#no) [z](../README.md#it-s-ok) [w](#me)',
    };
    expect(findDeadLinks(made, (path) => (path === 'README.md' ? "# It-'s OK!" : null))).toEqual([
      'docs/a.md: the link to gone.md leads nowhere',
      'docs/a.md: README.md has no heading #no',
      'docs/a.md: docs/a.md has no heading #me',
    ]);
  });
});
