import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { FixableFinding, FixFiles } from '@signalbox/analysis/fixes/fix';
import { getEngineeringBounds } from '@signalbox/contracts/governance/agent-bounds';
import { makeFixEdits, type FixDeps } from '@signalbox/jobs/fixes/fix-finding';
import { runInRoom } from '@signalbox/jobs/fixes/lock-run';
import { findActionCommit } from '@signalbox/jobs/forges/action-commits';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadTestConfig } from '../../support/config.ts';
import { readForgeDescription } from '../../support/forges/description.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const signal = AbortSignal.timeout(120_000);
const run = promisify(execFile);

/** A registry that has `tea` in some versions, and a GitHub that knows one action. npm and our client ask it over http. */
let server: Server;
let base: string;
let versions: readonly string[];
let folder: string;

beforeEach(async () => {
  folder = makeTemporaryFolder('fixes');
  versions = ['1.2.3', '1.2.4', '2.0.0'];
  server = createServer((request, response) => {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/tea') return send(200, describeTea());
    const checked = readForgeDescription('github').checkRequest({
      method: 'GET',
      path: request.url ?? '',
      query: [],
      body: undefined,
    });
    if (request.url === '/repos/ada/brew/commits/v2' && 'operation' in checked && !request.headers.authorization)
      return send(200, { sha: 'b'.repeat(40) });
    return send(404, { message: 'Not Found' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  base = `http://127.0.0.1:${port}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

function describeTea() {
  const describe = (version: string) => {
    const integrity = `sha512-${createHash('sha512').update(version).digest('base64')}`;
    return [version, { name: 'tea', version, dist: { tarball: `${base}/tea/-/tea-${version}.tgz`, integrity } }];
  };
  return {
    name: 'tea',
    'dist-tags': { latest: versions.at(-1) },
    versions: Object.fromEntries(versions.map(describe)),
  };
}

/** npm itself, without a sandbox: what is told to it is what counts here. */
const npm: NonNullable<FixDeps['runLock']> = (plan, files) => {
  const room = join(folder, 'room');
  return runInRoom(room, plan, files, async ([program = '', ...words], at) => {
    const path = [dirname(process.execPath), loadTestConfig().path].join(delimiter);
    const env = { PATH: path, HOME: folder, npm_config_registry: base, npm_config_cache: join(folder, 'cache') };
    const ended = await run(program, words, { cwd: join(room, at), env, signal }).catch((error: unknown) => error);
    const { stdout, stderr, code } = ended as { stdout: string; stderr: string; code?: number }; // what execFile gives and throws
    return { exitCode: code ?? 0, output: stdout + stderr };
  });
};
const findCommit: FixDeps['findCommit'] = (action, until) =>
  findActionCommit(
    action,
    {
      forges: [{ kind: 'github', web: 'https://hub.corp', api: base }],
      dispatcher: new Agent(),
      limits: { pauseMs: 1 },
    },
    until,
  );
const fix = (
  finding: Partial<FixableFinding>,
  files: Readonly<Record<string, string>>,
  runLock: FixDeps['runLock'] = npm,
  opened: readonly string[] = ['.github/'],
) => {
  const found = { path: '.', line: null, values: {}, rule: '', ...finding };
  const tree: FixFiles = {
    folder: null,
    read: async (path) => files[path] ?? null,
    list: async () => Object.keys(files),
  };
  const deps = { bounds: getEngineeringBounds(opened), findFinding: () => Promise.resolve(found), runLock, findCommit };
  return makeFixEdits(deps, { project: 'shop', findingId: '1' }, tree, signal);
};
const manifest = (range: string) => JSON.stringify({ name: 'shop', version: '1.0.0', dependencies: { tea: range } });
const lock = (range: string) =>
  JSON.stringify({
    name: 'shop',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'shop', version: '1.0.0', dependencies: { tea: range } },
      'node_modules/tea': { version: '1.2.3', resolved: `${base}/tea/-/tea-1.2.3.tgz` },
    },
  });
const values = { name: 'tea', version: '1.2.3', id: 'CVE-2026-1', fixed: '1.2.4', state: 'fixed' };
const weakness = { rule: 'advisories/known-weakness', path: 'web/package-lock.json', values };

describe('a dependency with a known weakness', () => {
  it('is raised by npm to the newest version within its range, in the lock file alone', async () => {
    const files = { 'web/package.json': manifest('^1.2.0'), 'web/package-lock.json': lock('^1.2.0'), 'index.js': '' };
    const { title, files: edited } = await fix(weakness, files);
    expect(title).toBe('Raise tea from 1.2.3 within its range');
    expect(edited.map(({ path }) => path)).toEqual(['web/package-lock.json']);
    const written = JSON.parse(edited[0]?.text ?? '') as { packages: Record<string, { version: string }> }; // npm wrote it
    expect(written.packages['node_modules/tea']?.version).toBe('1.2.4');
  });

  it('is not raised when its range allows no better version, and the sentence says what to do', async () => {
    const files = { 'web/package.json': manifest('1.2.3'), 'web/package-lock.json': lock('1.2.3') };
    await expect(fix(weakness, files)).rejects.toThrow(/tea 1\.2\.3 stays\. Widen its range in package\.json/);
  });

  it('is not raised without a way to a registry, or when the package manager fails', async () => {
    const files = { 'web/package.json': manifest('^1.2.0'), 'web/package-lock.json': lock('^1.2.0') };
    await expect(fix(weakness, files, null)).rejects.toThrow(/An operator can open one with ENGINEERING_REGISTRIES/);
    const broken = { ...files, 'web/package.json': '{' };
    await expect(fix(weakness, broken)).rejects.toThrow(/could not write the lock file: .*JSON/s);
  });
});

describe('a lock file', () => {
  it('that is missing is written, and the repository keeps all other files', async () => {
    const files = { 'package.json': manifest('^1.0.0') };
    const { files: edited } = await fix({ rule: 'dependencies/no-lock-file', path: 'package.json' }, files);
    expect(edited.map(({ path }) => path)).toEqual(['package-lock.json']);
    expect(edited[0]?.text).toContain('tea-1.2.4.tgz');
  });

  it('that is in step stays as it is', async () => {
    const first = await fix(
      { rule: 'dependencies/no-lock-file', path: 'package.json' },
      { 'package.json': manifest('^1.0.0') },
    );
    const files = { 'package.json': manifest('^1.0.0'), 'package-lock.json': first.files[0]?.text ?? '' };
    await expect(fix({ rule: 'dependencies/lock-out-of-step', path: 'package.json' }, files)).rejects.toThrow(
      /changed nothing/,
    );
  });
});

describe('an action of a workflow', () => {
  const path = '.github/workflows/a.yml';
  const pin = (action: string) => fix({ rule: 'risk/action-unpinned', path, line: 1 }, { [path]: `- uses: ${action}` });

  it('is pinned to the commit that the configured forge tells without a login', async () => {
    expect((await pin('ada/brew@v2')).files).toEqual([{ path, text: `- uses: ada/brew@${'b'.repeat(40)} # v2` }]);
  });

  it('is not pinned where operators keep workflows protected, which says who can open them', async () => {
    const closed = fix({ rule: 'risk/action-unpinned', path, line: 1 }, { [path]: '- uses: ada/brew@v2' }, npm, []);
    await expect(closed).rejects.toThrow(/a\.yml.* is protected.*An operator can open it with ENGINEERING_OPEN_PATHS/);
  });

  it('that no configured forge knows is not pinned', async () => {
    await expect(pin('ada/brew@v3')).rejects.toThrow(/No configured forge could say which commit ada\/brew v3 is/);
  });
});

it('a finding that needs a person is not fixed, and says why', async () => {
  await expect(fix({ rule: 'licences/none' }, {})).rejects.toThrow(/a license is a person’s choice/);
});
