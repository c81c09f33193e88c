import { join } from 'node:path';
import { MAX_RESTARTS, type Driver } from '@signalbox/jobs/drivers/driver';
import type { DriverDeps, TargetServer } from '@signalbox/jobs/drivers/driver-deps';
import { createProcessDriver } from '@signalbox/jobs/drivers/process/process-driver';

/** Runs programs of this machine in a folder of their own, which may be another disk. */
export function createSpareDriver({ name }: TargetServer, parts: DriverDeps): Driver {
  const { targetsDir, path, restarts = MAX_RESTARTS, confinement } = parts;
  const folder = join(targetsDir, 'spare');
  const machine = createProcessDriver({ server: name, targetsDir: folder, path, restarts, confinement });
  return {
    name: machine.name,
    plan: (request) => machine.plan(request),
    inspect: (signal) => machine.inspect(signal),
    build: (request) => machine.build(request),
    endBuild: (id, signal) => machine.endBuild(id, signal),
    start: (request, signal) => machine.start(request, signal),
    state: (instance, signal) => machine.state(instance, signal),
    stop: (instance, graceMs, signal) => machine.stop(instance, graceMs, signal),
    logs: (instance, query) => machine.logs(instance, query),
    find: (service, signal) => machine.find(service, signal),
    has: (artifact, signal) => machine.has(artifact, signal),
    discard: (artifact, signal) => machine.discard(artifact, signal),
    releaseFolder: (artifact) => machine.releaseFolder?.(artifact) ?? null,
    execute: (argv, options) => machine.execute(argv, options),
    close: () => machine.close(),
  };
}
