import { fail, ok, type Finding } from './finding.ts';

/** The `engines` field of package.json. */
const LOWEST = [20, 19] as const;

/** Whether this Node is new enough. */
export async function checkNode(): Promise<readonly Finding[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const enough = major > LOWEST[0] || (major === LOWEST[0] && minor >= LOWEST[1]);
  if (enough) return [ok('Node', process.versions.node)];
  return [fail('Node', process.versions.node, `Install Node ${LOWEST.join('.')} or newer.`)];
}
