import { Icon } from '@signalbox/page-kit/icons';
import type { VNode } from 'preact';
import type { ChatView } from '../../store/chat-shapes.ts';

const HUES = ['#c2410c', '#7c3aed', '#0f766e', '#be185d', '#a16207', '#4d7c0f', '#0369a1'];
const BOT_HUE = '#2a64dc';
const GROUP_HUE = '#475467';

/** Returns the color of a sender, derived from the id. */
export function pickHue({ id, isBot = false }: { readonly id: number; readonly isBot?: boolean }): string {
  return isBot ? BOT_HUE : (HUES[id % HUES.length] ?? BOT_HUE);
}

interface Sender {
  readonly id: number;
  readonly name: string;
  readonly isBot?: boolean;
}

/** A circle with a letter or the bot's icon. `more` adds CSS classes. */
export function Avatar({ from, more = '' }: { readonly from: Sender; readonly more?: string }): VNode {
  return (
    <span class={`avatar ${more}`} aria-hidden="true" style={{ '--hue': pickHue(from) }}>
      {from.isBot ? <Icon name="bot" /> : ([...from.name][0]?.toUpperCase() ?? '?')}
    </span>
  );
}

export function ChatAvatar({ chat }: { readonly chat: ChatView }): VNode {
  const kind = chat.type === 'group' ? 'group' : 'bot';
  return (
    <span class="avatar" aria-hidden="true" style={{ '--hue': kind === 'bot' ? BOT_HUE : GROUP_HUE }}>
      <Icon name={kind} />
    </span>
  );
}

/** Number of unread messages; renders nothing for zero. */
export function Badge({ count }: { readonly count: number }): VNode | null {
  if (count === 0) return null;
  return (
    <span class="badge" aria-label={`${count} unread`}>
      {count > 99 ? '99+' : count}
    </span>
  );
}
