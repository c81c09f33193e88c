import type { ChainName } from '@signalbox/contracts/repository/chains';
import { toPlainName } from '@signalbox/contracts/plain-name';
import type { ChainResult } from '@signalbox/contracts/repository/chain-run';
import type { UnreadFiles } from '@signalbox/contracts/repository/unread';
import { say } from '@signalbox/messages/say';
import { findRule, saySeverity } from '../rules/rules.ts';
import { sayChain, sayFinding, sayLocation, sayRunSummary, sayUnread } from './say-findings.ts';
import type { ExportedFinding } from './sarif.ts';

export interface ReportContent {
  readonly project: string;
  readonly commit: string | null;
  readonly now: Date;
  readonly open: readonly ReportedFinding[];
  readonly accepted: readonly ReportedFinding[];
  /** Summary written by a model; each sentence refers to findings. */
  readonly summary?: readonly SummarySentence[];
  /** Files that the newest chain run did not read. */
  readonly unread?: readonly UnreadFiles[];
  /** Chain runs, newest first. */
  readonly runs: readonly {
    readonly chain: ChainName;
    readonly status: string;
    readonly commitId: string | null;
    readonly counts: ChainResult['counts'];
    readonly finishedAt: Date | null;
  }[];
}

export type ReportedFinding = Pick<
  ExportedFinding,
  'rule' | 'severity' | 'path' | 'line' | 'evidence' | 'values' | 'acceptedReason'
> & { readonly findingId: string | null };

export interface SummarySentence {
  readonly says: string;
  readonly findings: readonly ReportedFinding[];
}

/** Returns a report in Markdown. The line after the title tells what changed in the last run. */
export function sayReport(content: ReportContent): string {
  const { project, commit, now, open, accepted, summary = [], unread = [], runs } = content;
  const done = runs.filter(({ status }) => status === 'completed');
  const [newest] = done;
  const isFirst = newest !== undefined && !done.some((run) => run !== newest && run.chain === newest.chain);
  const part = (title: string, findings: readonly ReportedFinding[]): string =>
    findings.length === 0 ? '' : `## ${title}\n\n${findings.map(describe).join('\n')}`;
  return `${[
    `# ${say('findings.reportTitle', { project })}`,
    newest
      ? sayRunSummary({ project, chain: newest.chain, commit: newest.commitId, counts: newest.counts, isFirst })
      : '',
    say('findings.reportMade', { at: now.toISOString().slice(0, 10), commit: commit?.slice(0, 12) ?? '–' }),
    summary.length === 0
      ? ''
      : `## ${say('findings.summaryTitle')}\n\n${say('findings.summaryBy')}\n\n${summary.map(describeSentence).join('\n')}`,
    open.length === 0 ? say('findings.none', { project, status: 'open' }) : '',
    part(say('findings.openTitle', { count: open.length }), open),
    part(say('findings.acceptedTitle', { count: accepted.length }), accepted),
    ...unread.map(describeUnread),
    runs.length === 0 ? '' : `## ${say('findings.runsTitle')}\n\n${runs.map(describeRun).join('\n')}`,
  ]
    .filter((text) => text !== '')
    .join('\n\n')}\n`;
}

function describe(finding: ReportedFinding): string {
  const { rule, severity, evidence, findingId, acceptedReason } = finding;
  const place = sayLocation(finding);
  const number = findingId === null ? '' : ` (#${findingId})`;
  return [
    `- **${saySeverity(severity)}**${place === '' ? '' : ` ${place}`}${number}: ${oneLine(sayFinding(finding))}`,
    ...(evidence === '' ? [] : [`  > \`${oneLine(evidence).replaceAll('`', '\u02cb')}\``]),
    ...(acceptedReason === null ? [`  ${oneLine(findRule(rule)?.why() ?? '')}`] : [`  ${oneLine(acceptedReason)}`]),
  ].join('\n');
}

function describeUnread(unread: UnreadFiles): string {
  const names = unread.paths.map((path) => `- ${oneLine(toPlainName(path))}`);
  const isCut = unread.why !== 'vendored' && unread.files > unread.paths.length && names.length > 0;
  const title = say('findings.unseen', { what: sayUnread({ ...unread, paths: [] }) });
  return [title, [...names, ...(isCut ? ['- …'] : [])].join('\n')].filter((part) => part !== '').join('\n\n');
}

function describeSentence({ says, findings }: SummarySentence): string {
  const about = findings.map((one) => [`#${one.findingId}`, sayLocation(one)].filter(Boolean).join(' '));
  return `- ${toPlainName(says)} (${about.join(', ')})`;
}

function describeRun({ chain, status, commitId, counts, finishedAt }: ReportContent['runs'][number]): string {
  const at = finishedAt?.toISOString().slice(0, 16).replace('T', ' ') ?? '–';
  const { opened = 0, reopened = 0, fixed = 0 } = counts ?? {};
  return `- ${at} ${sayChain(chain)} \`${commitId?.slice(0, 7) ?? '–'}\`: ${say('findings.runLine', { status, opened, reopened, fixed })}`;
}

/** Joins untrusted text to one line, so that it cannot start a Markdown block. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
