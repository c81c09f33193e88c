import { z } from 'zod';
import { ProjectName, ShellCommand } from '@signalbox/contracts/conversation/fields';
import {
  MAX_COMMAND_MS,
  MAX_PATH_LENGTH,
  MAX_WRITE_LENGTH,
  toWorkspaceName,
} from '@signalbox/contracts/operations/workspace';
import { AppError, type ErrorCode, type ErrorData } from '@signalbox/contracts/errors';
import { takeWholeLines } from '@signalbox/contracts/whole-lines';
import { classifyCommand } from '@signalbox/safety/shell/classification';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { say } from '@signalbox/messages/say';
import {
  CHANGE_DEFAULTS,
  READ_DEFAULTS,
  tool,
  toolGroup,
  type ProbeResult,
  type ToolContext,
  type JobWait,
} from '../tools/tool.ts';
import { findConfinement, listConfinedPlace, listConfinementProblems, listOwnPlace } from './workspace/place.ts';

/** The characters of an output that a person is shown; the model gets more. */
const SHOWN = 3_000;
/** The characters of an output that the model gets, from its beginning and end. */
const MODEL_READS = 16_000;

/** The characters of a file that are read at once: about 3,000 tokens of a CSV. */
const ROWS_READ = 8_000;

const Project = ProjectName.optional().describe('Left out: the folder of this conversation');
const FilePath = z.string().trim().min(1).max(MAX_PATH_LENGTH);

export default toolGroup({
  name: 'workspace',
  summary: 'Work with files in a workspace: write_file, apply_diff.',
  uses: ['projects'],
  tools: {
    read_file: tool({
      describe: 'Read a text file of the workspace, such as a CSV that the person sent, or some of its lines.',
      hints: [
        'show README.md',
        'show me the file src/main.ts',
        'read the file notes.md',
        'open package.json',
        'what is in the file config.yml',
        'cat the file setup.sh',
        'print the contents of a file',
      ],
      input: z.object({
        path: FilePath.describe(
          'Its path, such as docs/setup.md; a sent file is found by its name, the last one by `attachments`',
        ).meta({
          ask: 'Which file?',
        }),
        from_line: z.coerce.number().int().min(1).default(1).describe('First line, from 1'),
        lines: z.coerce.number().int().min(1).max(2_000).default(200).describe('How many lines'),
        project: Project,
      }),
      ...READ_DEFAULTS,
      deadlineMs: 20_000,
      run: async ({ path, from_line, lines, project }, context) => {
        const call = await callOf(context, project);
        const found = unwrap(await context.work('workspace.read', { ...call, path, fromLine: from_line, lines }));
        if (found.state === 'goes-on') return found;
        const text = takeWholeLines(found.text, ROWS_READ);
        const next = found.fromLine + (text === '' ? 0 : text.split('\n').length);
        const isLineCut = text !== found.text && !found.text.startsWith(`${text}\n`);
        return { ...found, text, isLineCut, nextLine: text !== '' && next <= found.totalLines ? next : null };
      },
      phrases: {
        done: (output) => {
          if (output.state === 'goes-on') return say('workspace.goesOn');
          const { path, text, fromLine, totalLines, nextLine, isLineCut } = output;
          if (text === '') return say('workspace.noLines', { path, totalLines });
          const last = fromLine + text.split('\n').length - 1;
          const isPart = fromLine !== 1 || last < totalLines;
          const hasMore = nextLine !== null || isLineCut;
          const left = hasMore ? [say('workspace.notRead', { isLineCut, from: nextLine ?? last, to: totalLines })] : [];
          const shown = [
            say('workspace.file', { path, isPart, fromLine, last, totalLines }),
            toCodeBlock(text),
            ...left,
          ];
          return shown.join('\n\n');
        },
      },
    }).from({
      state: 'runtime',
      path: 'outside',
      text: 'outside',
      fromLine: 'runtime',
      totalLines: 'runtime',
      sizeBytes: 'runtime',
      isLineCut: 'runtime',
      nextLine: 'runtime',
    }),

    list_files: tool({
      describe: 'List the files and folders of the workspace.',
      hints: [
        'list the files',
        'list the files in the workspace',
        'which files are there',
        'show the files of the workspace',
        'what is in the folder docs',
        'show me the directory',
        'what files do we have',
      ],
      input: z.object({
        path: z
          .string()
          .trim()
          .max(MAX_PATH_LENGTH)
          .default('.')
          .describe('Folder in the workspace; all of it by default'),
        depth: z.coerce.number().int().min(1).max(10).default(3).describe('Levels of folders'),
        project: Project,
      }),
      ...READ_DEFAULTS,
      deadlineMs: 20_000,
      run: async ({ path, depth, project }, context) =>
        unwrap(await context.work('workspace.list', { ...(await callOf(context, project)), path, depth })),
      phrases: {
        done: (output) => {
          if (output.state === 'goes-on') return say('workspace.goesOn');
          const { path, entries, cut } = output;
          const where = { isWhole: path === '.', path };
          if (entries.length === 0) return say('workspace.empty', where);
          const lines = entries.map(
            ({ path: name, kind, sizeBytes }) =>
              `${name}${kind === 'folder' ? '/' : ''}${sizeBytes === null ? '' : `  ${sizeBytes}`}`,
          );
          return `${say('workspace.entries', { ...where, count: entries.length, cut })}\n\n${toCodeBlock(lines.join('\n'))}`;
        },
      },
    }).from({ state: 'runtime', path: 'outside', entries: 'outside', cut: 'runtime' }),

    write_file: tool({
      describe: 'Write a text file of the workspace, whole; an existing file is replaced. Folders are made.',
      hints: [
        'write a file notes.md',
        'create the file todo.txt',
        'save this text as notes.md',
        'put this into a file',
        'make a new file in the workspace',
        'overwrite the file config.yml',
      ],
      input: z.object({
        path: FilePath.describe('Path of the file in the workspace').meta({ ask: 'What should the file be called?' }),
        content: z
          .string()
          .max(MAX_WRITE_LENGTH)
          .describe('The whole text of the file')
          .meta({ entity: 'text', ask: 'What should the file contain?' }),
        project: Project,
      }),
      ...CHANGE_DEFAULTS,
      resources: ({ path, project }) => [`file:${project ?? 'thread'}/${path}`, ...listOwnPlace(project)],
      deadlineMs: 30_000,
      run: async ({ path, content, project }, context) =>
        unwrap(await context.work('workspace.write', { ...(await callOf(context, project)), path, content })),
      probe: async (_input, { worked }) => unwrapProbed(await worked('workspace.write')),
      phrases: {
        order: ({ path, content, project }) => say('workspace.writeOrder', { path, content, ...workspaceOf(project) }),
        done: (output, { project }) => {
          if (output.state === 'goes-on') return say('workspace.goesOn');
          const { path, sizeBytes, created } = output;
          return say('workspace.written', { path, created, sizeBytes, ...workspaceOf(project) });
        },
      },
    }).from({ state: 'runtime', path: 'outside', created: 'runtime', sizeBytes: 'runtime' }),

    apply_diff: tool({
      describe: 'Apply a unified diff to files of the workspace: all of it or nothing. Hunks must fit exactly.',
      hints: [
        'apply this diff',
        'apply the patch',
        'patch the files with this diff',
        'apply these changes to the code',
        'change the code with a unified diff',
        'here is a diff, apply it',
      ],
      input: z.object({
        diff: z
          .string()
          .min(1)
          .max(MAX_WRITE_LENGTH)
          .describe('A unified diff of one or more text files, with three lines of context')
          .meta({ entity: 'text', ask: 'What is the diff?' }),
        project: Project,
      }),
      kind: 'code_diff',
      ...CHANGE_DEFAULTS,
      resources: ({ project }) => listOwnPlace(project),
      told: ['project'],
      preview: ({ project }) => ({
        what: say('workspace.apply', workspaceOf(project)),
        change: '',
        reach: say('workspace.applyReach'),
        undo: say('workspace.applyUndo'),
      }),
      deadlineMs: 30_000,
      run: async ({ diff, project }, context) =>
        unwrap(await context.work('workspace.apply', { ...(await callOf(context, project)), diff })),
      probe: async (_input, { worked }) => unwrapProbed(await worked('workspace.apply')),
      phrases: {
        done: (output, { project }) => {
          if (output.state === 'goes-on') return say('workspace.goesOn');
          const lines = output.files.map(
            ({ path, change, added, removed }) => `- ${path}: ${change} (+${added} −${removed})`,
          );
          return `${say('workspace.applied', { count: output.files.length, ...workspaceOf(project) })}\n\n${lines.join('\n')}`;
        },
      },
    }).from({
      state: 'runtime',
      files: { path: 'outside', change: 'runtime', added: 'runtime', removed: 'runtime' },
    }),

    run_command: tool({
      describe:
        'Run a shell command in the sandbox of this conversation: own files, no network, 1 GB, 5 min; sh, and python3, node, perl if the ' +
        'machine has them. There developers need no approval; in the workspace of a project a change takes an operator’s.',
      hints: [
        'run ls -la in the workspace',
        'run uname -a',
        'execute the command git status',
        'run wc -l README.md',
        'run the command date',
        'run a shell command',
        'execute a command in the sandbox',
      ],
      input: z.object({ command: ShellCommand, project: Project }),
      kind: 'shell_cmd',
      ...CHANGE_DEFAULTS,
      risk: ({ command }, resolved) => {
        const { decision, reason } = classifyCommand(command);
        const refusal = decision === 'deny' ? { refusal: reason } : {};
        const reasons = [...listConfinementProblems(resolved), reason];
        return { risk: decision === 'run' ? 'safe' : 'dangerous', reasons, ...refusal };
      },
      resolve: async ({ command, project }, look) =>
        project === undefined && classifyCommand(command).decision === 'ask' ? findConfinement(look) : null,
      resources: (_input, resolved) => listConfinedPlace(resolved),
      derived: ['→ sandbox', '→ problem'],
      told: ['project'],
      preview: ({ command, project }) => ({
        what: say('workspace.run', { command: inShort(command), ...workspaceOf(project) }),
        change: '',
        reach: say('workspace.runReach'),
        undo: say('workspace.runUndo'),
      }),
      deadlineMs: 60_000,
      newest: 'last',
      run: async ({ command, project }, context) => {
        const { decision, pipeline, reason } = classifyCommand(command);
        if (decision === 'deny') throw new AppError('COMMAND_REFUSED', { reason });
        // The approved command may change something; the person approved exactly this text.
        const what = pipeline
          ? { kind: 'argv' as const, pipeline: pipeline.map((argv) => [...argv]) }
          : { kind: 'shell' as const, script: command };
        const call = await callOf(context, project);
        const ran = unwrap(
          await context.work('workspace.run', { ...call, command: what, cwd: '.', deadlineMs: MAX_COMMAND_MS }),
        );
        return ran.state === 'goes-on' ? ran : { ...ran, output: shorten(ran.output, MODEL_READS) };
      },
      probe: async (_input, { worked }) => {
        const found = unwrapProbed(await worked('workspace.run'));
        if (found.kind !== 'done') return found;
        return { kind: 'done', output: { ...found.output, output: shorten(found.output.output, MODEL_READS) } };
      },
      meets: { exit_0: (output) => output.state === 'done' && output.exitCode === 0 },
      phrases: {
        order: ({ command, project }) => say('workspace.run', { command, ...workspaceOf(project) }),
        done: (output, { command, project }) => {
          if (output.state === 'goes-on') return say('workspace.goesOn');
          const { exitCode, killed, output: text, cut } = output;
          const isFull = killed === 'workspace' || killed === 'disk';
          const isSilent = text.trim() === '';
          const ended = { command: command.replaceAll('`', "'").slice(0, 200), how: killed ?? 'none', exit: exitCode };
          return [
            say('workspace.ran', { ...ended, ...workspaceOf(project), isSilent, isFull }),
            ...(isSilent ? [] : [toCodeBlock(shorten(text.trimEnd(), SHOWN))]),
            ...(cut && !isSilent ? [say('diagnose.wroteMore')] : []),
            ...(isFull ? [say('workspace.filesStay')] : []),
          ].join('\n\n');
        },
      },
    }).from({
      state: 'runtime',
      output: 'outside',
      programs: 'runtime',
      exitCode: 'runtime',
      durationMs: 'runtime',
      cut: 'runtime',
      killed: 'runtime',
    }),
  },
});

type Refused = {
  readonly outcome: 'refused';
  readonly refusal: { readonly code: ErrorCode; readonly data: Readonly<Record<string, string>> };
};
type Ended<T> = Refused | { readonly outcome: 'done'; readonly result: T };

/** Returns the result of a job, or a note that the job is still running. Throws the job's refusal. */
function unwrap<T>(worked: JobWait<Ended<T>>): ({ readonly state: 'done' } & T) | { readonly state: 'goes-on' } {
  if (worked.kind === 'goes-on') return { state: 'goes-on' };
  if (worked.result.outcome === 'refused') {
    const { code, data } = worked.result.refusal;
    throw new AppError(code, data as ErrorData<ErrorCode>); // the job service made the data from an AppError of this code
  }
  return { state: 'done', ...worked.result.result };
}

function unwrapProbed<T>(found: ProbeResult<Ended<T>>): ProbeResult<{ readonly state: 'done' } & T> {
  if (found.kind !== 'done') return found;
  if (found.output.outcome === 'done') return { kind: 'done', output: { state: 'done', ...found.output.result } };
  const { code, data } = found.output.refusal;
  return { kind: 'failed', error: new AppError(code, data as ErrorData<ErrorCode>) }; // the job service made the data from an AppError of this code
}

async function callOf({ ports, actor, threadId, actionId }: ToolContext, project: string | undefined) {
  // Throws for an unknown project, so that a mistyped name does not open an empty workspace.
  if (project !== undefined) await ports.projects.get(project);
  const workspace = project === undefined ? toWorkspaceName('thread', threadId) : toWorkspaceName('project', project);
  return { workspace, bounds: 'PERSON' as const, actor: actor.userKey, threadId, actionId };
}

function workspaceOf(project: string | undefined) {
  return { hasProject: project !== undefined, project: project ?? '' };
}

function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const gap = say('workspace.leftOut', { count: text.length - 2 * half });
  return `${text.slice(0, half)}\n${gap}\n${text.slice(-half)}`;
}

/** Shortens a command to its beginning, for lists; the approval card shows the whole command. */
function inShort(command: string): string {
  const line = command.replace(/\s+/g, ' ');
  return line.length <= 60 ? line : `${line.slice(0, 60)}…`;
}
