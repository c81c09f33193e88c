import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@signalbox/contracts/system-error';
import { SECOND_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import { killGroup } from '@signalbox/contracts/process-group';
import { ECOSYSTEMS, type AdvisoryAnswer, type AdvisorySource } from '../advisory-source.ts';
import type { ScanAnswer, ScanDone, ScanSetup, ScanLocation, ScanRequest } from './request.ts';

const MEMORY_MB = 2_048;
const MAX_STDERR_LENGTH = 2_000;
/** Exit code of bubblewrap when the sandboxed program was killed with SIGKILL. */
const KILLED = 128 + 9;

export interface ScanSandbox {
  /** Returns the command that starts a program in a sandbox with access to this mirror; the program's own command line follows. */
  words(mirror: string): readonly string[];
  /** System call filter, which the sandbox program reads from file descriptor 3. */
  readonly filter: Buffer;
  readonly libraryPath: string | null;
}

export interface ScanProcessOptions {
  readonly cell: ScanSandbox | null;
  readonly signal: AbortSignal;
  /** Advisory source for questions of the scan, which has no network. */
  readonly advisories?: AdvisorySource | null;
  /** Time limit for reading one file. Default: FILE_MS. */
  readonly fileMs?: number;
  /** Additional command line arguments for Node. */
  readonly nodeWords?: readonly string[];
}

/**
 * Time limit for reading one file; a megabyte takes about two seconds. The parent enforces the limit, because no timer interrupts a
 * running pattern.
 */
const FILE_MS = 30 * SECOND_MS;

/** Thrown when reading a file took too long, so that the process was killed. */
export class ScanTooSlow extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`reading ${path} took too long`);
    this.path = path;
  }
}

/** Thrown when the process was killed from outside, for example for lack of memory. */
export class ScanKilled extends Error {}

/** Scans a commit in a separate process, in a sandbox if the machine supports one. `open` gives the started process a commit. */
export class ScanProcess {
  readonly #place: ScanLocation;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #advisories: AdvisorySource | null;
  readonly #signal: AbortSignal;
  readonly #lines: AsyncIterator<string>;
  readonly #closed: Promise<readonly [code: number | null, signal: string | null]>;
  readonly #fileMs: number;
  #said = '';
  /** The file that the process is reading, with its timer. */
  #reading: { readonly path: string; readonly timer: NodeJS.Timeout; isSlow: boolean } | null = null;

  /** Throws the signal's reason. Stdin stays open until `close`, so that the scan process ends when its parent dies. */
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
      // Passes no environment variables of the service.
      env: { PATH: place.path, LANG: 'C.UTF-8', ...(cell?.libraryPath ? { LD_LIBRARY_PATH: cell.libraryPath } : {}) },
      detached: true, // A process group of its own, so that git ends too
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    signal.addEventListener('abort', this.close, { once: true });
    child.stderr.on(
      'data',
      (bytes: Buffer) => (this.#said = (this.#said + bytes.toString('utf8')).slice(-MAX_STDERR_LENGTH)),
    );
    // The program may end before it has read the whole filter; its exit code tells why.
    const filter = child.stdio[3] as NodeJS.WritableStream; // `stdio` above makes this a pipe
    for (const pipe of [child.stdin, filter]) pipe.on('error', () => undefined);
    filter.end(cell?.filter ?? '');
    this.#closed = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, killedBy) => resolve([code, killedBy]));
    });
    this.#closed.catch(() => undefined); // The caller of `scan` gets the error
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** Opens a commit of the mirror. Must be called once, before `scan`. */
  open(opening: Omit<ScanSetup, keyof ScanLocation | 'advisories'>): void {
    this.#write({ ...this.#place, ...opening, advisories: this.#advisories?.describe() ?? null });
  }

  /** Scans with these analyzers; callers wait for the previous call. Throws ScanTooSlow, ScanKilled or the signal's reason. */
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
      const answer = parseJson(line) as ScanAnswer | undefined; // The scan program writes this line, but it may be invalid
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

/** A question of the scan process, which is untrusted because it reads untrusted texts. */
const Question = z.object({
  outcome: z.literal('asks'),
  packages: z
    .array(
      z.object({
        ecosystem: z.enum(ECOSYSTEMS),
        name: z.string().max(1_000),
        version: z.string().max(1_000),
      }),
    )
    .max(100_000),
});

/** Returns the command of the scan program: TypeScript sources with a loader, or built files, whichever the service itself runs from. */
function programWords(nodeWords: readonly string[]): readonly string[] {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(isSource ? './program.ts' : './program.js', import.meta.url));
  const loader = isSource ? ['--conditions=source', `--import=${import.meta.resolve('tsx')}`] : [];
  return [process.execPath, `--max-old-space-size=${MEMORY_MB}`, ...nodeWords, ...loader, file];
}
