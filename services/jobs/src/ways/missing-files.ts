import type { PlanNote } from '@signalbox/contracts/operations/deploy';

const MAX_NAMED = 5;

/** Notes the files of a commit that a checkout does not have: those of some submodules, and of Git LFS. Pure. */
export function noteMissingFiles(files: {
  /** The paths of submodules that cannot be fetched. */
  readonly submodules: readonly string[];
  /** The text of .gitattributes. */
  readonly attributes: string | null;
}): readonly PlanNote[] {
  const { submodules: paths, attributes } = files;
  const patterns = (attributes ?? '')
    .split(/\r?\n/)
    .filter((line) => !line.startsWith('#') && /\sfilter=lfs(?:\s|$)/.test(line))
    .map((line) => line.trim().split(/\s/, 1)[0] ?? '');
  return [
    ...(paths.length === 0 ? [] : [{ kind: 'submodules' as const, paths: shorten(paths) }]),
    ...(patterns.length === 0 ? [] : [{ kind: 'lfs' as const, patterns: shorten(patterns) }]),
  ];
}

function shorten(names: readonly string[]): string[] {
  return names.slice(0, MAX_NAMED).map((name) => name.slice(0, 200));
}
