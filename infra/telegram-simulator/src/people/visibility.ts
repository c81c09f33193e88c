import type { StoredMessage } from '../store/event.ts';

type Seen = Pick<StoredMessage, 'ephemeral'>;

/** True when a member sees a message: always, or only its two participants when ephemeral. */
export function isVisibleTo(
  message: Seen & ({ readonly fromId: number } | { readonly from: { readonly id: number } }),
  personId: number | null,
): boolean {
  if (message.ephemeral === null) return true;
  const fromId = 'fromId' in message ? message.fromId : message.from.id;
  return personId === message.ephemeral.receiverId || personId === fromId;
}
