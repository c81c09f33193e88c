import { z } from 'zod';
import { ServerName } from '@signalbox/contracts/conversation/fields';
import { say } from '@signalbox/messages/say';
import { optionalEnvironment, LOOK_UP_DEFAULTS, READ_DEFAULTS, tool } from '../../tools/tool.ts';
import { INSPECTION_ORIGINS, SERVER_ORIGINS, describeInspection, type ServerInspection } from './inspection.ts';
import { describeServer } from './sentences.ts';

/** The fingerprint of a host key, as `ssh-keygen -l` prints it. */
const Fingerprint = z
  .string()
  .trim()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'a fingerprint is SHA256: and 43 characters, as ssh-keygen -l shows it');

export const listManagedServers = tool({
  describe:
    'List the registered servers with their environment, size, what is reserved, what is free, and whether they are up.',
  hints: [
    'list the servers',
    'which servers do we have',
    'show me the machines',
    'servers?',
    'what servers are there in staging',
    'how full are the servers',
    'show infra',
    'are all servers up',
    'which boxes do we own',
    'how much memory is left on the servers',
  ],
  input: z.object({
    environment: optionalEnvironment('Only servers of this environment', 'Of which environment?'),
  }),
  ...LOOK_UP_DEFAULTS,
  run: async ({ environment }, { ports }) => {
    const all = await ports.servers.list();
    const servers = all.filter((server) => !environment || server.environment === environment);
    // The listing hides the login and key of each server from its readers.
    return { servers: servers.map((server) => ({ ...server, connection: {}, line: describeServer(server) })) };
  },
  phrases: {
    done: ({ servers }, { environment }) => {
      const where = environment ?? 'any';
      if (servers.length === 0) return say('servers.none', { where });
      return `${say('servers.list', { count: servers.length, where })}\n\n${servers.map(({ line }) => line).join('\n')}`;
    },
  },
}).from({ servers: { ...SERVER_ORIGINS, portsInUse: 'runtime', reservedMemoryMb: 'runtime', line: 'outside' } });

export const inspectServer = tool({
  describe: 'Reach a server and measure it now: CPUs, memory, disk, engine; shows the host key of one behind ssh.',
  hints: [
    'inspect the server vps-1',
    'inspect vps-1',
    'measure the server local',
    'measure what vps-1 really has',
    'reach the server vps-1 and measure it',
    'is the server vps-1 reachable',
    'inspect the machine vps-1 and show its host key',
  ],
  input: z.object({ server: ServerName }),
  ...READ_DEFAULTS,
  deadlineMs: 50_000,
  run: async ({ server }, { ports, work }): Promise<ServerInspection> => {
    const { name, driver } = await ports.servers.get(server);
    if (driver === null) return { state: 'booked', server: name };
    const worked = await work('server.inspect', { server: name });
    return worked.kind === 'goes-on' ? { state: 'goes-on', server: name } : { state: 'looked', ...worked.result };
  },
  phrases: { done: describeInspection },
}).from(INSPECTION_ORIGINS);

export const trustHostKey = tool({
  describe:
    'Approve the host key that a server behind ssh has shown, so that it is logged in to. Only the key that was seen.',
  hints: [
    'trust the host key of vps-1',
    'trust the host key SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU of vps-1',
    'approve the fingerprint of vps-1',
    'the host key of vps-1 is right',
    'accept the ssh host key of the server vps-1',
    'trust host key for vps-1',
    'that fingerprint of vps-1 is the right one, trust it',
  ],
  input: z.object({
    server: ServerName,
    fingerprint: Fingerprint.describe('The fingerprint that was compared with the one of the server, as SHA256:…').meta(
      { entity: 'text', ask: 'Which fingerprint does its own console show, as `SHA256:…`?' },
    ),
  }),
  risk: () => ({ risk: 'dangerous', reasons: [say('servers.keyPasses')] }),
  role: 'operator',
  egress: false,
  resources: ({ server }) => [`server:${server}`],
  deadlineMs: 5_000,
  replay: 'harmless',
  told: ['server', 'fingerprint'],
  preview: async ({ server, fingerprint }, { ports }) => {
    const { host, hostKey, hostKeySeen, environment } = await ports.servers.get(server);
    return {
      what: say('servers.trust', { fingerprint, server, host }),
      change: say('servers.trustChange', {
        isSeen: hostKeySeen !== null,
        seen: hostKeySeen ?? '',
        isTrusted: hostKey !== null,
        trusted: hostKey ?? '',
      }),
      reach: say('servers.trustReach', { server, environment }),
      undo: say('servers.trustUndo'),
    };
  },
  run: async ({ server, fingerprint }, { ports, actionId }) => {
    const trusted = await ports.servers.trustHostKey(server, fingerprint, actionId);
    return { server: trusted.name, hostKey: fingerprint };
  },
  probe: async ({ server, fingerprint }, { wrote }) =>
    (await wrote()) ? { kind: 'done', output: { server, hostKey: fingerprint } } : { kind: 'not-done' },
  phrases: {
    order: ({ server, fingerprint }) => say('servers.trustOrder', { server, fingerprint }),
    done: ({ server, hostKey }) => say('servers.trusted', { server, hostKey }),
  },
}).from({ server: 'name', hostKey: 'outside' });
