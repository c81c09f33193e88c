import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Route } from '@signalbox/contracts/operations/traffic';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { runProgram } from './program.ts';

/** A HAProxy of a test's own, with a door for one service. */
export interface Haproxy {
  readonly folder: string;
  readonly socket: string;
  readonly listen: Route['listen'];
  restart(): Promise<void>;
  /** Starts it anew with a door for that service, as somebody does who has changed its configuration. */
  configure(backend: string, port: number): Promise<void>;
  close(): Promise<void>;
}

/** The configuration of docs/traffic.md, for one service. */
const settings = (socket: string, backend: string, port: number): string => `
global
  stats socket ${socket} mode 600 level admin
defaults
  mode http
  timeout connect 3s
  timeout client 2m
  timeout server 2m
frontend ${backend}
  bind 127.0.0.1:${port}
  default_backend ${backend}
backend ${backend}
  option http-server-close
  option forwardfor
  server a 127.0.0.1:1 disabled
  server b 127.0.0.1:1 disabled
`;

/** Starts one with the backend `shop_staging`. */
export async function startHaproxy(): Promise<Haproxy> {
  const folder = mkdtempSync(join(tmpdir(), 'sb-haproxy-'));
  const socket = join(folder, 'admin.sock');
  const door = await freePort();
  const file = join(folder, 'haproxy.cfg');
  const start = async (port: number): Promise<() => Promise<void>> => {
    const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}`);
      const { code } = await runProgram('haproxy', ['-c', '-f', file]); // its configuration is right
      return (
        code === 0 &&
        (await fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        ))
      );
    });
    return async () => {
      child.kill('SIGKILL');
      await gone;
    };
  };
  writeFileSync(file, settings(socket, 'shop_staging', door));
  let stop = await start(door);
  return {
    folder,
    socket,
    listen: { host: '127.0.0.1', port: door },
    restart: async () => {
      await stop();
      stop = await start(door);
    },
    configure: async (backend, port) => {
      await stop();
      writeFileSync(file, settings(socket, backend, port));
      stop = await start(port);
    },
    close: async () => {
      await stop();
      rmSync(folder, { recursive: true });
    },
  };
}
