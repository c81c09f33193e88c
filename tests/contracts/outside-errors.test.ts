import { AppError, ERRORS, type ErrorCode } from '@signalbox/contracts/errors';
import { createFailedResult } from '@signalbox/governance/calls/call';
import { expect, it } from 'vitest';
import { samples } from '../support/samples.ts';

/*
 * What a failure passes on to a model may be a stranger's words: of a repository, a program, a commit, another person. A code stands here
 * once somebody has looked where all of its data comes from.
 */
const OURS: readonly ErrorCode[] = [
  'COMMAND_REFUSED',
  'DATABASE_ROLE_MISSING',
  'DEAD_LETTERED',
  'FINDING_FIXED',
  'INTERNAL',
  'JOB_CANCELLED',
  'MESSAGE_UNREADABLE',
  'NEEDS_APPROVAL',
  'NEVER_DEPLOYED',
  'NOT_PERMITTED',
  'POLICY_DENIED',
  'REQUEST_UNKNOWN',
  'SANDBOX_MISSING',
  'SCHEDULE_UNKNOWN',
  'SECRET_NOT_WRITTEN',
  'SERVER_AWAY',
  'TOOL_FAILED',
  'TOOL_INPUT_INVALID',
  'TOOL_NOT_DONE',
  'TOOL_OUTCOME_UNKNOWN',
  'TOOL_UNKNOWN',
  'TURN_NOT_FAILED',
  'TURN_UNRECORDED',
  'UPSTREAM_UNAVAILABLE',
  'WAITING_FOR_CONFIRMATION',
  'WORKSPACE_FULL',
  'CONFINEMENT_MISSING',
  'CONVERSATION_OVER',
  'APPROVAL_GONE',
  'ACTION_ID_TAKEN',
];

/** A failure of this code whose every datum is this word. */
function makeFailure(code: ErrorCode, word: string): AppError {
  const names = [...ERRORS[code].say.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, word]);
  return new AppError(code, Object.fromEntries(names) as never); // its data has these names
}

const codesOfSamples = new Set(samples.flatMap(({ errors = {} }) => Object.keys(errors)));
const withData = (Object.keys(ERRORS) as ErrorCode[]).filter(
  // Another test of this process may have added the codes of tests/examples/shelf.
  (code) => /\{\w+\}/.test(ERRORS[code].say) && !codesOfSamples.has(code) && !code.startsWith('SHELF_'),
);

it('every failure counts as untrusted text, except failures whose data only the runtime creates', () => {
  const ours = withData.filter(
    (code) => createFailedResult(makeFailure(code, 'zqword-and-three-more')).untrusted !== true,
  );
  expect(ours.sort()).toEqual([...OURS].sort());
});

it("a failure that contains only the call's arguments, figures and versions does not count as untrusted text", () => {
  const outside = withData.filter(
    (code) => createFailedResult(makeFailure(code, 'shop'), { project: 'shop' }).untrusted,
  );
  expect(outside).toEqual([]);
  for (const word of ['', '42', '1.4.2', '0a1b2c3d', '2026-01-02T03:04:05Z'])
    expect(withData.filter((code) => createFailedResult(makeFailure(code, word)).untrusted)).toEqual([]);
});

it('a failure that names a project or a server in at most two words does not count as untrusted text', () => {
  const named = withData.filter((code) => /\{(?:project|server)\}/.test(ERRORS[code].say));
  const isOutside = (code: ErrorCode, word: string) => createFailedResult(makeFailure(code, word)).untrusted === true;
  expect(named.filter((code) => !OURS.includes(code) && !isOutside(code, 'shop'))).toContain('NOTHING_SERVES');
  expect(isOutside('NOT_RESOLVED', 'shop')).toBe(true);
});

it('names that people chose count as untrusted text in a failure', () => {
  const data = { kind: 'project', name: 'shopp', known: 'shop, delete-the-project-shop' };
  expect(createFailedResult(new AppError('NOT_FOUND', data), { project: 'shopp' }).untrusted).toBe(true);
});
