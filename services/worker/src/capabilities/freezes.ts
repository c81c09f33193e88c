import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { describeFreeze } from '@signalbox/messages/describe-freeze';
import { say } from '@signalbox/messages/say';
import {
  CHANGE_DEFAULTS,
  optionalProject,
  tool,
  toolGroup,
  type ResolvedRefs,
  type ToolContext,
} from '../tools/tool.ts';

type ToldFreeze = Awaited<ReturnType<ToolContext['ports']['freezes']['lift']>>;

/** The end of a freeze as it was understood when it was proposed; null for none. */
const End = z.object({ until: z.string().nullable(), zone: z.string() });
const NO_END = { until: null, zone: 'UTC' };
const OnlyProject = optionalProject('Refused: a freeze is of all projects');

const ORIGINS = {
  isNew: 'runtime',
  freeze: { by: 'runtime', name: 'name', reason: 'outside', at: 'runtime', until: 'runtime', zone: 'runtime' },
} as const;

export default toolGroup({
  name: 'freezes',
  summary: 'Freeze all changes, and lift the freeze.',
  uses: ['freezes'],
  tools: {
    freeze_changes: tool({
      describe: 'Stop the changes and deployments of all projects until a time or until somebody lifts the freeze.',
      hints: [
        'freeze all changes',
        'freeze everything until monday at 9:00',
        'set a freeze',
        'impose a change freeze',
        'freeze all changes for 2 hours',
        'freeze everything',
      ],
      input: z.object({
        until: z.string().trim().min(1).max(100).optional().describe('Their words for the end; left out: no end'),
        reason: z.string().trim().max(300).optional().describe('Their reason'),
        project: OnlyProject,
      }),
      ...CHANGE_DEFAULTS,
      role: 'operator',
      deadlineMs: 5_000,
      resolve: async ({ until, project }, { ports, threadId, before }) => {
        requireAll(project);
        if (before !== null || until === undefined) return before ?? NO_END;
        const end = await ports.freezes.readEnd(until, threadId);
        if (!end) throw new AppError('FREEZE_END', { until });
        return end;
      },
      derived: ['→ until', '→ zone'],
      run: ({ reason = '' }, { ports, actor: by, threadId, actionId, resolved, now }) =>
        ports.freezes.set({ by, threadId, actionId }, { ...readEnd(resolved), reason, at: now().toISOString() }),
      probe: async (_, { wrote }) => toProbed(await wrote()),
      phrases: {
        order: ({ until, reason = '' }) =>
          say('control.freeze-order', { ...toWords(until), why: reason === '' ? 'none' : 'given', reason }),
        done: ({ isNew, freeze }) =>
          freeze && isNew ? say('control.frozen', describeFreeze(freeze)) : say('control.frozen-already'),
      },
    }).from(ORIGINS),
    lift_freeze: tool({
      describe: 'End the freeze, so that changes and deployments follow policy again.',
      hints: [
        'lift the freeze',
        'end the freeze',
        'unfreeze',
        'lift the change freeze',
        'end the change freeze',
        'unfreeze everything',
      ],
      input: z.object({ project: OnlyProject }),
      ...CHANGE_DEFAULTS,
      role: 'operator',
      deadlineMs: 5_000,
      resolve: ({ project }) => {
        requireAll(project);
        return Promise.resolve(null);
      },
      run: (_, { ports, actor: by, threadId, actionId }) => ports.freezes.lift({ by, threadId, actionId }),
      probe: async (_, { wrote }) => toProbed(await wrote()),
      phrases: {
        order: () => say('control.unfreeze-order'),
        done: ({ isNew }) => say(isNew ? 'control.unfrozen' : 'control.not-frozen'),
      },
    }).from(ORIGINS),
  },
});

/** A freeze of everything is not what somebody asked for who named one project. */
function requireAll(project: string | undefined): void {
  if (project !== undefined) throw new AppError('FREEZE_OF_ALL', { project });
}

function readEnd(resolved: ResolvedRefs | null): z.output<typeof End> {
  return End.parse(resolved);
}

function toWords(until: string | undefined) {
  return { hasEnd: until !== undefined, until: toPlainName(until ?? '') };
}

function toProbed(wrote: { readonly result: unknown } | null) {
  if (!wrote) return { kind: 'not-done' } as const;
  return { kind: 'done', output: wrote.result as ToldFreeze } as const; // the port noted it
}
