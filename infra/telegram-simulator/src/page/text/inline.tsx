import { isWebLink, WebLink } from '@signalbox/page-kit/web-link';
import type { MessageEntity, RichText } from 'grammy/types';
import type { ComponentChildren, VNode } from 'preact';
import { usePage } from '../state/context.ts';

/** Formats that are displayed by one HTML element, in plain and rich texts. */
const TAGS = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  marked: 'mark',
  subscript: 'sub',
  superscript: 'sup',
} as const;

/** A format with its fields: a message entity, or a rich text object. */
export type Formatting = MessageEntity | Exclude<RichText, string | RichText[]>;
interface InlineProps {
  readonly value: Formatting;
  /** Text without formatting. */
  readonly words: string;
  readonly children: ComponentChildren;
}

/** Formats its children; an unknown format shows the plain text. */
export function Inline({ value, words, children }: InlineProps): VNode {
  const page = usePage();
  if (isSimple(value.type)) {
    const Tag = TAGS[value.type];
    return <Tag>{children}</Tag>;
  }
  switch (value.type) {
    case 'text_link':
    case 'url':
      return <Link url={'url' in value ? value.url : words}>{children}</Link>;
    case 'bot_command': {
      const command = 'bot_command' in value ? value.bot_command : words;
      return <Word onPress={() => void page.writing.submit(command)}>{children}</Word>;
    }
    default:
      return (
        <span class={value.type} tabIndex={value.type === 'spoiler' ? 0 : undefined}>
          {children}
        </span>
      );
  }
}

/** Text that reacts to a press. */
function Word({ onPress, children }: { onPress: (event: Event) => void; children: ComponentChildren }): VNode {
  return (
    <button class="word" onClick={onPress}>
      {children}
    </button>
  );
}

/** Opens web links only; other links are displayed without effect. */
function Link({ url, children }: { url: string; children: ComponentChildren }): VNode {
  const href = /^[a-z]+:/i.test(url) ? url : `http://${url}`;
  if (!isWebLink(href)) return <span class="mention">{children}</span>;
  return <WebLink url={href}>{children}</WebLink>;
}

function isSimple(type: string): type is keyof typeof TAGS {
  return type in TAGS;
}
