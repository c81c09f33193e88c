import type { VNode } from 'preact';
import type { ChatView } from '../../people/chat-shapes.ts';
import type { Page, Point } from '../state/page.ts';
import type { Place } from '../state/place.ts';
import { act } from '../state/simulator.ts';
import { ChatAvatar } from '../theme/avatar.tsx';
import { SheetItem } from './sheet.tsx';

/** Opens what the bot says of itself, and whether it may write to this person. */
export function openBotSheet(page: Page, place: Place, at: Point): void {
  const content = (): VNode => {
    const { bot } = page.store;
    // The person as they are now: the sheet stays open while others change.
    const { id, blocked } = page.store.person(place.person.id) ?? place.person;
    return (
      <>
        <SheetHead chat={place.chat} title={page.store.botName()} detail={`@${bot?.username}`} />
        {[...new Set([bot?.description, bot?.shortDescription])].map((line) => line && <p dir="auto">{line}</p>)}
        <SheetItem
          label={blocked ? 'Unblock the bot' : 'Block the bot'}
          drawing={blocked ? 'check' : 'block'}
          isDanger={!blocked}
          run={() => void page.tell(() => act('block', { person: id, blocked: !blocked }))}
        />
      </>
    );
  };
  page.change({ sheet: { label: 'About the bot', at, content } });
}

/** The picture and the name of a chat, and a line about it. */
export function SheetHead({ chat, title, detail }: { chat: ChatView; title: string; detail: string }): VNode {
  return (
    <div class="sheet-head">
      <ChatAvatar chat={chat} />
      <div class="stack">
        <h2 dir="auto">{title}</h2>
        <span class="dim">{detail}</span>
      </div>
    </div>
  );
}
