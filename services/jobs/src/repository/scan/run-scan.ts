import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@signalbox/contracts/system-error';
import { z } from 'zod';
import { killGroup } from '../../drivers/process/process-table.ts';
import type { AdvisorySource } from '../advisories/advisory-source.ts';
import type { ScanCell } from '../../sandbox/scan-room.ts';
import type { ScanAnswer, ScanRequest } from './request.ts';

const MEMORY_MB = 2_048;
const STDERR_LIMIT = 2_000;
/** What bubblewrap says of a program that got SIGKILL. */
const KILLED = 128 + 9;

export interface RunScanOptions {
  readonly cell: ScanCell | null;
  readonly signal: AbortSignal;
  /** Asked by the scan, which has no connection itself. */
  readonly advisories?: AdvisorySource | null;
}

/** Somebody ended the process of a scan, which says nothing about what it read. */
export class ScanKilled extends Error {}

/** Scans in a process of its own, locked into a cell where the machine can. Throws what it died of, ScanKilled, and the signal's reason. */
export async function runScan(
  request: Omit<ScanRequest, 'advisories'>,
  { cell, signal, advisories = null }: RunScanOptions,
): Promise<Extract<ScanAnswer, { outcome: 'done' }>> {
  signal.throwIfAborted();
  const [program = '', ...words] = [...(cell?.words(request.dir) ?? []), ...programWords()];
  const child = spawn(program, words, {
    cwd: '/',
    // Nothing of the service's environment.
    env: { PATH: request.path, LANG: 'C.UTF-8', ...(cell?.libraryPath ? { LD_LIBRARY_PATH: cell.libraryPath } : {}) },
    detached: true, // a group of its own, so that git ends with it
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const kill = (): void => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said = (said + bytes.toString('utf8')).slice(-STDERR_LIMIT)));
  // It may end before it has read all of it; its own end tells why.
  const filter = child.stdio[3] as NodeJS.WritableStream; // a pipe, by the options above
  for (const pipe of [child.stdin, filter]) pipe.on('error', () => undefined);
  filter.end(cell?.filter ?? '');
  // It stays open: by its end a scan knows that this process has died.
  child.stdin.write(`${JSON.stringify({ ...request, advisories: advisories?.describe() ?? null })}\n`);
  try {
    const closed = new Promise<[number | null, string | null]>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, name) => resolve([code, name]));
    });
    const [output, [code, killedBy]] = await Promise.all([converse(child, advisories), closed]);
    signal.throwIfAborted();
    const answer = parseJson(output) as ScanAnswer | undefined; // our own program wrote it, or nothing
    if (answer?.outcome === 'done') return answer;
    if (killedBy === 'SIGKILL' || code === KILLED) throw new ScanKilled('the scan was killed');
    const problem = answer?.outcome === 'failed' ? answer.problem : null;
    throw new Error(problem ?? `the scan ended with ${code ?? killedBy}: ${said.trim()}`);
  } finally {
    signal.removeEventListener('abort', kill);
    killGroup(child);
  }
}

/** What a scan may ask: it reads texts of strangers, so its questions are read like theirs. */
const Question = z.object({
  outcome: z.literal('asks'),
  packages: z
    .array(
      z.object({
        ecosystem: z.enum(['npm', 'PyPI', 'Go', 'crates.io']),
        name: z.string().max(1_000),
        version: z.string().max(1_000),
      }),
    )
    .max(100_000),
});

/** Answers the questions of a scan until its last line, which is what it came to. */
async function converse(child: ChildProcessWithoutNullStreams, advisories: AdvisorySource | null): Promise<string> {
  let last = '';
  for await (const line of createInterface({ input: child.stdout })) {
    last = line;
    const question =
      advisories !== null && line.startsWith('{"outcome":"asks"') ? Question.safeParse(parseJson(line)) : null;
    if (!advisories || !question) continue;
    const answer = question.success
      ? await advisories.find(question.data.packages)
      : { outcome: 'unavailable', reason: 'the question was in another form' };
    child.stdin.write(`${JSON.stringify(answer)}\n`);
  }
  return last;
}

/** The program as the service itself is run: from its sources with a loader, or from what was built of them. */
function programWords(): readonly string[] {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(isSource ? './program.ts' : './program.js', import.meta.url));
  const loader = isSource ? ['--conditions=source', `--import=${import.meta.resolve('tsx')}`] : [];
  return [process.execPath, `--max-old-space-size=${MEMORY_MB}`, ...loader, file];
}
