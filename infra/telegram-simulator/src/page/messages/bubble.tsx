import { Icon } from '@signalbox/page-kit/icons';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { MessageView } from '../../store/message-view.ts';
import { jumpToMessage } from '../state/actions.ts';
import { usePage, useShownChat } from '../state/context.ts';
import type { Page } from '../state/page.ts';
import type { ShownChat } from '../state/shown-chat.ts';
import { isVisibleTo } from '../../people/visibility.ts';
import { Blocks } from '../text/blocks.tsx';
import { Keyboard, MessageIdContext } from '../text/keyboard.tsx';
import { PlainText } from '../text/plain-text.tsx';
import { Avatar, pickHue } from '../theme/avatar.tsx';
import { formatTime, formatDuration, formatSize } from './amounts.ts';
import { summarizeMessage } from './summary.ts';
import type { FileView } from '../../store/file-shapes.ts';

interface BubbleProps {
  /** One message, or all messages of an album. */
  readonly messages: readonly [MessageView, ...MessageView[]];
  /** True when the sender's name is shown on the message above. */
  readonly continues: boolean;
}

/** A message bubble. */
export function Bubble({ messages, continues }: BubbleProps): VNode {
  const [page, shown] = [usePage(), useShownChat()];
  const [{ chatId, replyTo }] = messages;
  const replied = replyTo === null ? undefined : page.store.message(chatId, replyTo);
  const state = [...messages.map(({ seq }) => seq), continues].join(' ');
  return useMemo(
    () => renderBubble({ messages, continues, page, shown, replied }),
    [state, replied, page.store.people],
  );
}

type Drawing = BubbleProps & {
  readonly page: Page;
  readonly shown: ShownChat;
  readonly replied: MessageView | undefined;
};

function renderBubble({ messages, continues, page, shown, replied }: Drawing): VNode {
  const [first, ...others] = messages;
  const message = messages.find(({ text }) => text !== '') ?? first;
  const isOwn = first.from.id === shown.person.id;
  const showsAuthor = shown.chat.type === 'group' && !isOwn;
  const files = messages.flatMap(({ file }) => file ?? []);
  const side = [isOwn ? 'own' : 'other', !continues && 'starts', first.ephemeral && 'whisper'];
  return (
    <article
      class={`message ${side.filter(Boolean).join(' ')}`}
      tabIndex={-1}
      aria-label={`${isOwn ? 'You' : first.from.name}, ${formatTime(first.date)}`}
      data-id={first.messageId}
      data-also={others.map(({ messageId }) => messageId).join(' ') || undefined}
    >
      {showsAuthor && <Avatar from={first.from} more={continues ? 'small ghost' : 'small'} />}
      <div class="column">
        <div class="line">
          <div class={message.rich ? 'bubble rich' : 'bubble'}>
            {showsAuthor && !continues && (
              <span class="author" style={{ '--hue': pickHue(first.from) }}>
                {first.from.name}
              </span>
            )}
            {first.ephemeral && (
              <span class="origin">
                <Icon name="eye" />
                {first.ephemeral.receiverId === shown.person.id ? 'Only you see this' : 'Only you and the bot see this'}
              </span>
            )}
            {first.forwardedFrom && <span class="origin">Forwarded from {first.forwardedFrom.name}</span>}
            {first.replyTo !== null && renderQuote(page, shown, first.replyTo, replied)}
            {files.length > 0 && <Files files={files} />}
            <MessageIdContext.Provider value={message.messageId}>
              <MessageBody message={message}>
                {message.editedAt !== null && <span>edited</span>}
                <time>{formatTime(message.date)}</time>
              </MessageBody>
            </MessageIdContext.Provider>
          </div>
        </div>
        {message.buttons && (
          <MessageIdContext.Provider value={message.messageId}>
            <Keyboard rows={message.buttons} />
          </MessageIdContext.Provider>
        )}
      </div>
    </article>
  );
}

interface BodyProps {
  readonly message: Pick<MessageView, 'text' | 'entities' | 'rich'>;
  /** Content that follows the text, such as the time. */
  readonly children: VNode | readonly (VNode | false)[];
}

/** The text of a message, plain or rich. */
export function MessageBody({ message: { text, entities, rich }, children }: BodyProps): VNode {
  const richDirection = rich?.is_rtl ? 'rtl' : undefined;
  return (
    <div class="body" dir={rich ? richDirection : 'auto'}>
      {rich && (
        <div class="text blocks">
          <Blocks blocks={rich.blocks} />
        </div>
      )}
      {!rich && text !== '' && (
        <span class="text">
          <PlainText text={text} entities={entities} />
        </span>
      )}
      <span class="meta dim">{children}</span>
    </div>
  );
}

function renderQuote(page: Page, shown: ShownChat, id: number, replied: MessageView | undefined): VNode {
  const isSeen = replied && isVisibleTo(replied, shown.person.id) && !replied.deleted;
  const missing = replied === undefined ? 'Earlier message' : 'Deleted message';
  return (
    <button class="quote" onClick={() => void jumpToMessage(page, shown, id)}>
      <strong>{isSeen ? replied.from.name : 'Message'}</strong>
      <span class="clip">{isSeen ? summarizeMessage(replied) : missing}</span>
    </button>
  );
}

/** The files of a message or album: photos side by side, others as a list. */
function Files({ files }: { readonly files: readonly FileView[] }): VNode {
  const isPhotos = files.every(({ kind }) => kind === 'photo');
  return (
    <div class={isPhotos ? `photos count-${Math.min(files.length, 4)}` : 'files'}>
      {files.map((file) =>
        file.url === null || file.kind !== 'photo' ? (
          <Download key={file.fileId} file={file} />
        ) : (
          <Photo key={file.fileId} file={file} url={fromHere(file.url)} />
        ),
      )}
    </div>
  );
}

function Photo({ file: { name, width, height }, url }: { readonly file: FileView; readonly url: string }): VNode {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" aria-label="Show the photo">
      {/* Reserves the picture's area, so that the list does not move when the picture arrives. */}
      <img src={url} width={width ?? undefined} height={height ?? undefined} alt={name || 'Photo'} loading="lazy" />
    </a>
  );
}

/** A file without stored bytes is displayed, but cannot be downloaded. */
function Download({ file: { url, name, sizeBytes, durationSeconds, kind } }: { readonly file: FileView }): VNode {
  const title = kind === 'voice' ? `Voice message, ${formatDuration(durationSeconds ?? 0)}` : name || 'Photo';
  const ending = /\.(\w{1,4})$/.exec(title)?.[1]?.toLowerCase();
  const parts = (
    <>
      <span class="file-icon" aria-hidden="true">
        {ending ?? <Icon name="document" />}
      </span>
      <span class="stack">
        <span class="file-name">{title}</span>
        <span class="dim">{url === null ? `${formatSize(sizeBytes)}, not kept here` : formatSize(sizeBytes)}</span>
      </span>
    </>
  );
  if (url === null) return <div class="file">{parts}</div>;
  return (
    <a class="file" href={fromHere(url)} download={title} aria-label={`Download ${title}, ${formatSize(sizeBytes)}`}>
      {parts}
      <Icon name="download" />
    </a>
  );
}

/** Makes a simulator URL relative to the page, which may be behind a key. */
function fromHere(url: string): string {
  return url.replace(/^\//, '');
}
