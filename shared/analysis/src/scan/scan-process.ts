import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@signalbox/contracts/system-error';
import { SECOND_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import { killGroup } from '@signalbox/contracts/process-group';
import type { AdvisoryAnswer, AdvisorySource } from '../advisory-source.ts';
import type { ScanAnswer, ScanDone, ScanSetup, ScanLocation, ScanRequest } from './request.ts';

const MEMORY_MB = 2_048;
const MAX_STDERR_LENGTH = 2_000;
/** The exit code of bubblewrap when its program got SIGKILL. */
const KILLED = 128 + 9;

export interface ScanSandbox {
  /** Command line before the program's own, for a scan of this mirror; the first word is the program. */
  words(mirror: string): readonly string[];
  /** System call filter, which the program reads from file descriptor 3. */
  readonly filter: Buffer;
  readonly libraryPath: string | null;
}

export interface ScanProcessOptions {
  readonly cell: ScanSandbox | null;
  readonly signal: AbortSignal;
  /** Answers questions of the scan, which has no connection itself. */
  readonly advisories?: AdvisorySource | null;
  /** Time limit for one file. Default: FILE_MS. */
  readonly fileMs?: number;
  /** Additional arguments of Node. */
  readonly nodeWords?: readonly string[];
}

/**
 * Time limit for one file; a megabyte takes about two seconds. The parent enforces the limit, because no timer interrupts a running
 * pattern.
 */
const FILE_MS = 30 * SECOND_MS;

/** Thrown when reading a file took too long and the process was killed. */
export class ScanTooSlow extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`reading ${path} took too long`);
    this.path = path;
  }
}

/** Thrown when something else killed the process, which says nothing about the repository. */
export class ScanKilled extends Error {}

/** Scans a commit in a process of its own, in a sandbox where the machine supports one. It starts at once; `open` gives it a commit. */
export class ScanProcess {
  readonly #place: ScanLocation;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #advisories: AdvisorySource | null;
  readonly #signal: AbortSignal;
  readonly #lines: AsyncIterator<string>;
  readonly #closed: Promise<readonly [code: number | null, signal: string | null]>;
  readonly #fileMs: number;
  #said = '';
  /** Current file with its time limit. */
  #reading: { readonly path: string; readonly timer: NodeJS.Timeout; isSlow: boolean } | null = null;

  /** Throws the signal's reason. Stdin stays open until `close`, so that a scan notices the death of its parent. */
  constructor(place: ScanLocation, options: ScanProcessOptions) {
    const { cell, signal, advisories = null, fileMs = FILE_MS, nodeWords = [] } = options;
    signal.throwIfAborted();
    this.#place = place;
    this.#advisories = advisories;
    this.#fileMs = fileMs;
    this.#signal = signal;
    const [program = '', ...words] = [...(cell?.words(place.dir) ?? []), ...programWords(nodeWords)];
    const child = spawn(program, words, {
      cwd: '/',
      // Passes nothing of the service's environment.
      env: { PATH: place.path, LANG: 'C.UTF-8', ...(cell?.libraryPath ? { LD_LIBRARY_PATH: cell.libraryPath } : {}) },
      detached: true, // Own process group, so that git ends too
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    signal.addEventListener('abort', this.close, { once: true });
    child.stderr.on(
      'data',
      (bytes: Buffer) => (this.#said = (this.#said + bytes.toString('utf8')).slice(-MAX_STDERR_LENGTH)),
    );
    // The program may end before it reads everything; its exit code says why.
    const filter = child.stdio[3] as NodeJS.WritableStream; // a pipe, by the options above
    for (const pipe of [child.stdin, filter]) pipe.on('error', () => undefined);
    filter.end(cell?.filter ?? '');
    this.#closed = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, killedBy) => resolve([code, killedBy]));
    });
    this.#closed.catch(() => undefined); // The caller of `scan` gets the error
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** Opens a commit of the mirror. Called once, before `scan`. */
  open(opening: Omit<ScanSetup, keyof ScanLocation | 'advisories'>): void {
    this.#write({ ...this.#place, ...opening, advisories: this.#advisories?.describe() ?? null });
  }

  /** Scans with these analyzers. One call at a time. Throws ScanTooSlow, ScanKilled, the failure of the process, or the signal's reason. */
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
      const answer = parseJson(line) as ScanAnswer | undefined; // Written by our own program, or invalid
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

  #write(line: ScanSetup | ScanRequest | AdvisoryAnswer): void {
    this.#child.stdin.write(`${JSON.stringify(line)}\n`);
  }
}

/** A question of the scan, which is untrusted because the scan reads untrusted texts. */
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

/** Returns the command of the scan program: source files with a loader, or built files, as the service itself runs. */
function programWords(nodeWords: readonly string[]): readonly string[] {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(isSource ? './program.ts' : './program.js', import.meta.url));
  const loader = isSource ? ['--conditions=source', `--import=${import.meta.resolve('tsx')}`] : [];
  return [process.execPath, `--max-old-space-size=${MEMORY_MB}`, ...nodeWords, ...loader, file];
}
