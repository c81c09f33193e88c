import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import type { Git, GitResult } from '../git/git.ts';
import type { ReachableRepository } from '../git/mirror.ts';
import { withLogin } from '../git/repository-login.ts';
import type { BranchCommit } from './forge.ts';

/** Settings that keep a push to the one ref that it names. */
const PUSH = ['-c', 'push.recurseSubmodules=no', '-c', 'push.followTags=false'];

/**
 * Pushes a commit to a branch with the repository's login, in one compare-and-set. Throws BRANCH_TAKEN when the branch holds another
 * commit than expected, FORGE_REFUSED, FORGE_AWAY. Idempotent.
 */
export async function pushBranch(
  git: Git,
  { mirror, commit, branch, replaces }: BranchCommit,
  to: ReachableRepository & { readonly forgeName: string; readonly rights: string },
  signal: AbortSignal,
): Promise<{ readonly isNew: boolean }> {
  const { url, protocol, shown: repository, forgeName: forge, rights } = to;
  const ref = `refs/heads/${branch}`;
  const run = (words: readonly string[]): Promise<GitResult> =>
    withLogin(mirror, to, (env) =>
      git([...to.pin.words, '-C', mirror, ...PUSH, ...words], {
        signal,
        env,
        protocols: protocol,
        room: { mirror, local: null, isSsh: protocol === 'ssh', trustDir: to.pin.trustDir },
      }),
    );
  const lease = `--force-with-lease=${ref}:${replaces ?? ''}`;
  const pushed = await run(['push', '--porcelain', '--no-verify', lease, '--', url, `${commit}:${ref}`]);
  const line = pushed.stdout
    .toString('utf8')
    .split('\n')
    .map((one) => one.split('\t'))
    .find(([flag, refs]) => /^[ =*+!-]$/.test(flag ?? '') && refs?.endsWith(`:${ref}`));
  const [flag, , summary = ''] = line ?? [];
  if (flag === '=') return { isNew: false };
  if (pushed.code === 0 && flag !== undefined && flag !== '!') return { isNew: true };
  if (/stale info|fetch first|non-fast-forward/.test(summary)) {
    const listed = await run(['ls-remote', '--', url, ref]);
    const there = /^[0-9a-f]{40,64}/.exec(listed.stdout.toString('utf8'))?.[0] ?? null;
    if (there === commit) return { isNew: false };
    throw new AppError('BRANCH_TAKEN', { branch, repository, commit: there?.slice(0, 12) ?? '–' });
  }
  const problem = `${summary}\n${pushed.stderr}`;
  const cause = new Error(problem.trim().slice(0, 2_000));
  if (isOutage(problem)) throw new AppError('FORGE_AWAY', { forge, detail: say('forge.noAnswer') }, cause);
  throw new AppError('FORGE_REFUSED', { forge, repository, detail: whyRefused(problem, { branch, rights }) }, cause);
}

/** Errors of git that concern the connection or the server, not the request. */
function isOutage(problem: string): boolean {
  return /returned error: (?:429|5\d\d)|could not resolve host|failed to connect|timed out|connection (?:reset|refused|closed)|early EOF|unexpected disconnect/i.test(
    problem,
  );
}

/** Explains git's error to people. The words are git's own and those of the hosts' hooks; any other error has a sentence of its own. */
function whyRefused(problem: string, { branch, rights }: { readonly branch: string; readonly rights: string }): string {
  if (/archived/i.test(problem)) return say('forge.archived');
  if (/protected branch|GH006|GH013|rule violations/i.test(problem)) return say('forge.protected', { branch });
  if (/hook declined|remote rejected/i.test(problem)) return say('forge.hookDeclined', { branch });
  if (/returned error: 403|permission .*denied|denied to|not allowed to push/i.test(problem))
    return say('forge.rightMissing', { rights });
  if (/returned error: 401|authentication failed|could not read Username|publickey/i.test(problem))
    return say('forge.tokenRefused');
  if (/returned error: 404|not found/i.test(problem)) return say('forge.notFound', { rights });
  if (/returned error: 30\d|redirect/i.test(problem)) return say('forge.moved');
  if (/host key verification failed/i.test(problem)) return say('repository.hostKeyUnknown');
  return say('forge.pushFailed');
}
