import { parseJson } from '@signalbox/contracts/system-error';
import { z } from 'zod';
import { findNodeCommands } from './node-commands.ts';
import { servePages, type Draft, type RootFiles } from './way.ts';

const Manifest = z.object({
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.unknown()).default({}),
  devDependencies: z.record(z.string(), z.unknown()).default({}),
});

/** Servers for development by their program and command: they ignore the given port, write into their folder, or need a terminal. */
const DEVELOPMENT: ReadonlyMap<string, readonly string[]> = new Map(
  [
    'vite: dev serve',
    'react-scripts:start',
    'ng:serve',
    'nx:serve',
    'vue-cli-service:serve',
    'webpack:serve',
    'webpack-dev-server:',
    'next:dev',
    'nuxt:dev',
    'astro:dev',
    'gatsby:develop',
    'nest:start',
  ].map((line): [string, string[]] => {
    const [program = '', commands = ''] = line.split(':');
    return [program, commands.split(' ')];
  }),
);
/** Names of scripts that start what the build has made, where `start` is such a server. */
const PRODUCTION = ['start:prod', 'start:production', 'production', 'prod'];

/** Folders of pages that a builder writes. */
const PAGE_BUILDERS = [
  ['react-scripts', 'build'],
  ['@vue/cli-service', 'dist'],
  ['astro', 'dist'],
  ['hexo', 'public'],
  ['gatsby', 'public'],
  ['@11ty/eleventy', '_site'],
  ['@docusaurus/core', 'build'],
] as const;

/** File names of servers that a project may have without a start script. */
export const NODE_PROGRAMS = ['app.js', 'index.js', 'src/server.js', 'src/app.js', 'src/index.js'] as const;
/** Packages of programs that serve. */
const SERVERS = ['express', 'koa', 'fastify', '@hapi/hapi', 'hono', 'restify', 'polka', 'ws', 'socket.io'];

/** Lists the ways in which a package.json is started: by its start script, as npm does without one, or by a server for its pages. Pure. */
export function listNodeWays(root: RootFiles): readonly Draft[] {
  const manifest = readManifest(root);
  if (manifest === null) return [];
  const { start, build, preview } = manifest.scripts;
  const needed = { ...manifest.dependencies, ...manifest.devDependencies };
  const steps = listNodeSteps(root);
  const draft = (words: readonly string[], isGuess: boolean): Draft => ({
    of: 'package.json',
    build: steps,
    start: [...words],
    needs: [],
    isGuess,
  });
  const ways: Draft[] = [];
  const isForDevelopment = start !== undefined && build !== undefined && isDevelopment(start);
  const production = isForDevelopment ? PRODUCTION.find((name) => name in manifest.scripts) : undefined;
  if (production !== undefined) ways.push(draft(findNodeCommands(root).run(production), false));
  if (start !== undefined && !isForDevelopment) ways.push(draft(startScript(root, manifest.scripts), false));
  // Without a start script npm starts this file.
  if (start === undefined && root.names.has('server.js')) ways.push(draft(['npm', 'start'], true));
  const program = NODE_PROGRAMS.find((name) => root.names.has(name));
  const isServer = SERVERS.some((name) => name in manifest.dependencies);
  if (start === undefined && program !== undefined && isServer) ways.push(draft(['node', program], true));
  if (build === undefined) return ways;
  // Its preview takes no host, and its build is a server of its own.
  if ('nuxt' in needed) ways.push(draft(['node', '.output/server/index.mjs'], true));
  if (preview !== undefined || 'vite' in needed) {
    // Other package managers hand the two hyphens on.
    const serve = preview === undefined ? './node_modules/.bin/vite preview' : 'npm run preview --';
    ways.push(draft(['/bin/sh', '-c', `exec ${serve} --host "$HOST" --port "$PORT" --strictPort`], true));
  }
  const pages = PAGE_BUILDERS.find(([name]) => name in needed)?.[1];
  if (pages !== undefined) ways.push({ of: 'package.json', build: steps, isGuess: true, ...servePages(pages) });
  if (isForDevelopment && ways.length === 0) ways.push(draft(startScript(root, manifest.scripts), true));
  return ways;
}

/** True for a line that starts a server for development and nothing else. */
function isDevelopment(line: string): boolean {
  if (/[;&|]/.test(line)) return false;
  const words = line.trim().split(/\s+/);
  const [program = '', ...others] = words[0] === 'npx' ? words.slice(1) : words;
  const command = others.find((word) => !word.startsWith('-')) ?? '';
  if (/^(?:npm|pnpm|yarn|bun)$/.test(program)) return others.some((word) => word === 'dev' || word === 'develop');
  return DEVELOPMENT.get(program)?.includes(command) === true;
}

/** Lists the commands that fetch the packages of a package.json and build it. Pure. */
export function listNodeSteps(root: Pick<RootFiles, 'names' | 'packageJson'>): string[][] {
  const manifest = readManifest(root);
  if (!manifest) return [];
  const needs = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).length > 0;
  const { install, run } = findNodeCommands(root);
  return [...(needs ? [[...install]] : []), ...(manifest.scripts['build'] === undefined ? [] : [run('build')])];
}

/** Scripts that call their package manager are run by it, because it is installed nowhere else. */
function startScript(root: RootFiles, scripts: Readonly<Record<string, string>>): readonly string[] {
  const { install, run } = findNodeCommands(root);
  const isCalled = Object.values(scripts).some((script) => /(?:^|[\s;&|])(?:pnpm|yarn|bun)(?:\s|$)/.test(script));
  return isCalled && install[0] !== 'npm' ? run('start') : ['npm', 'start'];
}

function readManifest({ packageJson }: Pick<RootFiles, 'packageJson'>): z.output<typeof Manifest> | null {
  // Npm could not read a broken manifest either, so it counts as missing.
  return Manifest.safeParse(parseJson(packageJson ?? '')).data ?? null;
}
