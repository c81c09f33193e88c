import { z } from 'zod';
import { formatMemory, MemoryMb, PortNumber, ProjectName, ServerName } from '@signalbox/contracts/conversation/fields';
import { say } from '@signalbox/messages/say';
import {
  optionalProject,
  optionalServer,
  CHANGE_DEFAULTS,
  LOOK_UP_DEFAULTS,
  tool,
  type ToolContext,
} from '../../tools/tool.ts';

const ALLOCATION_ORIGINS = {
  server: 'name',
  port: 'runtime',
  project: 'name',
  service: 'name',
  memoryMb: 'runtime',
} as const;

export const allocatePort = tool({
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
      .meta({ ask: 'How much memory should I reserve?' }),
  }),
  ...CHANGE_DEFAULTS,
  deadlineMs: 20_000,
  run: async ({ server, project, service, port, memoryMb }, { ports, actor, actionId }) => {
    const request = { server, project, service, memoryMb, allocatedBy: actor.userKey, port: port ?? null };
    const { passedOver, ...taken } = await ports.portAllocations.allocate(request, actionId);
    return { ...describeAllocation(taken), passedOver };
  },
  probe: async (_input, { ports, actionId }) => {
    const held = await ports.portAllocations.of(actionId);
    return held === null
      ? { kind: 'not-done' }
      : { kind: 'done', output: { ...describeAllocation(held), passedOver: [] } };
  },
  phrases: {
    order: ({ project, server, service, port = 'any', memoryMb }) =>
      say('servers.allocateOrder', { project, server, service, port, memory: formatMemory(memoryMb) }),
    done: ({ passedOver, ...held }) =>
      [
        say('servers.portTaken', valuesOf(held)),
        ...(passedOver.length === 0
          ? []
          : [say('servers.portsPassedOver', { count: passedOver.length, ports: passedOver.join(', ') })]),
      ].join(' '),
  },
}).from({ ...ALLOCATION_ORIGINS, passedOver: 'runtime' });

export const getNextAvailablePort = tool({
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
  ...LOOK_UP_DEFAULTS,
  run: async ({ server }, { ports }) => ({ server, port: await ports.portAllocations.next(server) }),
  phrases: {
    done: ({ server, port }) =>
      port === null ? say('servers.noFreePort', { server }) : say('servers.nextPort', { server, port }),
  },
}).from({ server: 'name', port: 'runtime' });

export const listAllocations = tool({
  describe: 'List which ports are allocated, to whom and with how much memory; of one server or one project if named.',
  hints: [
    'list the allocations',
    'which ports are taken',
    'who uses port 20001',
    'show the ports of shop',
    'port allocations on local',
    'list used ports',
    'ports in use?',
    'which project has which port',
    'when was port 20001 released',
  ],
  input: z.object({
    server: optionalServer('Only this server', 'On which server?'),
    project: optionalProject('Only this project'),
  }),
  ...LOOK_UP_DEFAULTS,
  run: async ({ server, project }, { ports }) => {
    if (server) await ports.servers.get(server);
    return { allocations: (await ports.portAllocations.list({ server, project })).map(describeAllocation) };
  },
  phrases: {
    done: ({ allocations }) => {
      if (allocations.length === 0) return say('servers.noAllocations');
      const lines = allocations.map((held) => `- ${say('servers.allocation', valuesOf(held))}`);
      return `${say('servers.allocations', { count: allocations.length })}\n\n${lines.join('\n')}`;
    },
  },
}).from({ allocations: ALLOCATION_ORIGINS });

export const releasePort = tool({
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
    'free port 20001 up',
  ],
  input: z.object({
    server: ServerName.describe('Server whose port is released').meta({
      entity: 'server',
      ask: 'On which server?',
    }),
    port: PortNumber.describe('The port to release').meta({ entity: 'port', ask: 'Which port should I release?' }),
  }),
  ...CHANGE_DEFAULTS,
  deadlineMs: 20_000,
  run: async ({ server, port }, { ports, actionId }) =>
    describeAllocation(await ports.portAllocations.release(server, port, actionId)),
  probe: async (_input, { ports, actionId }) => {
    const held = await ports.portAllocations.of(actionId);
    return held === null ? { kind: 'not-done' } : { kind: 'done', output: describeAllocation(held) };
  },
  phrases: {
    order: ({ server, port }) => say('servers.releaseOrder', { server, port }),
    done: (held) => say('servers.portReleased', valuesOf(held)),
  },
}).from(ALLOCATION_ORIGINS);

type Row = Awaited<ReturnType<ToolContext['ports']['portAllocations']['release']>>;
type Allocation = Pick<Row, 'server' | 'port' | 'project' | 'service' | 'memoryMb'>;

function describeAllocation({ server, port, project, service, memoryMb }: Allocation): Allocation {
  return { server, port, project, service, memoryMb };
}

function valuesOf({ memoryMb, ...place }: Allocation) {
  return { ...place, memory: formatMemory(memoryMb) };
}
