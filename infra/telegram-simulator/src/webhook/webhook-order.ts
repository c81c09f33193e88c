/**
 * Names the line of an update. Telegram keeps the messages of one chat in order, and the clicks of one person; lines do
 * not wait for each other, so a click may overtake the message that came before it.
 */
export function nameLine(update: Readonly<Record<string, unknown>>): string {
  const click = update['callback_query'];
  if (click !== undefined) return `clicks of ${readId(click, 'from')}`;
  const kind = Object.keys(update).find((key) => key !== 'update_id') ?? '';
  const family = kind === 'edited_message' ? 'message' : kind;
  return `${family} in ${readId(update[kind], 'chat')}`;
}

/** Injected updates may have any shape: what has no id shares a line. */
function readId(value: unknown, field: 'from' | 'chat'): string {
  if (typeof value !== 'object' || value === null || !(field in value)) return '?';
  const owner: unknown = Reflect.get(value, field);
  return typeof owner === 'object' && owner !== null && 'id' in owner ? String(owner.id) : '?';
}
