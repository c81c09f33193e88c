/** Somebody who writes in one channel, and what they see there. */
export interface Voice {
  readonly channel: 'telegram' | 'web' | 'whatsapp' | 'ingress';
  /** Theirs alone among all who write: what they ask for is named after it. */
  readonly id: number;
  readonly userKey: string;
  /** Says it, however long the channel takes to accept it. Answers what the inbox calls it. */
  say(text: string): Promise<string>;
  /** What the product said, oldest first, without cards and marks of style. `updateId`: only to this, where the channel says so. */
  hear(updateId: string): Promise<readonly string[]>;
  /** Presses the newest Confirm that is there and was not pressed yet. */
  confirm(): Promise<void>;
  close(): Promise<void>;
}

/** A card ends in the id of what it is about. It says what came of it too, beside the answer. */
export function withoutCards(texts: readonly string[]): readonly string[] {
  return texts.map((text) => text.replaceAll(/[*`]/g, '')).filter((text) => !/\n_?apv_\w+$/.test(text));
}

/**
 * Which card somebody presses: the newest that they have not pressed yet. A message that was sent again leaves a card whose button
 * does nothing, and no product can tell which of the two is seen: people go on with the next one. After the last one they begin anew.
 */
export function nextCard<Id>(cards: readonly Id[], pressed: Set<Id>): Id | undefined {
  if (cards.every((id) => pressed.has(id))) pressed.clear();
  const card = cards.findLast((id) => !pressed.has(id));
  if (card !== undefined) pressed.add(card);
  return card;
}
