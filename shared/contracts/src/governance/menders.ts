import type { ErrorCode } from '../errors.ts';

/** Who can mend errors that a repeated call meets again. */
const MENDERS: readonly (readonly [who: string, codes: readonly ErrorCode[]])[] = [
  [
    'an operator of this installation',
    [
      'CONFINEMENT_MISSING',
      'INTERNAL',
      'NO_CAPACITY',
      'SANDBOX_MISSING',
      'SECRET_UNREADABLE',
      'SERVER_BOOKED',
      'SERVER_LOGIN_MISSING',
      'TARGET_UNREACHABLE',
      'TOOL_FAILED',
      'UPSTREAM_UNAVAILABLE',
      'WORKSPACE_DAMAGED',
      'WORKSPACE_FULL',
    ],
  ],
  ['an operator, who approves the host key', ['HOST_KEY_CHANGED', 'HOST_KEY_UNKNOWN', 'HOST_KEY_UNSEEN']],
  ['an admin, who gives roles', ['NOT_PERMITTED']],
  ['an admin, who keeps the policies', ['POLICY_DENIED']],
  ['somebody who may approve, by a private message to the bot, or an admin, who gives that role,', ['NEEDS_APPROVAL']],
  [
    'whoever writes the repository',
    [
      'ARTIFACT_GONE',
      'BUILD_FAILED',
      'CONTAINER_REFUSED',
      'INSTANCE_ENDED',
      'INSTANCE_UNHEALTHY',
      'PORT_IGNORED',
      'SERVICE_FILE_INVALID',
      'START_IMPOSSIBLE',
      'START_MISSING',
      'START_UNKNOWN',
    ],
  ],
  [
    'the person, who has to send or keep the secret',
    ['SECRET_NOT_WHOLE', 'SECRET_NOT_WRITTEN', 'SECRET_UNKNOWN', 'SSH_LOGIN_MISSING'],
  ],
];

const WHO: ReadonlyMap<string, string> = new Map(
  MENDERS.flatMap(([who, codes]) => codes.map((code): [string, string] => [code, who])),
);

/** Says to a model who can mend an error that a repeated call does not; null for other errors. Pure. */
export function describeMender(code: string | null): string | null {
  const who = code === null ? undefined : WHO.get(code);
  return who === undefined ? null : `Calling again does not help: ${who} can mend it.`;
}
