import { PAGE_COMPONENTS, type ComponentProps } from '@signalbox/contracts/conversation/components';
import type { VNode } from 'preact';
import { say } from '../say.ts';
import { Markdown } from '../text/markdown.tsx';
import { TimeOfDay } from '../theme/time.tsx';
import { Buttons } from './buttons.tsx';
import { createRenderer, type ViewProps } from '../drawing/drawer.tsx';
import { FileList } from './files.tsx';
import { ReceiptList } from './receipts.tsx';

/** A message. A person's own text is shown as typed. */
function Message({ id, version, props, children }: ViewProps<ComponentProps<'Message'>>): VNode {
  const { from, author, text, language, receipts, files, buttons, pressed, at } = props;
  const isOwn = from === 'person' && author === null;
  const speaker = author ?? say(from === 'agent' ? 'page.agent' : 'page.you');
  return (
    <div class={`bubble ${isOwn ? 'own' : ''}`}>
      <span class={author === null ? 'unseen' : 'author'} dir="auto">
        {speaker}
      </span>
      {from === 'agent' && text !== '' && <Markdown text={text} language={language} />}
      {from === 'person' && (
        <p class="text plain" dir="auto">
          {text}
        </p>
      )}
      {children}
      {receipts.length > 0 && <ReceiptList receipts={receipts} />}
      {files.length > 0 && <FileList files={files} />}
      <Buttons id={id} version={version} buttons={buttons} pressed={pressed} />
      <p class="meta">
        <TimeOfDay at={at} />
      </p>
    </div>
  );
}

export const drawMessage = createRenderer(PAGE_COMPONENTS.Message, Message, { placesChildren: true });
