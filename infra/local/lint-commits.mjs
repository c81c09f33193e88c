// Checks the newest commits against .commitlintrc.json; does nothing outside of a git checkout.
import { execFileSync, spawnSync } from 'node:child_process';

const range = chooseRange();
if (range === null) console.log('no git checkout: there are no commits to check');
else {
  const args = ['node_modules/@commitlint/cli/cli.js', ...range];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}

/**
 * Returns commitlint's arguments for the commits since this branch left `origin/main`; on main, since the newest release. A shallow
 * clone has neither, so only the newest commit is checked. Null outside of a git checkout.
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

/** Returns the output of git; null when git fails. */
function git(...args) {
  try {
    return execFileSync('git', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
    }).trim();
  } catch {
    return null;
  }
}
