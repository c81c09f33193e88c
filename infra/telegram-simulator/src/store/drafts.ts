import type { Draft } from './draft.ts';
import type { Store } from './store.ts';

/** The draft that a person sees now, or null. */
export function findDraft(store: Store, chatId: number): Draft | null {
  const draft = store.drafts.shown.get(chatId);
  return draft && draft.expiresAtMs > Date.now() ? draft : null;
}

/** Shows a draft, in place of the one before it. One that the person stopped is not shown again. */
export function showDraft(store: Store, draft: Draft): void {
  if (store.drafts.stopped.get(draft.chatId) === draft.draftId) return;
  store.drafts.shown.set(draft.chatId, draft);
  store.announce({ kind: 'draft', chatId: draft.chatId, draft });
}

/** Takes a draft away, because its message was sent or because it was stopped. Without a draft nothing happens. */
export function endDraft(store: Store, chatId: number, reason: 'sent' | 'stopped'): void {
  const draft = findDraft(store, chatId);
  store.drafts.shown.delete(chatId);
  if (draft) store.announce({ kind: 'draftEnd', chatId, draftId: draft.draftId, reason });
}

/** A person presses Stop. Returns the id of the draft, or null if there is none that can be stopped. */
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
