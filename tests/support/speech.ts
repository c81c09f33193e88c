import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { loadTestConfig } from './config.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Real speech: a synthesizer and a recognizer of Debian, which know nothing of each other but the sound. */
export interface Speech {
  /** A recording of these words as Telegram's clients make them: Opus in Ogg. */
  speak(words: string): Promise<Buffer>;
  /** A WAV file of these words in the language's voice, by another synthesizer: `de`. */
  synthesize(words: string, language: string): Promise<Buffer>;
  /** A recording without words, of so many seconds. */
  silence(seconds: number): Promise<Buffer>;
  /** What the recognizer hears in a recording, with the whole vocabulary of its model. Rejects when it can read none. */
  recognize(recording: Uint8Array): Promise<string>;
}

const PACKAGES = ['espeak-ng', 'flite', 'opus-tools', 'pocketsphinx', 'pocketsphinx-en-us'];
const PROGRAMS = ['espeak-ng', 'flite', 'opusenc', 'opusdec', 'pocketsphinx_continuous'];
const INSTALL_DEADLINE_MS = 4 * 60_000;
const RUN_DEADLINE_MS = 30_000;
/** What the recognizer's model was made of. */
const RATE = 16_000;

const run = promisify(execFile);

/** Finds the programs, or installs Debian's as root. Null, and said aloud, where they cannot be had; in CI that is a failure. */
export async function locateSpeech(suite: string): Promise<Speech | null> {
  const { path, ci } = loadTestConfig();
  const missing = (): readonly string[] =>
    PROGRAMS.filter((name) => !path.split(delimiter).some((folder) => existsSync(join(folder, name))));
  const problem = missing().length > 0 ? install() : null;
  const absent = missing();
  if (absent.length === 0) return openSpeech();
  const reason = `${absent.join(', ')} missing: apt-get install ${PACKAGES.join(' ')}${problem === null ? '' : ` (${problem})`}`;
  if (ci) throw new Error(`${suite} is not tested: ${reason}`);
  console.warn(`\nNOT RUN: ${suite}. ${reason}\n`);
  return null;
}

/** How many of these words are heard in the right order, from 0 to 1: a recognizer may take a word for another. */
export function likeness(said: string, heard: string): number {
  const [a, b] = [wordsOf(said), wordsOf(heard)];
  const common = a.map(() => b.map(() => 0));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (const [i, word] of a.entries())
    for (const [j, other] of b.entries()) {
      const row = common[i] ?? [];
      row[j] = word === other ? at(i - 1, j - 1) + 1 : Math.max(at(i - 1, j), at(i, j - 1));
    }
  return at(a.length - 1, b.length - 1) / Math.max(a.length, b.length);
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function openSpeech(): Speech {
  const folder = makeTemporaryFolder('speech');
  let files = 0;
  const nameFile = (): string => join(folder, String((files += 1)));
  const start = (program: string, ...words: readonly string[]) =>
    run(program, [...words], { timeout: RUN_DEADLINE_MS, maxBuffer: 1_000_000 });
  const encode = async (wave: string): Promise<Buffer> => {
    await start('opusenc', '--quiet', wave, `${wave}.ogg`);
    return readFile(`${wave}.ogg`);
  };
  return {
    speak: async (words) => {
      const wave = `${nameFile()}.wav`;
      await start('flite', '-voice', 'slt', '-t', words, '-o', wave);
      return encode(wave);
    },
    synthesize: async (words, language) => {
      const wave = `${nameFile()}.wav`;
      await start('espeak-ng', '-v', language, '-w', wave, '--', words);
      return readFile(wave);
    },
    silence: async (seconds) => {
      const wave = `${nameFile()}.wav`;
      await writeFile(wave, waveOf(Buffer.alloc(seconds * RATE * 2)));
      return encode(wave);
    },
    recognize: async (recording) => {
      const file = nameFile();
      await writeFile(`${file}.ogg`, recording);
      await start('opusdec', '--quiet', '--rate', String(RATE), `${file}.ogg`, `${file}.wav`);
      const { stdout } = await start('pocketsphinx_continuous', '-infile', `${file}.wav`, '-logfn', '/dev/null');
      return stdout.trim().replace(/\s+/g, ' ');
    },
  };
}

/** Samples of 16 bits in one channel, as a file. */
function waveOf(samples: Buffer): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/** Why it did not work; null when it did. */
function install(): string | null {
  if (process.getuid?.() !== 0) return 'not root';
  console.log('installing a synthesizer and a recognizer for the voice tests (once, some seconds) …');
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_DEADLINE_MS,
  };
  try {
    execFileSync('apt-get', ['-qq', 'update'], options);
    execFileSync('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', ...PACKAGES], options);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
