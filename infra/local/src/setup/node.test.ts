import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { fetchNode, judgeNode, useNode } from '../../node.mjs';
import { getCheckoutPath } from '../checkout.ts';
import { getInheritedEnvironment } from '../config.ts';

test('Node 24 and Node 26 run Signalbox, other versions from 20.19 on fetch Node, and older ones are refused', () => {
  for (const version of ['24.15.0', '24.21.0', '26.0.0', '26.12.1', '28.0.0']) expect(judgeNode(version)).toBe('use');
  for (const version of ['20.19.0', '22.22.2', '24.1.0', '25.9.0']) expect(judgeNode(version)).toBe('fetch');
  expect(judgeNode('20.18.3')).toEqual({ problem: expect.stringContaining('this is Node 20.18.3') });
});

test('package.json asks for the versions that the launcher uses', () => {
  const { engines } = JSON.parse(readFileSync(join(getCheckoutPath(), 'package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const [older = '', newer = ''] = engines.node.split(' || ').map((range) => range.replace(/^\D+/, ''));
  const justBelow = older.replace(/\.\d+\.0$/, (rest) => `.${Number(rest.split('.')[1]) - 1}.9`);
  expect([older, newer].map(judgeNode)).toEqual(['use', 'use']);
  expect(judgeNode(justBelow)).toBe('fetch');
});

describe('fetchNode', () => {
  let root = '';
  let checkout = '';
  let registry: Server;
  let packages: Record<'node' | 'npm', { readonly name: string; readonly version: string; readonly integrity: string }>;
  let asked: string[] = [];
  const said: string[] = [];

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'node-'));
    checkout = join(root, 'checkout');
    mkdirSync(checkout);
    asked = [];
    said.length = 0;
    vi.spyOn(console, 'error').mockImplementation((line: string) => void said.push(line));
    const files = new Map<string, Buffer>();
    registry = createServer((request, response) => {
      asked.push(request.url ?? '');
      const file = files.get(request.url ?? '');
      response.writeHead(file ? 200 : 404).end(file);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => registry.once('listening', resolve));
    const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
    // A company's mirror, as a checkout names it.
    writeFileSync(join(checkout, '.npmrc'), `registry=${url}\nengine-strict=true\n`);
    const publish = (name: string, program: string, text: string) => {
      const folder = join(root, name);
      mkdirSync(join(folder, 'package/bin'), { recursive: true });
      writeFileSync(join(folder, 'package', program), text);
      chmodSync(join(folder, 'package', program), 0o755);
      writeFileSync(join(folder, 'package/LICENSE'), '');
      writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name, version: '9.9.9' }));
      execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
      const tarball = readFileSync(join(folder, 'package.tgz'));
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
      const one = { name, version: '9.9.9', dist: { tarball: `${url}${name}.tgz`, integrity } };
      files.set(`/${name}`, Buffer.from(JSON.stringify({ name, versions: { '9.9.9': one } })));
      files.set(`/${name}.tgz`, tarball);
      return { name, version: '9.9.9', integrity };
    };
    packages = {
      node: publish('node-of-test', 'bin/node', '#!/bin/sh\necho v9.9.9\n'),
      npm: publish('npm', 'bin/npm-cli.js', '#!/bin/sh\necho fetched npm\n'),
    };
  });
  afterEach(() => {
    registry.close();
    registry.closeAllConnections();
    vi.restoreAllMocks();
    rmSync(root, { recursive: true });
  });

  const fetchIt = (over: Partial<typeof packages> = {}) =>
    fetchNode(
      checkout,
      { PATH: getInheritedEnvironment()['PATH'], HOME: root, npm_config_fetch_retries: '0' },
      { ...packages, ...over },
    );

  it('fetches Node and npm from the registry of the checkout once, and programs find both on their PATH', async () => {
    const fetched = await fetchIt();
    if ('problem' in fetched) throw new Error(fetched.problem);
    expect(said).toEqual([
      expect.stringMatching(/^fetching Node 9\.9\.9, because this is Node \d/),
      expect.stringMatching(/^fetched Node 9\.9\.9 in \d+ s$/),
    ]);
    const env = useNode(fetched.folder, { PATH: '/usr/bin:/bin', KEPT: 'yes' });
    const shell = (script: string) => execFileSync('/bin/sh', ['-c', script], { env, encoding: 'utf8' });
    expect(shell('node; npm; sh "$npm_execpath"; echo $KEPT')).toBe('v9.9.9\nfetched npm\nfetched npm\nyes\n');
    expect(readdirSync(fetched.folder).toSorted()).toEqual(['LICENSE', 'bin', 'lib']);
    asked = [];
    expect(await fetchIt()).toEqual(fetched);
    expect(asked).toEqual([]);
  });

  it('refuses a package with another checksum than the one in the launcher, and keeps nothing of it', async () => {
    const forged = { ...packages.node, integrity: packages.npm.integrity };
    expect(await fetchIt({ node: forged })).toEqual({ problem: expect.stringContaining('npm says above why') });
    expect(readdirSync(join(checkout, '.signalbox'))).toEqual([]);
    expect(await fetchIt()).toHaveProperty('folder');
  });

  it('says what to do when the registry does not answer', async () => {
    registry.close();
    registry.closeAllConnections();
    expect(await fetchIt()).toEqual({ problem: expect.stringMatching(/Check the network[^]*nvm install 26/) });
  });

  it('says what to do when the fetched Node does not run on this machine', async () => {
    const other = { ...packages.node, name: packages.npm.name, integrity: packages.npm.integrity };
    expect(await fetchIt({ node: other })).toEqual({ problem: expect.stringMatching(/ENOENT[^]*nvm install 26/) });
    expect(readdirSync(join(checkout, '.signalbox'))).toEqual([]);
  });

  it('says what to do when the checkout cannot be written', async () => {
    writeFileSync(join(checkout, '.signalbox'), 'a file where a folder should be');
    expect(await fetchIt()).toEqual({ problem: expect.stringMatching(/cannot be put into .*EEXIST/) });
  });

  it('begins anew after a fetch that was killed, and two at once fetch once', async () => {
    const part = join(checkout, '.signalbox', `node-9.9.9-${process.platform}-${process.arch}.part`);
    mkdirSync(join(part, 'node_modules/half'), { recursive: true });
    writeFileSync(join(checkout, '.signalbox/install.lock'), '999999999');
    const env = { PATH: getInheritedEnvironment()['PATH'], HOME: root };
    const program = `import { fetchNode } from ${JSON.stringify(join(getCheckoutPath(), 'infra/local/node.mjs'))};
      console.log(JSON.stringify(await fetchNode(...${JSON.stringify([checkout, env, packages])})));`;
    const words = ['--input-type=module', '-e', program];
    const launch = async () => (await promisify(execFile)(process.execPath, words, { env })).stdout;
    const [one, two] = await Promise.all([launch(), launch()]);
    expect(JSON.parse(one)).toHaveProperty('folder');
    expect(two).toBe(one);
    expect(asked.filter((path) => path.endsWith('.tgz')).toSorted()).toEqual(['/node-of-test.tgz', '/npm.tgz']);
    expect(existsSync(part)).toBe(false);
  });
});
