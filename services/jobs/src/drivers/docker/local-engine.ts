import { Agent } from 'node:http';
import Docker from 'dockerode';
import { createEngine, type Engine } from './engine.ts';

/** Default Unix socket of the engine. */
export const ENGINE_SOCKET = '/var/run/docker.sock';

/** Creates a client for the engine on a Unix socket of this machine. Connects on the first call. */
export function openLocalEngine(server: string, socketPath: string): Engine {
  // Every call opens a connection: a reused one may be dead.
  const options = { socketPath, agent: new Agent({ keepAlive: false }) };
  return createEngine(server, new Docker(options));
}
