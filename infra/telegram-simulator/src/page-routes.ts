import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { FastifyInstance } from 'fastify';

/** The page is not built, so src and dist both read it from src. */
const FOLDER = fileURLToPath(new URL('../src/page/', import.meta.url));
const FILES = { '/': ['index.html', 'text/html'], '/icon.svg': ['icon.svg', 'image/svg+xml'] } as const;
const BUNDLES = { '/main.js': ['main.tsx', 'text/javascript'], '/main.css': ['main.css', 'text/css'] } as const;

/** Serves the page and bundles it on each request, in about 50 ms, so that no build is needed. */
export function registerPage(app: FastifyInstance): void {
  for (const [path, [name, type]] of Object.entries(FILES)) {
    app.get(path, async (_request, reply) => reply.type(`${type}; charset=utf-8`).send(await readFile(FOLDER + name)));
  }
  for (const [path, [name, type]] of Object.entries(BUNDLES)) {
    app.get(path, async (_request, reply) =>
      reply
        .type(`${type}; charset=utf-8`)
        .header('cache-control', 'no-store')
        .send(await bundle(name)),
    );
  }
}

async function bundle(name: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: FOLDER,
    entryPoints: [name],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    // Repeated here, because an installed package lacks the base of the page's tsconfig.json.
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } },
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
