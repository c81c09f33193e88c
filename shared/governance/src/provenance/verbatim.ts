import { AppError } from '@signalbox/contracts/errors';
import { findSecrets } from '@signalbox/safety/redact/find';
import { describeKind } from '@signalbox/safety/redact/kinds';
import { REDACTED } from '@signalbox/safety/redact/redact';
import { say } from '@signalbox/messages/say';
import type { RunnableCall } from '../calls/call.ts';

/** Matches a handle such as `secret:db-password`, which replaces a secret's value in everything that a model sees. */
const HANDLE = /\bsecret:[a-z0-9][a-z0-9._-]{0,73}/i;
/** Matches a value that is nothing but a handle. */
const WHOLE_HANDLE = new RegExp(`^\\s*${HANDLE.source.slice(2)}\\s*$`, 'i');

/**
 * Refuses arguments that hold a secret or its placeholder: the effect would differ from the person's words, such as a file with
 * `[secret]` in it. Throws SECRET_NOT_WRITTEN, which names the kind and never the value. Pure, so that a replay decides the same.
 */
export function rejectSecretInput({ tool, input }: Pick<RunnableCall, 'tool' | 'input'>): void {
  const isLookUp = tool.risk(input).risk === 'safe' && !tool.egress && tool.kind !== 'shell_cmd';
  if (isLookUp || typeof input !== 'object' || input === null) return;
  for (const [name, value] of Object.entries(input)) {
    const found = textsIn(value).map((text) => altered(text, tool.handles.includes(name)));
    const what = found.find((one) => one !== null);
    if (what) throw new AppError('SECRET_NOT_WRITTEN', { argument: name, what });
  }
}

function altered(text: string, takesHandle: boolean): string | null {
  if (text.includes(REDACTED)) return say('governance.markOfSecret', { mark: REDACTED });
  if (HANDLE.test(text) && !(takesHandle && WHOLE_HANDLE.test(text)))
    return say('governance.handleOfSecret', { handle: HANDLE.exec(text)?.[0] ?? '' });
  const [secret] = findSecrets(text);
  return secret ? say('governance.secretOfKind', { kind: describeKind(secret.kind) }) : null;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value === 'object' && value !== null) return Object.entries(value).flat().flatMap(textsIn);
  return [];
}
