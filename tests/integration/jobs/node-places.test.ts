import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import { findBubblewrap } from '@signalbox/jobs/sandbox/program';
import { listNodeMounts } from '@signalbox/jobs/sandbox/program-room';
import { openScanSandbox } from '@signalbox/jobs/sandbox/scan-room';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRelease, soon } from '../../contracts/driver-releases.ts';
import { openTestConfinement } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

// The launcher and version managers put Node where sandboxes hide everything else.

const execPath = process.execPath;
let place = '';
afterEach(() => {
  process.execPath = execPath;
  if (place !== '') rmSync(place, { recursive: true });
  place = '';
});

it('a Node in a checkout below /usr is mounted again, because the checkout is hidden', () => {
  process.execPath = '/usr/src/signalbox/.signalbox/node/bin/node';
  const bin = '/usr/src/signalbox/.signalbox/node/bin';
  expect(listNodeMounts(['/usr/src/signalbox'])).toEqual(expect.arrayContaining(['--ro-bind', bin, bin]));
  expect(listNodeMounts(['/usr/src/other'])).toEqual([]);
});

describe.each([
  ['/tmp', '/tmp'],
  ['the home folder', homedir()],
])('with a Node below %s', { timeout: 60_000 }, (_, root) => {
  beforeEach(() => {
    place = mkdtempSync(join(root, '.signalbox-node-'));
    mkdirSync(join(place, 'bin'));
    cpSync(execPath, join(place, 'bin/node'));
    const npm = join(place, 'lib/node_modules/npm');
    mkdirSync(npm, { recursive: true });
    writeFileSync(join(npm, 'cli.js'), `console.log('npm on ' + process.execPath);`);
    writeFileSync(join(place, 'bin/npm'), `#!/bin/sh\nexec node ${npm}/cli.js\n`, { mode: 0o755 });
    chmodSync(place, 0o700); // as home folders are
    process.execPath = join(place, 'bin/node');
  });

  it('a release is built by it, and by its npm', async () => {
    const { confinement } = await openTestConfinement();
    const driver = await openDriver(
      { name: 'local', host: '127.0.0.1', driver: 'process', connection: {}, hostKey: null },
      {
        targetsDir: makeTemporaryFolder('node-places'),
        path: [join(place, 'bin'), loadTestConfig().path].join(delimiter),
        baseImage: '',
        restarts: 0,
        confinement,
        openSecret: async () => '',
      },
    );
    const sourceDir = makeTemporaryFolder('node-source');
    const file = ServiceFile.parse({
      build: [['node', '-e', `console.log('node at ' + process.execPath)`], ['npm']],
      start: ['node'],
    });
    const lines: string[] = [];
    const onLine = ({ line }: { readonly line: string }): void => void lines.push(line);
    await driver.build({ id: newRelease(), sourceDir, file, onLine, signal: soon() });
    expect(lines).toEqual(expect.arrayContaining([`node at ${place}/bin/node`, `npm on ${place}/bin/node`]));
  });

  it('a repository is scanned by it', async () => {
    const { settings } = await openTestConfinement();
    const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath } = settings;
    const cell = openScanSandbox(findBubblewrap({ file, libraryPath, path: loadTestConfig().path }));
    if (cell === null) throw new Error('there is no sandbox for scans');
    const [program = '', ...words] = cell.words(makeTemporaryFolder('mirror'));
    const child = spawn(program, [...words, process.execPath, '-p', 'process.execPath'], {
      env: cell.libraryPath === null ? {} : { LD_LIBRARY_PATH: cell.libraryPath },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    (child.stdio[3] as Writable).end(cell.filter); // `stdio` makes this stream a pipe
    const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(said).toBe(`${place}/bin/node\n`);
  });
});
