import { z } from 'zod';
import { ProjectName } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { readErrorCause } from '@signalbox/contracts/operations/error-cause';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { MAX_SEARCH_WORDS, RepositoryPath, type Unread } from '@signalbox/contracts/repository/reading';
import { isGitRef } from '@signalbox/contracts/repository/ref';
import { say } from '@signalbox/messages/say';
import { READ_DEFAULTS, tool, type JobWait } from '../../tools/tool.ts';
import { versionChoices } from '../../tools/version-choices.ts';

/** The characters of a file that a person is shown; the model gets more. */
const SHOWN = 3_000;

const OptionalVersion = z
  .string()
  .trim()
  .refine(isGitRef, 'a version is a tag, a branch or a commit, such as 1.2.0, v3 or main')
  .optional()
  .describe('Tag, branch or commit; the main branch when left out')
  .meta({ ask: 'Which version: a tag, a branch or a commit?' });

const COMMON = {
  ...READ_DEFAULTS,
  choices: { version: versionChoices },
  egress: true,
  resources: ({ project }: { readonly project: string }) => [`project:${project}`],
  deadlineMs: 20_000,
} as const;

export const readRepositoryFile = tool({
  describe:
    'Read a file of a project’s repository, or list a folder of it, at a version. Long files in parts: go on with from_line.',
  hints: [
    'read src/server.js in the repository of shop',
    'show the file package.json of the shop repository',
    'what stands in the README of the blog repository',
    'open server.mjs in the repo of shop',
    'show the code in src/app.ts of shop at 1.2.0',
    'list the folder src of the shop repository',
  ],
  input: z.object({
    project: ProjectName,
    path: RepositoryPath.describe('Path in the repository, such as src/server.js; `.` lists its root').meta({
      ask: 'Which file?',
    }),
    version: OptionalVersion,
    from_line: z.coerce.number().int().min(1).max(10_000_000).default(1).describe('First line to read, from 1'),
  }),
  ...COMMON,
  run: async ({ project, path, version, from_line: fromLine }, { ports, work }) => {
    await ports.projects.get(project);
    const read = unwrap(await work('repository.file', { project, ref: version ?? 'HEAD', path, fromLine }));
    return { project, path: path === '' ? '.' : path, ...read };
  },
  phrases: {
    done: (read) => {
      if (read.kind === 'goes-on') return say('repository.stillReading');
      const at = { path: toPlainName(read.path), commit: read.commit.slice(0, 7) };
      switch (read.kind) {
        case 'text': {
          const { fromLine, toLine, totalLines, text } = read;
          if (text === '') return say('repository.noLines', { ...at, fromLine, totalLines });
          const title = say('repository.lines', { ...at, fromLine, toLine, totalLines });
          return `${title}\n\n${toCodeBlock(cutAtLine(text))}`;
        }
        case 'binary':
        case 'large':
          return say('repository.fileNotShown', { ...at, kind: read.kind, size: sayBytes(read.sizeBytes) });
        case 'folder': {
          const { entries, total } = read;
          const names = entries.map(({ name, kind }) => `${name}${kind === 'folder' ? '/' : ''}`);
          const title = say('repository.entries', { ...at, total, more: total - entries.length });
          return `${title}\n\n${toCodeBlock(cutAtLine(names.join('\n')))}`;
        }
        case 'link':
          return say('repository.linkNotFollowed', { ...at, target: toPlainName(read.target) });
        case 'submodule':
          return say('repository.submoduleNotRead', at);
      }
    },
  },
}).from({
  project: 'name',
  path: 'outside',
  kind: 'runtime',
  commit: 'runtime',
  sizeBytes: 'runtime',
  totalLines: 'runtime',
  fromLine: 'runtime',
  toLine: 'runtime',
  text: 'outside',
  entries: 'outside',
  total: 'runtime',
  target: 'outside',
});

export const searchRepository = tool({
  describe:
    'Find the lines of a project’s repository that contain all of some words, in a file, a folder or everywhere, at a version.',
  hints: [
    'search the repository of shop for GREETING',
    'where is GREETING used in the code of shop',
    'find the word timeout in the repository of blog',
    'grep for PORT in the repo of shop',
    'which files of the shop repository contain checkout',
    'search the code of shop for retry in src',
  ],
  input: z.object({
    project: ProjectName,
    words: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe('Words that a line contains, in any order, upper or lower case; no patterns')
      .meta({ entity: 'text', ask: 'What should I search for?' }),
    version: OptionalVersion,
    path: RepositoryPath.optional().describe('Only in this file or folder'),
  }),
  ...COMMON,
  run: async ({ project, words: text, version, path = '' }, { ports, work }) => {
    await ports.projects.get(project);
    const words = text.split(/\s+/).slice(0, MAX_SEARCH_WORDS);
    const found = unwrap(await work('repository.search', { project, ref: version ?? 'HEAD', words, path }));
    if (found.kind === 'goes-on') return { project, kind: found.kind };
    const lines = found.places.map(({ path: file, line, text: shown }) => `${file}:${line}: ${shown}`);
    // One text takes fewer tokens than an envelope for each line.
    return { project, ...found, shown: lines.length, places: lines.join('\n') };
  },
  phrases: {
    done: (found, { words }) => {
      if (found.kind === 'goes-on') return say('repository.stillReading');
      const { places, shown, total, files, isCut, commit } = found;
      const values = { words: toPlainName(words), total, files, isCut, commit: commit.slice(0, 7) };
      if (shown === 0) return say('repository.noPlaces', values);
      const title = say('repository.places', { ...values, shown, isAll: shown === total });
      return `${title}\n\n${toCodeBlock(cutAtLine(places))}`;
    },
  },
}).from({
  project: 'name',
  kind: 'runtime',
  commit: 'runtime',
  places: 'outside',
  shown: 'runtime',
  total: 'runtime',
  files: 'runtime',
  isCut: 'runtime',
});

/** Returns the result of a reading job. Throws NOT_RESOLVED with the reason when nothing could be read. */
function unwrap<T extends { readonly kind: string }>(
  worked: JobWait<T | Unread>,
): Exclude<T, { readonly kind: 'unread' }> | { readonly kind: 'goes-on' } {
  if (worked.kind === 'goes-on') return { kind: 'goes-on' };
  const { result } = worked;
  if (isUnread(result)) throw new AppError('NOT_RESOLVED', { detail: result.problem }, readErrorCause(result.cause));
  return result as Exclude<T, { readonly kind: 'unread' }>; // the only other member
}

function isUnread(result: object): result is Unread {
  return 'problem' in result;
}

/** Cuts a text for people after its last whole line that fits. */
function cutAtLine(text: string): string {
  if (text.length <= SHOWN) return text;
  const end = text.lastIndexOf('\n', SHOWN);
  return `${text.slice(0, end < 0 ? SHOWN : end)}\n…`;
}

function sayBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1_024)} kB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
