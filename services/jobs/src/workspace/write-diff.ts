import { formatPatch, structuredPatch, type StructuredPatchHunk } from 'diff';

/** A file before and after a change; null where it does not exist. */
export interface FileVersions {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

const CONTEXT_LINES = 3;

export type DiffHunk = StructuredPatchHunk;
/** Changes the hunks of a file whose old text is `before`. */
type ShapeHunks = (hunks: readonly DiffHunk[], before: string) => readonly DiffHunk[];

/** Writes a unified diff that `git apply` takes, with files in the order of their paths. Empty without a difference. Pure. */
export function writeDiff(files: readonly FileVersions[], shape: ShapeHunks = (hunks) => hunks): string {
  return files
    .filter(({ before, after }) => before !== after)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map((file) => writeFileDiff(file, shape))
    .join('');
}

function writeFileDiff({ path, before, after }: FileVersions, shape: ShapeHunks): string {
  const [from, to] = [before === null ? '/dev/null' : `a/${path}`, after === null ? '/dev/null' : `b/${path}`];
  const whole = structuredPatch(from, to, before ?? '', after ?? '', undefined, undefined, { context: CONTEXT_LINES });
  const patch = { ...whole, hunks: [...shape(whole.hunks, before ?? '')] };
  // Git writes no names for an empty file, whose diff has no hunks.
  const hunks = patch.hunks.length === 0 ? '' : formatPatch(patch).slice(formatPatch(patch).indexOf('@@ '));
  const names = hunks === '' ? '' : `--- ${from}\n+++ ${to}\n`;
  return `diff --git a/${path} b/${path}\n${describeMode(before, after)}${names}${hunks}`;
}

function describeMode(before: string | null, after: string | null): string {
  if (before === null) return 'new file mode 100644\n';
  return after === null ? 'deleted file mode 100644\n' : '';
}
