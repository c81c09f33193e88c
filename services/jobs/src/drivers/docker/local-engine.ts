import { Agent } from 'node:http';
import Docker from 'dockerode';
import { createEngine, type Engine } from './engine.ts';

/** Default socket of an engine. */
export const ENGINE_SOCKET = '/var/run/docker.sock';

/** Opens the engine on a socket of this machine; connects lazily. */
export function openLocalEngine(server: string, socketPath: string): Engine {
  // One connection per call: a reused one may be dead.
  const options = { socketPath, agent: new Agent({ keepAlive: false }) };
  return createEngine(server, new Docker(options));
}
