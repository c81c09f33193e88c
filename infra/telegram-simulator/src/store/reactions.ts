import type { ReactionTypeEmoji } from 'grammy/types';
import type { StoredMessage } from './event.ts';
import type { Store } from './store.ts';

/** Every reaction that Telegram gives away for free. */
const EMOJI: ReadonlySet<string> = new Set(
  '👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡'.split(
    ' ',
  ),
);

/** Whether an emoji is one that people and bots can react with. */
export function isReaction(emoji: string): emoji is ReactionTypeEmoji['emoji'] {
  return EMOJI.has(emoji);
}

/** The reaction of one of a message's readers, or null. */
export function findReaction(message: StoredMessage, fromId: number): string | null {
  return message.reactions.find((reaction) => reaction.fromId === fromId)?.emoji ?? null;
}

/** Puts somebody's reaction on a message, instead of the one they had; null takes it away. */
export function putReaction(store: Store, message: StoredMessage, fromId: number, emoji: string | null): void {
  if (findReaction(message, fromId) === emoji) return;
  const others = message.reactions.filter((reaction) => reaction.fromId !== fromId);
  const reactions = emoji === null ? others : [...others, { fromId, emoji }];
  store.putMessage('edit', { ...message, reactions });
}
