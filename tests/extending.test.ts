import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runCommandLine } from '@signalbox/cli/command-line';
import { COMMANDS } from '@signalbox/gateway/commands/registry';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { planScaffold } from '@signalbox/local/scaffold/kinds';
import { createLog } from '@signalbox/platform/log';
import { CallOutline, toCallQuestion } from '@signalbox/safety/policy/outline';
import { loadPolicySet, readPolicyFolder } from '@signalbox/safety/policy/policy-set';
import { POLICY_FOLDER } from '@signalbox/safety/policy/settings';
import { createRegistry } from '@signalbox/worker/tools/registry';
import { issueContext, type ToolContext } from '@signalbox/worker/tools/tool';
import { describe, expect, it, onTestFinished } from 'vitest';
import { IMPORT_TABLE } from './architecture/import-table.ts';
import { findForbiddenImports } from './architecture/imports.ts';
import { parseSource } from './architecture/sources.ts';
import { findForbiddenComments, findForbiddenNames } from './architecture/words.ts';
import { createDiskReport } from './examples/disk-report.ts';
import { runDisks } from './examples/disks.ts';
import uptime from './examples/uptime.ts';
import worldClock from './examples/world-clock.ts';
import { readRecipes } from './support/recipes.ts';

// docs/extending/ shows whole files. They exist in tests/examples, where they are type-checked. What is quick is run here; all of them
// run in a copy of the product in tests/faults/recipes.test.ts.

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');

const shown = readRecipes().filter(({ isDiff }) => !isDiff);

/** An example sees the packages from outside; the file that it shows lies inside of one. */
function asSeenFrom(path: string, code: string): string {
  return code.replace(/'@signalbox\/(\w+)\/([^']+)'/g, (whole, name: string, rest: string) => {
    const root = [`services/${name}/src/`, `shared/${name}/src/`].find((one) => path.startsWith(one));
    const relative = root && posix.relative(posix.dirname(path), `${root}${rest}.ts`);
    return relative ? `'${relative.startsWith('.') ? relative : `./${relative}`}'` : whole;
  });
}

const lines = (code: string): readonly string[] =>
  code
    .split('\n')
    .filter((line) => line.trim() !== '')
    .toSorted();

const LOAD = `
  const [folder] = process.argv.slice(-1);
  const { loadPlugins } = await import('@signalbox/plugins/load-plugins');
  const { loadWorkerParts } = await import('@signalbox/worker/plugin-parts');
  const { createRegistry } = await import('@signalbox/worker/tools/registry');
  const [plugin] = await loadPlugins(folder);
  const { groups, agents } = await loadWorkerParts(folder);
  const list = createRegistry(groups).find('list_ledger_notes', ['ledger'])?.tool;
  const empty = list?.done({ notes: [] }, {});
  console.log(JSON.stringify({ tables: Object.keys(plugin.tables), empty, agents: agents.map(({ id }) => id) }));`;

/** The output of a program of ours that gets these words. */
async function runNode(program: string, ...words: readonly string[]): Promise<string> {
  const node = ['--conditions=source', '--import', 'tsx', '--input-type=module', '--eval', program, ...words];
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: getCheckoutPath() });
  return stdout;
}

describe('docs/extending', () => {
  it.each(shown.map(({ path, code }) => [path, code]))(
    'shows the code of %s exactly as it is in the tested file',
    (path, code) => {
      const example = path.replace(/\/index\.ts$/, '.ts').replace(/^.*\//, 'tests/examples/');
      // Sorted, because the order of imports depends on how they are written.
      expect(lines(code)).toEqual(lines(asSeenFrom(path, read(example))));
    },
  );

  it('the scaffold makes an agent with tables in its own folder, which is loaded and has English sentences', async () => {
    const plan = planScaffold(getCheckoutPath(), ['agent', 'ledger', '--with-table']);
    if ('problem' in plan) throw new Error(plan.problem);
    expect(plan.changes).toEqual([]);
    expect(plan.files.filter(({ path }) => !path.startsWith('examples/ledger/'))).toEqual([]);
    expect(plan.files.filter(({ path, text }) => /shelf/i.test(`${path}${text}`))).toEqual([]);
    const sources = plan.files
      .filter(({ path }) => path.endsWith('.ts'))
      .map(({ path, text }) => parseSource(path, text));
    expect(findForbiddenImports(sources, IMPORT_TABLE)).toEqual([]);
    expect([...sources.flatMap(findForbiddenNames), ...sources.flatMap(findForbiddenComments)]).toEqual([]);
    const folder = mkdtempSync(join(getCheckoutPath(), '.signalbox/made-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // What compiles it refers to the product by its place.
    for (const { path, text } of plan.files.filter((file) => !file.path.endsWith('/tsconfig.json'))) {
      mkdirSync(join(folder, posix.dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    // In a process of its own: the catalogs of this one would keep its sentences.
    const made = JSON.parse(await runNode(LOAD, join(folder, 'examples/ledger'))) as Record<string, unknown>;
    expect(made).toEqual({
      tables: ['ledger_people', 'ledger_notes'],
      empty: 'There are no notes yet.',
      agents: ['ledger'],
    });
  });

  it.each([
    ['bank', 'examples/bank is there already'],
    ['shelf', 'is the example'],
    ['night-desk', 'Take 2 to 20 small letters'],
  ])('the scaffold refuses to make an agent with tables that is named %s', (name, said) => {
    expect(planScaffold(getCheckoutPath(), ['agent', name, '--with-table'])).toMatchObject({
      problem: expect.stringContaining(said) as string,
    });
  });

  it('shows a capability that the registry accepts and whose tool answers', async () => {
    const found = createRegistry([worldClock]).find('tell_time', ['world_clock']);
    const input = found?.tool.input.parse({ city: 'Tokyo' });
    const touched = { now: () => new Date('2026-03-01T00:00:00Z') } as unknown as ToolContext; // all that it touches
    const context = issueContext(touched);
    const output = await found?.tool.run(input, context);
    expect(found?.tool.done(output, input)).toBe('It is **Mar 1, 2026, 9:00 AM** in Tokyo.');
    expect(found?.tool.input.safeParse({ city: 'Atlantis' }).success).toBe(false);
  });

  it('shows a job that runs, and whose result is reported when it matters', async () => {
    const job = createDiskReport(tmpdir());
    const signal = new AbortController().signal;
    const context = {
      runId: 'run_1',
      attempt: 1,
      owner: null,
      tell: async () => undefined,
      signal,
      log: createLog('test', 'silent'),
      now: () => new Date(),
      progress: async () => undefined,
      openSecret: async () => 'nothing',
    };
    const result = await job.run({}, context);
    expect(result.totalMb).toBeGreaterThan(result.freeMb);
    expect(job.say({ freeMb: 10, totalMb: 200 })).toBe('10 of 200 MB are free.');
    expect(job.isNotable?.({ freeMb: 10, totalMb: 200 })).toBe(true);
  });

  it('shows a policy rule that the shipped rules accept with its examples, and that decides a call', async () => {
    const shipped = await readPolicyFolder(POLICY_FOLDER);
    const added = ['quiet-fridays.cedar', 'quiet-fridays.json'].map((name) => ({
      name: name.endsWith('.json') ? `examples/${name}` : name,
      text: read(`tests/examples/${name}`),
    }));
    const { engine } = await loadPolicySet({ files: [...shipped.files, ...added], version: 'fridays' }, 'UTC');
    const decide = (at: string) =>
      engine.decide(
        toCallQuestion(CallOutline.parse({ role: 'admin', risk: 'sensitive', environment: 'production', at })),
      );
    expect(decide('2026-11-20T15:00:00Z')).toMatchObject({ effect: 'confirm', rule: 'friday-confirms' });
    expect(decide('2026-11-20T14:59:00Z')).toMatchObject({ effect: 'run' });
  });

  it('shows a chat command whose name is free and that answers', () => {
    expect(shown.map(({ path }) => path)).toContain(`services/gateway/src/commands/operations/${uptime.name}.ts`);
    expect(COMMANDS.map(({ name }) => name)).not.toContain(uptime.name);
    expect(uptime.answer().text).toMatch(/^\d+ (s|min|h)$/);
  });

  it('shows an operator command that the command line runs', async () => {
    const disks = { usage: ['disks <folder> …'], summary: 'What is free.', load: async () => runDisks };
    const run = async (...words: string[]): Promise<readonly [number, string]> => {
      let said = '';
      const write = (text: string): void => void (said += text);
      const code = await runCommandLine(words, { out: write, error: write }, {}, [disks]);
      return [code, said];
    };
    expect(await run('disks', tmpdir())).toEqual([0, expect.stringMatching(/FOLDER +FREE\n\S+ +\d+ GB/)]);
    expect(JSON.parse((await run('disks', tmpdir(), '--json'))[1])).toEqual([
      { folder: tmpdir(), freeBytes: expect.any(Number) as number },
    ]);
    expect(await run('disks')).toEqual([2, expect.stringContaining('Write: disks <folder> …')]);
    expect(await run('help')).toEqual([0, expect.stringContaining('disks <folder> …')]);
  });
});
