import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { CHANGE_DEFAULTS, tool, withFiles, type ResolvedRefs } from '../../tools/tool.ts';
import { KnownChange, sayChange, toLine, type Change } from './fields.ts';

/** A longer diff is attached to the card as a file, whose hash is on the card. */
const MAX_SHOWN_DIFF = 9_000;
const SHOWN_FILES = 40;
const SHOWN_CRITIQUE = 240;
const PASSED = '✓';
const NO_CRITIC = 'none';

/** What a person decides about: all of it is in the hash of the approval. */
const Meant = z.object({
  change: z.number(),
  project: z.string(),
  title: z.string(),
  forge: z.string(),
  base: z.string(),
  /** Where the main branch stands now: when it moves, the approval is void and asked for again. */
  main: z.string(),
  files: z.array(z.string()),
  checks: z.array(z.string()),
  critic: z.string(),
  diff: z.string(),
  hash: z.string(),
});

export const openPullRequest = tool({
  describe:
    'Publish the diff of a finished change of code as a branch and a pull request, once a person has approved it.',
  hints: [
    'open the pull request of change 4',
    'publish change 12',
    'open a pull request for the code change',
    'make a pull request of change 4',
    'push the branch of change 4',
    'ask again for the approval of change 4',
  ],
  input: z.object({ change: KnownChange }),
  ...CHANGE_DEFAULTS,
  kind: 'code_diff',
  egress: true,
  deadlineMs: 60_000,
  risk: (_input, resolved) => ({ risk: 'dangerous', reasons: resolved === null ? [] : listRisks(readMeant(resolved)) }),
  resolve: async ({ change: id }, { ports, before, work }) => {
    const known = before === null ? id : readMeant(before).change;
    const change = await ports.engineering.find(known);
    if (change === null) throw new AppError('NOT_FOUND', { kind: 'change', name: String(known), known: 'none' });
    const { proposal, baseCommit, project, state } = change;
    if (state !== 'proposed' || proposal === null || baseCommit === null)
      throw new AppError('CONFLICT', {
        detail: say('engineering.notReady', { state: sayChange(change).replaceAll('**', '') }),
      });
    const { head, forge, problem } = await work('engineering.look', { changeId: known, project });
    if (problem !== null) throw new AppError('NOT_RESOLVED', { detail: problem });
    const { title, files, checks, critique, diff, hash } = proposal;
    return {
      change: known,
      project,
      title,
      forge,
      base: baseCommit,
      main: head ?? '',
      files: files
        .slice(0, SHOWN_FILES)
        .map(({ path, change: kind, added, removed }) => `${path} (${kind}, +${added} -${removed})`),
      checks: checks.map(
        ({ command, exitCode, killed }) =>
          `${command}: ${exitCode === 0 && killed === null ? PASSED : `✗ ${killed ?? exitCode}`}`,
      ),
      critic: critique === null ? NO_CRITIC : `${critique.verdict}, ${critique.risk}: ${clip(toLine(critique.says))}`,
      diff: diff.length <= MAX_SHOWN_DIFF ? diff : '',
      hash,
    } satisfies z.output<typeof Meant>;
  },
  resources: (_input, resolved) => (resolved === null ? [] : [`project:${readMeant(resolved).project}`]),
  told: ['→ title', '→ project', '→ forge', '→ change', 'change', '→ files', '→ checks', '→ critic', '→ hash'],
  derived: ({ forge }) => ['→ base', '→ main', ...(forge === 'none' ? ['→ forge'] : [])],
  preview: async (_input, { ports, resolved }) => {
    const { change, project, title, forge, base, main, files, checks, critic, hash } = readMeant(resolved);
    const proposal = (await ports.engineering.find(change))?.proposal;
    const lines = proposal?.files ?? [];
    return {
      what: say('engineering.prWhat', {
        change: String(change),
        project,
        title: toLine(title),
        isHere: forge === 'none',
      }),
      change: say('engineering.prChange', {
        count: files.length,
        added: lines.reduce((sum, file) => sum + file.added, 0),
        removed: lines.reduce((sum, file) => sum + file.removed, 0),
        base: base.slice(0, 7),
        isMoved: main !== base,
        main: main.slice(0, 7),
      }),
      steps: [
        files.join(', '),
        say('engineering.prChecks', { hasChecks: checks.length > 0, checks: checks.join(', ') }),
        say('engineering.prCritic', { hasCritic: critic !== NO_CRITIC, critic }),
        say('engineering.prDiff', { hash }),
      ],
      reach: say('engineering.prReach', { isHere: forge === 'none', forge }),
      undo: say('engineering.prUndo', { isHere: forge === 'none' }),
      files: proposal ? [toPatch({ changeId: change, project, proposal })] : [],
    };
  },
  run: async (_input, context) => {
    const { change, project, hash } = readMeant(context.resolved);
    const worked = await context.work('engineering.publish', { changeId: change, project, hash });
    if (worked.kind === 'goes-on') return { state: 'goes-on' as const, change, project };
    const found = await context.ports.engineering.find(change);
    const output = { state: 'done' as const, ...worked.result, change };
    // Whoever has no forge gets the patch.
    return output.url === null && found?.proposal
      ? withFiles(output, [toPatch({ ...found, proposal: found.proposal })])
      : output;
  },
  probe: async (_input, context) => {
    const found = await context.worked('engineering.publish');
    if (found.kind !== 'done') return found;
    return { kind: 'done', output: { state: 'done' as const, ...found.output, change: found.output.changeId } };
  },
  phrases: {
    order: ({ change }) => say('engineering.prOrder', { change: String(change) }),
    done: (output) =>
      output.state === 'goes-on'
        ? say('engineering.prGoesOn', { change: String(output.change), project: output.project })
        : say('engineering.published', {
            change: String(output.change),
            project: output.project,
            branch: output.branch,
            hasUrl: output.url !== null,
            url: output.url ?? '',
          }),
  },
}).from({
  state: 'runtime',
  change: 'runtime',
  changeId: 'runtime',
  project: 'name',
  title: 'outside',
  forge: 'runtime',
  branch: 'outside',
  commit: 'runtime',
  number: 'runtime',
  url: 'runtime',
  repository: 'runtime',
});

function readMeant(resolved: ResolvedRefs | null): z.output<typeof Meant> {
  return Meant.parse(resolved);
}

function clip(text: string): string {
  return text.length <= SHOWN_CRITIQUE ? text : `${text.slice(0, SHOWN_CRITIQUE).toWellFormed()}…`;
}

/** What could go wrong, as sentences on the card. */
function listRisks({ checks, critic, base, main }: z.output<typeof Meant>): readonly string[] {
  const isGood = checks.every((check) => check.endsWith(`: ${PASSED}`));
  const ran = isGood ? 'passed' : 'failed';
  return [
    say('engineering.riskChecks', { state: checks.length === 0 ? 'none' : ran }),
    ...(critic === NO_CRITIC ? [say('engineering.riskNoCritic')] : []),
    ...(main === base ? [] : [say('engineering.riskMoved')]),
  ];
}

function toPatch({
  changeId,
  project,
  proposal,
}: Pick<Change, 'changeId' | 'project'> & { readonly proposal: NonNullable<Change['proposal']> }) {
  return { name: `${project}-change-${changeId}.patch`, mimeType: 'text/x-patch', content: proposal.diff };
}
