import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, type ProcessIdentity } from './supervisor/process-identity.ts';

/** Result of a login. `other`: the server has another data folder; `refused`: wrong password; `absent`: no server, or not ready. */
export type LoginResult = 'ours' | 'other' | 'refused' | 'absent';

/** A server process and its TCP port on 127.0.0.1. */
export interface RunningServer {
  readonly identity: ProcessIdentity;
  readonly port: number;
}

/** Generous: after a crash the server first replays its log, even on a slow disk. */
const READY_TIMEOUT_MS = 60_000;

/** Tries to log in until it succeeds. Returns false when the process has ended, refuses, or is not ready after a minute. */
export async function waitForLogin(identity: ProcessIdentity, login: () => Promise<LoginResult>): Promise<boolean> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (isRunning(identity) && Date.now() < deadline) {
    const result = await login();
    if (result !== 'absent') return result === 'ours';
    await delay(20);
  }
  return false;
}
