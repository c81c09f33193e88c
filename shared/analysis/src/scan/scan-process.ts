import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@signalbox/contracts/system-error';
import { SECOND_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import { killGroup } from '@signalbox/contracts/process-group';
import type { AdvisoryAnswer, AdvisorySource } from '../advisory-source.ts';
import type { ScanAnswer, ScanDone, ScanOpening, ScanPlace, ScanRequest } from './request.ts';

const MEMORY_MB = 2_048;
const MAX_STDERR_LENGTH = 2_000;
/** What bubblewrap says of a program that got SIGKILL. */
const KILLED = 128 + 9;

/** The sandbox in which a scan runs. */
export interface ScanCell {
  /** The words before the program's own, for a scan of this mirror; the first is the program that is started. */
  words(mirror: string): readonly string[];
  /** The filter of system calls, which the program reads from its fourth file descriptor. */
  readonly filter: Buffer;
  readonly libraryPath: string | null;
}

export interface ScanProcessOptions {
  readonly cell: ScanCell | null;
  readonly signal: AbortSignal;
  /** Asked by the scan, which has no connection itself. */
  readonly advisories?: AdvisorySource | null;
  /** How long one file may be read. Default: FILE_MS. */
  readonly fileMs?: number;
  /** Words for Node besides. */
  readonly nodeWords?: readonly string[];
}

/** A file of a megabyte takes a second or two, on a busy machine some more. No timer of its own process interrupts a pattern. */
const FILE_MS = 30 * SECOND_MS;

/** A file was read for too long, so its process was ended. */
export class ScanTooSlow extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`reading ${path} took too long`);
    this.path = path;
  }
}

/** Somebody ended the process of a scan, which says nothing about what it read. */
export class ScanKilled extends Error {}

/** Scans a commit in a process of its own, locked into a cell where the machine can. It starts at once, reads when it is opened, and ends when it is closed. */
export class ScanProcess {
  readonly #place: ScanPlace;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #advisories: AdvisorySource | null;
  readonly #signal: AbortSignal;
  readonly #lines: AsyncIterator<string>;
  readonly #closed: Promise<readonly [code: number | null, signal: string | null]>;
  readonly #fileMs: number;
  #said = '';
  /** What is being read, and the timer that ends it. */
  #reading: { readonly path: string; readonly timer: NodeJS.Timeout; isSlow: boolean } | null = null;

  /** Throws the signal's reason. Its standard input stays open: by its end a scan knows that this process has died. */
  constructor(place: ScanPlace, options: ScanProcessOptions) {
    const { cell, signal, advisories = null, fileMs = FILE_MS, nodeWords = [] } = options;
    signal.throwIfAborted();
    this.#place = place;
    this.#advisories = advisories;
    this.#fileMs = fileMs;
    this.#signal = signal;
    const [program = '', ...words] = [...(cell?.words(place.dir) ?? []), ...programWords(nodeWords)];
    const child = spawn(program, words, {
      cwd: '/',
      // Nothing of the service's environment.
      env: { PATH: place.path, LANG: 'C.UTF-8', ...(cell?.libraryPath ? { LD_LIBRARY_PATH: cell.libraryPath } : {}) },
      detached: true, // a group of its own, so that git ends with it
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    signal.addEventListener('abort', this.close, { once: true });
    child.stderr.on(
      'data',
      (bytes: Buffer) => (this.#said = (this.#said + bytes.toString('utf8')).slice(-MAX_STDERR_LENGTH)),
    );
    // It may end before it has read all of it; its own end tells why.
    const filter = child.stdio[3] as NodeJS.WritableStream; // a pipe, by the options above
    for (const pipe of [child.stdin, filter]) pipe.on('error', () => undefined);
    filter.end(cell?.filter ?? '');
    this.#closed = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, killedBy) => resolve([code, killedBy]));
    });
    this.#closed.catch(() => undefined); // the caller of a scan gets the error
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** Opens a commit of the mirror: once, before anything is scanned. */
  open(opening: Omit<ScanOpening, keyof ScanPlace | 'advisories'>): void {
    this.#write({ ...this.#place, ...opening, advisories: this.#advisories?.describe() ?? null });
  }

  /** Scans with these analyzers; one at a time. Throws what the process died of, ScanTooSlow, ScanKilled, and the signal's reason. */
  async scan(analyzers: readonly string[]): Promise<ScanDone> {
    this.#write({ analyzers });
    for (;;) {
      const { done, value: line } = await this.#lines.next();
      this.#signal.throwIfAborted();
      if (done === true && this.#reading?.isSlow) throw new ScanTooSlow(this.#reading.path);
      if (done === true) {
        const [code, killedBy] = await this.#closed;
        if (killedBy === 'SIGKILL' || code === KILLED) throw new ScanKilled('the scan was killed');
        throw new Error(`the scan ended with ${code ?? killedBy}: ${this.#said.trim()}`);
      }
      const answer = parseJson(line) as ScanAnswer | undefined; // our own program wrote it, or nothing
      if (answer?.outcome === 'reads') {
        this.#watch(answer.path);
        continue;
      }
      if (answer?.outcome === 'done') return answer;
      if (answer?.outcome !== 'asks' || !this.#advisories)
        throw new Error(answer?.outcome === 'failed' ? answer.problem : `the scan says ${line.slice(0, 200)}`);
      const question = Question.safeParse(answer);
      this.#write(
        question.success
          ? await this.#advisories.find(question.data.packages)
          : { outcome: 'unavailable', reason: 'the question was in another form' },
      );
    }
  }

  #watch(path: string | null): void {
    clearTimeout(this.#reading?.timer);
    this.#reading = null;
    if (typeof path !== 'string') return;
    const slow = (): void => {
      if (this.#reading) this.#reading.isSlow = true;
      killGroup(this.#child);
    };
    this.#reading = { path, timer: setTimeout(slow, this.#fileMs), isSlow: false };
  }

  readonly close = (): void => {
    clearTimeout(this.#reading?.timer);
    this.#signal.removeEventListener('abort', this.close);
    killGroup(this.#child);
  };

  #write(line: ScanOpening | ScanRequest | AdvisoryAnswer): void {
    this.#child.stdin.write(`${JSON.stringify(line)}\n`);
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

/** The program as the service itself is run: from its sources with a loader, or from what was built of them. */
function programWords(nodeWords: readonly string[]): readonly string[] {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(isSource ? './program.ts' : './program.js', import.meta.url));
  const loader = isSource ? ['--conditions=source', `--import=${import.meta.resolve('tsx')}`] : [];
  return [process.execPath, `--max-old-space-size=${MEMORY_MB}`, ...nodeWords, ...loader, file];
}
