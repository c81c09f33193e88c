import { once } from 'node:events';
import { killGroup } from '@signalbox/contracts/process-group';
import { startGit, type Mirror } from './start-git.ts';

const MAX_STDERR_LENGTH = 2_000;

/** Yields the output of git in pieces, split at the byte `cutAt` (default NUL). Throws with the text of stderr when git fails. */
export async function* streamGitPieces(
  mirror: Mirror,
  words: readonly string[],
  { input, cutAt = '\0' }: { readonly input?: string; readonly cutAt?: '\0' | '\n' } = {},
): AsyncGenerator<string> {
  const { dir, path, signal } = mirror;
  const child = startGit({ path, home: dir }, ['-C', dir, ...words], { takesInput: input !== undefined });
  const kill = (): void => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  let stderr = '';
  child.stderr?.on('data', (bytes: Buffer) => (stderr = (stderr + bytes.toString('utf8')).slice(-MAX_STDERR_LENGTH)));
  const closed = once(child, 'close') as Promise<[number | null]>; // Node documents these arguments of `close`
  try {
    child.stdin?.on('error', () => undefined); // When git ends early, its exit code tells
    child.stdin?.end(input);
    let rest = '';
    const decoder = new TextDecoder();
    const output = child.stdout as AsyncIterable<Buffer>; // The stream has no encoding, so it yields buffers
    for await (const bytes of output) {
      const pieces = (rest + decoder.decode(bytes, { stream: true })).split(cutAt);
      rest = pieces.pop() ?? '';
      yield* pieces;
    }
    rest += decoder.decode();
    if (rest !== '') yield rest;
    const [code] = await closed;
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`git ${words[0] ?? ''} ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
  } finally {
    signal.removeEventListener('abort', kill);
    if (child.exitCode === null) killGroup(child);
  }
}
