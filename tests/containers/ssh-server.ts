import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { mustRun } from './program.ts';

/** An sshd of its own on the loopback address, into which one key gets. */
export interface SshServer {
  readonly port: number;
  readonly user: string;
  /** The private key that it lets in, as text. */
  readonly key: string;
  /** Fingerprint of its host key. */
  readonly hostKey: string;
  /** Its host key as a line of known_hosts has it behind the name. */
  readonly hostKeyLine: string;
  /** Cuts every connection that is open, as a broken cable does; it can be connected to again. */
  cut(): Promise<void>;
  close(): Promise<void>;
}

const SSHD = '/usr/sbin/sshd';

/** Starts one, or says why not. `inside` are words that enter the namespaces which it is to run in. */
export async function openSshServer({
  address = '127.0.0.1',
  inside = [],
}: { readonly address?: string; readonly inside?: readonly string[] } = {}): Promise<
  SshServer | { readonly problem: string }
> {
  if (!existsSync(SSHD)) return { problem: 'openssh-server is not installed' };
  if (process.getuid?.() !== 0) return { problem: 'only root can start an sshd that lets somebody in' };
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-sshd-'));
  const file = (name: string): string => join(folder, name);
  for (const name of ['host', 'client'])
    await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file(name)]);
  writeFileSync(file('authorized'), readFileSync(file('client.pub')), { mode: 0o600 });
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const port = await freePort();
  const settings = [
    `Port ${port}`,
    `ListenAddress ${address}`,
    `HostKey ${file('host')}`,
    `AuthorizedKeysFile ${file('authorized')}`,
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'UsePAM no',
    'StrictModes no',
    'AllowStreamLocalForwarding yes',
    `PidFile ${file('pid')}`,
  ];
  writeFileSync(file('config'), `${settings.join('\n')}\n`);
  const log = openSync(file('log'), 'w');
  const [program, ...words] = [...inside, SSHD, '-D', '-e', '-f', file('config')];
  const child = spawn(program, words, { stdio: ['ignore', log, log] });
  closeSync(log);
  await until(() => {
    if (child.exitCode !== null) throw new Error(`sshd ended: ${readFileSync(file('log'), 'utf8')}`);
    return answers(address, port);
  });
  const [, hostKey = ''] = (await mustRun('ssh-keygen', ['-l', '-E', 'sha256', '-f', file('host.pub')])).split(' ');
  const children = async (): Promise<readonly number[]> => {
    const listed = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
    return listed.trim().split(' ').filter(Boolean).map(Number);
  };
  const cut = async (): Promise<void> => {
    for (const pid of await children()) process.kill(pid, 'SIGKILL');
  };
  return {
    port,
    user: userInfo().username,
    key: readFileSync(file('client'), 'utf8'),
    hostKey,
    hostKeyLine: readFileSync(file('host.pub'), 'utf8').split(' ').slice(0, 2).join(' '),
    cut,
    close: async () => {
      await cut();
      child.kill('SIGTERM');
      await until(() => child.exitCode !== null || child.signalCode !== null);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function answers(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
