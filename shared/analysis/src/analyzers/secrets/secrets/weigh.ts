import type { Severity } from '@signalbox/contracts/repository/finding';
import { isDocumentation, isExample, isTest } from '../../kinds-of-files.ts';
import { lessen } from '../../problem.ts';
import type { Secret } from './secret.ts';

/** Places that only developers use. */
const DEVELOPMENT =
  /(?:^|[/._-])(?:dev|devel|development|local|localhost|docker-compose|compose|vagrant|devcontainer|sandbox|playground)(?:[/._-]|$)/i;

/** Keys that stand in pages and apps by design: what they may do is limited where they were made. */
const FOR_BROWSERS = new Set(['gcp-key', 'mapbox-token']);
/** Whoever has one acts as its owner in a whole account. */
const WHOLE_ACCOUNT = new Set([
  'aws-key',
  'aws-secret',
  'azure-key',
  'azure-secret',
  'gcp-oauth',
  'github-token',
  'stripe-key',
  'npm-token',
  'pypi-token',
]);

/** How much a secret matters at its place. */
export function weigh(path: string, { rule, kind, value, certainty }: Secret): Severity {
  const severity = SEVERITY_OF[rule] ?? ofCredential(kind, value);
  if (isTest(path)) return rule === 'private-key' ? 'info' : 'low';
  if (isExample(path) || isDocumentation(path)) return rule === 'private-key' ? 'low' : lessen(lessen(severity));
  return DEVELOPMENT.test(path) && certainty === 'name' ? 'low' : severity;
}

const SEVERITY_OF: Readonly<Partial<Record<Secret['rule'], Severity>>> = {
  'private-key': 'critical',
  'url-password': 'high',
  'env-value': 'high',
  hardcoded: 'medium',
};

function ofCredential(kind: string, value: string): Severity {
  if (FOR_BROWSERS.has(kind) || kind === 'jwt') return 'medium';
  if (/^[sr]k_test_/.test(value)) return 'low';
  return WHOLE_ACCOUNT.has(kind) ? 'critical' : 'high';
}
