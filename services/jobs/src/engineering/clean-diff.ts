import { redactLines } from '@signalbox/safety/redact/redact';
import { writeDiff, type DiffHunk, type FileVersions } from '../workspace/write-diff.ts';

/** Writes a diff that leaves unchanged lines with secrets out, where it fits without them. Changed ones stay, and are refused later. Pure. */
export function writeCleanDiff(files: readonly FileVersions[]): string {
  return writeDiff(files, (hunks, before) => {
    const lines = before.split('\n');
    const clean = redactLines(before);
    const hidden = new Set(lines.flatMap((line, at) => (clean[at] === line ? [] : [at + 1])));
    return hidden.size === 0 ? hunks : hunks.flatMap((hunk) => splitHunk(hunk, hidden));
  });
}

interface Part {
  oldStart: number;
  newStart: number;
  lines: string[];
}

/** Cuts a hunk at its hidden lines. Git refuses a part that ends with a change before the end of the file: such a hunk stays whole. */
function splitHunk(hunk: DiffHunk, hidden: ReadonlySet<number>): readonly DiffHunk[] {
  let [old, next] = [hunk.oldStart, hunk.newStart];
  const parts: Part[] = [{ oldStart: old, newStart: next, lines: [] }];
  for (const line of hunk.lines) {
    const sign = line.charAt(0);
    const isCut = sign === ' ' && hidden.has(old);
    if (!isCut) parts.at(-1)?.lines.push(line);
    if (sign === ' ' || sign === '-') old += 1;
    if (sign === ' ' || sign === '+') next += 1;
    if (isCut) parts.push({ oldStart: old, newStart: next, lines: [] });
  }
  if (parts.length === 1) return [hunk];
  const changed = parts.filter(({ lines }) => lines.some((line) => !line.startsWith(' ')));
  const isApplicable = changed.every((part) => part === parts.at(-1) || part.lines.at(-1)?.startsWith(' '));
  return isApplicable ? changed.map(toHunk) : [hunk];
}

function toHunk({ oldStart, newStart, lines }: Part): DiffHunk {
  const count = (signs: string): number => lines.filter((line) => signs.includes(line.charAt(0))).length;
  return { oldStart, newStart, lines, oldLines: count(' -'), newLines: count(' +') };
}
