import { getDriverTraits } from '@signalbox/contracts/operations/drivers';
import { z } from 'zod';
import { CpuCount, formatMemory, MemoryMb, type Environment } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { optionalEnvironment, LOOK_UP_DEFAULTS, tool } from '../../tools/tool.ts';
import { getFreeMemoryMb, formatUtcTime, type ManagedServer } from './sentences.ts';

interface Need {
  /** null: a server for any environment. */
  readonly environment: Environment | null;
  readonly memoryMb: number;
  readonly cpus: number;
}

/** The disk that a build and its artifacts need. */
const DISK_NEEDED_MB = 512;

export const findSuitableServer = tool({
  describe: 'Find the server with the most room for the memory and CPUs that are needed, and say why.',
  hints: [
    'find a server for shop',
    'find a server with 2 GB of memory in staging',
    'where can i run this',
    'which server has room',
    'is there capacity in production for 4 GB',
    'suitable server for staging',
    'need a box with 2 cpus',
    'pick a server',
    'where to put something of 1 GB',
    'cheapest spot for 512 MB',
  ],
  input: z.object({
    memoryMb: MemoryMb.describe('Memory needed, in megabytes').meta({ ask: 'How much memory does it need?' }),
    environment: optionalEnvironment('Only servers of this environment; any when left out', 'In which environment?'),
    cpus: CpuCount.default(1)
      .describe('CPUs needed, 1 unless said otherwise')
      .meta({ ask: 'How many CPUs does it need?' }),
  }),
  ...LOOK_UP_DEFAULTS,
  run: async ({ environment, memoryMb, cpus }, { ports }) =>
    chooseServer(await ports.servers.list(), { environment: environment ?? null, memoryMb, cpus }),
  phrases: {
    done: ({ server, because, passedOver }) => {
      const others = passedOver.map((line) => `\n- ${line}`).join('');
      return [
        say('servers.fitsBest', { server, because }),
        ...(others === '' ? [] : [`${say('servers.passedOver')}${others}`]),
      ].join('\n\n');
    },
  },
}).from({ server: 'name', environment: 'runtime', because: 'runtime', passedOver: 'runtime' });

/** Chooses the server with the largest share of unreserved, unused memory. Throws NO_CAPACITY with a reason per server. */
function chooseServer(servers: readonly ManagedServer[], need: Need) {
  const judged = servers
    .filter((server) => need.environment === null || server.environment === need.environment)
    .map((server) => ({ server, free: getFreeMemoryMb(server), lack: findLack(server, need) }));
  const fitting = judged
    .filter(({ lack }) => lack === null)
    .sort(
      (a, b) => shareLeft(b.server, need) - shareLeft(a.server, need) || a.server.name.localeCompare(b.server.name),
    );
  const [best, ...others] = fitting;
  if (!best) {
    const reasons = judged.map(({ server, lack }) => `${server.name} ${lack ?? ''}`).join('; ');
    const where = need.environment ?? 'any';
    const detail = reasons ? say('servers.noRoom', { where, reasons }) : say('servers.registerFirst', { where });
    throw new AppError('NO_CAPACITY', { detail });
  }
  const { server, free } = best;
  return {
    server: server.name,
    environment: server.environment,
    because: say('servers.fitsBecause', {
      free: formatMemory(free),
      memory: formatMemory(server.memoryMb),
      cpus: server.cpus,
      ports: freePorts(server),
      hasDisk: server.diskFreeMb !== null,
      disk: formatMemory(server.diskFreeMb ?? 0),
    }),
    passedOver: [
      ...others.map((other) => say('servers.lessRoom', { server: other.server.name, free: formatMemory(other.free) })),
      ...judged.filter(({ lack }) => lack !== null).map((other) => `${other.server.name} ${other.lack ?? ''}`),
    ],
  };
}

/** The reason why this server cannot take the work; null when it can. */
function findLack(server: ManagedServer, need: Need): string | null {
  const { driver, health, healthSince, measuredAt, diskFreeMb } = server;
  if (health === 'down') {
    return say('servers.noAnswer', {
      isSince: healthSince !== null,
      since: healthSince ? formatUtcTime(healthSince) : '',
    });
  }
  if (driver !== null && getDriverTraits(driver).runsImages && measuredAt === null) return say('servers.neverReached');
  const free = getFreeMemoryMb(server);
  if (free < need.memoryMb)
    return say('servers.lacksMemory', { free: formatMemory(Math.max(0, free)), needed: formatMemory(need.memoryMb) });
  if (server.cpus < need.cpus) return say('servers.lacksCpus', { cpus: server.cpus, needed: need.cpus });
  if (freePorts(server) === 0) return say('servers.hasNoPort');
  if (diskFreeMb !== null && diskFreeMb < DISK_NEEDED_MB)
    return say('servers.lacksDisk', { disk: formatMemory(diskFreeMb) });
  return null;
}

function shareLeft(server: ManagedServer, need: Need): number {
  return (getFreeMemoryMb(server) - need.memoryMb) / server.memoryMb;
}

function freePorts(server: ManagedServer): number {
  return server.lastPort - server.firstPort + 1 - server.portsInUse;
}
