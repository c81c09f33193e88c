import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const SOURCE = /\.(ts|json)$/;
/** Sources that no service loads: tests, and a page that is bundled for browsers. */
const NOT_BUILT = /\.(test|fixture|d)\.ts$|\/src\/page\//;

/**
 * Brings the `dist` folders of all packages up to the sources, so that no loader runs when a service starts. What has not changed since
 * the last build is left alone: nothing is compiled, and nothing is ever older than its source. Types are not checked.
 * @param {string} checkout
 * @param {(line: string) => void} report
 * @returns {Promise<string | null>} what the compiler refuses; null when everything is built
 */
export async function buildServices(checkout, report) {
  const record = join(checkout, '.signalbox/built.json');
  const sources = listSources(checkout);
  const built = readRecord(record);
  const changed = [...sources].filter(
    ([source, stamp]) => built[source] !== stamp || !existsSync(join(checkout, outputOf(source))),
  );
  const removed = Object.keys(built).filter((source) => !sources.has(source));
  if (changed.length === 0 && removed.length === 0) return null;
  const begin = Date.now();
  const problem = await compile(
    checkout,
    changed.map(([source]) => source),
  );
  if (problem !== null) return problem;
  removeOrphans(checkout);
  mkdirSync(dirname(record), { recursive: true });
  writeInOneStep(record, JSON.stringify(Object.fromEntries(sources)));
  report(
    `built ${changed.length} ${changed.length === 1 ? 'file' : 'files'} in ${((Date.now() - begin) / 1000).toFixed(1)} s`,
  );
  return null;
}

/**
 * Every source of every package with a stamp that changes when it is edited, replaced or checked out anew.
 * @param {string} checkout
 * @returns {Map<string, string>} paths from the checkout on
 */
function listSources(checkout) {
  const sources = new Map();
  for (const folder of packageFolders(checkout))
    for (const file of filesBelow(join(checkout, folder, 'src'))) {
      const path = relative(checkout, file);
      if (!SOURCE.test(path) || NOT_BUILT.test(path)) continue;
      const { ino, size, mtimeMs, ctimeMs } = statSync(file);
      sources.set(path, [ino, size, mtimeMs, ctimeMs].join(' '));
    }
  return sources;
}

/** @param {string} checkout @returns {string[]} */
function packageFolders(checkout) {
  const { workspaces } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
  return workspaces.flatMap((/** @type {string} */ pattern) => {
    if (!pattern.endsWith('/*')) return [pattern];
    const folder = pattern.slice(0, -2);
    return readdirSync(join(checkout, folder)).map((name) => `${folder}/${name}`);
  });
}

/** @param {string} folder @returns {string[]} */
function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** @param {string} source @returns {string} */
function outputOf(source) {
  return source.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
}

/**
 * @param {string} checkout
 * @param {string[]} sources
 * @returns {Promise<string | null>}
 */
async function compile(checkout, sources) {
  for (const source of sources.filter((path) => path.endsWith('.json')))
    writeIfChanged(join(checkout, outputOf(source)), readFileSync(join(checkout, source)));
  const programs = sources.filter((path) => path.endsWith('.ts'));
  if (programs.length === 0) return null;
  const { build, formatMessages, stop } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      absWorkingDir: checkout,
      entryPoints: programs.map((source) => ({ in: source, out: outputOf(source).replace(/\.js$/, '') })),
      outdir: '.',
      write: false,
      bundle: true, // each file stands for itself all the same: what it imports is external
      plugins: [IMPORTS_STAY],
      platform: 'node',
      format: 'esm',
      target: 'node20',
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, target: 'ES2023' } },
      logLevel: 'silent',
    });
    for (const { path, contents } of outputFiles) writeIfChanged(path, contents);
    return null;
  } catch (error) {
    if (!Array.isArray(error.errors)) throw error;
    const lines = await formatMessages(error.errors, { kind: 'error' });
    return `The sources cannot be built:\n\n${lines.join('\n')}`;
  } finally {
    await stop(); // its process would stay as long as ours
  }
}

/** @type {import('esbuild').Plugin} */
const IMPORTS_STAY = {
  name: 'imports stay',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/^(\.{1,2}\/.*)\.ts$/, '$1.js'), external: true },
    );
  },
};

/**
 * Removes programs whose source is gone: commands, agents and capabilities are found by walking their folders.
 * @param {string} checkout
 */
function removeOrphans(checkout) {
  for (const folder of packageFolders(checkout)) {
    const dist = join(checkout, folder, 'dist');
    for (const file of filesBelow(dist).filter((path) => path.endsWith('.js'))) {
      const source = join(checkout, folder, 'src', relative(dist, file).replace(/js$/, 'ts'));
      if (!existsSync(source) && !existsSync(`${source}x`)) rmSync(file, { force: true });
    }
  }
}

/** @param {string} path @param {Uint8Array} contents */
function writeIfChanged(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeInOneStep(path, contents);
}

/** Another start may build, or load, at the same moment. @param {string} path @param {string | Uint8Array} contents */
function writeInOneStep(path, contents) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

/** @param {string} file @returns {Record<string, string>} */
function readRecord(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {}; // nothing was built yet, or the disk was full
  }
}
