import { createFailure, createOk, type CheckResult } from './finding.ts';

/** The same version as in package.json's `engines` field. */
const MIN_VERSION = [20, 19] as const;

export async function checkNode(): Promise<readonly CheckResult[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const enough = major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]);
  if (enough) return [createOk('Node', process.versions.node)];
  return [createFailure('Node', process.versions.node, `Install Node ${MIN_VERSION.join('.')} or newer.`)];
}
