import { getSystemCode } from '@signalbox/contracts/system-error';
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS, sleep, waitOrAbort } from '@signalbox/contracts/time';
import { Client } from 'ssh2';
import { quoteShellWord } from '../quote-shell-word.ts';
import type { CommandResult, ExecuteOptions } from '../driver.ts';
import { KeptOutput } from '../../sandbox/kept-output.ts';
import { LAUNCH_SCRIPT } from './lost-commands.ts';

export interface Login {
  readonly server: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly key: string;
  /** Fingerprint of the approved host key; null without an approval. */
  readonly hostKey: string | null;
}

const READY_MS = 15 * SECOND_MS;
/** The client closes the link after three unanswered keepalives. */
const KEEPALIVE_MS = 5 * SECOND_MS;
const KILL_MS = 5 * SECOND_MS;
const POLL_MS = 20;

/**
 * Logs in over ssh. When the connection drops, `lost` rejects with TARGET_LOST, and the outcome of running calls is unknown. Throws
 * HOST_KEY_UNKNOWN and HOST_KEY_CHANGED before it sends the login, and TARGET_UNREACHABLE when the server does not answer or refuses the
 * login.
 */
export async function openLink(login: Login, signal: AbortSignal) {
  const { server } = login;
  signal.throwIfAborted();
  const client = new Client();
  let drop: (error: AppError) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => (drop = reject));
  lost.catch(() => undefined); // Callers race against `lost`, which throws the error to them.
  let isOpen = false;
  let problem: AppError | null = null;
  client.on('error', (error) => {
    problem ??= new AppError('TARGET_UNREACHABLE', { server, detail: describeError(error) }, error);
    drop(new AppError('TARGET_LOST', { server, detail: describeError(error) }, error));
  });
  client.on('close', () => {
    isOpen = false;
    drop(new AppError('TARGET_LOST', { server, detail: 'the connection ended' }));
  });
  const opening = new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    client.once('close', () => reject(problem ?? unreachable(server, 'it closed the connection')));
    client.once('error', () => reject(problem ?? unreachable(server, 'it cannot be connected to')));
    try {
      client.connect({
        host: login.host,
        port: login.port,
        username: login.user,
        privateKey: login.key,
        readyTimeout: READY_MS,
        keepaliveInterval: KEEPALIVE_MS,
        keepaliveCountMax: 3,
        hostVerifier: (key: Buffer) => {
          problem = judgeHostKey(login, getFingerprint(key));
          return problem === null;
        },
      });
    } catch (error) {
      reject(unreachable(server, `the private key cannot be used: ${describeError(error)}`));
    }
  });
  await waitOrAbort(opening, signal).catch((error: unknown) => {
    client.destroy();
    throw error;
  });
  isOpen = true;
  const assertOpen = (): void => {
    if (!isOpen) throw unreachable(server, 'the link was lost before');
  };
  return {
    server,
    lost,
    /** Throws TARGET_UNREACHABLE when the connection is gone. */
    assertOpen,
    /** Runs a program without a shell. The signal kills the program with its children. */
    execute: (argv: readonly string[], options: ExecuteOptions): Promise<CommandResult> => {
      assertOpen();
      return Promise.race([execute(client, server, argv, options), lost]);
    },
    connectSocket: (path: string): Promise<Duplex> => {
      assertOpen();
      const connecting = new Promise<Duplex>((resolve, reject) => {
        client.openssh_forwardOutStreamLocal(path, (error, channel) => {
          if (error) reject(unreachable(server, `the socket ${path} cannot be opened by ${login.user}`));
          else resolve(channel);
        });
      });
      return Promise.race([connecting, lost]);
    },
    close: async (): Promise<void> => {
      isOpen = false;
      client.end();
    },
  };
}

export type Link = Awaited<ReturnType<typeof openLink>>;

function getFingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

function judgeHostKey({ server, hostKey }: Login, fingerprint: string): AppError | null {
  if (hostKey === null) return new AppError('HOST_KEY_UNKNOWN', { server, fingerprint });
  return hostKey === fingerprint ? null : new AppError('HOST_KEY_CHANGED', { server, fingerprint, trusted: hostKey });
}

async function execute(
  client: Client,
  server: string,
  argv: readonly string[],
  { signal, maxBytes, input, output }: ExecuteOptions,
): Promise<CommandResult> {
  signal.throwIfAborted();
  // The leader prints its session's number first, so that the group can be killed: servers may ignore signals over ssh.
  const line = `setsid sh -c ${quoteShellWord(LAUNCH_SCRIPT)} "$PPID" ${argv.map(quoteShellWord).join(' ')}; exit $?`;
  const kept = new KeptOutput(maxBytes);
  const [out, err] = [kept.stream(), kept.stream()];
  let head = Buffer.alloc(0);
  let group: number | null = null;
  /** Returns false when the output stream is full. */
  const give = (bytes: Buffer): boolean => (output ? output.write(bytes) : (out.keep(bytes), true));
  const onOut = (bytes: Buffer): boolean => {
    if (group !== null) return give(bytes);
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf(10);
    if (end === -1) return true;
    group = Number(head.subarray(0, end).toString());
    return give(head.subarray(end + 1));
  };
  const code = await new Promise<number | null>((resolve, reject) => {
    client.exec(line, (error, channel) => {
      if (error) return reject(new AppError('TARGET_LOST', { server, detail: describeError(error) }, error));
      let isClosed = false;
      const abort = async (): Promise<void> => {
        const deadline = performance.now() + KILL_MS;
        while (group === null && !isClosed && performance.now() < deadline) await sleep(POLL_MS);
        if (group !== null && !isClosed) await killGroup(client, group);
        while (!isClosed && performance.now() < deadline) await sleep(POLL_MS);
        channel.destroy();
        reject(signal.reason as Error); // Every abort here carries an Error.
      };
      const onAbort = (): void => void abort().catch(reject); // Nothing can be killed over a link that dropped.
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      channel.on('data', (bytes: Buffer) => {
        if (onOut(bytes)) return;
        channel.pause();
        output?.once('drain', () => channel.resume());
      });
      channel.on('error', () => undefined); // A program that closes its input early has not failed; `close` reports its end.
      if (input) input.pipe(channel);
      else channel.end(); // An open input would let a program that reads wait forever.
      channel.stderr.on('data', err.keep);
      channel.on('close', (ended: number | null | undefined, by: string | undefined) => {
        isClosed = true;
        output?.end();
        if (signal.aborted) return; // `abort` settles the promise.
        signal.removeEventListener('abort', onAbort);
        // Without an exit code and signal the link was lost, and the program may still run.
        if (typeof ended !== 'number' && by === undefined)
          return reject(new AppError('TARGET_LOST', { server, detail: 'the connection ended' }));
        resolve(ended ?? null);
      });
    });
  });
  return { code, stdout: out.text(), stderr: err.text(), truncated: kept.isCut };
}

function killGroup(client: Client, group: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, KILL_MS);
    client.exec(`kill -s KILL -- -${group}`, (error, channel) => {
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      if (error) return done();
      channel.on('close', done).resume();
    });
  });
}

function unreachable(server: string, detail: string): AppError {
  return new AppError('TARGET_UNREACHABLE', { server, detail });
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  if ('level' in error && error.level === 'client-authentication') return 'it refuses the login';
  return getSystemCode(error) || error.message;
}
