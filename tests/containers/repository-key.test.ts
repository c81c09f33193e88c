import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '@signalbox/jobs/git/repository-login';
import { createSourceStore } from '@signalbox/jobs/git/sources';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { appFiles, makeRepository } from '../support/deploy-repository.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { openSshServer, type SshServer } from './ssh-server.ts';

const { path } = loadTestConfig();
const signal = AbortSignal.timeout(120_000);
const folder = makeTemporaryFolder('repository-key');
const opened = await openSshServer();
const server = 'problem' in opened ? null : opened;
const why = 'problem' in opened ? `: ${opened.problem}` : '';

describe.skipIf(server === null)(`a private repository over ssh${why}`, () => {
  const { port, user, key, hostKeyLine, close } = (server ?? {}) as SshServer; // without one, nothing of it is used
  let commit: string;
  const sources = (trustDir: string) =>
    createSourceStore({
      dir: join(folder, 'deploys'),
      repositoriesDirs: [],
      closed: [],
      cell: null,
      path,
      hosts: { privateOnes: ['127.0.0.1'], trustDir },
    });
  const repository = (value: string | null): Repository => ({
    address: `ssh://${user}@127.0.0.1:${port}${join(folder, 'shop')}`,
    login: value === null ? null : { id: 'ada secret:shop', open: () => Promise.resolve(value) },
  });
  beforeAll(() => {
    for (const name of ['trust', 'empty']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'trust/known_hosts'), `127.0.0.1 ${hostKeyLine}\n`);
    writeFileSync(join(folder, 'empty/known_hosts'), '');
    commit = makeRepository(join(folder, 'shop')).release('v1', appFiles({}));
  });
  afterAll(close);

  it("a private repository is read with its project's deploy key, and no key file is left behind", async () => {
    expect(await sources(join(folder, 'trust')).open(repository(key), 'main', signal)).toMatchObject({ commit });
    const files = readdirSync(join(folder, 'deploys'), { recursive: true }).map(String);
    expect(files.filter((name) => name.includes('login-'))).toEqual([]);
  });

  it('a private repository is not read without its key, with a token instead, or when its host is unknown', async () => {
    const known = sources(join(folder, 'trust'));
    await expect(known.open(repository(null), 'main', signal)).rejects.toThrow(/it does not exist, or it is private/);
    await expect(known.open(repository('a-token'), 'main', signal)).rejects.toThrow(/ssh takes a private key/);
    const unknown = sources(join(folder, 'empty')).open(repository(key), 'v1', signal);
    await expect(unknown).rejects.toThrow(/the key of its host is not known here/);
  });
});
