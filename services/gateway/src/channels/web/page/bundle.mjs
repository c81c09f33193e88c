import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('./', import.meta.url));
/** The built page lies beside the compiled channel. */
const BUILT = FOLDER.replace('/src/', '/dist/');
const COPIED = ['index.html', 'icon.svg'];
const BUNDLED = ['main.tsx', 'main.css'];

/**
 * Bundles the page for browsers: `main.js` and `main.css`, by name. Takes about 100 ms. Throws esbuild's errors.
 * @returns {Promise<Map<string, Uint8Array>>}
 */
export async function bundlePage() {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({ ...OPTIONS, write: false });
  return new Map(outputFiles.map(({ path, contents }) => [path.slice(BUILT.length), contents]));
}

/** Builds the page into `dist`, where a gateway without sources finds it. */
export async function buildPage() {
  const { build, stop } = await import('esbuild');
  try {
    await build(OPTIONS);
    await mkdir(BUILT, { recursive: true });
    await Promise.all(COPIED.map((name) => copyFile(join(FOLDER, name), join(BUILT, name))));
  } finally {
    await stop(); // esbuild's process would otherwise run as long as this one
  }
}

/** The page shows no message of zod, and the messages in fifty languages are half of zod's code. @type {import('esbuild').Plugin} */
const NO_LOCALES = {
  name: 'no locales of zod',
  setup(build) {
    build.onResolve({ filter: /\/locales\/index\.js$/ }, ({ path }) => ({ path, namespace: 'no-locales' }));
    build.onLoad({ filter: /.*/, namespace: 'no-locales' }, () => ({ contents: 'export {};' }));
  },
};

/** @satisfies {import('esbuild').BuildOptions} */
const OPTIONS = {
  absWorkingDir: FOLDER,
  entryPoints: BUNDLED,
  outdir: BUILT,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  conditions: ['source'],
  plugins: [NO_LOCALES],
  logLevel: 'silent',
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPage();
