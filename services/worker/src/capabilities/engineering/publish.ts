import { z } from 'zod';
import { ChecksVerdict, describeCheck, judgeChecks, type PublishResult } from '@signalbox/contracts/engineering/change';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { CHANGE_DEFAULTS, tool, withFiles, type ResolvedRefs } from '../../tools/tool.ts';
import { listCardLines, toOneLine } from './card.ts';
import { KnownChange, sayChange, type Change } from './fields.ts';

const NO_CRITIC = 'none';

/** What a person decides about: all of it is in the hash of the approval. The diff is attached, and its own hash is here. */
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
  ran: ChecksVerdict.default('none'),
  critic: z.string(),
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
  hasSpokenReceipt: true,
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
    const { title, files, checks, critique, hash } = proposal;
    return {
      change: known,
      project,
      title,
      forge,
      base: baseCommit,
      main: head ?? '',
      files: files.map(({ path, change: kind, added, removed }) => `${path} (${kind}, +${added} -${removed})`),
      checks: checks.map(describeCheck),
      ran: judgeChecks(proposal),
      critic: critique === null ? NO_CRITIC : `${critique.verdict}, ${critique.risk}: ${toOneLine(critique.says)}`,
      hash,
    } satisfies z.output<typeof Meant>;
  },
  resources: (_input, resolved) => (resolved === null ? [] : [`project:${readMeant(resolved).project}`]),
  told: ['→ project', '→ forge', '→ change', 'change', '→ hash'],
  // The lines of the card say the rest, each cut with a mark; the files are in the patch.
  derived: ({ forge }) => [...SAID.map((name) => `→ ${name}`), ...(forge === 'none' ? ['→ forge'] : [])],
  preview: async (_input, { ports, resolved }) => {
    const { change, project, title, forge, base, main, hash } = readMeant(resolved);
    const found = await ports.engineering.find(change);
    const proposal = found?.proposal ?? null;
    const lines = proposal?.files ?? [];
    const text = found === null ? null : await ports.engineering.words({ changeId: change });
    return {
      what: say('engineering.prWhat', {
        change: String(change),
        project,
        title: toOneLine(title),
        isHere: forge === 'none',
      }),
      change: say('engineering.prChange', {
        count: lines.length,
        added: lines.reduce((sum, file) => sum + file.added, 0),
        removed: lines.reduce((sum, file) => sum + file.removed, 0),
        base: base.slice(0, 7),
        isMoved: main !== base,
        main: main.slice(0, 7),
      }),
      steps: proposal ? listCardLines(proposal, hash) : [],
      reach: say('engineering.prReach', { isHere: forge === 'none', forge }),
      undo: say('engineering.prUndo', { isHere: forge === 'none' }),
      files: proposal ? [toPatch({ changeId: change, project, proposal })] : [],
      ...(found !== null && text !== null ? { words: { text, userKey: found.userKey } } : {}),
    };
  },
  run: async (_input, context) => {
    const { change, project, hash } = readMeant(context.resolved);
    const worked = await context.work('engineering.publish', { changeId: change, project, hash });
    if (worked.kind === 'goes-on') return { state: 'goes-on' as const, change, project };
    const found = await context.ports.engineering.find(change);
    // Whoever has no forge gets the patch.
    const patch =
      worked.result.url === null && found?.proposal ? toPatch({ ...found, proposal: found.proposal }) : null;
    const output = { state: 'done' as const, ...worked.result, change, hasPatch: patch !== null };
    return patch === null ? output : withFiles(output, [patch]);
  },
  probe: async (_input, context) => {
    const found = await context.worked('engineering.publish');
    if (found.kind !== 'done') return found;
    return {
      kind: 'done',
      output: { state: 'done' as const, ...found.output, change: found.output.changeId, hasPatch: false },
    };
  },
  phrases: {
    order: ({ change }) => say('engineering.prOrder', { change: String(change) }),
    done: (output) =>
      output.state === 'goes-on'
        ? say('engineering.prGoesOn', { change: String(output.change), project: output.project })
        : sayPublished(output),
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
  hasPatch: 'runtime',
});

/** Values of the resolved change that the lines of its card say. */
const SAID = ['base', 'main', 'title', 'files', 'checks', 'ran', 'critic'] as const;

function readMeant(resolved: ResolvedRefs | null): z.output<typeof Meant> {
  return Meant.parse(resolved);
}

/** What could go wrong, as sentences on the card. */
function listRisks({ ran, critic, base, main }: z.output<typeof Meant>): readonly string[] {
  return [
    say(RISK_OF[ran]),
    ...(critic === NO_CRITIC ? [say('engineering.riskNoCritic')] : []),
    ...(main === base ? [] : [say('engineering.riskMoved')]),
  ];
}

/** Sentences without values, so that each reader of the card gets them in their language. */
const RISK_OF = {
  passed: 'engineering.riskPassed',
  failed: 'engineering.riskFailed',
  broken: 'engineering.riskBroken',
  none: 'engineering.riskUntested',
} as const;

/** The first line is also that of the cards, which have no file any more. */
function sayPublished(output: PublishResult & { readonly hasPatch: boolean }): string {
  const { changeId, project, branch, url, hasPatch } = output;
  const said = say('engineering.published', {
    change: String(changeId),
    project,
    branch,
    hasUrl: url !== null,
    url: url ?? '',
  });
  return hasPatch ? `${said}\n${say('engineering.patchAttached')}` : said;
}

function toPatch({
  changeId,
  project,
  proposal,
}: Pick<Change, 'changeId' | 'project'> & { readonly proposal: NonNullable<Change['proposal']> }) {
  return { name: `${project}-change-${changeId}.patch`, mimeType: 'text/x-patch', content: proposal.diff };
}
