import { MIB } from '@signalbox/contracts/size';
import type { HostInventory } from '@signalbox/contracts/operations/deploy';
import { say } from '@signalbox/messages/say';
import type { Driver } from '../driver.ts';
import type { EngineHost } from '../host.ts';
import {
  discardImage,
  findContainers,
  startContainer,
  readContainerState,
  stopContainer,
  type ContainerHost,
} from './containers.ts';
import { readContainerLog } from './container-logs.ts';
import type { Engine } from './engine.ts';
import { buildImage, endImageBuild, hasImage } from './image-build.ts';

/** Runs releases as containers of an engine. `host` is the engine's machine: it measures resources and runs diagnostic commands. */
export function createDockerDriver(options: {
  readonly name: Driver['name'];
  readonly engine: Engine;
  readonly host: EngineHost;
  readonly baseImage: string;
  readonly restarts: number;
}): Driver {
  const { name, engine, host, baseImage, restarts } = options;
  const place: ContainerHost = { engine, address: host.address, restarts };
  return {
    name,
    plan: ({ id, file }) => [
      say('deployment.planImage', { server: engine.server, baseImage }),
      ...file.build.map((argv) => say('deployment.planImageBuild', { command: argv.join(' ') })),
      say('deployment.planContainer', { release: id.release, memoryMb: file.memoryMb, cpus: file.cpus }),
    ],
    inspect: (signal) => measure(engine, host, signal),
    build: (request) => buildImage(engine, baseImage, request),
    endBuild: (id, signal) => endImageBuild(engine, id, signal),
    start: (request, signal) => startContainer(place, request, signal),
    state: (instance, signal) => readContainerState(engine, instance, signal),
    stop: (instance, graceMs, signal) => stopContainer(engine, instance, graceMs, signal),
    logs: (instance, query) => readContainerLog(engine, instance.ref, query),
    find: (service, signal) => findContainers(place, service, signal),
    has: async (artifact, signal) => artifact.kind === 'image' && hasImage(engine, artifact, signal),
    discard: (artifact, signal) => discardImage(engine, artifact, signal),
    execute: (argv, given) => host.execute(argv, given),
    ...(host.endLost ? { endLost: host.endLost } : {}),
    close: () => host.close(),
  };
}

interface EngineInfo {
  readonly NCPU: number;
  readonly MemTotal: number;
  readonly ServerVersion: string;
  readonly DockerRootDir: string;
}

async function measure(engine: Engine, host: EngineHost, signal: AbortSignal): Promise<HostInventory> {
  const info = (await engine.call((docker) => docker.info(), signal)) as EngineInfo; // The client's types do not describe the response.
  const free = await host.measure(info.DockerRootDir, signal);
  return {
    cpus: info.NCPU,
    memoryMb: Math.floor(info.MemTotal / MIB),
    ...free,
    engine: `Docker ${info.ServerVersion}`.slice(0, 120),
  };
}
