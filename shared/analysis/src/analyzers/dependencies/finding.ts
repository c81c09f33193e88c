import type { RawFinding, Severity } from '@signalbox/contracts/repository/finding';
import { toEvidence } from '../evidence.ts';
import { isDocumentation } from '../kinds-of-files.ts';

interface FindingParts {
  readonly path: string;
  readonly line?: number | undefined;
  readonly severity: Severity;
  readonly evidence?: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly identity?: string;
}

/** Builds a dependency finding; sanitizes all texts that come from the repository. */
export function createFinding(rule: string, parts: FindingParts): RawFinding {
  const { path, line = null, severity, evidence = '', values, identity = '' } = parts;
  return {
    rule,
    path,
    line,
    severity: limitSeverity(path, severity),
    evidence: toEvidence(evidence),
    values: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? toEvidence(value) : value]),
    ),
    identity: identity.slice(0, MAX_IDENTITY_LENGTH),
  };
}

/** Joins the first three names, followed by an ellipsis when there are more. */
export function joinNames(names: readonly string[]): string {
  const some = names.slice(0, SOME).map((name) => name.slice(0, MAX_NAME_LENGTH));
  return names.length > SOME ? `${some.join(', ')} …` : some.join(', ');
}

const SOME = 3;
const MAX_NAME_LENGTH = 60;
const MAX_IDENTITY_LENGTH = 300;

/** Limits the severity in documentation folders to `low`, because a documentation site is not part of the product. */
function limitSeverity(path: string, severity: Severity): Severity {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const isMinor = severity === 'info' || severity === 'low';
  return isDocumentation(`${folder}x`) && !isMinor ? 'low' : severity;
}
