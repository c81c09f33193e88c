import { Icon } from '@signalbox/page-kit/icons';
import type { VNode } from 'preact';
import type { BotStatus } from '../../store/event.ts';
import type { Page } from '../state/page.ts';
import type { ShownChat } from '../state/shown-chat.ts';
import { postAction } from '../state/simulator.ts';
import { Avatar, Badge, ChatAvatar } from '../theme/avatar.tsx';
import { Row } from '../theme/row.tsx';

/** Opens the list of people, with their unread counts. */
export function openPeopleSheet(page: Page, shown: ShownChat): void {
  const { store } = page;
  const content = (): VNode => (
    <>
      <h2>Speak as</h2>
      {store.people.map((person) => {
        // Group members keep the same group chat.
        const same = store.chat(person.id, shown.chat.id);
        const [chat = shown.chat] = same ? [same] : store.chatsOf(person.id);
        const to = { ...shown, person, chat, topic: same ? shown.topic : null };
        const isCurrent = person.id === shown.person.id;
        const picture = <Avatar from={person} />;
        return (
          <Row title={person.name} detail={person.role} {...{ picture, isCurrent }} onPress={() => page.go(to)}>
            <Badge count={store.unreadOf(person.id)} />
          </Row>
        );
      })}
    </>
  );
  page.change({ sheet: { label: 'Speak as', content } });
}

/** Opens the bot's profile and whether it may write to this person. */
export function openBotSheet(page: Page, { person: { id, blocked }, chat }: ShownChat): void {
  const { bot } = page.store;
  const content = (): VNode => (
    <>
      {renderHead(<ChatAvatar chat={chat} />, page.store.botName(), `@${bot?.username}`)}
      <Row
        title={blocked ? 'Unblock the bot' : 'Block the bot'}
        picture={<Icon name={blocked ? 'check' : 'block'} />}
        kind={blocked ? undefined : 'danger'}
        onPress={() => void page.runAction(() => postAction('block', { person: id, blocked: !blocked }))}
      />
    </>
  );
  page.change({ sheet: { label: 'About the bot', content } });
}

const STATUSES: readonly (readonly [BotStatus, string])[] = [
  ['administrator', 'Administrator: it reads everything'],
  ['member', 'Member: it reads commands, mentions and replies'],
  ['kicked', 'Removed from the group'],
];

/** Opens the group's members and the bot's rights. */
export function openGroupSheet(page: Page, { person, chat }: ShownChat): void {
  const { store } = page;
  const members = store.membersOf(chat.id).map(({ name }) => name);
  const content = (): VNode => (
    <>
      {renderHead(<ChatAvatar chat={chat} />, chat.title, `${members.join(', ')} and ${store.botName()}`)}
      {STATUSES.map(([status, title]) => {
        const isCurrent = status === store.bot?.groupStatus;
        const picture = <Icon name={isCurrent ? 'check' : 'bot'} />;
        const run = (): void => void page.runAction(() => postAction('rights', { by: person.id, status }));
        return <Row title={title} picture={picture} isCurrent={isCurrent} onPress={run} />;
      })}
    </>
  );
  page.change({ sheet: { label: 'About the group', content } });
}

function renderHead(picture: VNode, title: string, detail: string): VNode {
  return (
    <div class="sheet-head">
      {picture}
      <div class="stack">
        <h2>{title}</h2>
        <span class="dim">{detail}</span>
      </div>
    </div>
  );
}
