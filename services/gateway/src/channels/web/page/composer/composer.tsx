import { MAX_TEXT_LENGTH } from '@signalbox/contracts/conversation/envelope';
import type { PageSession } from '@signalbox/contracts/conversation/page-session';
import type { Ref, RefObject, TargetedKeyboardEvent, VNode } from 'preact';
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { say } from '../say.ts';
import { useChat } from '../state/context.ts';
import { Icon } from '../theme/icons.tsx';
import { SpeakButton, useSpeech } from './speech.tsx';
import { SuggestionList, useSuggestions } from './suggestions.tsx';
import type { Writing } from './writing.ts';

const MAX_HEIGHT_PX = 180;
/** Phones have no Shift+Enter: there the Enter key makes a line, and the button sends. */
const HAS_KEYBOARD = matchMedia('(pointer: fine)').matches;

interface Props {
  readonly commands: PageSession['commands'];
  readonly writing: Ref<Writing>;
}

/** The field at the bottom: Enter sends, Shift+Enter makes a line, "/" offers commands. */
export function Composer({ commands, writing }: Props): VNode {
  const chat = useChat();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const speech = useSpeech(chat.voice, text, setText);
  const send = (what: string): void => {
    if (what.trim() === '') return;
    chat.say(what, speech.isSpoken);
    chat.voice.endListening();
    speech.forget();
    setText('');
    field.current?.focus();
  };
  const fill = (what: string): void => {
    setText(what);
    field.current?.focus();
  };
  const suggestions = useSuggestions(text, commands, { onFill: fill, onSend: send });
  const isOffering = suggestions.items.length > 0;
  useImperativeHandle(writing, () => ({ fill, focus: () => field.current?.focus() }), []);
  useField(field, text);
  const submit = (event: Event): void => {
    event.preventDefault();
    send(text);
  };
  const handleKey = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.isComposing) return;
    if (suggestions.handleKey(event)) event.preventDefault();
    else if (event.key === 'Enter' && !event.shiftKey && HAS_KEYBOARD) submit(event);
  };
  return (
    <div class="composer">
      {isOffering && <SuggestionList {...suggestions} />}
      <p class="hint" role="status">
        {speech.hint !== null && say(speech.hint)}
      </p>
      <form class="entry" onSubmit={submit}>
        <textarea
          id="message"
          ref={field}
          rows={1}
          dir="auto"
          aria-label={say('page.message')}
          aria-autocomplete={commands.length > 0 ? 'list' : undefined}
          aria-controls={isOffering ? 'suggestions' : undefined}
          aria-activedescendant={isOffering ? `suggestion-${suggestions.selected}` : undefined}
          autocomplete="off"
          enterkeyhint={HAS_KEYBOARD ? 'send' : 'enter'}
          maxLength={MAX_TEXT_LENGTH}
          placeholder={say('page.placeholder')}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={handleKey}
        />
        <SpeakButton voice={chat.voice} />
        <button class="send" aria-label={say('page.send')} aria-disabled={text.trim() === ''}>
          <Icon name="send" />
        </button>
      </form>
    </div>
  );
}

/** Keeps a field as high as its text, and puts the focus there at the beginning. */
function useField(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    if (!field.current) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${Math.min(field.current.scrollHeight, MAX_HEIGHT_PX)}px`;
  }, [text]);
  useEffect(() => {
    // The keyboard of a phone would cover half of its screen.
    if (HAS_KEYBOARD) field.current?.focus();
  }, []);
}
