import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { getCheckoutPath } from '../checkout.ts';
import { getInheritedEnvironment } from '../config.ts';
import { SetupError } from '../setup-error.ts';

/** Releases of the demo project, oldest first. Each becomes a commit and a tag; `date` is in Unix seconds. */
const RELEASES = [
  { tag: '1.0', date: 1_767_603_600, subject: 'Open the shop' },
  { tag: '1.1', date: 1_768_208_400, subject: 'Compare every request with the whole catalog' },
  { tag: '1.2', date: 1_768_813_200, subject: 'Keep the prices in a folder of their own' },
] as const;

/** Name of a file with the hash of the releases in a repository. */
const MARK_FILE = 'made-of';
const GIT_MS = 20_000;

/**
 * Creates the demo project's bare repository, with equal commits on every machine. Replaces a repository of other releases. Atomic.
 * Throws SetupError when git is missing or fails.
 */
export async function makeDemoRepository(
  folder: string,
  releases = join(getCheckoutPath(), 'infra/demo/releases'),
): Promise<void> {
  const mark = hashReleases(releases);
  if (readMark(folder) === mark) return;
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}.new-`);
  try {
    await commitReleases(draft, releases);
    writeFileSync(join(draft, MARK_FILE), mark);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } catch (error) {
    if (readMark(folder) !== mark) throw error; // another start has just created the repository
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Moves the repository of an older version of Signalbox and leaves a link, because projects may use the old path. Idempotent. */
export function moveDemoRepository(before: string, folder: string): void {
  if (lstatSync(before, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  mkdirSync(dirname(folder), { recursive: true });
  if (existsSync(folder)) rmSync(before, { recursive: true, force: true });
  else renameSync(before, folder);
  symlinkSync(folder, before);
}

async function commitReleases(repository: string, releases: string): Promise<void> {
  await git(repository, {}, 'init', '--quiet', '--bare', '--template=', '--initial-branch=main', '.');
  let parent: string | null = null;
  for (const { tag, date, subject } of RELEASES) {
    const when = { GIT_AUTHOR_DATE: `${date} +0000`, GIT_COMMITTER_DATE: `${date} +0000` };
    const index = { GIT_WORK_TREE: join(releases, tag), GIT_INDEX_FILE: join(repository, `index-${tag}`) };
    await git(repository, index, 'add', '--all', '--force', '.');
    const tree = await git(repository, index, 'write-tree');
    rmSync(index.GIT_INDEX_FILE, { force: true });
    const args = [tree, ...(parent === null ? [] : ['-p', parent]), '-m', subject];
    parent = await git(repository, when, 'commit-tree', ...args);
    await git(repository, {}, 'update-ref', `refs/tags/${tag}`, parent);
    await git(repository, {}, 'update-ref', 'refs/heads/main', parent);
  }
}

/** Runs git without the configuration of machine and user, which would change commit ids. */
async function git(repository: string, env: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  const settings = ['core.autocrlf=false', 'core.fileMode=false', 'commit.gpgSign=false'].flatMap((one) => ['-c', one]);
  const [name, email] = ['Tea Shop', 'shop@example.com'];
  return new Promise((resolve, reject) => {
    execFile(
      'git',
      [...settings, ...args],
      {
        cwd: env['GIT_WORK_TREE'] ?? repository,
        encoding: 'utf8',
        timeout: GIT_MS,
        env: {
          PATH: getInheritedEnvironment()['PATH'],
          GIT_DIR: repository,
          GIT_CONFIG_GLOBAL: devNull,
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_ATTR_NOSYSTEM: '1',
          GIT_DEFAULT_HASH: 'sha1',
          GIT_AUTHOR_NAME: name,
          GIT_AUTHOR_EMAIL: email,
          GIT_COMMITTER_NAME: name,
          GIT_COMMITTER_EMAIL: email,
          ...env,
        },
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout.trim());
        else
          reject(
            new SetupError('The repository of the demo project could not be made.', {
              remedy: 'Install git; everything else works without it.',
              output: stderr || error.message,
              cause: error,
            }),
          );
      },
    );
  });
}

function hashReleases(releases: string): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify(RELEASES));
  for (const { tag } of RELEASES)
    for (const file of readdirSync(join(releases, tag), { withFileTypes: true }).filter((entry) => entry.isFile()))
      hash.update(`\0${tag}/${file.name}\0`).update(readFileSync(join(releases, tag, file.name)));
  return hash.digest('hex');
}

function readMark(folder: string): string | null {
  try {
    return readFileSync(join(folder, MARK_FILE), 'utf8');
  } catch {
    return null;
  }
}
