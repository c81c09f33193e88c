import type { VNode } from 'preact';
import type { MessageView } from '../../store/message-view.ts';
import { dayOf } from './amounts.ts';
import { Bubble } from './bubble.tsx';

/** Messages of one person closer than this stand together under one name. */
const TOGETHER_SECONDS = 300;

type Album = [MessageView, ...MessageView[]];

/** The messages of a chat with the days between them. */
export function renderRows(messages: readonly MessageView[]): VNode[] {
  let day = '';
  return groupAlbums(messages).flatMap((album, index, albums) => {
    const [first] = album;
    const isNewDay = dayOf(first.date) !== day;
    day = dayOf(first.date);
    const above = albums[index - 1]?.at(-1);
    const continues = !isNewDay && above?.from.id === first.from.id && first.date - above.date < TOGETHER_SECONDS;
    const row = <Bubble key={first.messageId} messages={album} continues={continues} />;
    if (!isNewDay) return [row];
    return [
      <div class="day" key={`day ${day}`}>
        {day}
      </div>,
      row,
    ];
  });
}

/** Lists of messages that are shown as one: those of an album, and every other one alone. */
function groupAlbums(messages: readonly MessageView[]): readonly Album[] {
  const albums: Album[] = [];
  for (const message of messages) {
    const last = albums.at(-1);
    if (last && message.albumId !== null && last[0].albumId === message.albumId) last.push(message);
    else albums.push([message]);
  }
  return albums;
}
