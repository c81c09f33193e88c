import { createHash } from 'node:crypto';
import { ObjectReader } from '@signalbox/analysis/git/object-reader';
import { ServiceFile, type CommitSummary, type RunSettings } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { cleanName } from '@signalbox/contracts/plain-name';
import { parseJson } from '@signalbox/contracts/system-error';
import { describePlanNote } from '@signalbox/messages/deploy-plan';
import { sayList } from '@signalbox/messages/list';
import { say } from '@signalbox/messages/say';
import { redactValue } from '@signalbox/safety/redact/redact';
import { z } from 'zod';
import { noteMissingFiles } from '../ways/missing-files.ts';
import { NODE_PROGRAMS } from '../ways/node-ways.ts';
import { findOwnProgram, readProcfile } from '../ways/procfile.ts';
import { listWays, PAGE_FOLDERS } from '../ways/recognition.ts';
import { chooseWay, type Machine, type Way } from '../ways/way.ts';
import type { Git } from './git.ts';
import type { RepositoryAddress } from './repository-address.ts';

/** What the files of a service say in a commit. */
export interface ServiceCommit {
  /** Chooses how it is built and started on a server. Throws START_UNKNOWN, and START_IMPOSSIBLE with what is missing. */
  choose(machine: Machine): TakenWay;
  /** What its signalbox.json says, which need not be how it is started; null without one. */
  readonly settings: ServiceFile | null;
  readonly head: CommitSummary;
  /** SHA-256 of the Dockerfile; null without a Dockerfile. */
  readonly dockerfile: string | null;
  /** The version in package.json. */
  readonly version: string | null;
}

/** How a commit is built and started on a server. */
export type TakenWay = Pick<Way, 'file' | 'isGuess' | 'notes'>;

export type MirrorPlace = Pick<RepositoryAddress, 'folder' | 'shown'> & {
  readonly mirror: string;
  readonly path: string;
  readonly hasProgram: (name: string) => boolean;
  readonly run: RunSettings | undefined;
  /** The paths of submodules that cannot be fetched. */
  readonly missing: readonly string[];
};

const FILE = 'signalbox.json';
const FILE_BYTES = 65_536;
const LISTED_FOLDERS = 12;
/** Maximum bytes read of a commit object, whose message follows its signatures. */
const HEAD_BYTES = 16_384;
/** Maximum characters shown of a commit's subject. */
const SUBJECT_SHOWN = 120;
const AUTHOR_SHOWN = 60;

/** Reads a service's files in a commit. Throws NOT_FOUND (the folder), SERVICE_FILE_INVALID, START_UNKNOWN. */
export async function readCommit(
  git: Git,
  at: MirrorPlace & { readonly commit: string },
  signal: AbortSignal,
): Promise<ServiceCommit> {
  const { mirror, commit, folder, shown, path, run, hasProgram, missing } = at;
  const reader = new ObjectReader({ dir: mirror, path, signal });
  try {
    if ((await reader.read(getTree(commit, folder), 0))?.kind !== 'tree') {
      const kind = say('repository.folderAt', { repository: shown, commit: commit.slice(0, 7) });
      const known = await listFolders(git, mirror, commit, signal);
      throw new AppError('NOT_FOUND', { kind, name: folder ?? '', known });
    }
    const read = async (place: string): Promise<string | null> => {
      const object = await reader.read(place, FILE_BYTES);
      // Editors of some systems begin a file with a mark of its encoding.
      return object?.kind === 'blob' ? new TextDecoder().decode(object.content) : null;
    };
    const show = (name: string): Promise<string | null> =>
      read(`${getTree(commit, folder)}${folder === null ? '' : '/'}${name}`);
    const [text, dockerfile, manifest] = [await show(FILE), await show('Dockerfile'), await show('package.json')];
    const procfile = await show('Procfile');
    const netlify = await show('netlify.toml');
    const programs = [findOwnProgram(readProcfile(procfile).web ?? ''), ...NODE_PROGRAMS];
    const names = await listFiles(git, at, programs, signal);
    const notes = noteMissingFiles({
      submodules: missing,
      attributes: (await show('.gitattributes')) ?? (await read(`${commit}:.gitattributes`)),
    });
    const settings = text === null ? null : readServiceFile(text, commit);
    const ways = listWays({ names, packageJson: manifest, procfile, netlify }, { file: settings, run, notes });
    if (ways.length === 0 && settings === null) throw createStartUnknown(commit);
    const version = z
      .object({ version: z.string().regex(/^\d[A-Za-z0-9.+-]{0,60}$/) })
      .safeParse(parseJson(manifest ?? ''));
    return {
      choose: (machine) => takeWay(ways, { machine, commit, hasProgram }),
      settings,
      head: readHead((await reader.read(commit, HEAD_BYTES))?.content.toString('utf8') ?? ''),
      dockerfile: dockerfile === null ? null : createHash('sha256').update(dockerfile).digest('hex'),
      version: version.success ? version.data.version : null,
    };
  } finally {
    reader.close();
  }
}

function createStartUnknown(commit: string): AppError {
  return new AppError('START_UNKNOWN', { commit: commit.slice(0, 7) });
}

/** Throws START_UNKNOWN and START_IMPOSSIBLE. */
function takeWay(
  ways: readonly Way[],
  { machine, commit, hasProgram }: { machine: Machine; commit: string } & Pick<MirrorPlace, 'hasProgram'>,
): TakenWay {
  if (ways.length === 0) throw createStartUnknown(commit);
  const { way, notes } = chooseWay(ways, machine, hasProgram);
  if (way !== null) return { file: way.file, isGuess: way.isGuess, notes };
  const reasons = notes.map(describePlanNote).join(' ');
  const values = { commit: commit.slice(0, 7), server: machine.server, reasons };
  throw new AppError('START_IMPOSSIBLE', values);
}

function readHead(object: string): CommitSummary {
  const [headers = '', ...message] = object.split('\n\n');
  const subject = cleanName(message.join('\n\n').trimStart().split('\n')[0] ?? '');
  const author = cleanName(/^author (.*?) ?<[^<>\n]*> \d+ [-+]\d+$/m.exec(headers)?.[1] ?? '');
  return redactValue({ subject: clip(subject, SUBJECT_SHOWN), author: clip(author, AUTHOR_SHOWN) });
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}

/** Lists the names at a service's root, and those of `further` files that exist. */
async function listFiles(
  git: Git,
  { mirror, commit, folder }: MirrorPlace & { readonly commit: string },
  further: readonly (string | null)[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const pages = PAGE_FOLDERS.map((one) => `${one}/index.html`);
  const words = ['-C', mirror, 'ls-tree', '-z', '--name-only', getTree(commit, folder)];
  const limits = { signal, maxBytes: FILE_BYTES };
  const below = [...pages, ...further.filter((one) => one !== null)];
  const [root, found] = [await git(words, limits), await git([...words, '--', ...below], limits)];
  return new Set(`${root.stdout.toString('utf8')}${found.stdout.toString('utf8')}`.split('\0'));
}

/** Lists a commit's folders down to the second level, for people who named a missing folder. */
async function listFolders(git: Git, mirror: string, commit: string, signal: AbortSignal): Promise<string> {
  const { stdout } = await git(['-C', mirror, 'ls-tree', '-z', '-r', '-d', '--name-only', commit], {
    signal,
    maxBytes: FILE_BYTES,
  });
  const folders = stdout
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '' && name.split('/').length <= 2);
  return folders.length === 0 ? 'none' : sayList(folders.slice(0, LISTED_FOLDERS));
}

function readServiceFile(text: string, commit: string): ServiceFile {
  const invalid = (detail: string): AppError => {
    const file = say('repository.fileOf', { file: FILE, commit: commit.slice(0, 7) });
    return new AppError('SERVICE_FILE_INVALID', { file, detail });
  };
  const json = parseJson(text);
  if (json === undefined) throw invalid(say('repository.fileNoJson'));
  const file = ServiceFile.safeParse(json);
  if (file.success) return file.data;
  const problems = file.error.issues.map((issue) => {
    const what = issue.code === 'unrecognized_keys' ? sayUnknown(issue.keys) : issue.message;
    return `${issue.path.map(toPlainName).join('.') || FILE}: ${what}`;
  });
  throw invalid(problems.slice(0, 5).join('; ').slice(0, 400));
}

function sayUnknown(names: readonly string[]): string {
  return `Unrecognized ${names.length === 1 ? 'key' : 'keys'}: ${names.map((name) => `"${toPlainName(name)}"`).join(', ')}`;
}

/** Keys from an untrusted file are quoted only when they look like names. */
function toPlainName(name: PropertyKey): string {
  const text = String(name);
  return /^[\w.-]{1,40}$/.test(text) ? text : '…';
}

export function getTree(commit: string, folder: string | null): string {
  return `${commit}:${folder ?? ''}`;
}
