import type { Draft } from './draft.ts';
import type { World } from './world.ts';

/** The draft that a person sees now, or null. */
export function findDraft(world: World, chatId: number): Draft | null {
  const draft = world.drafts.shown.get(chatId);
  return draft && draft.expiresAtMs > Date.now() ? draft : null;
}

/** Shows a draft, in place of the one before it. One that the person stopped is not shown again. */
export function showDraft(world: World, draft: Draft): void {
  if (world.drafts.stopped.get(draft.chatId) === draft.draftId) return;
  world.drafts.shown.set(draft.chatId, draft);
  world.announce({ kind: 'draft', chatId: draft.chatId, draft });
}

/** Takes a draft away, because its message was sent or because it was stopped. Without a draft nothing happens. */
export function endDraft(world: World, chatId: number, reason: 'sent' | 'stopped'): void {
  const draft = findDraft(world, chatId);
  world.drafts.shown.delete(chatId);
  if (draft) world.announce({ kind: 'draftEnd', chatId, draftId: draft.draftId, reason });
}

/** A person presses Stop. Answers the id of the draft, or null if there is none that can be stopped. */
export function stopDraft(world: World, chatId: number): number | null {
  const draft = findDraft(world, chatId);
  if (!draft?.canStop) return null;
  world.drafts.stopped.set(chatId, draft.draftId);
  if (!draft.keepOnStop) endDraft(world, chatId, 'stopped');
  else {
    const kept = { ...draft, canStop: false };
    world.drafts.shown.set(chatId, kept);
    world.announce({ kind: 'draft', chatId, draft: kept });
  }
  return draft.draftId;
}
