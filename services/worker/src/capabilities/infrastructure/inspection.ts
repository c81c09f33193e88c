import { formatMemory } from '@signalbox/contracts/conversation/fields';
import type { ServerInspectResult } from '@signalbox/contracts/operations/operations';
import { say } from '@signalbox/messages/say';

const RESOURCE_ORIGINS = {
  cpus: 'runtime',
  memoryMb: 'runtime',
  memoryFreeMb: 'runtime',
  diskMb: 'runtime',
  diskFreeMb: 'runtime',
  engine: 'outside',
} as const;

export const INSPECTION_ORIGINS = {
  state: 'runtime',
  server: 'name',
  reached: 'runtime',
  detail: 'outside',
  hostKey: 'outside',
  hostKeyTrusted: 'runtime',
  inventory: RESOURCE_ORIGINS,
} as const;

export const SERVER_ORIGINS = {
  ...RESOURCE_ORIGINS,
  name: 'name',
  host: 'outside',
  environment: 'runtime',
  firstPort: 'runtime',
  lastPort: 'runtime',
  driver: 'runtime',
  connection: 'outside',
  health: 'runtime',
  healthDetail: 'outside',
  healthSince: 'runtime',
  hostKey: 'outside',
  hostKeySeen: 'outside',
  measuredAt: 'runtime',
} as const;

export type ServerInspection =
  | { readonly state: 'booked'; readonly server: string }
  | { readonly state: 'goes-on'; readonly server: string }
  | ({ readonly state: 'looked' } & ServerInspectResult);

export function describeInspection(looked: ServerInspection): string {
  if (looked.state === 'booked') return say('servers.onlyBooked', { server: looked.server });
  if (looked.state === 'goes-on') return say('servers.stillLooking', { server: looked.server });
  const { server, reached, inventory, hostKey, hostKeyTrusted, detail } = looked;
  if (reached && inventory) {
    const { cpus, memoryMb, memoryFreeMb, diskMb, diskFreeMb, engine } = inventory;
    return say('servers.isUp', {
      server,
      cpus,
      memoryFree: formatMemory(memoryFreeMb),
      memory: formatMemory(memoryMb),
      diskFree: formatMemory(diskFreeMb),
      disk: formatMemory(diskMb),
      engine,
    });
  }
  if (hostKey === null || hostKeyTrusted !== false) return detail;
  return `${detail}\n\n${say('servers.compareHostKey', { server, hostKey })}`;
}
