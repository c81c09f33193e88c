// Checks the newest commits against .commitlintrc.json; does nothing outside of a git checkout.
import { execFileSync, spawnSync } from 'node:child_process';

const range = chooseRange();
if (range === null) console.log('no git checkout: there are no commits to check');
else {
  const words = ['node_modules/@commitlint/cli/cli.js', ...range];
  process.exitCode = spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1;
}

/**
 * The commits since this branch left `origin/main`; on main itself, those since the newest release. Without either, as in
 * a shallow clone, only the newest commit. Null outside of git.
 * @returns {string[] | null} words of commitlint
 */
function chooseRange() {
  const head = git('rev-parse', 'HEAD');
  if (head === null) return null;
  const release = git('describe', '--tags', '--abbrev=0', '--match', 'v*');
  for (const base of ['origin/main', release]) {
    const since = base && git('merge-base', 'HEAD', base);
    if (since && since !== head) return ['--from', since, '--to', 'HEAD'];
  }
  return ['--last'];
}

/** @param {...string} words @returns {string | null} what git printed; null when it failed */
function git(...words) {
  try {
    return execFileSync('git', words, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
    }).trim();
  } catch {
    return null;
  }
}
