import type { ChangeCheck } from '@signalbox/contracts/engineering/change';
import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { parseJson } from '@signalbox/contracts/system-error';
import { z } from 'zod';
import { findNodeCommands } from '../ways/node-commands.ts';
import { listBuildSteps } from '../ways/recognition.ts';
import { findPythonChecks, type PythonChecks } from './python-checks.ts';
import type { ReadableTree } from './ready-edits.ts';

/** Commands that a project is checked with, in order. */
export interface PlannedCheck {
  readonly kind: ChangeCheck['kind'];
  readonly words: readonly string[];
}

/** Finds how a project is built and tested: by its signalbox.json, else by its other files. Pure but for reading. */
export async function findChecks(tree: ReadableTree): Promise<readonly PlannedCheck[]> {
  const at = (name: string): string => (tree.folder === null ? name : `${tree.folder}/${name}`);
  const read = (name: string): Promise<string | null> => tree.read(at(name));
  const file = ServiceFile.safeParse(parseJson((await read('signalbox.json')) ?? ''));
  const names = new Set((await tree.list(tree.folder ?? '.')).map((path) => path.slice(at('').length)));
  const manifest = await read('package.json');
  const found = file.success ? file.data : null;
  const named = found?.test ?? guessTests(names, manifest);
  const python = named === null ? await findPythonChecks(names, read) : null;
  const test = named ?? python?.test ?? guessLast(names, await read('Makefile'));
  return [
    ...listBuild(found?.build ?? [], python, { names, packageJson: manifest }).map((words) => ({
      kind: isInstall(words) ? ('dependencies' as const) : ('build' as const),
      words,
    })),
    ...test.map((words) => ({ kind: 'test' as const, words })),
  ];
}

function listBuild(
  named: readonly (readonly string[])[],
  python: PythonChecks | null,
  root: { readonly names: ReadonlySet<string>; readonly packageJson: string | null },
): readonly (readonly string[])[] {
  // The lists of a Python project are among what its tests need.
  const lists = ['requirements.txt', 'uv.lock'];
  const names = python === null ? root.names : new Set([...root.names].filter((name) => !lists.includes(name)));
  const own = named.length > 0 ? named : listBuildSteps({ ...root, names });
  return [...own, ...(python?.build ?? [])];
}

/** True for a command that fetches dependencies, which alone reaches registries. Pure. */
export function isInstall(words: readonly string[]): boolean {
  const line = words.join(' ').replace(/@\d\S*/g, '');
  const isOfYarn = /(?:^| )(?:yarn|\S+\/cli-dist)(?: install\b| --|$)/.test(line);
  const isOfOthers =
    /\b(?:npm (?:ci|install|i)|(?:pnpm|bun) (?:install|i)|pip3? install|go mod download|cargo fetch|bundle install|composer install|uv sync|poetry install)\b/;
  return isOfYarn || isOfOthers.test(line);
}

const Scripts = z.object({ scripts: z.object({ test: z.string().optional() }) });

function guessTests(names: ReadonlySet<string>, packageJson: string | null): string[][] | null {
  const script = Scripts.safeParse(parseJson(packageJson ?? '')).data?.scripts.test;
  // What `npm init` writes fails on purpose.
  if (script !== undefined && !script.includes('no test specified'))
    return [findNodeCommands({ names, packageJson }).run('test')];
  if (names.has('go.mod')) return [['go', 'test', './...']];
  return names.has('Cargo.toml') ? [['cargo', 'test']] : null;
}

function guessLast(names: ReadonlySet<string>, makefile: string | null): string[][] {
  if (/^test:/m.test(makefile ?? '')) return [['make', 'test']];
  // Node's own runner finds these.
  const node = [...names].some((name) => /\.test\.[cm]?js$/.test(name));
  return node ? [['node', '--test']] : [];
}
