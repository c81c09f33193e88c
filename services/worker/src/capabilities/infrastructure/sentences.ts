import { getDriverTraits } from '@signalbox/contracts/operations/drivers';
import { formatMemory } from '@signalbox/contracts/conversation/fields';
import { say } from '@signalbox/messages/say';
import type { ToolContext } from '../../tools/tool.ts';

export type ManagedServer = Awaited<ReturnType<ToolContext['ports']['servers']['get']>>;

/** The lesser of unreserved and measured free memory, in megabytes; negative when too much is reserved. */
export function getFreeMemoryMb({ memoryMb, reservedMemoryMb, memoryFreeMb }: ManagedServer): number {
  const unreserved = memoryMb - reservedMemoryMb;
  return memoryFreeMb === null ? unreserved : Math.min(unreserved, memoryFreeMb);
}

export function describeServer(server: ManagedServer): string {
  const head = `- **${server.name}** (${server.environment}, ${server.host})`;
  const size = say('servers.size', {
    cpus: server.cpus,
    free: formatMemory(Math.max(0, server.memoryMb - server.reservedMemoryMb)),
    memory: formatMemory(server.memoryMb),
    ports: server.portsInUse,
  });
  if (server.driver === null) return `${head}: ${size}`;
  if (server.measuredAt === null && getDriverTraits(server.driver).runsImages)
    return `${head}: ${describeHealth(server)}`;
  return `${head}: ${size}; ${describeHealth(server)}`;
}

function describeHealth(server: ManagedServer): string {
  const { driver, health, healthSince, healthDetail, memoryFreeMb, diskFreeMb } = server;
  const values = {
    driver: driver ?? '',
    isSince: healthSince !== null,
    since: healthSince === null ? '' : formatUtcTime(healthSince),
    isMeasured: memoryFreeMb !== null && diskFreeMb !== null,
    memory: formatMemory(memoryFreeMb ?? 0),
    disk: formatMemory(diskFreeMb ?? 0),
    detail: healthDetail ?? '',
  };
  if (health === 'unknown') return say(healthDetail === null ? 'servers.notLookedAt' : 'servers.notReached', values);
  return say(health === 'up' ? 'servers.up' : 'servers.down', values).trimEnd();
}

export function formatUtcTime(at: Date | string): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
