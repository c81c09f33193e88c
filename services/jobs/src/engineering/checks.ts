import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ChangeCheck } from '@signalbox/contracts/engineering/change';
import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { parseJson } from '@signalbox/contracts/system-error';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { redactText } from '@signalbox/safety/redact/redact';
import { z } from 'zod';
import { quoteShellWord } from '../drivers/quote-shell-word.ts';
import { listBuildSteps } from '../git/recognition.ts';
import { listNodeMounts } from '../sandbox/program-room.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ReadableTree } from './ready-edits.ts';
import type { RegistryDoor } from './registry-door.ts';

/** Commands that a project is checked with, in order. */
export interface PlannedCheck {
  readonly kind: ChangeCheck['kind'];
  readonly words: readonly string[];
}

export interface CheckOutcome {
  readonly checks: readonly ChangeCheck[];
  readonly isTested: boolean;
  readonly isGood: boolean;
  /** The end of the output of the failed command, else of the tests. Without secrets. */
  readonly output: string;
}

const DEPENDENCIES_MS = 8 * MINUTE_MS;
const COMMAND_MS = 10 * MINUTE_MS;
const KEPT_OUTPUT = 8_000;
const run = promisify(execFile);

/** Finds how a project is built and tested: by its signalbox.json, else by its other files. Pure but for reading. */
export async function findChecks(tree: ReadableTree): Promise<readonly PlannedCheck[]> {
  const at = (name: string): string => (tree.folder === null ? name : `${tree.folder}/${name}`);
  const read = (name: string): Promise<string | null> => tree.read(at(name));
  const file = ServiceFile.safeParse(parseJson((await read('signalbox.json')) ?? ''));
  const names = new Set((await tree.list(tree.folder ?? '.')).map((path) => path.slice(at('').length)));
  const manifest = await read('package.json');
  const found = file.success ? file.data : null;
  const build = found && found.build.length > 0 ? found.build : listBuildSteps({ names, packageJson: manifest });
  const test = found?.test ?? guessTests(names, manifest, await read('Makefile'));
  return [
    ...build.map((words) => ({ kind: isInstall(words) ? ('dependencies' as const) : ('build' as const), words })),
    ...test.map((words) => ({ kind: 'test' as const, words })),
  ];
}

/** Runs the checks in a copy of the tree. Only commands that fetch dependencies reach registries; all others have no network. */
export async function runChecks(
  { sandbox, door, home }: { readonly sandbox: Sandbox; readonly door: RegistryDoor | null; readonly home: string },
  tree: ReadableTree & { readonly root: string },
  planned: readonly PlannedCheck[],
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const checks: ChangeCheck[] = [];
  let output = '';
  const room = await copyTree(tree.root, join(home, 'room'), signal);
  try {
    for (const { kind, words } of planned) {
      const command = words.map(quoteShellWord).join(' ');
      const opened = kind === 'dependencies' && door !== null ? door.open() : null;
      const ran = await sandbox.runShell(opened ? opened.wrap(command) : command, {
        workspace: room,
        hasRepository: false,
        writable: 'all',
        cwd: tree.folder ?? '.',
        programs: { mounts: listNodeMounts(), folder: dirname(process.execPath) },
        ...(opened ? { door: opened.folder } : {}),
        variables: { CI: 'true', ...opened?.variables },
        deadlineMs: kind === 'dependencies' ? DEPENDENCIES_MS : COMMAND_MS,
        signal,
      });
      output = redactText(ran.output.slice(-KEPT_OUTPUT * 2)).slice(-KEPT_OUTPUT);
      const seconds = Math.round(ran.durationMs / 100) / 10;
      checks.push({
        kind,
        command: redactText(words.join(' ')).slice(0, 1_000),
        exitCode: ran.exitCode,
        killed: ran.killed,
        seconds,
      });
      if (ran.exitCode !== 0 || ran.killed !== null) break;
    }
  } finally {
    await rm(room, { recursive: true, force: true });
  }
  const isGood = checks.every(({ exitCode, killed }) => exitCode === 0 && killed === null);
  return { checks, isTested: checks.some(({ kind }) => kind === 'test'), isGood, output };
}

/** What tests write stays in the copy: it cannot become a part of the diff. */
async function copyTree(from: string, to: string, signal: AbortSignal): Promise<string> {
  await rm(to, { recursive: true, force: true });
  await mkdir(dirname(to), { recursive: true });
  await run('/bin/cp', ['--archive', '--reflink=auto', '--', from, to], { env: {}, signal });
  return to;
}

function isInstall(words: readonly string[]): boolean {
  const line = words.join(' ');
  return /\b(?:npm (?:ci|install|i)|yarn(?: install)?|pnpm (?:install|i)|pip3? install|-m pip install|go mod download|cargo fetch|bundle install|composer install|uv sync|poetry install)\b/.test(
    line,
  );
}

const Scripts = z.object({ scripts: z.object({ test: z.string().optional() }) });

function guessTests(names: ReadonlySet<string>, manifest: string | null, makefile: string | null): string[][] {
  const script = Scripts.safeParse(parseJson(manifest ?? '')).data?.scripts.test;
  // What `npm init` writes fails on purpose.
  if (script !== undefined && !script.includes('no test specified')) return [['npm', 'test']];
  if (names.has('go.mod')) return [['go', 'test', './...']];
  if (names.has('Cargo.toml')) return [['cargo', 'test']];
  const python = [...names].filter((name) => /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(name));
  if (python.length > 0) {
    const usesPytest = names.has('pytest.ini') || names.has('conftest.py') || names.has('tests/conftest.py');
    const program = names.has('requirements.txt') ? '.venv/bin/python' : 'python3';
    return [[program, '-m', ...(usesPytest ? ['pytest', '-q'] : ['unittest', 'discover', '-q'])]];
  }
  if (/^test:/m.test(makefile ?? '')) return [['make', 'test']];
  // Node's own runner finds these.
  const node = [...names].some((name) => /\.test\.[cm]?js$/.test(name));
  return node ? [['node', '--test']] : [];
}
