import { DriverName, getDriverTraits } from '@signalbox/contracts/operations/drivers';
import { z } from 'zod';
import {
  CpuCount,
  Environment,
  formatMemory,
  MemoryMb,
  NewEntityName,
  PortNumber,
  SecretHandle,
} from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { isPublicAddress } from '@signalbox/safety/public-address';
import { say } from '@signalbox/messages/say';
import { tool } from '../../tools/tool.ts';
import { INSPECTION_ORIGINS, SERVER_ORIGINS, describeInspection, type ServerInspection } from './inspection.ts';

const Input = z.object({
  name: NewEntityName.describe('Name of the new server: lowercase letters, digits and single hyphens').meta({
    entity: 'name',
    ask: 'What should the server be called?',
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
  cpus: CpuCount.optional()
    .describe('Number of CPUs; measured when the server can be reached')
    .meta({ ask: 'How many CPUs does it have?' }),
  memoryMb: MemoryMb.optional()
    .describe('Memory, in megabytes; measured when the server can be reached')
    .meta({ ask: 'How much memory does it have?' }),
  firstPort: PortNumber.default(20_000)
    .describe('First port that may be allocated, 20000 unless said otherwise')
    .meta({ ask: 'Which is the first port that I may allocate?' }),
  lastPort: PortNumber.default(20_999)
    .describe('Last port that may be allocated, 20999 unless said otherwise')
    .meta({ ask: 'Which is the last port that I may allocate?' }),
  // The `process` driver runs only on the local server.
  driver: DriverName.exclude(['process'])
    .optional()
    .describe(
      'How it is reached: docker for an engine on this machine, ssh for one elsewhere; only booked when left out',
    ),
  user: z
    .string()
    .trim()
    .regex(/^[a-z_][a-z0-9_-]{0,31}$/i)
    .optional()
    .describe('ssh: the login, which may use the engine'),
  key: SecretHandle.optional().describe('ssh: the private key of the login, as a handle such as secret:vps-key'),
  sshPort: PortNumber.optional().describe('ssh: its port, 22 unless said otherwise'),
  socket: z
    .string()
    .trim()
    .max(200)
    .regex(/^\/[\w./-]+$/, 'a socket is an absolute path, such as /var/run/docker.sock')
    .optional()
    .describe("Path of the engine's socket there, /var/run/docker.sock unless said otherwise"),
});
type Input = z.output<typeof Input>;

export const registerServer = tool({
  describe:
    'Register a server so that work can be placed on it: address, environment, how it is reached. What can be reached is measured.',
  hints: [
    'register a server',
    'add a new server vps-1',
    'add server',
    'we have a new machine, add it',
    'register the host 10.0.0.5 as vps-1 in staging',
    'connect another server',
    'new server for production',
    'put my machine in the list',
    'register our new box with 4 cores and 8 GB',
  ],
  input: Input,
  // Later checks, which everybody may start, connect to this address.
  risk: ({ driver, host }) =>
    driver === undefined || isPublicAddress(host)
      ? 'sensitive'
      : { risk: 'dangerous', reasons: [say('servers.notPublic')] },
  handles: ['key'],
  role: 'operator',
  egress: true,
  resources: ({ name }) => [`server:${name}`],
  deadlineMs: 50_000,
  replay: 'harmless',
  run: async (input, { ports, work, actor, actionId }) => {
    const { name, host, environment, cpus, memoryMb, firstPort, lastPort } = input;
    if (lastPort < firstPort)
      throw new AppError('PORT_RANGE_EMPTY', { firstPort: `${firstPort}`, lastPort: `${lastPort}` });
    const driver = input.driver ?? null;
    const connection = connectionOf(input, actor.userKey);
    const size = { cpus: cpus ?? null, memoryMb: memoryMb ?? null };
    const told = { name, host, environment, ...size, firstPort, lastPort, driver, connection };
    const server = { ...(await ports.servers.register(told, actionId)), connection: {} };
    if (driver === null) return { server, look: null, told: size };
    const worked = await work('server.inspect', { server: name });
    const look: ServerInspection =
      worked.kind === 'goes-on' ? { state: 'goes-on', server: name } : { state: 'looked', ...worked.result };
    return { server, look, told: size };
  },
  probe: async ({ name, cpus, memoryMb }, { ports, wrote }) => {
    if (!(await wrote())) return { kind: 'not-done' };
    const server = { ...(await ports.servers.get(name)), connection: {} };
    const look: ServerInspection | null = server.driver === null ? null : { state: 'goes-on', server: name };
    return { kind: 'done', output: { server, look, told: { cpus: cpus ?? null, memoryMb: memoryMb ?? null } } };
  },
  phrases: {
    done: ({ server, look, told }) => {
      const { name, host, environment, firstPort, lastPort, cpus, memoryMb, driver } = server;
      const registered = { name, host, environment, firstPort, lastPort };
      if (look === null) return say('servers.booked', { ...registered, cpus, memory: formatMemory(memoryMb) });
      const head = say('servers.registered', { ...registered, driver: driver ?? '' });
      return [head, describeInspection(look), sayDifference(look, told)].filter((part) => part !== '').join('\n\n');
    },
  },
}).from({ server: SERVER_ORIGINS, look: INSPECTION_ORIGINS, told: 'runtime' });

function connectionOf({ driver, host, user, key, sshPort, socket, cpus, memoryMb }: Input, owner: string) {
  if (driver === undefined) {
    if (cpus === undefined || memoryMb === undefined) throw new AppError('SERVER_SIZE_MISSING', {});
    return {};
  }
  const { isLocal, needsLogin } = getDriverTraits(driver);
  if (isLocal && !['127.0.0.1', 'localhost'].includes(host.toLowerCase()))
    throw new AppError('ENGINE_ELSEWHERE', { host });
  const onSocket = socket === undefined ? {} : { socket };
  if (!needsLogin) return onSocket;
  if (user === undefined || key === undefined) throw new AppError('SSH_LOGIN_MISSING', {});
  return { ...onSocket, user, key: { handle: key, owner }, ...(sshPort === undefined ? {} : { port: sshPort }) };
}

/** Says where values that the person gave differ from measured values; the measured values are used. */
function sayDifference(
  look: ServerInspection,
  given: { readonly cpus: number | null; readonly memoryMb: number | null },
): string {
  if (look.state !== 'looked' || look.inventory === null) return '';
  const { cpus, memoryMb } = look.inventory;
  const hasCpus = given.cpus !== null && given.cpus !== cpus;
  // The usable memory of a machine is a little below its nominal size.
  const hasMemory = given.memoryMb !== null && Math.abs(given.memoryMb - memoryMb) > memoryMb / 10;
  if (!hasCpus && !hasMemory) return '';
  const wrong = { cpus: given.cpus ?? 0, memory: formatMemory(given.memoryMb ?? 0) };
  if (hasCpus && hasMemory) return say('servers.measuredBoth', wrong);
  return say(hasCpus ? 'servers.measuredCpus' : 'servers.measuredMemory', wrong);
}
