import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AdvisorySource } from '@signalbox/analysis/advisory-source';
import { openOsvEndpoint } from '@signalbox/analysis/advisories/osv-endpoint';
import { openOsvFolder } from '@signalbox/analysis/advisories/osv-folder';
import { ADVISORIES_ANALYZER } from '@signalbox/analysis/analyzers/dependencies/advisories/advisories';
import { FROM_CRATES_IO, packageLock, tomlLock } from '../../fixtures/planted/dependencies/lock-texts.ts';
import { OSV_RECORDS } from '../../fixtures/planted/dependencies/osv-records.ts';
import { analyze } from '../../support/analyze.ts';

const WEAK = {
  'web/package-lock.json': packageLock({
    lodash: '4.17.11',
    minimist: { version: '1.2.5', dev: true },
    'mkdirp/node_modules/minimist': '0.0.8',
    ms: '2.1.3',
  }),
  'api/requirements.txt': 'PyYAML==5.3.1\nrequests==2.32.3\n',
  'tool/go.mod': 'module acme.dev/tool\n\nrequire golang.org/x/text v0.3.7\n',
  'engine/Cargo.lock': tomlLock({ time: '0.1.45' }, ...FROM_CRATES_IO),
};
const SOUND = {
  'web/package-lock.json': packageLock({ lodash: '4.17.21', minimist: '1.2.8', lodash2: '4.17.11' }),
  'api/requirements.txt': 'pyyaml==5.4rc1.post1\nPyYAML==6.0.1\n'.split('\n').slice(1).join('\n'),
  'tool/go.mod': 'module acme.dev/tool\n\nrequire golang.org/x/text v0.3.8\n',
  'engine/Cargo.lock': tomlLock({ time: '0.2.23' }, ...FROM_CRATES_IO),
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'osv-'));
  for (const [path, text] of Object.entries(OSV_RECORDS)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
});
afterAll(() => rm(folder, { recursive: true }));

const look = async (texts: Readonly<Record<string, string>>, advisories: AdvisorySource | null) =>
  analyze(ADVISORIES_ANALYZER, texts, { advisories });
const told = ({ found }: Awaited<ReturnType<typeof look>>): readonly string[] =>
  found
    .map(
      ({ path, severity, values }) =>
        `${path} ${values['name']} ${values['version']} ${severity} ${values['id']} ${values['fixed']}`,
    )
    .sort();
const EXPECTED = [
  'api/requirements.txt pyyaml 5.3.1 critical CVE-2020-14343, GHSA-8q59-q68h-6hv4 5.4',
  'engine/Cargo.lock time 0.1.45 medium CVE-2020-26235, RUSTSEC-2020-0071 0.2.23',
  'tool/go.mod golang.org/x/text 0.3.7 medium CVE-2022-32149, GO-2022-1059 0.3.8',
  'web/package-lock.json lodash 4.17.11 critical CVE-2019-10744, GHSA-jf85-cpcp-j695 4.17.12',
  'web/package-lock.json minimist 0.0.8 critical CVE-2021-44906, GHSA-xvch-5gv4-984h 0.2.4',
];

describe('advisories of a folder', () => {
  it('are found in every ecosystem once for each weakness, and in no unaffected version', async () => {
    expect(told(await look(WEAK, openOsvFolder(folder)))).toEqual(EXPECTED);
    expect(told(await look(SOUND, openOsvFolder(folder)))).toEqual([]);
  });

  it('are reported as not read when none is configured, or when the folder is gone or empty', async () => {
    expect((await look(WEAK, null)).summary).toMatchObject({ looked: false });
    expect((await look(WEAK, openOsvFolder(join(folder, 'gone')))).summary).toMatchObject({
      looked: false,
      why: 'ENOENT',
    });
    await mkdir(join(folder, 'empty'), { recursive: true });
    expect((await look(WEAK, openOsvFolder(join(folder, 'empty')))).summary).toMatchObject({ looked: false });
  });
});

describe('advisories of an endpoint', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
  const serve = async (listener: RequestListener, timeoutMs = 10_000): Promise<AdvisorySource> => {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return openOsvEndpoint(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      timeoutMs,
      deadlineMs: 20_000,
      pauseMs: 5,
    });
  };
  const records = new Map(
    Object.values(OSV_RECORDS).flatMap((text) => {
      const id = /"id": "([^"]+)"/.exec(text)?.[1];
      return id === undefined ? [] : [[id, text] as const];
    }),
  );
  /** As api.osv.dev answers, but it names every record of a package whatever the version is. */
  const osv: RequestListener = (request, response) => {
    if (request.method === 'GET') return void response.end(records.get(request.url?.split('/').at(-1) ?? '') ?? '{}');
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const { queries } = JSON.parse(body) as { queries: { package: { name: string } }[] };
      const named = (name: string): object[] =>
        [...records]
          .filter(([, text]) => text.toLowerCase().includes(`"${name}"`))
          .map(([id]) => ({ id, modified: '' }));
      response.end(JSON.stringify({ results: queries.map(({ package: { name } }) => ({ vulns: named(name) })) }));
    });
  };

  it('equal those of a folder, without records that do not affect the used version', async () => {
    expect(told(await look(WEAK, await serve(osv)))).toEqual(EXPECTED);
    expect(told(await look(SOUND, await serve(osv)))).toEqual([]);
  });

  it('are requested again after the server failed twice', async () => {
    let failures = 0;
    const source = await serve((request, response) => {
      if (failures++ < 2) return void response.writeHead(503).end();
      return osv(request, response);
    });
    expect(told(await look(WEAK, source))).toEqual(EXPECTED);
  });

  it.each<readonly [string, RequestListener, string]>([
    ['always fails', (_, response) => void response.writeHead(500).end(), 'it answers 500'],
    ['never answers', () => undefined, 'it does not answer in time'],
    ['answers something else', (_, response) => void response.end('<html>'), 'it answers in another form'],
    ['answers too little', (_, response) => void response.end('{"results":[]}'), 'it answers in another form'],
    [
      'sends elsewhere',
      (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'it cannot be reached',
    ],
    ['hangs up', (request) => void request.socket.destroy(), 'it cannot be reached'],
    ['answers without end', (_, response) => void response.end('['.repeat(21_000_000)), 'its answer is too large'],
  ])('are reported as not read when the server %s', async (_, listener, why) => {
    const { found, summary } = await look(WEAK, await serve(listener, why.endsWith('in time') ? 100 : undefined));
    expect(found).toEqual([]);
    expect(summary).toMatchObject({ looked: false, why });
  });
});
