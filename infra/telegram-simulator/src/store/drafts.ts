import type { Draft } from './draft.ts';
import type { Store } from './store.ts';

/** Returns the draft that a person sees now, or null. */
export function findDraft(store: Store, chatId: number): Draft | null {
  const draft = store.drafts.shown.get(chatId);
  return draft && draft.expiresAtMs > Date.now() ? draft : null;
}

/** Shows a draft instead of the earlier one; ignores a draft that the person has stopped. */
export function showDraft(store: Store, draft: Draft): void {
  if (store.drafts.stopped.get(draft.chatId) === draft.draftId) return;
  store.drafts.shown.set(draft.chatId, draft);
  store.announce({ kind: 'draft', chatId: draft.chatId, draft });
}

/** Removes a draft after its message was sent or it was stopped. Idempotent. */
export function endDraft(store: Store, chatId: number, reason: 'sent' | 'stopped'): void {
  const draft = findDraft(store, chatId);
  store.drafts.shown.delete(chatId);
  if (draft) store.announce({ kind: 'draftEnd', chatId, draftId: draft.draftId, reason });
}

/** Stops the draft of a chat; returns its id, or null when none can be stopped. */
export function stopDraft(store: Store, chatId: number): number | null {
  const draft = findDraft(store, chatId);
  if (!draft?.canStop) return null;
  store.drafts.stopped.set(chatId, draft.draftId);
  if (!draft.keepOnStop) endDraft(store, chatId, 'stopped');
  else {
    const kept = { ...draft, canStop: false };
    store.drafts.shown.set(chatId, kept);
    store.announce({ kind: 'draft', chatId, draft: kept });
  }
  return draft.draftId;
}
