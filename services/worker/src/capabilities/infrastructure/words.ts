import { formatMemory } from '@signalbox/contracts/conversation/fields';
import type { ToolContext } from '../../tools/tool.ts';

export type ServerLoad = Awaited<ReturnType<ToolContext['ports']['servers']['get']>>;

/** What nobody has reserved and nothing uses, in megabytes: the lesser of what was promised away and what was measured. */
export function freeMemoryMb({ memoryMb, reservedMemoryMb, memoryFreeMb }: ServerLoad): number {
  const unreserved = memoryMb - reservedMemoryMb;
  return memoryFreeMb === null ? unreserved : Math.min(unreserved, memoryFreeMb);
}

/** One line of a list: what it is, what is reserved, and, where it can be reached, what was measured. */
export function describeServer(server: ServerLoad): string {
  const memory = `${formatMemory(Math.max(0, server.memoryMb - server.reservedMemoryMb))} of ${formatMemory(server.memoryMb)} free`;
  const head = `- **${server.name}** (${server.environment}, ${server.host})`;
  const size = `${count(server.cpus, 'CPU')}, ${memory}, ${count(server.portsInUse, 'port')} in use`;
  if (server.driver === null) return `${head}: ${size}`;
  if (server.measuredAt === null && server.driver !== 'process') return `${head}: ${describeHealth(server)}`;
  return `${head}: ${size}; ${describeHealth(server)}`;
}

/** How it is reached, how it is, and what of it is free. */
function describeHealth(server: ServerLoad): string {
  const { driver, health, healthSince, healthDetail, memoryFreeMb, diskFreeMb } = server;
  const since = healthSince === null ? '' : ` since ${sayWhen(healthSince)}`;
  const free =
    memoryFreeMb === null || diskFreeMb === null
      ? ''
      : `, ${formatMemory(memoryFreeMb)} memory and ${formatMemory(diskFreeMb)} disk free`;
  switch (health) {
    case 'up':
      return `${driver}, up${since}${free}`;
    case 'down':
      return `${driver}, **down**${since}. ${healthDetail ?? ''}`.trimEnd();
    case 'unknown':
      return healthDetail === null ? `${driver}, not looked at yet${free}` : `${driver}, not reached. ${healthDetail}`;
  }
}

/** `2026-01-31 12:00 UTC` */
export function sayWhen(at: Date | string): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function count(n: number, noun: string): string {
  return n === 1 ? `1 ${noun}` : `${n} ${noun}s`;
}
