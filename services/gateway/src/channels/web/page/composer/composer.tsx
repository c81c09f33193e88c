import { MAX_INBOUND_LENGTH } from '@signalbox/contracts/conversation/envelope';
import type { PageSession } from '@signalbox/contracts/conversation/page-session';
import { Icon } from '@signalbox/page-kit/icons';
import { HAS_KEYBOARD, MessageField } from '@signalbox/page-kit/message-field';
import { SuggestionList, useSuggestionState } from '@signalbox/page-kit/suggestions';
import type { Ref, VNode } from 'preact';
import { useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { say } from '../say.ts';
import { useChat } from '../state/context.ts';
import { SpeakButton, useSpeech } from './speech.tsx';
import type { FieldControl } from './field-control.ts';

interface Props {
  readonly commands: PageSession['commands'];
  readonly fieldControl: Ref<FieldControl>;
}

/** The message field: Enter sends, Shift+Enter adds a line, "/" offers commands. */
export function Composer({ commands, fieldControl }: Props): VNode {
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
  const suggestions = useSuggestionState({
    text,
    items: findCommands(text, commands),
    choose: ({ command }) => send(`/${command}`),
    complete: ({ command }) => {
      if (text === `/${command} `) return false;
      fill(`/${command} `);
      return true;
    },
  });
  useImperativeHandle(fieldControl, () => ({ fill, focus: () => field.current?.focus() }), []);
  useLayoutEffect(() => {
    // A phone's keyboard would cover half of the screen.
    if (HAS_KEYBOARD) field.current?.focus();
  }, []);
  const submit = (event: Event): void => {
    event.preventDefault();
    send(text);
  };
  return (
    <div class="composer">
      {suggestions.items.length > 0 && (
        <SuggestionList suggestions={suggestions} label={say('page.commands')}>
          {({ command, description }) => (
            <>
              <strong>/{command}</strong>
              <span class="note">{description}</span>
            </>
          )}
        </SuggestionList>
      )}
      <p class="hint" role="status">
        {speech.hint !== null && say(speech.hint)}
      </p>
      <form class="entry" onSubmit={submit}>
        <MessageField
          id="message"
          {...{ field, text, suggestions }}
          label={say('page.message')}
          placeholder={say('page.placeholder')}
          aria-autocomplete={commands.length > 0 ? 'list' : undefined}
          maxLength={MAX_INBOUND_LENGTH}
          onText={setText}
          onSubmit={submit}
        />
        <SpeakButton voice={chat.voice} />
        <button class="send" aria-label={say('page.send')} aria-disabled={text.trim() === ''}>
          <Icon name="send" />
        </button>
      </form>
    </div>
  );
}

function findCommands(text: string, commands: PageSession['commands']): PageSession['commands'] {
  const typed = /^\/(\w*)$/.exec(text)?.[1]?.toLowerCase();
  return typed === undefined ? [] : commands.filter(({ command }) => command.startsWith(typed));
}
