import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { planScaffold } from '@signalbox/local/scaffold/kinds';
import { writeScaffold } from '@signalbox/local/scaffold/scaffold';
import { inject } from 'vitest';
import { z } from 'zod';
import { openTestConfinement } from './bubblewrap.ts';
import { loadTestConfig } from './config.ts';
import { copyProduct } from './recipes.ts';

/** A mistake that the author of a plug-in could make: in a file that the scaffold writes, a piece of text for another. */
export interface Fault {
  readonly what: string;
  /** Stands there exactly once. */
  readonly right: string;
  readonly wrong: string;
  /** The rule that is broken by it, and the only one. */
  readonly rule: string;
}

/** A test that failed. */
export interface FailedTest {
  /** The file, from the root of the copy. */
  readonly path: string;
  /** Its own sentence. */
  readonly title: string;
  /** The sentences around it, its own, and what went wrong. */
  readonly text: string;
}

/** A copy of the product in which `npm run new` is tried out. */
export interface ScaffoldCopy {
  readonly root: string;
  /** Runs a command of npm's, as a page shows it. Rejects when it fails, with what it wrote. */
  npm(command: string): Promise<string>;
  /** Runs a program of node's. Rejects when it fails, with what it wrote. */
  node(...words: readonly string[]): Promise<string>;
  /** Every file of the copy, with its size and the time of its last change. */
  list(): readonly string[];
  /** Checks the types, the format and the style of these paths alone, because the whole product takes a minute. */
  check(paths: readonly string[]): Promise<void>;
  /** Makes something with a mistake: in the file whose path ends so. Throws when the right text does not stand there once. */
  makeFaulty(words: readonly [kind: string, name: string], ending: string, fault: Pick<Fault, 'right' | 'wrong'>): void;
  /** The tests of these paths that fail. */
  failures(project: 'unit' | 'integration', ...paths: readonly string[]): Promise<readonly FailedTest[]>;
}

/** Says what a run gives its tests, so that their types are known. */
const SERVERS = 'tests/support/servers.ts';

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({
          title: z.string(),
          fullName: z.string(),
          status: z.enum(['passed', 'failed']),
          failureMessages: z.array(z.string()).optional(),
        }),
      ),
    }),
  ),
});

/** Copies the product. What runs there uses the servers and the bubblewrap of this run. */
export async function openScaffoldCopy(): Promise<ScaffoldCopy> {
  const root = copyProduct();
  const { settings } = await openTestConfinement();
  const env = {
    PATH: loadTestConfig().path,
    HOME: homedir(),
    NO_COLOR: '1',
    SIGNALBOX_TEST_DATABASE_URL: inject('databaseUrl'),
    SIGNALBOX_TEST_REDIS_URL: inject('redisUrl'),
    ...settings,
  };
  const run = async (program: string, words: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(program, words, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  };
  const node = (...words: readonly string[]): Promise<string> => run(process.execPath, words);
  return {
    root,
    node,
    npm: async (command) => {
      const [program, ...words] = command.split(' ');
      if (program !== 'npm') throw new Error(`not npm's: ${command}`);
      return run('npm', words);
    },
    list: () => listFiles(root),
    check: async (paths) => {
      const config = {
        extends: './tsconfig.json',
        include: [...paths, SERVERS].map((path) => `../${path}`),
        references: [],
      };
      writeFileSync(join(root, 'tests/tsconfig.made.json'), JSON.stringify(config));
      await node('node_modules/typescript/bin/tsc', '-p', 'tests/tsconfig.made.json');
      await node('node_modules/prettier/bin/prettier.cjs', '--check', ...paths);
      await node('node_modules/oxlint/bin/oxlint', ...paths);
    },
    makeFaulty: (words, ending, { right, wrong }) => {
      const plan = planScaffold(root, words);
      if ('problem' in plan) throw new Error(plan.problem);
      const files = plan.files.map(({ path, text }) => {
        if (!path.endsWith(ending)) return { path, text };
        if (text.split(right).length !== 2) throw new Error(`not once in ${path}: ${right}`);
        return { path, text: text.replace(right, () => wrong) };
      });
      if (files.every(({ text }, place) => text === plan.files[place]?.text))
        throw new Error(`no file ends in ${ending}`);
      writeScaffold(root, { ...plan, files });
    },
    failures: async (project, ...paths) => {
      const report = join(root, 'made.json');
      const words = ['run', '--project', project, '--reporter', 'json', '--outputFile', report, ...paths];
      // It fails, as it should; without a report the next line does.
      await node('node_modules/vitest/vitest.mjs', ...words).catch(() => undefined);
      return Report.parse(JSON.parse(readFileSync(report, 'utf8'))).testResults.flatMap(({ name, assertionResults }) =>
        assertionResults
          .filter(({ status }) => status === 'failed')
          .map(({ title, fullName, failureMessages = [] }) => ({
            path: relative(root, name),
            title,
            text: [fullName, ...failureMessages].join('\n'),
          })),
      );
    },
  };
}

function listFiles(root: string): readonly string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || /\/(?:node_modules|\.signalbox)\//.test(path.slice(root.length))) return [];
    const { size, mtimeMs } = statSync(path);
    return [`${path} ${size} ${mtimeMs}`];
  });
}
