/** Whether a person sees a message: everybody does, unless it is between two. */
export function isVisibleTo({ ephemeral, from }, person) {
  return !ephemeral || ephemeral.receiverId === person || from.id === person;
}

/**
 * The messages that a person sees, oldest first, without the deleted ones. One that is for this person alone may take the
 * place of another.
 */
export function arrangeMessages(messages, person) {
  const seen = messages.filter((message) => !message.deleted && isVisibleTo(message, person));
  const replaced = new Set(seen.map(({ ephemeral }) => ephemeral?.replaces).filter(Boolean));
  const placeOf = ({ messageId, ephemeral }) => ephemeral?.replaces ?? messageId;
  return seen
    .filter(({ messageId }) => !replaced.has(messageId))
    .sort((a, b) => placeOf(a) - placeOf(b) || a.messageId - b.messageId);
}
