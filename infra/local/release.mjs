// `npm run release`: makes a release from the changesets. Writes CHANGELOG.md and all package versions; commits nothing.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BUMPS = /** @type {const} */ (['major', 'minor', 'patch']);

const { changesets, releases } = readPlan();
const version = releases[0]?.newVersion;
if (version === undefined) {
  console.error('There is nothing to release: .changeset/ holds no change. `npx changeset` writes one.');
  process.exit(1);
}
run('node_modules/@changesets/cli/bin.js', 'version'); // updates package versions and removes the changesets
const root = JSON.parse(readFileSync('package.json', 'utf8'));
writeFileSync('package.json', `${JSON.stringify({ ...root, version }, null, 2)}\n`);
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--offline'], { stdio: 'inherit' });
const log = readFileSync('CHANGELOG.md', 'utf8');
writeFileSync(
  'CHANGELOG.md',
  log.replace(/^## /m, (newest) => `${describeRelease()}\n${newest}`),
);
run(
  'node_modules/prettier/bin/prettier.cjs',
  '--write',
  'CHANGELOG.md',
  'package.json',
  '{shared,services,infra}/*/package.json',
);
console.log(`This is ${version}. Read CHANGELOG.md, commit, and tag it: git tag v${version}`);

/** Reads what the changesets would release: their summaries and the new versions. */
function readPlan() {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  const file = join(folder, 'plan.json');
  try {
    run('node_modules/@changesets/cli/bin.js', 'status', `--output=${file}`);
    return JSON.parse(readFileSync(file, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Formats the new section of CHANGELOG.md, breaking changes first. */
function describeRelease() {
  const lines = BUMPS.flatMap((bump) =>
    changesets
      .filter((one) => one.releases[0]?.type === bump)
      .map(({ summary }) => `- ${summary.replaceAll('\n', '\n  ')}`),
  );
  return [`## ${version}`, '', ...lines, ''].join('\n');
}

function run(...args) {
  execFileSync(process.execPath, args, { stdio: 'inherit' });
}
