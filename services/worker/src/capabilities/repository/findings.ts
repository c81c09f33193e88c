import { z } from 'zod';
import { SEVERITIES } from '@signalbox/contracts/repository/finding';
import { ProjectName } from '@signalbox/contracts/conversation/fields';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { HOUR_MS } from '@signalbox/contracts/time';
import { explainUnfixable } from '@signalbox/analysis/fixes/fixable';
import { findRule, saySeverity } from '@signalbox/analysis/rules/rules';
import { sayFinding, sayFindingItem, sayLocation } from '@signalbox/analysis/reports/say-findings';
import { say } from '@signalbox/messages/say';
import { CHANGE_DEFAULTS, READ_DEFAULTS, tool, withFiles, type ToolContext } from '../../tools/tool.ts';
import { createFindingButtons, FINDING_ORIGINS, toShown } from '../../tools/shown-findings.ts';
import { createReportFiles } from './report-files.ts';

type Finding = Awaited<ReturnType<ToolContext['ports']['repositories']['findings']['get']>>;

const SHOWN = 10;
const FindingNumber = z.coerce
  .number()
  .int()
  .min(1)
  .max(999_999_999)
  .describe('Number of the finding, as lists show it')
  .meta({ ask: 'Which finding?' });

const aboutProject = { resources: ({ project }: { readonly project: string }) => [`project:${project}`] };
const EXPLAINED_ORIGINS = {
  ...FINDING_ORIGINS,
  project: 'name',
  status: 'runtime',
  acceptedReason: 'outside',
  acceptedUntil: 'runtime',
  firstCommit: 'runtime',
  timesReopened: 'runtime',
} as const;

export const listFindings = tool({
  describe:
    'List what scans found in the repository of a project and is still open, accepted or fixed, the most severe first.',
  hints: [
    'show the findings of shop',
    'which findings of shop are open',
    'list the critical findings of blog',
    'what problems does the repository of shop have',
    'which findings of shop are accepted',
    'which findings were fixed in blog',
  ],
  input: z.object({
    project: ProjectName,
    status: z.enum(['open', 'accepted', 'fixed']).optional().describe('Which ones; left out, the open ones'),
    severity: z.enum(SEVERITIES).optional().describe('Only those at least so severe'),
  }),
  ...READ_DEFAULTS,
  role: 'viewer',
  ...aboutProject,
  deadlineMs: 10_000,
  run: async ({ project, status = 'open', severity }, { ports }) => {
    await ports.projects.get(project);
    const { findings } = ports.repositories;
    const found = await findings.list({ project, status, from: severity }, SHOWN + 1);
    return { project, status, findings: found.slice(0, SHOWN).map(toShown), hasMore: found.length > SHOWN };
  },
  phrases: {
    done: ({ project, status, findings, hasMore }) => {
      if (findings.length === 0) return say('findings.none', { project, status });
      return [
        say('findings.list', { project, status }),
        findings.map((finding) => `- ${sayFindingItem(finding)}`).join('\n'),
        ...(hasMore ? [say('findings.hasMore', { project })] : []),
      ].join('\n\n');
    },
    next: ({ project, status, findings }) => (status === 'open' ? createFindingButtons(project, findings) : []),
  },
}).from({ project: 'name', status: 'runtime', findings: FINDING_ORIGINS, hasMore: 'runtime' });

export const explainFinding = tool({
  describe: 'Explain one finding of a scan: where it is, what stands there, why it matters and what to do.',
  hints: [
    'explain finding 12 of shop',
    'explain finding 5',
    'explain the finding 12 of shop to me',
    'what does finding 7 of blog mean',
    'why is finding 3 of shop a problem',
    'tell me more about finding 12 of shop',
  ],
  input: z.object({ project: ProjectName, finding: FindingNumber }),
  ...READ_DEFAULTS,
  role: 'viewer',
  ...aboutProject,
  deadlineMs: 10_000,
  run: async ({ project, finding }, { ports }) =>
    toDetail(await ports.repositories.findings.get(project, String(finding))),
  phrases: {
    done: (finding) => {
      const { rule, severity, evidence, status, timesReopened, firstCommit, acceptedReason } = finding;
      return [
        `**${saySeverity(severity)}**: ${sayFinding(finding)}`,
        ...(finding.path === '.' ? [] : [say('findings.place', { place: sayLocation(finding) })]),
        ...(evidence === '' ? [] : [toCodeBlock(evidence)]),
        findRule(rule)?.why() ?? say('findings.goneRule', { rule }),
        say('findings.state', {
          status,
          reason: toPlainName(acceptedReason ?? ''),
          commit: firstCommit.slice(0, 7),
          times: timesReopened,
        }),
        ...(status === 'open' ? [sayFix(finding)] : []),
      ].join('\n\n');
    },
    next: (finding) => {
      const { project, findingId, status } = finding;
      if (status !== 'open') return [];
      const fix = {
        label: say('fixes.button', { finding: findingId }),
        value: `fix finding ${findingId} of ${project}`,
      };
      const others = createFindingButtons(project, [{ findingId }]).slice(1);
      return explainUnfixable(finding) === null ? [fix, ...others] : others;
    },
  },
}).from(EXPLAINED_ORIGINS);

function sayFix(finding: Pick<Finding, 'rule' | 'values' | 'findingId' | 'project'>): string {
  const { findingId, project } = finding;
  return explainUnfixable(finding) ?? say('fixes.canFix', { finding: findingId, project });
}

const Reason = z
  .string()
  .trim()
  .min(3)
  .max(300)
  .describe('Why, in the person’s own words')
  .meta({ entity: 'text', ask: 'Why is it acceptable?' });

export const acceptFinding = tool({
  describe: 'Accept a finding with a reason, for good or for some days: it no longer counts as open until then.',
  hints: [
    'accept finding 12 of shop because it is a test key',
    'ignore finding 7 of blog',
    'finding 3 of shop is acceptable',
    'mark finding 12 of shop as a false alarm',
    'accept finding 12 of shop for 30 days',
    'accept finding 5',
  ],
  input: z.object({
    project: ProjectName,
    finding: FindingNumber,
    reason: Reason,
    days: z.coerce.number().int().min(1).max(3_650).optional().describe('For how many days; left out, for good'),
  }),
  ...CHANGE_DEFAULTS,
  ...aboutProject,
  deadlineMs: 10_000,
  told: ['project', 'finding', 'reason', 'days'],
  preview: async ({ project, finding, reason, days }, { ports }) => {
    const found = await ports.repositories.findings.get(project, String(finding));
    return {
      what: say('findings.acceptOrder', { finding, project, days: days ?? 0, reason: toPlainName(reason) }),
      change: `${saySeverity(found.severity)}: ${sayFinding(found)}`,
      reach: sayLocation(found) || project,
      undo: say('findings.acceptUndo', { finding, project }),
    };
  },
  run: async ({ project, finding, reason, days }, { ports, actor, actionId, threadId, now }) => {
    const until = days === undefined ? null : new Date(now().getTime() + days * 24 * HOUR_MS);
    const by = { userKey: actor.userKey, actionId, threadId };
    return toDetail(
      await ports.repositories.findings.accept({ project, findingId: String(finding), reason, until, ...by }),
    );
  },
  probe: async ({ project, finding }, { ports, wrote }) =>
    (await wrote())
      ? { kind: 'done', output: toDetail(await ports.repositories.findings.get(project, String(finding))) }
      : { kind: 'not-done' },
  phrases: {
    order: ({ project, finding, reason, days }) =>
      say('findings.acceptOrder', { finding, project, days: days ?? 0, reason: toPlainName(reason) }),
    done: ({ findingId, acceptedReason, acceptedUntil }, { project }) =>
      say('findings.accepted', {
        project,
        finding: findingId,
        reason: toPlainName(acceptedReason ?? ''),
        until: acceptedUntil?.slice(0, 10) ?? 'none',
      }),
  },
}).from(EXPLAINED_ORIGINS);

export const reopenFinding = tool({
  describe: 'Take the acceptance of a finding back, so that it counts as open again.',
  hints: [
    'reopen finding 12 of shop',
    'finding 7 of blog is not acceptable any more',
    'do not ignore finding 3 of shop',
    'open finding 12 of shop again',
    'reopen finding 5',
    'finding 12 of shop counts again',
  ],
  input: z.object({ project: ProjectName, finding: FindingNumber, reason: Reason.optional() }),
  ...CHANGE_DEFAULTS,
  ...aboutProject,
  deadlineMs: 10_000,
  run: async ({ project, finding, reason = '' }, { ports, actor, actionId, threadId }) =>
    toDetail(
      await ports.repositories.findings.reopen({
        project,
        findingId: String(finding),
        reason,
        userKey: actor.userKey,
        actionId,
        threadId,
      }),
    ),
  probe: async ({ project, finding }, { ports, wrote }) =>
    (await wrote())
      ? { kind: 'done', output: toDetail(await ports.repositories.findings.get(project, String(finding))) }
      : { kind: 'not-done' },
  phrases: {
    order: ({ project, finding }) => say('findings.reopenOrder', { finding, project }),
    done: ({ findingId, status }, { project }) => say('findings.reopened', { project, finding: findingId, status }),
  },
}).from(EXPLAINED_ORIGINS);

/** A model's summary: each statement must name findings, which point to code. */
const Summary = z
  .array(
    z.object({
      says: z.string().trim().min(3).max(400).describe('One sentence, in the language of the person'),
      about: z.array(z.number().int().min(1).max(999_999_999)).min(1).max(5).describe('Numbers of its findings'),
    }),
  )
  .max(8)
  .describe(
    'What the findings come to, for whoever reads only this. Read them with list_findings first; left out, none',
  );

export const getFindingsReport = tool({
  describe:
    'Give all findings of the repository of a project as files: a report in Markdown, with a summary when you have read them, and SARIF for other tools.',
  hints: [
    'give me the report of shop',
    'the findings of shop as a file',
    'download the findings of blog',
    'export the findings of shop as sarif',
    'send me the security report of shop',
    'findings of blog as sarif',
    'the report of the findings of shop',
  ],
  input: z.object({ project: ProjectName, summary: Summary.optional() }),
  ...READ_DEFAULTS,
  ...aboutProject,
  deadlineMs: 15_000,
  run: async ({ project, summary: said = [] }, { ports, now }) => {
    await ports.projects.get(project);
    const { findings } = ports.repositories;
    // A single unknown finding refuses the whole report.
    const summary = await Promise.all(
      said.map(async ({ says, about }) => ({
        says,
        findings: await Promise.all(about.map((number) => findings.get(project, String(number)))),
      })),
    );
    const [newest] = await ports.repositories.runs.list(project, 1);
    if (!newest) return { project, files: [] as string[] };
    const about = { project, chain: newest.chain, commit: newest.commitId, summary };
    const files = await createReportFiles(ports, about, now());
    return withFiles({ project, files: files.map(({ name }) => name) }, files);
  },
  phrases: {
    done: ({ project, files }) =>
      files.length === 0
        ? say('findings.neverScanned', { project })
        : say('findings.report', { project, files: files.join(', ') }),
  },
}).from({ project: 'name', files: 'outside' });

function toDetail(finding: Finding) {
  const { project, status, timesReopened, firstCommit, acceptedReason, acceptedUntil } = finding;
  const until = acceptedUntil?.toISOString() ?? null;
  return { ...toShown(finding), project, status, timesReopened, firstCommit, acceptedReason, acceptedUntil: until };
}
