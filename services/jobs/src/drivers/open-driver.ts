import type { DriverName } from '@signalbox/contracts/operations/drivers';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS, abortAfter } from '@signalbox/contracts/time';
import { createDockerDriver } from './docker/docker-driver.ts';
import { ENGINE_SOCKET, openLocalEngine, toLinkError } from './docker/engine.ts';
import { MAX_RESTARTS, type Driver } from './driver.ts';
import { createProcessDriver } from './process/process-driver.ts';
import { openLink } from './ssh/link.ts';
import { openRemoteEngine, openRemoteHost } from './ssh/remote-host.ts';
import { openThisMachine } from './this-machine.ts';
import type { DriverDeps, TargetServer } from './driver-deps.ts';

const LOGIN_MS = 20 * SECOND_MS;

type Opener = (server: TargetServer, parts: DriverDeps) => Driver | Promise<Driver>;

const OPENERS: Readonly<Record<DriverName, Opener>> = {
  process: ({ name }, { targetsDir, path, restarts = MAX_RESTARTS, confinement }) =>
    createProcessDriver({ server: name, targetsDir, path, restarts, confinement }),

  docker: ({ name, connection }, { path, baseImage, restarts = MAX_RESTARTS }) => {
    const engine = openLocalEngine(name, connection.socket ?? ENGINE_SOCKET);
    return createDockerDriver({ name: 'docker', engine, host: openThisMachine(path), baseImage, restarts });
  },

  ssh: async (server, { openSecret, baseImage, restarts = MAX_RESTARTS }) => {
    const { name, hostKey } = server;
    const { user, key, port = 22, socket = ENGINE_SOCKET } = server.connection;
    if (user === undefined || key === undefined) throw new AppError('SERVER_LOGIN_MISSING', { server: name });
    const opened = await openSecret(key, `log in to ${name}`);
    const login = { server: name, host: server.host, port, user, key: opened, hostKey };
    const link = await openLink(login, abortAfter(LOGIN_MS));
    const host = await openRemoteHost(link, server.host).catch(async (error: unknown) => {
      await link.close();
      throw toLinkError(name, error);
    });
    return createDockerDriver({ name: 'ssh', engine: openRemoteEngine(link, socket), host, baseImage, restarts });
  },
};

/**
 * Opens the driver of a server; the caller closes it. Only `ssh` connects here. Throws SERVER_BOOKED, SERVER_LOGIN_MISSING,
 * HOST_KEY_UNKNOWN, HOST_KEY_CHANGED, TARGET_UNREACHABLE, and errors of `openSecret`.
 */
export async function openDriver(server: TargetServer, parts: DriverDeps): Promise<Driver> {
  if (server.driver === null) throw new AppError('SERVER_BOOKED', { server: server.name });
  return OPENERS[server.driver](server, parts);
}
