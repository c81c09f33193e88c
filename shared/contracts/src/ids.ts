import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'; // Crockford's base32 alphabet, without i, l, o and u

/** Prefixes of random ids. Ids of actions and of answers derive from other ids: see `makeAnswerId`. */
export const PREFIXES = [
  'apv', // an approval
  'card', // a payment card
  'case', // the case of a lost payment card
  'chl', // a challenge with a code
  'dlq', // a dead letter
  'err', // an error of the proxy
  'evt', // an event that a program sent
  'file', // a stored file
  'grant', // a grant: a standing permission
  'gw', // a gateway that holds a chat
  'lease', // an allocated port of a server
  'mode', // a change of the page's mode
  'new', // a folder that is being created
  'old', // a folder that is being removed
  'ref', // an error that a person may report
  'run', // a run of a job without an action
  'start', // the key of a web page's sign-ins
  'tmp', // a file that is being written
  'turn', // a turn of an agent
  'visit', // a visit that a customer requested
  'wrk', // a worker that holds a lane
] as const;
export type Prefix = (typeof PREFIXES)[number];

/** Creates an id such as `turn_01k9…`: prefix, time (10 characters), 10 random characters. Ids of one prefix sort by time. */
export function newId(prefix: Prefix, nowMs: number = Date.now()): string {
  let time = '';
  for (let rest = nowMs, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
  let random = '';
  for (const byte of randomBytes(10)) random += ALPHABET[byte % 32];
  return `${prefix}_${time}${random}`;
}

/** Creates a trace id: `trace_` and a W3C trace id of 12 hexadecimal digits for the time in milliseconds and 20 random digits. */
export function newTraceId(nowMs: number = Date.now()): string {
  return `trace_${nowMs.toString(16).padStart(12, '0')}${randomBytes(10).toString('hex')}`;
}

/** Returns the 32 hexadecimal digits of an id from `newTraceId`; null for a trace id of an older release. */
export function toTraceHex(traceId: string): string | null {
  return /^trace_([0-9a-f]{32})$/.exec(traceId)?.[1] ?? null;
}

/** Returns the creation time of an id from `newId` or `newTraceId`, in milliseconds since 1970; null for any other text. */
export function readIdTime(id: string): number | null {
  const hex = toTraceHex(id);
  if (hex !== null) return parseInt(hex.slice(0, 12), 16);
  const [, digits] = /^[a-z]+_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{10}$/.exec(id) ?? [];
  return digits === undefined ? null : [...digits].reduce((ms, digit) => ms * 32 + ALPHABET.indexOf(digit), 0);
}

/** Derives an id of 120 bits of SHA-256 from parts: equal parts give equal ids in every process. */
function derivedId(prefix: string, parts: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  let id = '';
  for (const byte of digest.subarray(0, 24)) id += ALPHABET[byte % 32];
  return `${prefix}_${id}`;
}

/*
 * Ids of answers and calls are derived, because model servers may repeat ids. The id of an answer derives from its conversation, the
 * first message of its turn and the pass, so that a resumed turn finds the same ids. An action and its job have the id of their call.
 */

/** Returns the id of the answer in a pass (from 1). `turnKey`: id of the first message of the turn. */
export function makeAnswerId(threadId: string, turnKey: string, pass: number): string {
  return derivedId('ans', [threadId, turnKey, pass]);
}

/** Returns the id of a call by its index in an answer. Older records have the model's ids. */
export function makeCallId(answerId: string, index: number): string {
  return `act_${answerId.replace(/^ans_/, '')}_${index}`;
}

/** Returns the run id of a look-up, which resolves references before policy decides about an action. `hash`: hex digest of the input. */
export function makeLookUpId(actionId: string, hash: string): string {
  return `${actionId.slice(0, 100)}_r${hash.slice(0, 20)}`;
}

/** Returns the action id in a run id. The run may be a look-up for the action, or may run a modified action. */
export function readActionId(runId: string): string {
  return runId.replace(/(?:_m)?(?:_r[0-9a-f]{20})?$/, '');
}

/** Returns the id under which a file of a message is kept. `messageId`: the envelope's id; `place`: the file's index in the message. */
export function makeAttachmentId(messageId: string, place: number): string {
  return derivedId('file', ['attachment', messageId, place]);
}

/** Creates a code of four-character groups (20 bits each) for typing, with a digit, so that no code resembles words. */
export function createTypedCode(groups: number): string {
  for (;;) {
    const parts = Array.from({ length: groups }, () => [...randomBytes(4)].map((byte) => ALPHABET[byte % 32]).join(''));
    const code = parts.join('-').toUpperCase();
    if (/\d/.test(code)) return code; // One in ninety codes of three groups has no digit
  }
}
