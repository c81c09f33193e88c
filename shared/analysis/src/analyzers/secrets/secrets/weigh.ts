import type { Severity } from '@signalbox/contracts/repository/finding';
import { isDocumentation, isExample, isTest } from '../../kinds-of-files.ts';
import { lessen } from '../../problem.ts';
import type { Secret } from './secret.ts';

/** Paths that only developers use. */
const DEVELOPMENT =
  /(?:^|[/._-])(?:dev|devel|development|local|localhost|docker-compose|compose|vagrant|devcontainer|sandbox|playground)(?:[/._-]|$)/i;

/** Keys that are public by design; their issuer limits the use. */
const FOR_BROWSERS = new Set(['gcp-key', 'mapbox-token']);
/** Kinds that grant access to a whole account. */
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

/** Returns the severity of a secret by its kind and path. */
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
