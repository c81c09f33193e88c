import { listSearched } from './programs/text.ts';
import { findSecretPath } from './secret-paths.ts';

/**
 * Why a person has to look at one program of a pipeline that begins on a server, or null. There it is not locked in, and it begins in
 * `/` or in a home folder, so a path that does not say where it begins leads to more than it says.
 */
export function findServerProblem([name = '', ...args]: readonly string[]): string | null {
  if (name === 'git') return 'On a server git would read whatever repository it begins in.';
  const searched = name === 'grep' ? listSearched(args) : null;
  if (searched?.length === 0) return 'On a server a search has to name its folders, or it goes through everything.';
  const relative = searched?.find((path) => !path.startsWith('/'));
  if (relative !== undefined) return 'On a server a search has to name its folders with their whole paths.';
  // `dev/sda` is /dev/sda where one begins in `/`; the value of a flag may be glued to it.
  return findSecretPath(args.flatMap((arg) => [`/${arg}`, `/${arg.replace(/^--?[A-Za-z]/, '')}`, ...glued(arg)]));
}

function glued(arg: string): readonly string[] {
  return arg
    .split(/[:=,]/)
    .slice(1)
    .map((part) => `/${part}`);
}
