import { z } from 'zod';
import { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { ServerName, ShellCommand } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { classifyCommand } from '@signalbox/safety/shell/classification';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { say } from '@signalbox/messages/say';
import { tool } from '../../tools/tool.ts';
import { unwrapJob } from './asked-service.ts';
import { formatCode } from './sentences.ts';

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
    command: ShellCommand,
  }),
  kind: 'shell_cmd',
  risk: ({ command, release_of }) => {
    // The sandbox holds only a copy of the release, so nobody has to approve the command.
    const isRelease = release_of !== undefined;
    const { decision, reason } = classifyCommand(command, isRelease ? 'workspace' : 'server');
    const refusal = decision === 'deny' || (isRelease && decision === 'ask') ? { refusal: reason } : {};
    return { risk: decision === 'run' ? 'safe' : 'dangerous', reasons: [reason], ...refusal };
  },
  resources: ({ server }) => [`server:${server}`],
  told: ['server'],
  preview: ({ server, command }) => ({
    what: say('diagnose.run', { command: command.length <= 60 ? command : `${command.slice(0, 60)}…`, server }),
    change: '',
    reach: say('diagnose.runReach', { server }),
    undo: say('diagnose.runUndo'),
  }),
  role: 'operator',
  egress: true,
  deadlineMs: 60_000,
  replay: 'unknown',
  run: async ({ server, command, release_of }, context) => {
    const { decision, reason } = classifyCommand(command, release_of === undefined ? 'server' : 'workspace');
    if (decision === 'deny') throw new AppError('COMMAND_REFUSED', { reason });
    await context.ports.servers.get(server);
    return unwrapJob(
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
    order: ({ command, server, release_of: release = 'any' }) => say('diagnose.runOrder', { command, server, release }),
    done: (ran, { command, server }) => {
      if (ran.state === 'goes-on') return say('diagnose.goesOn');
      const text = [ran.stdout, ran.stderr]
        .filter((one) => one.trim() !== '')
        .join('\n')
        .trimEnd();
      const what = {
        command: formatCode(command.slice(0, 200)),
        server,
        isKilled: ran.code === null,
        exit: ran.code ?? 0,
      };
      const shown = toCodeBlock(text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}\n…`);
      return [
        say('diagnose.ran', { ...what, isSilent: text === '' }),
        ...(text === '' ? [] : [shown]),
        ...(text !== '' && ran.truncated ? [say('diagnose.wroteMore')] : []),
      ].join('\n\n');
    },
  },
}).from({
  state: 'runtime',
  server: 'name',
  code: 'runtime',
  seconds: 'runtime',
  truncated: 'runtime',
  stdout: 'outside',
  stderr: 'outside',
});

/** Parses `shop/staging`; the schema has checked the form. */
function parseService(name: string): ServiceKey {
  const [project, environment] = name.split('/');
  return ServiceKey.parse({ project, environment });
}
