import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readRequest, type SeatRequest } from './request.ts';
import { Answer } from './seat.ts';

/** How many requests, and how many messages of the bot to all people, there were before a step. */
const Before = z.strictObject({ requests: z.int(), messages: z.int() });

/** What a person does: says a text, sends a file of the folder `files`, or presses the newest button of a label. */
export const Act = Before.extend({
  as: z.int(),
  chat: z.literal('ops').optional(),
  say: z.string().optional(),
  file: z.string().optional(),
  press: z.string().optional(),
});
export type Act = z.infer<typeof Act>;

/** `form`: what the request demanded, such as `verdict`; null where the model was free. */
const Answered = Before.extend({ request: z.int(), form: z.string().nullable(), answer: Answer });
export type Answered = z.infer<typeof Answered>;

/** A session is played again in the order of its steps. The last one says what is there at its end. */
export type SessionStep = Act | Answered | z.infer<typeof Before>;

/** The files of a session in its folder. */
export const SESSION_FILES = {
  steps: 'steps.jsonl',
  requests: 'requests.txt',
  transcript: 'transcript.txt',
  files: 'files',
};

/** Reads the steps; none where nothing happened. Throws on a line that is no step. */
export function readSteps(folder: string): readonly SessionStep[] {
  const file = join(folder, SESSION_FILES.steps);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return lines.map((line) => z.union([Act, Answered, Before]).parse(JSON.parse(line)));
}

/** Appends a step in one write: several programs record at once. */
export function addStep(folder: string, step: SessionStep): void {
  appendFileSync(join(folder, SESSION_FILES.steps), `${JSON.stringify(step)}\n`);
}

/** The path of a request or of its answer. The answer is `{}` where nobody waits for it any more. */
export function locateRequest(folder: string, n: number, kind: 'request' | 'answer'): string {
  return join(folder, `${String(n).padStart(3, '0')}.${kind}.json`);
}

/** Reads the requests of a live session in order, and which of them wait for an answer. */
export function readRequests(folder: string): {
  readonly all: readonly SeatRequest[];
  readonly open: readonly number[];
} {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.request.json'))
    .toSorted();
  const all = names.map((name) => readRequest(Number.parseInt(name, 10), readFileSync(join(folder, name), 'utf8')));
  return { all, open: all.map(({ n }) => n).filter((n) => !existsSync(locateRequest(folder, n, 'answer'))) };
}
