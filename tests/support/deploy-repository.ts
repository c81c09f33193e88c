import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadTestConfig } from './config.ts';

/** A git repository with a tag per release, made by a test. */
export interface TestRepository {
  readonly folder: string;
  /** Commits these files, and only these, and tags the commit. Answers its id. */
  release(tag: string, files: Readonly<Record<string, string>>): string;
}

export function makeRepository(folder: string): TestRepository {
  mkdirSync(folder, { recursive: true });
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', folder, ...words], {
      encoding: 'utf8',
      env: {
        PATH: loadTestConfig().path,
        HOME: folder,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: 'ada@example.org',
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.org',
      },
    }).trim();
  git('init', '--quiet', '--initial-branch=main', '.');
  return {
    folder,
    release(tag, files) {
      git('rm', '-r', '--quiet', '--force', '--ignore-unmatch', '.');
      for (const [name, text] of Object.entries(files)) {
        rmSync(join(folder, name), { force: true });
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '--message', tag);
      git('tag', '--force', tag);
      return git('rev-parse', 'HEAD');
    },
  };
}

/** What a build waits for. A build sees no folder of a test, but it reaches this machine's loopback. */
export interface Gate {
  readonly url: string;
  open(): void;
}

/** A gate that is closed until `open` is called. It keeps no process alive. */
export async function makeGate(): Promise<Gate> {
  let isOpen = false;
  const server = createServer((_request, response) => response.writeHead(isOpen ? 200 : 404).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { url: `http://127.0.0.1:${port}/`, open: () => void (isOpen = true) };
}

/** A build that says that it has begun, and ends when the test opens the gate: no race with how quick a machine is. */
export function gatedBuild({ url }: Gate): string {
  return `
console.log('begun');
while ((await fetch(${JSON.stringify(url)})).status !== 200) await new Promise((done) => setTimeout(done, 20));
`;
}

/** A program that says its release, and does what a release of a test is about. */
export function appFiles(options: {
  /** What `signalbox.json` says besides; `build` takes the place of no build. */
  readonly file?: Readonly<Record<string, unknown>>;
  /** Code at the top of the program, before it listens. */
  readonly begin?: string;
  /** The status of its health path, as an expression. */
  readonly status?: string;
  /** Code of a file build.mjs, which is run as the build. */
  readonly build?: string;
}): Readonly<Record<string, string>> {
  const { file = {}, begin = '', status = '200', build } = options;
  const settings = {
    ...(build === undefined ? {} : { build: [['node', 'build.mjs']] }),
    start: ['node', 'server.mjs'],
    health: { path: '/health', withinSeconds: 5 },
    memoryMb: 200,
    drainSeconds: 2,
    ...file,
  };
  return {
    'signalbox.json': JSON.stringify(settings),
    ...(build === undefined ? {} : { 'build.mjs': build }),
    'server.mjs': `
import { createServer } from 'node:http';
const { PORT, HOST, SIGNALBOX_RELEASE } = process.env;
${begin}
const server = createServer((request, response) => {
  response.writeHead(request.url === '/health' ? ${status} : 200, { 'x-release': SIGNALBOX_RELEASE });
  const answer = () => response.end(SIGNALBOX_RELEASE);
  if (request.url.startsWith('/slow')) setTimeout(answer, 600);
  else answer();
});
server.listen(Number(PORT), HOST, () => console.log('up with ' + SIGNALBOX_RELEASE));
process.once('SIGTERM', () => { server.close(() => process.exit(0)); server.closeIdleConnections(); });
`,
  };
}
