import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { ANALYZERS } from '@signalbox/analysis/analyzers/analyzers';
import { scanCommit } from '@signalbox/analysis/scan/scan';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { makeDemoRepository, moveDemoRepository } from '@signalbox/local/setup/demo-repository';
import { loadTestConfig } from '../support/config.ts';
import { afterAll, describe, expect, it, vi } from 'vitest';

const place = mkdtempSync(join(tmpdir(), 'demo-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const git = (folder: string, ...words: string[]): string =>
  execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8', stdio: 'pipe' }).trim();
const tags = (folder: string): string =>
  git(folder, 'for-each-ref', 'refs/tags', '--format=%(refname:short) %(objectname)');

describe('the repository of the demo project', () => {
  it('has the same commit ids on every machine', async () => {
    const folder = join(place, 'same.git');
    await makeDemoRepository(folder);
    expect(tags(folder).split('\n')).toEqual([
      '1.0 9d400089d934be746c80a3f2e78c394a5ccccd70',
      '1.1 eb4634f9afca9996565ec744418c930127c24762',
      '1.2 f5838d944871eeaeefdddd00436e2a903dd5bc06',
    ]);
    expect(git(folder, 'fsck', '--strict')).toBe('');
  });

  it('has problems that the scans of Signalbox find', async () => {
    const folder = join(place, 'scanned.git');
    await makeDemoRepository(folder);
    const mirror = { dir: folder, path: loadTestConfig().path, signal: AbortSignal.timeout(60_000) };
    const { result } = await scanCommit(mirror, { commit: git(folder, 'rev-parse', 'main'), folder: null }, ANALYZERS);
    const found = Object.values(result.conclusions).flatMap((one) => one.found);
    expect(found.map(({ severity, rule, path }) => `${severity} ${rule} ${path}`).toSorted()).toEqual([
      'high risk/remote-script import-prices.sh',
      'high secrets/in-history supplier.env',
      'low documentation/dead-link README.md',
      'low licences/none .',
    ]);
  });

  it('is kept when it exists, and created again when its releases have changed', async () => {
    const folder = join(place, 'kept.git');
    const releases = join(place, 'releases');
    cpSync(join(getCheckoutPath(), 'infra/demo/releases'), releases, { recursive: true });
    await makeDemoRepository(folder, releases);
    const before = tags(folder);
    git(folder, 'update-ref', 'refs/heads/mine', 'main');
    await makeDemoRepository(folder, releases);
    expect(git(folder, 'branch', '--list', 'mine', '--format=%(refname:short)')).toBe('mine');
    writeFileSync(join(releases, '1.2/prices.json'), '{}\n');
    await makeDemoRepository(folder, releases);
    expect(tags(folder)).not.toBe(before);
    expect(readdirSync(place).filter((name) => name.includes('.new-'))).toEqual([]);
  });

  it('created by an earlier version is moved to its new path, and the old path still works', async () => {
    const [before, folder] = [join(place, 'data/demo.git'), join(place, 'data/repositories/demo.git')];
    await makeDemoRepository(before);
    const was = tags(before);
    for (let times = 0; times < 2; times++) moveDemoRepository(before, folder);
    expect([tags(folder), tags(before), realpathSync(before)]).toEqual([was, was, realpathSync(folder)]);
    moveDemoRepository(join(place, 'none/demo.git'), join(place, 'none/repositories/demo.git'));
    expect(existsSync(join(place, 'none'))).toBe(false);
  });

  it('is created once when two processes start at the same time', async () => {
    const folder = join(place, 'twice.git');
    await Promise.all([makeDemoRepository(folder), makeDemoRepository(folder)]);
    expect(git(folder, 'log', '--format=%s', 'main').split('\n')).toHaveLength(3);
  });

  it('cannot be created without git, and the error names a remedy', async () => {
    vi.stubEnv('PATH', place);
    try {
      await expect(makeDemoRepository(join(place, 'none.git'))).rejects.toThrow(/Install git/);
    } finally {
      vi.unstubAllEnvs();
    }
    expect(readdirSync(place).filter((name) => name.startsWith('none'))).toEqual([]);
  });

  it.each(['1.0', '1.1', '1.2'])('states how release %s is built and started', async (tag) => {
    const folder = join(place, 'files.git');
    await makeDemoRepository(folder);
    const file = ServiceFile.parse(JSON.parse(git(folder, 'show', `${tag}:signalbox.json`)));
    expect(file).toMatchObject({
      start: ['node', 'server.mjs'],
      health: { path: '/up' },
      release: { name: 'x-release' },
    });
    expect(file.build).toHaveLength(tag === '1.1' ? 1 : 0);
  });
});
