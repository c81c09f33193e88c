import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ChangeCheck } from '@signalbox/contracts/engineering/change';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { redactText } from '@signalbox/safety/redact/redact';
import { quoteShellWord } from '../drivers/quote-shell-word.ts';
import { listNodeMounts } from '../sandbox/program-room.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { FileVersions } from '../workspace/write-diff.ts';
import { cleanOutput, shortenOutput, explainLack, hasNoTest } from './check-output.ts';
import type { PlannedCheck } from './check-plan.ts';
import type { RegistryDoor } from './registry-door.ts';

export interface CheckOutcome {
  readonly checks: readonly ChangeCheck[];
  /** True when at least one test ran. */
  readonly isTested: boolean;
  readonly isGood: boolean;
  /** Each command with its exit code and what its output tells, without secrets. */
  readonly output: string;
  /** True when the failed command failed in the same way without the edits; null when nobody looked. */
  readonly failedBefore: boolean | null;
}

/** What is checked: the work tree, with some edits taken back. */
export interface CheckedTree {
  readonly root: string;
  readonly folder: string | null;
  readonly undo: readonly FileVersions[];
}

const DEPENDENCIES_MS = 8 * MINUTE_MS;
const COMMAND_MS = 10 * MINUTE_MS;
/** Characters of the output of a failed command, and of all others together. */
const FAILED_OUTPUT = 5_500;
const OTHER_OUTPUT = 2_000;
/** The word for a test command that found no test, where others have the reason of their end. */
const NO_TESTS = 'no tests ran';
const INSIDE = '/workspace';
const run = promisify(execFile);

/** Package managers keep their caches in the home folder, which is on the disk and not in memory. */
const VARIABLES = {
  CI: 'true',
  HOME: `${INSIDE}/home`,
  TMPDIR: `${INSIDE}/tmp`,
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  UV_PYTHON_DOWNLOADS: 'never',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
};

/** Where and by what checks run. `home`: a folder of this change alone. */
export interface CheckDeps {
  readonly sandbox: Sandbox;
  readonly door: RegistryDoor | null;
  readonly home: string;
}

/**
 * Runs the checks in a copy of the tree up to the first that fails. Only commands that fetch dependencies reach registries; all others have
 * no network.
 */
export async function runChecks(
  deps: CheckDeps,
  tree: CheckedTree,
  planned: readonly PlannedCheck[],
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const checks: ChangeCheck[] = [];
  const outputs: string[] = [];
  const room = await makeRoom(tree, join(deps.home, 'room'), signal);
  try {
    for (const one of planned) {
      const { check, output } = await runCheck(deps, { room, folder: tree.folder, planned: one }, signal);
      checks.push(check);
      outputs.push(output);
      if (!isPassed(check)) break;
    }
  } finally {
    await rm(room, { recursive: true, force: true });
  }
  return {
    checks,
    isTested: checks.some(({ kind, killed }) => kind === 'test' && killed !== NO_TESTS),
    isGood: checks.every(isPassed),
    output: describe(checks, outputs),
    failedBefore: null,
  };
}

/** Tells whether the failed command of an outcome fails too when the edits are taken back. */
export async function failsBefore(
  deps: CheckDeps,
  tree: CheckedTree,
  planned: readonly PlannedCheck[],
  failed: CheckOutcome,
  signal: AbortSignal,
): Promise<boolean> {
  const before = await runChecks(deps, tree, planned.slice(0, failed.checks.length), signal);
  return !before.isGood;
}

async function runCheck(
  { sandbox, door }: CheckDeps,
  {
    room,
    folder,
    planned: { kind, words },
  }: { readonly room: string; readonly folder: string | null; readonly planned: PlannedCheck },
  signal: AbortSignal,
): Promise<{ readonly check: ChangeCheck; readonly output: string }> {
  const command = words.map(quoteShellWord).join(' ');
  const opened = kind === 'dependencies' && door !== null ? door.open() : null;
  const ran = await sandbox.runShell(opened ? opened.wrap(command) : command, {
    workspace: room,
    hasRepository: false,
    writable: 'all',
    cwd: join('tree', folder ?? '.'),
    programs: { mounts: listNodeMounts(), folder: dirname(process.execPath) },
    ...(opened ? { door: opened.folder } : {}),
    // Without a network, npm takes what it has fetched before.
    variables: { ...VARIABLES, ...(opened ? opened.variables : { npm_config_offline: 'true' }) },
    deadlineMs: kind === 'dependencies' ? DEPENDENCIES_MS : COMMAND_MS,
    signal,
  });
  const output = cleanOutput(ran.output);
  const lack = ran.exitCode === 0 ? null : explainLack(output, ran.exitCode);
  const isEmpty = kind === 'test' && ran.killed === null && hasNoTest(output, lack !== null);
  const check: ChangeCheck = {
    kind,
    command: redactText(words.join(' ')).slice(0, 1_000),
    exitCode: ran.exitCode,
    killed: isEmpty ? NO_TESTS : ran.killed,
    seconds: Math.round(ran.durationMs / 100) / 10,
  };
  return { check, output: `${redactText(output)}${lack === null ? '' : `\n${lack}`}` };
}

function isPassed({ exitCode, killed }: ChangeCheck): boolean {
  return exitCode === 0 && killed === null;
}

/** Puts the outputs together: most of the room is for the command that failed. */
function describe(checks: readonly ChangeCheck[], outputs: readonly string[]): string {
  const others = Math.max(100, Math.floor(OTHER_OUTPUT / Math.max(1, checks.length)));
  return checks
    .map((check, at) => {
      const ended =
        check.killed === null ? `exit code ${check.exitCode}` : `${check.killed}, exit code ${check.exitCode}`;
      const said = isPassed(check)
        ? shortenOutput(outputs[at] ?? '', others, false)
        : shortenOutput(outputs[at] ?? '', FAILED_OUTPUT);
      return `$ ${check.command}\n${said === '' ? '' : `${said}\n`}[${ended}, ${check.seconds} s]`;
    })
    .join('\n\n');
}

/** What tests write stays in the copy: it cannot become a part of the diff. The caches of package managers are beside it. */
async function makeRoom({ root, undo }: CheckedTree, room: string, signal: AbortSignal): Promise<string> {
  await rm(room, { recursive: true, force: true });
  for (const name of ['home', 'tmp']) await mkdir(join(room, name), { recursive: true });
  const tree = join(room, 'tree');
  await run('/bin/cp', ['--archive', '--reflink=auto', '--', root, tree], { env: {}, signal });
  for (const { path, before } of undo) {
    if (before === null) {
      await rm(join(tree, path), { force: true });
      continue;
    }
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), before);
  }
  return room;
}
