import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { VERSION } from '@signalbox/platform/version';

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));
const GIT_TIMEOUT_MS = 2_000;

/** The running release and, in a git checkout, its commit. Never throws. */
export async function describeVersion(): Promise<{ readonly version: string; readonly commit: string | null }> {
  const words = ['-C', CHECKOUT, 'rev-parse', '--show-prefix', '--short=12', 'HEAD'];
  // Empty without git or in an image. A prefix means that the checkout belongs to an outer repository.
  const answer = await promisify(execFile)('git', words, { timeout: GIT_TIMEOUT_MS }).catch(() => ({ stdout: '' }));
  const [prefix, commit = ''] = answer.stdout.split('\n');
  return { version: VERSION, commit: prefix === '' && commit !== '' ? commit : null };
}
