import type { RawFinding } from '@signalbox/contracts/repository/finding';
import { findRule } from '../rules/rules.ts';
import type { UnreadFiles } from '@signalbox/contracts/repository/unread';
import { sayFinding, sayUnread } from './say-findings.ts';

export interface ExportedFinding extends Omit<RawFinding, 'identity'> {
  readonly fingerprint: string;
  readonly status: 'open' | 'accepted' | 'fixed';
  readonly acceptedReason: string | null;
}

const LEVEL = { info: 'note', low: 'note', medium: 'warning', high: 'error', critical: 'error' } as const;
/** Scores by severity. GitHub code scanning shows critical above 9, high from 7, medium from 4. */
const SECURITY_SEVERITY = { info: '0.0', low: '2.0', medium: '5.0', high: '8.0', critical: '9.5' } as const;

/** Converts findings to SARIF 2.1.0 (OASIS) for code scanning tools. Accepted findings are suppressed with their reason. */
export function toSarif(
  project: string,
  findings: readonly ExportedFinding[],
  unread: readonly UnreadFiles[] = [],
): object {
  const rules = [...new Set(findings.map(({ rule }) => rule))].toSorted();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Signalbox', rules: rules.map(describeRule) } },
        automationDetails: { id: `signalbox/${project}` },
        invocations: [{ executionSuccessful: true, toolExecutionNotifications: unread.map(toNotification) }],
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => toResult(finding, rules.indexOf(finding.rule))),
      },
    ],
  };
}

function toNotification(unread: UnreadFiles): object {
  const locations = unread.paths.map((path) => ({ physicalLocation: { artifactLocation: locate(path) } }));
  return {
    descriptor: { id: unread.why },
    level: 'warning',
    message: { text: sayUnread({ ...unread, paths: [] }) },
    locations,
  };
}

function locate(path: string): object {
  return { uri: path.split('/').map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' };
}

function describeRule(id: string): object {
  const help = findRule(id)?.why() ?? id;
  return { id, shortDescription: { text: id }, help: { text: help } };
}

function toResult(finding: ExportedFinding, ruleIndex: number): object {
  const { rule, severity, path, line, fingerprint, status, acceptedReason } = finding;
  return {
    ruleId: rule,
    ruleIndex,
    level: LEVEL[severity],
    message: { text: sayFinding(finding) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: locate(path),
          ...(line === null ? {} : { region: { startLine: line } }),
        },
      },
    ],
    partialFingerprints: { 'signalbox/v1': fingerprint },
    ...(status === 'accepted' ? { suppressions: [{ kind: 'external', justification: acceptedReason ?? '' }] } : {}),
    properties: { 'security-severity': SECURITY_SEVERITY[severity] },
  };
}
