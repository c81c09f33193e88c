import { z } from 'zod';
import {
  CpuCount,
  Environment,
  formatMemory,
  MemoryMb,
  NewName,
  PortNumber,
  ProjectName,
  ServerName,
} from '@signalbox/shared/contracts/fields';
import { AppError } from '@signalbox/shared/errors';
import { tool, toolGroup, type ToolContext } from '../tools/tool.ts';

type ServerLoad = Awaited<ReturnType<ToolContext['ports']['servers']['get']>>;

interface Need {
  /** Null: any. */
  readonly environment: Environment | null;
  readonly memoryMb: number;
  readonly cpus: number;
}

export default toolGroup({
  name: 'infrastructure',
  summary: 'Manage servers and ports: list and register servers, find one with room, allocate and release ports.',
  uses: ['servers', 'portAllocations'],
  tools: {
    list_managed_servers: tool({
      describe: 'List the registered servers with their environment, size, and what is reserved on them.',
      hints: [
        'list the servers',
        'which servers do we have',
        'show me the machines',
        'servers?',
        'what servers are there in staging',
        'how full are the servers',
        'list managed servers',
        'show infra',
      ],
      input: z.object({
        environment: Environment.optional()
          .describe('Only servers of this environment')
          .meta({ entity: 'environment', ask: 'Of which environment?' }),
      }),
      risk: 'safe',
      role: 'viewer',
      deadlineMs: 5_000,
      replay: 'harmless',
      run: async ({ environment }, { ports }) => {
        const servers = await ports.servers.list();
        return { servers: servers.filter((server) => !environment || server.environment === environment) };
      },
      phrases: {
        done: ({ servers }, { environment }) => {
          const where = environment ? ` in ${environment}` : '';
          if (servers.length === 0) return `There are no servers${where} yet.`;
          return `${count(servers.length, 'server')}${where}:\n\n${servers.map(describeServer).join('\n')}`;
        },
      },
    }),

    find_suitable_server: tool({
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
      ],
      input: z.object({
        memoryMb: MemoryMb.describe('Memory needed, in megabytes').meta({ ask: 'How much memory does it need?' }),
        environment: Environment.optional()
          .describe('Only servers of this environment; any when left out')
          .meta({ entity: 'environment', ask: 'In which environment?' }),
        cpus: CpuCount.default(1)
          .describe('CPUs needed, 1 unless said otherwise')
          .meta({ ask: 'How many CPUs does it need?' }),
      }),
      risk: 'safe',
      role: 'viewer',
      deadlineMs: 5_000,
      replay: 'harmless',
      run: async ({ environment, memoryMb, cpus }, { ports }) =>
        chooseServer(await ports.servers.list(), { environment: environment ?? null, memoryMb, cpus }),
      phrases: {
        done: ({ server, because, passedOver }) => {
          const others =
            passedOver.length > 0 ? `\n\nPassed over:\n${passedOver.map((line) => `- ${line}`).join('\n')}` : '';
          return `**${server}** fits best: ${because}.${others}`;
        },
      },
    }),

    register_server: tool({
      describe: 'Register a server so that work can be placed on it: its address, environment, size and port range.',
      hints: [
        'register a server',
        'add a new server vps-1',
        'add server',
        'we have a new machine, add it',
        'register the host 10.0.0.5 as vps-1 in staging',
        'connect another server',
        'new server for production',
      ],
      input: z.object({
        name: NewName.describe('Name of the new server: lowercase letters, digits and single hyphens').meta({
          entity: 'name',
          ask: 'What shall the server be called?',
        }),
        host: z
          .string()
          .trim()
          .max(253)
          .regex(
            /^[a-z0-9]([a-z0-9.:-]*[a-z0-9])?$/i,
            'a host is a name or an IP address, such as vps1.example.com or 10.0.0.5',
          )
          .describe('Its host name or IP address')
          .meta({ entity: 'text', ask: 'What is its host name or IP address?' }),
        environment: Environment,
        cpus: CpuCount.describe('Number of CPUs').meta({ ask: 'How many CPUs does it have?' }),
        memoryMb: MemoryMb.describe('Memory, in megabytes').meta({
          ask: 'How much memory does it have?',
        }),
        firstPort: PortNumber.default(20_000)
          .describe('First port that may be allocated, 20000 unless said otherwise')
          .meta({ ask: 'From which port on may I allocate?' }),
        lastPort: PortNumber.default(20_999)
          .describe('Last port that may be allocated, 20999 unless said otherwise')
          .meta({ ask: 'Up to which port may I allocate?' }),
      }),
      risk: 'sensitive',
      role: 'operator',
      deadlineMs: 5_000,
      replay: 'harmless',
      run: async (input, { ports, actionId }) => {
        const { name, host, environment, cpus, memoryMb, firstPort, lastPort } = input;
        if (lastPort < firstPort)
          throw new AppError('CONFLICT', { detail: `The port range ${firstPort} to ${lastPort} is empty.` });
        return ports.servers.register({ name, host, environment, cpus, memoryMb, firstPort, lastPort }, actionId);
      },
      phrases: {
        done: (server) =>
          `I registered **${server.name}** (${server.host}) in ${server.environment}: ${count(server.cpus, 'CPU')}, ${formatMemory(server.memoryMb)}, ports ${server.firstPort} to ${server.lastPort}.`,
      },
    }),

    allocate_port: tool({
      describe:
        'Allocate a port of a server to a service of a project, and reserve memory for it. Takes the lowest free port unless one is named.',
      hints: [
        'allocate a port',
        'allocate a port for shop on local',
        'give shop a port',
        'reserve port 20005 for the blog',
        'i need a port for shop',
        'assign a port to shop on vps-1',
        'get me a port',
      ],
      input: z.object({
        project: ProjectName,
        server: ServerName.describe('Server on which the port is needed').meta({
          entity: 'server',
          ask: 'On which server?',
        }),
        service: z
          .string()
          .trim()
          .toLowerCase()
          .min(1)
          .max(40)
          .default('web')
          .describe('Which part of the project listens there, such as `web` or `api`')
          .meta({ ask: 'For which service of the project?' }),
        port: PortNumber.optional()
          .describe('A certain port; the lowest free one when left out')
          .meta({ entity: 'port', ask: 'Which port?' }),
        memoryMb: MemoryMb.default(256)
          .describe('Memory to reserve, in megabytes; 256 unless said otherwise')
          .meta({ ask: 'How much memory shall I reserve?' }),
      }),
      risk: 'sensitive',
      role: 'developer',
      deadlineMs: 20_000,
      replay: 'harmless',
      run: async ({ server, project, service, port, memoryMb }, { ports, actor, actionId }) => {
        const request = {
          server,
          project,
          service,
          memoryMb,
          allocatedBy: actor.userKey,
          port: port ?? null,
        };
        return describeAllocation(await ports.portAllocations.allocate(request, actionId));
      },
      phrases: {
        done: (held) =>
          `Port **${held.port}** on **${held.server}** now belongs to ${held.project} (${held.service}), with ${formatMemory(held.memoryMb)} reserved.`,
      },
    }),

    get_next_available_port: tool({
      describe: 'Say which port of a server is the next free one, without taking it.',
      hints: [
        'next free port on local',
        'what is the next available port',
        'which port is free',
        'is there a free port on vps-1',
        'free port?',
        'get next available port',
      ],
      input: z.object({ server: ServerName }),
      risk: 'safe',
      role: 'viewer',
      deadlineMs: 5_000,
      replay: 'harmless',
      run: async ({ server }, { ports }) => ({ server, port: await ports.portAllocations.next(server) }),
      phrases: {
        done: ({ server, port }) =>
          port === null
            ? `**${server}** has no free port.`
            : `The next free port on **${server}** is **${port}**. It is not reserved until you ask me to allocate it.`,
      },
    }),

    list_allocations: tool({
      describe:
        'List which ports are allocated, to whom and with how much memory; of one server or one project if named.',
      hints: [
        'list the allocations',
        'which ports are taken',
        'who uses port 20001',
        'show the ports of shop',
        'port allocations on local',
        'list used ports',
        'ports in use?',
      ],
      input: z.object({
        server: ServerName.optional().describe('Only this server').meta({ entity: 'server', ask: 'On which server?' }),
        project: ProjectName.optional()
          .describe('Only this project')
          .meta({ entity: 'project', ask: 'Of which project?' }),
      }),
      risk: 'safe',
      role: 'viewer',
      deadlineMs: 5_000,
      replay: 'harmless',
      run: async ({ server, project }, { ports }) => {
        if (server) await ports.servers.get(server);
        const filter = { ...(server ? { server } : {}), ...(project ? { project } : {}) };
        return { allocations: (await ports.portAllocations.list(filter)).map(describeAllocation) };
      },
      phrases: {
        done: ({ allocations }) => {
          if (allocations.length === 0) return 'No ports are allocated there.';
          const lines = allocations.map(
            (held) =>
              `- **${held.server}:${held.port}** ${held.project} (${held.service}), ${formatMemory(held.memoryMb)}`,
          );
          return `${count(allocations.length, 'allocation')}:\n\n${lines.join('\n')}`;
        },
      },
    }),

    release_port: tool({
      describe:
        'Release an allocated port of a server together with its reserved memory. Whatever listens there is not stopped.',
      hints: [
        'release port 20001 on local',
        'free the port 20003',
        'give port 20001 back',
        'we no longer need port 20002',
        'release a port',
        'deallocate port',
        'drop the port of shop on vps-1',
      ],
      input: z.object({
        server: ServerName.describe('Server whose port is released').meta({
          entity: 'server',
          ask: 'On which server?',
        }),
        port: PortNumber.describe('The port to release').meta({ entity: 'port', ask: 'Which port shall I release?' }),
      }),
      risk: 'sensitive',
      role: 'developer',
      deadlineMs: 20_000,
      replay: 'harmless',
      run: async ({ server, port }, { ports, actionId }) =>
        describeAllocation(await ports.portAllocations.release(server, port, actionId)),
      phrases: {
        done: (held) =>
          `Port **${held.port}** on **${held.server}** is free again; ${held.project} (${held.service}) held it with ${formatMemory(held.memoryMb)}.`,
      },
    }),
  },
});

/**
 * Of the servers in the environment, the one that keeps the largest share of its memory free. Memory is reserved and therefore subtracted;
 * CPUs are shared, so a server only has to have that many. Throws NO_CAPACITY with the reason for each server.
 */
function chooseServer(servers: readonly ServerLoad[], need: Need) {
  const judged = servers
    .filter((server) => need.environment === null || server.environment === need.environment)
    .map((server) => ({ server, free: server.memoryMb - server.reservedMemoryMb, lack: findLack(server, need) }));
  const fitting = judged
    .filter(({ lack }) => lack === null)
    .sort(
      (a, b) => shareLeft(b.server, need) - shareLeft(a.server, need) || a.server.name.localeCompare(b.server.name),
    );
  const [best, ...others] = fitting;
  if (!best) {
    const reasons = judged.map(({ server, lack }) => `${server.name} ${lack ?? ''}`).join('; ');
    const where = need.environment === null ? '' : ` in ${need.environment}`;
    const detail = reasons
      ? `No server${where} has room: ${reasons}.`
      : `There is no server${where} yet; register one first.`;
    throw new AppError('NO_CAPACITY', { detail });
  }
  const { server, free } = best;
  return {
    server: server.name,
    environment: server.environment,
    because: `${formatMemory(free)} of ${formatMemory(server.memoryMb)} memory free, ${count(server.cpus, 'CPU')}, ${freePorts(server)} ports free`,
    passedOver: [
      ...others.map((other) => `${other.server.name} would have less room left (${formatMemory(other.free)} free now)`),
      ...judged.filter(({ lack }) => lack !== null).map((other) => `${other.server.name} ${other.lack ?? ''}`),
    ],
  };
}

/** Why this server cannot take the work, or null. */
function findLack(server: ServerLoad, need: Need): string | null {
  const free = server.memoryMb - server.reservedMemoryMb;
  if (free < need.memoryMb)
    return `has ${formatMemory(Math.max(0, free))} memory free, ${formatMemory(need.memoryMb)} needed`;
  if (server.cpus < need.cpus) return `has ${count(server.cpus, 'CPU')}, ${need.cpus} needed`;
  if (freePorts(server) === 0) return 'has no free port';
  return null;
}

function shareLeft(server: ServerLoad, need: Need): number {
  return (server.memoryMb - server.reservedMemoryMb - need.memoryMb) / server.memoryMb;
}

function freePorts(server: ServerLoad): number {
  return server.lastPort - server.firstPort + 1 - server.portsInUse;
}

function describeServer(server: ServerLoad): string {
  const memory = `${formatMemory(server.memoryMb - server.reservedMemoryMb)} of ${formatMemory(server.memoryMb)} free`;
  return `- **${server.name}** (${server.environment}, ${server.host}): ${count(server.cpus, 'CPU')}, ${memory}, ${count(server.portsInUse, 'port')} in use`;
}

function describeAllocation(held: {
  readonly server: string;
  readonly port: number;
  readonly project: string;
  readonly service: string;
  readonly memoryMb: number;
}) {
  const { server, port, project, service, memoryMb } = held;
  return { server, port, project, service, memoryMb };
}

function count(n: number, noun: string): string {
  return n === 1 ? `1 ${noun}` : `${n} ${noun}s`;
}
