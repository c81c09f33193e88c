import type { VNode } from 'preact';
import type { MessageView } from '../../store/message-view.ts';
import { formatDay } from './amounts.ts';
import { Bubble } from './bubble.tsx';

/** Messages of one person within this time share one name. */
const TOGETHER_SECONDS = 300;

type Album = [MessageView, ...MessageView[]];

/** Renders messages with day separators. */
export function renderRows(messages: readonly MessageView[]): VNode[] {
  let day = '';
  return groupAlbums(messages).flatMap((album, index, albums) => {
    const [first] = album;
    const isNewDay = formatDay(first.date) !== day;
    day = formatDay(first.date);
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

/** Groups the messages of an album; every other message is its own group. */
function groupAlbums(messages: readonly MessageView[]): readonly Album[] {
  const albums: Album[] = [];
  for (const message of messages) {
    const last = albums.at(-1);
    if (last && message.albumId !== null && last[0].albumId === message.albumId) last.push(message);
    else albums.push([message]);
  }
  return albums;
}
