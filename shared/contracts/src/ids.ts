import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'; // Crockford's base 32: no i, l, o, u to misread

/** What stands before the underscore of an id that is drawn. Ids of actions and of answers are derived instead: see below. */
export const PREFIXES = [
  'apv', // an approval
  'card', // a payment card
  'case', // what became of a lost payment card
  'chl', // a challenge with a code
  'dlq', // a dead letter
  'err', // an error of the proxy
  'evt', // an event that a program sent
  'file', // a stored file
  'grant', // a standing permission
  'gw', // a gateway that holds a chat
  'lease', // a port of a server
  'mode', // a change of the page's mode
  'new', // a folder that is being made
  'old', // a folder that is being removed
  'ref', // an error that a person may report
  'run', // a job's run that no action asked for
  'start', // the key of a web page's logins
  'tmp', // a file that is being written
  'turn', // a turn of an agent
  'visit', // a visit that was asked for
  'wrk', // a worker that holds a lane
] as const;
export type Prefix = (typeof PREFIXES)[number];

/**
 * A new id such as `turn_01k9…`: prefix, 10 characters of milliseconds, 10 random ones.
 * Ids of one prefix sort by the time they were made.
 */
export function newId(prefix: Prefix, nowMs: number = Date.now()): string {
  let time = '';
  for (let rest = nowMs, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
  let random = '';
  for (const byte of randomBytes(10)) random += ALPHABET[byte % 32];
  return `${prefix}_${time}${random}`;
}

/** A new id of a trace: `trace_` and its W3C trace id, which is 12 hexadecimal digits of milliseconds and 20 random ones. */
export function newTraceId(nowMs: number = Date.now()): string {
  return `trace_${nowMs.toString(16).padStart(12, '0')}${randomBytes(10).toString('hex')}`;
}

/** The 32 hexadecimal digits of a trace that `newTraceId` named; null for a trace of an older release. */
export function hexOfTraceId(traceId: string): string | null {
  return /^trace_([0-9a-f]{32})$/.exec(traceId)?.[1] ?? null;
}

/** When an id of `newId` or `newTraceId` was made, in milliseconds since 1970; null for anything else. */
export function msOfId(id: string): number | null {
  const hex = hexOfTraceId(id);
  if (hex !== null) return parseInt(hex.slice(0, 12), 16);
  const [, digits] = /^[a-z]+_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{10}$/.exec(id) ?? [];
  return digits === undefined ? null : [...digits].reduce((ms, digit) => ms * 32 + ALPHABET.indexOf(digit), 0);
}

/**
 * The id of what these parts name, such as `act_7c0…`: the same parts make the same id, in any process and after any crash, and other
 * parts another one. 120 bits of SHA-256.
 */
function derivedId(prefix: string, parts: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  let id = '';
  for (const byte of digest.subarray(0, 24)) id += ALPHABET[byte % 32];
  return `${prefix}_${id}`;
}

/*
 * Ids of answers and of their calls are ours: a model server draws its own from whatever it likes, and may draw one twice. An answer
 * is named by its conversation, the message that began its turn and its place among the answers of that turn, so that a turn which
 * goes on after a crash names the same answer and the same calls as before. Ids of calls are ids of actions and of jobs.
 */

/** The id of the answer of a turn's pass, counted from 1. `turnKey`: the id of the turn's first message. */
export function answerIdOf(threadId: string, turnKey: string, pass: number): string {
  return derivedId('ans', [threadId, turnKey, pass]);
}

/** The id of a call by its place in an answer. Answers in older records have the ids that a model gave them. */
export function callIdOf(answerId: string, place: number): string {
  return `act_${answerId.replace(/^ans_/, '')}_${place}`;
}

/** The id of a run that looks something up before its action is decided about. `hash`: of what is looked up, in hexadecimal digits. */
export function lookUpIdOf(actionId: string, hash: string): string {
  return `${actionId.slice(0, 100)}_r${hash.slice(0, 20)}`;
}

/** The proposed action that a run works for, by its id: a look-up before it, or what it was changed to. */
export function actionOfRun(runId: string): string {
  return runId.replace(/(?:_m)?(?:_r[0-9a-f]{20})?$/, '');
}

/** A short code that a person can type: `groups` groups of four characters, 20 bits each, with a digit, so that it is taken for no words. */
export function newCode(groups: number): string {
  for (;;) {
    const parts = Array.from({ length: groups }, () => [...randomBytes(4)].map((byte) => ALPHABET[byte % 32]).join(''));
    const code = parts.join('-').toUpperCase();
    if (/\d/.test(code)) return code; // of three groups one in ninety has none
  }
}
