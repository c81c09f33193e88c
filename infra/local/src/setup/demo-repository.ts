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
import { checkoutPath } from '../checkout.ts';
import { inheritedEnvironment } from '../config.ts';
import { SetupError } from '../setup-error.ts';

/** One commit and one tag each, in this order; the date is in seconds since 1970. */
const RELEASES = [
  { tag: '1.0', date: 1_767_603_600, subject: 'Open the shop' },
  { tag: '1.1', date: 1_768_208_400, subject: 'Compare every request with the whole catalog' },
  { tag: '1.2', date: 1_768_813_200, subject: 'Keep the prices in a folder of their own' },
] as const;

/** Which releases a repository was made of. */
const MARK = 'made-of';
const GIT_MS = 20_000;

/**
 * Makes the repository of the demo project in a folder, if it is not there already: bare, with a tag per release, the same commits on
 * every machine. One that was made of other releases is replaced. Appears whole or not at all. Throws a SetupError when git is missing
 * or fails.
 */
export async function makeDemoRepository(folder: string, releases = releasesFolder()): Promise<void> {
  const mark = markOf(releases);
  if (readMark(folder) === mark) return;
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}.new-`);
  try {
    await commitReleases(draft, releases);
    writeFileSync(join(draft, MARK), mark);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } catch (error) {
    if (readMark(folder) !== mark) throw error; // else another start was faster
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Moves the repository of an older release to its place, and leaves a link: projects name the old place. Idempotent; a data
 * folder without one stays so.
 */
export function moveDemoRepository(before: string, folder: string): void {
  if (lstatSync(before, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  mkdirSync(dirname(folder), { recursive: true });
  if (existsSync(folder)) rmSync(before, { recursive: true, force: true });
  else renameSync(before, folder);
  symlinkSync(folder, before);
}

function releasesFolder(): string {
  return join(checkoutPath(), 'infra/demo/releases');
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
    const words = [tree, ...(parent === null ? [] : ['-p', parent]), '-m', subject];
    parent = await git(repository, when, 'commit-tree', ...words);
    await git(repository, {}, 'update-ref', `refs/tags/${tag}`, parent);
    await git(repository, {}, 'update-ref', 'refs/heads/main', parent);
  }
}

/** Runs git without the settings of this machine and of its user: they would make other commits. */
async function git(repository: string, env: Readonly<Record<string, string>>, ...words: string[]): Promise<string> {
  const settings = ['core.autocrlf=false', 'core.fileMode=false', 'commit.gpgSign=false'].flatMap((one) => ['-c', one]);
  const person = { NAME: 'Tea Shop', EMAIL: 'shop@example.com' };
  return new Promise((resolve, reject) => {
    execFile(
      'git',
      [...settings, ...words],
      {
        cwd: env['GIT_WORK_TREE'] ?? repository,
        encoding: 'utf8',
        timeout: GIT_MS,
        env: {
          PATH: inheritedEnvironment()['PATH'],
          GIT_DIR: repository,
          GIT_CONFIG_GLOBAL: devNull,
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_ATTR_NOSYSTEM: '1',
          GIT_DEFAULT_HASH: 'sha1',
          GIT_AUTHOR_NAME: person.NAME,
          GIT_AUTHOR_EMAIL: person.EMAIL,
          GIT_COMMITTER_NAME: person.NAME,
          GIT_COMMITTER_EMAIL: person.EMAIL,
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

/** The same for the same releases, whatever else changes. */
function markOf(releases: string): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify(RELEASES));
  for (const { tag } of RELEASES)
    for (const file of readdirSync(join(releases, tag), { withFileTypes: true }).filter((entry) => entry.isFile()))
      hash.update(`\0${tag}/${file.name}\0`).update(readFileSync(join(releases, tag, file.name)));
  return hash.digest('hex');
}

function readMark(folder: string): string | null {
  try {
    return readFileSync(join(folder, MARK), 'utf8');
  } catch {
    return null;
  }
}
