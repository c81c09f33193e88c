import { toPlainName } from '@signalbox/contracts/plain-name';
import type { UnreadFiles } from '@signalbox/contracts/repository/unread';
import type { ChainResult, ShownFinding } from '@signalbox/contracts/repository/chain-run';
import type { ChainName } from '@signalbox/contracts/repository/chains';
import { say } from '@signalbox/messages/say';
import { findRule, saySeverity } from '../rules/rules.ts';

export function sayFinding({ rule, values }: Pick<ShownFinding, 'rule' | 'values'>): string {
  return findRule(rule)?.say(values) ?? say('findings.goneRule', { rule });
}

/** Returns the location of a finding as Markdown code, `src/main.ts:12`; empty when the finding concerns the whole repository. */
export function sayLocation({ path, line }: Pick<ShownFinding, 'path' | 'line'>): string {
  if (path === '.') return '';
  // An untrusted path must not end the Markdown code or break the line.
  const shown = path.replaceAll(/[`\p{C}]/gu, '\uFFFD');
  return `\`${line === null ? shown : `${shown}:${line}`}\``;
}

export function sayChain(chain: ChainName): string {
  return say('findings.chain', { chain });
}

export function sayFindingItem(finding: ShownFinding): string {
  return say('findings.item', {
    severity: saySeverity(finding.severity),
    sentence: sayFinding(finding),
    place: sayLocation(finding) || 'none',
    number: finding.findingId ?? 'none',
  });
}

/** Names of unread files in a chat; the report has the others. */
const MAX_UNREAD_NAMES = 3;

/** Describes what was not read, with the first names: `2 files that are too large (a.sql, b.json)`. */
export function sayUnread({ why, files, paths }: UnreadFiles): string {
  const names = paths.toSorted((one, other) => Number(MEDIA.test(one)) - Number(MEDIA.test(other)));
  return say('findings.unread', {
    why: why.replaceAll('-', '_'),
    files,
    names: names.slice(0, MAX_UNREAD_NAMES).map(toPlainName).join(', ') || 'none',
    isMore: paths.length > MAX_UNREAD_NAMES,
  });
}

/** Files that nobody expects to have a text; other files are named first. */
const MEDIA = /\.(?:png|jpe?g|gif|ico|webp|avif|bmp|woff2?|ttf|otf|eot|mp[34]|webm|ogg|wav|pdf|zip|gz)$/i;

/** Returns the result of a chain as text. The first line tells what changed since the last run. */
export function sayChainResult(result: ChainResult): string {
  const { project, isDry, problem, facts, total, top, left, unseen } = result;
  const chain = sayChain(result.chain);
  if (result.status !== 'completed')
    return say(result.status === 'stopped' ? 'findings.stopped' : 'findings.failed', {
      chain,
      project,
      problem: problem ?? '',
    });
  const list = top.map((finding) => `- ${sayFindingItem(finding)}`).join('\n');
  return [
    isDry
      ? say('findings.dry', { chain, project, commit: shortCommit(result), total })
      : // Counts only the findings of this chain.
        sayRunSummary({ ...result, counts: result.counts && { ...result.counts, open: total } }),
    facts.map((fact) => `- ${fact}`).join('\n'),
    facts.length > 0 && top.length > 0 ? say('findings.foundTitle') : '',
    list,
    total > top.length ? say('findings.more', { shown: top.length, total, project }) : '',
    ...left.map((one) => say('findings.left', one)),
    unseen.length > 0 ? say('findings.unseen', { what: unseen.join('; ') }) : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Returns one line with what changed since the last completed run and the number of open findings. */
export function sayRunSummary(
  result: Pick<ChainResult, 'project' | 'chain' | 'commit' | 'counts' | 'isFirst'>,
): string {
  const { project, counts, isFirst } = result;
  const { opened, reopened, fixed, open } = counts ?? { opened: 0, reopened: 0, fixed: 0, open: 0 };
  const change = opened + reopened + fixed === 0 ? 'same' : 'changed';
  const kind = isFirst ? 'first' : change;
  return say('findings.summary', {
    project,
    commit: shortCommit(result),
    chain: sayChain(result.chain),
    kind,
    opened,
    reopened,
    fixed,
    open,
  });
}

function shortCommit({ commit }: Pick<ChainResult, 'commit'>): string {
  return commit?.slice(0, 7) ?? '';
}
