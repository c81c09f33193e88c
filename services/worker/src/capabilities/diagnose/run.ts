import { z } from 'zod';
import { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { ServerName } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { classifyCommand } from '@signalbox/safety/shell/classification';
import { tool } from '../../tools/tool.ts';
import { GOES_ON, unwrap } from './asked-service.ts';
import { code, fence } from './words.ts';

/** What a person reads of an output; the model gets more of it. Characters. */
const SHOWN = 3_000;

export const runDiagnostic = tool({
  describe:
    'Run a diagnostic command on a server, such as df -h. What only reads runs at once; all else needs approval.',
  hints: [
    'run df -h on local',
    'run uptime on the server vps-1',
    'run free -m on local',
    'execute ps aux on server vps-1',
    'run a diagnostic command on a server',
    'check the disk with df -h on vps-2',
    'diagnostic: run uname -a on local',
  ],
  input: z.object({
    server: ServerName,
    release_of: z
      .string()
      .regex(/^[^/\s]{1,80}\/(staging|production|local)$/)
      .optional()
      .describe(
        'A service such as shop/staging, to look into the files of its release on that server and nowhere else',
      ),
    command: z
      .string()
      .trim()
      .min(1)
      .max(4_000)
      .describe('The command, as it would be typed into a shell')
      .meta({ ask: 'Which command?' }),
  }),
  kind: 'shell_cmd',
  risk: ({ command, release_of }) => {
    // A release is read in the sandbox, where nothing else is. Nobody can approve more there.
    const isRelease = release_of !== undefined;
    const { decision, reason } = classifyCommand(command, isRelease ? 'workspace' : 'server');
    const refusal = decision === 'deny' || (isRelease && decision === 'ask') ? { refusal: reason } : {};
    return { risk: decision === 'run' ? 'safe' : 'dangerous', reasons: [reason], ...refusal };
  },
  resources: ({ server }) => [`server:${server}`],
  preview: ({ server, command }) => ({
    what: `Run “${command.length <= 60 ? command : `${command.slice(0, 60)}…`}” on ${server}`,
    change: '',
    reach: `The server ${server}, as the user under which Signalbox works there. It is not locked in.`,
    undo: 'Whatever it does is not taken back by itself.',
  }),
  role: 'operator',
  egress: true,
  deadlineMs: 60_000,
  replay: 'unknown',
  run: async ({ server, command, release_of }, context) => {
    const { decision, reason } = classifyCommand(command, release_of === undefined ? 'server' : 'workspace');
    if (decision === 'deny') throw new AppError('CONFLICT', { detail: `I do not run that. ${reason}` });
    await context.ports.servers.get(server);
    return unwrap(
      await context.work('diagnostic.run', {
        server,
        command,
        onlyReads: decision === 'run',
        ...(release_of === undefined ? {} : { service: parseService(release_of) }),
        actionId: context.actionId,
      }),
    );
  },
  probe: async (_input, { worked }) => {
    const found = await worked('diagnostic.run');
    return found.kind === 'done' ? { kind: 'done', output: { state: 'done' as const, ...found.output } } : found;
  },
  phrases: {
    done: (ran, { command, server }) => {
      if (ran.state === 'goes-on') return GOES_ON;
      const text = [ran.stdout, ran.stderr]
        .filter((one) => one.trim() !== '')
        .join('\n')
        .trimEnd();
      const ended = ran.code === null ? 'was ended by a signal' : `finished (exit ${ran.code})`;
      const what = `${code(command.slice(0, 200))} on **${server}** ${ended}`;
      if (text === '') return `${what} and wrote nothing.`;
      return `${what}:\n\n${fence(text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}\n…`)}${ran.truncated ? '\n\nIt wrote more than is kept.' : ''}`;
    },
  },
});

/** `shop/staging`, of which the schema has seen the form. */
function parseService(name: string): ServiceKey {
  const [project, environment] = name.split('/');
  return ServiceKey.parse({ project, environment });
}
