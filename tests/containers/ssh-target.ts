import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startEngine, type Engine } from './engine.ts';
import { mustRun } from './program.ts';
import { openSshServer, type SshServer } from './ssh-server.ts';

/** A server of its own: an engine and an sshd in a mount and a network namespace, where nothing of ours is mounted. */
export interface SshTarget {
  readonly engine: Engine;
  readonly ssh: SshServer;
  /** Addresses under which a container on it might look for this machine. */
  readonly hosts: readonly string[];
  close(): Promise<void>;
}

/** The two ends of the only cable between this machine and the target. */
const [OURS, THEIRS] = ['10.213.7.1', '10.213.7.2'];
const [NEAR, FAR] = ['sbx-near', 'sbx-far'];

/** Starts one; `hidden` are folders of this machine that it does not see. As root only; what cannot be started is said. */
export async function openSshTarget(hidden: readonly string[]): Promise<SshTarget | { readonly problem: string }> {
  const covers = hidden.map((folder) => `mount -t tmpfs -o size=1m none '${folder}'`);
  const script = ['mount --make-rprivate /', ...covers, 'ip link set lo up', 'echo ready', 'exec sleep 3600'].join(
    ' && ',
  );
  const room = spawn('unshare', ['--mount', '--net', 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await Promise.race([once(room.stdout, 'data'), once(room, 'exit')]);
  if (room.exitCode !== null) return { problem: 'no mount and network namespace can be made here' };
  const inside = ['nsenter', '-t', String(room.pid), '-m', '-n'];
  const run = (words: readonly string[]): Promise<string> => mustRun(words[0] ?? '', words.slice(1));
  await run(['ip', 'link', 'add', NEAR, 'type', 'veth', 'peer', 'name', FAR, 'netns', String(room.pid)]);
  await run(['ip', 'address', 'add', `${OURS}/30`, 'dev', NEAR]);
  await run(['ip', 'link', 'set', NEAR, 'up']);
  await run([...inside, 'ip', 'address', 'add', `${THEIRS}/30`, 'dev', FAR]);
  await run([...inside, 'ip', 'link', 'set', FAR, 'up']);
  const leave = (): void => void room.kill('SIGKILL'); // the namespaces and the cable go with their last process
  const engine = await startEngine(inside);
  if ('problem' in engine) return (leave(), engine);
  const ssh = await openSshServer({ address: THEIRS, inside });
  if ('problem' in ssh) return (await engine.close(), leave(), ssh);
  return {
    engine,
    ssh,
    hosts: ['127.0.0.1', engine.gateway, OURS, THEIRS],
    close: async () => {
      await ssh.close();
      await engine.close();
      leave();
    },
  };
}
