/** Returns an update's delivery line: the chat for messages, the person for clicks. Lines are independent, as in Telegram. */
export function nameLine(update: Readonly<Record<string, unknown>>): string {
  const click = update['callback_query'];
  if (click !== undefined) return `clicks of ${readId(click, 'from')}`;
  const kind = Object.keys(update).find((key) => key !== 'update_id') ?? '';
  const family = kind === 'edited_message' ? 'message' : kind;
  return `${family} in ${readId(update[kind], 'chat')}`;
}

/** Injected updates may have any shape; those without an id share a line. */
function readId(value: unknown, field: 'from' | 'chat'): string {
  if (typeof value !== 'object' || value === null || !(field in value)) return '?';
  const owner: unknown = Reflect.get(value, field);
  return typeof owner === 'object' && owner !== null && 'id' in owner ? String(owner.id) : '?';
}
