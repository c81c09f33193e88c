import { fail, ok, type Finding } from './finding.ts';

/** The `engines` field of package.json. */
const MIN_VERSION = [20, 19] as const;

/** Checks the version of Node. */
export async function checkNode(): Promise<readonly Finding[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const enough = major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]);
  if (enough) return [ok('Node', process.versions.node)];
  return [fail('Node', process.versions.node, `Install Node ${MIN_VERSION.join('.')} or newer.`)];
}
