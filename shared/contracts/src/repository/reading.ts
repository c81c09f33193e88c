import { z } from 'zod';
import { ErrorCause } from '../operations/error-cause.ts';

const Text = z.string().max(2_000);
const Commit = z.string().max(64);
const Count = z.number().int().nonnegative();

/** A tag, a branch or a commit; `HEAD` is the main branch. */
const Ref = z.string().min(1).max(200).default('HEAD');

/** A repository's part could not be read; `problem` says why and what to do. */
const Unread = z.object({ kind: z.literal('unread'), problem: Text, cause: ErrorCause });
export type Unread = z.infer<typeof Unread>;

const RULE = 'a path inside of the repository, such as src/server.js; `.` is all of it';

/**
 * A path inside of a repository in git's form: `/src/./app.ts/` becomes `src/app.ts`, and the root is empty. A path with `..` or with
 * control characters is refused.
 */
export const RepositoryPath = z
  .string()
  .max(500)
  .refine((path) => !/\p{Cc}/u.test(path), RULE)
  .transform((path) =>
    path
      .trim()
      .split('/')
      .filter((name) => name !== '' && name !== '.')
      .join('/'),
  )
  .refine((path) => !path.split('/').includes('..'), RULE);

/** The most words of a search, and the most places that it returns. */
export const MAX_SEARCH_WORDS = 8;
export const MAX_SEARCH_PLACES = 40;

export const RepositoryFilePayload = z.object({
  project: z.string().min(1).max(80),
  ref: Ref,
  path: RepositoryPath,
  /** First line to read, counted from 1. */
  fromLine: z.number().int().min(1).max(10_000_000).default(1),
});

const RepositoryEntry = z.object({
  name: Text,
  kind: z.enum(['file', 'folder', 'link', 'submodule']),
  sizeBytes: Count.nullable(),
});
export type RepositoryEntry = z.infer<typeof RepositoryEntry>;

/** What stands at a path of a commit. Texts are redacted. */
export const RepositoryFileResult = z.discriminatedUnion('kind', [
  Unread,
  z.object({
    kind: z.literal('text'),
    commit: Commit,
    sizeBytes: Count,
    totalLines: Count,
    fromLine: Count,
    /** The last line of `text`; one less than `fromLine` when there are no lines. */
    toLine: Count,
    /** Whole lines; the end of a line that is very long is replaced by a note. */
    text: z.string().max(20_000),
  }),
  /** A file that is not shown: its content is no text, or it is too large. */
  z.object({ kind: z.enum(['binary', 'large']), commit: Commit, sizeBytes: Count }),
  z.object({ kind: z.literal('folder'), commit: Commit, entries: z.array(RepositoryEntry).max(200), total: Count }),
  /** A symbolic link, which is never followed. */
  z.object({ kind: z.literal('link'), commit: Commit, target: Text }),
  /** Another repository, which is not read. */
  z.object({ kind: z.literal('submodule'), commit: Commit }),
]);
export type RepositoryFileResult = z.infer<typeof RepositoryFileResult>;

export const RepositorySearchPayload = z.object({
  project: z.string().min(1).max(80),
  ref: Ref,
  /** Only lines that contain all of these words, in upper or lower case. */
  words: z.array(z.string().min(1).max(200)).min(1).max(MAX_SEARCH_WORDS),
  /** A file or folder; empty for the whole repository. */
  path: RepositoryPath,
});

export const RepositorySearchResult = z.discriminatedUnion('kind', [
  Unread,
  z.object({
    kind: z.literal('found'),
    commit: Commit,
    places: z.array(z.object({ path: Text, line: Count, text: Text })).max(MAX_SEARCH_PLACES),
    /** Number of matching lines and of their files; lower bounds when `isCut`. */
    total: Count,
    files: Count,
    isCut: z.boolean(),
  }),
]);
export type RepositorySearchResult = z.infer<typeof RepositorySearchResult>;

export const RepositoryComparePayload = z.object({
  project: z.string().min(1).max(80),
  /** Tags, branches or commits. */
  before: Ref,
  after: Ref,
  /** The file or folder whose lines are compared; left out, none are. */
  path: RepositoryPath.optional(),
});

/** The most files that a comparison names, those with the most changed lines first. */
export const MAX_COMPARED_FILES = 40;

const ComparedCommit = z.object({ commit: Commit, at: z.string(), subject: Text, author: Text });

export const RepositoryCompareResult = z.discriminatedUnion('kind', [
  Unread,
  z.object({
    kind: z.literal('compared'),
    before: Commit,
    after: Commit,
    /** Commits that only `after` has, newest first, and their number; then those that only `before` has. */
    added: z.array(ComparedCommit).max(30),
    addedTotal: Count,
    removed: z.array(ComparedCommit).max(30),
    removedTotal: Count,
    filesChanged: Count,
    /** Lines that `after` adds and removes; null for a file that is no text. */
    files: z
      .array(z.object({ path: Text, added: Count.nullable(), removed: Count.nullable() }))
      .max(MAX_COMPARED_FILES)
      .default([]),
    /** The beginning of the unified diff of `path`, in whole lines, and the number of all its lines. Null without a path. */
    diff: z
      .object({ text: z.string().max(20_000), totalLines: Count })
      .nullable()
      .default(null),
  }),
]);
export type RepositoryCompareResult = z.infer<typeof RepositoryCompareResult>;
