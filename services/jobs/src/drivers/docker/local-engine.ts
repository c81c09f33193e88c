import { Agent } from 'node:http';
import Docker from 'dockerode';
import { createEngine, type Engine } from './engine.ts';

/** Where an engine listens unless it was told otherwise. */
export const ENGINE_SOCKET = '/var/run/docker.sock';

/** An engine that listens on a socket of this machine. Nothing is connected before the first call. */
export function openLocalEngine(server: string, socketPath: string): Engine {
  // A connection of its own for each call: one that was kept may be dead by the time it is used again.
  const options = { socketPath, agent: new Agent({ keepAlive: false }) };
  return createEngine(server, new Docker(options));
}
