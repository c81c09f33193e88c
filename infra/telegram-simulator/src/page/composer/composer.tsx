import type { TargetedKeyboardEvent, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { summaryOf } from '../messages/summary.ts';
import { editLast } from '../state/actions.ts';
import { usePage, usePlace } from '../state/context.ts';
import { keyOf } from '../state/place.ts';
import { Icon } from '../theme/icons.tsx';
import { SuggestionList } from './suggestion-list.tsx';
import { findSuggestions, type Suggestion } from './suggestions.ts';
import { Tray } from './tray.tsx';

const MAX_HEIGHT_PX = 180;
/** Phones have no Shift+Enter: there the Enter key makes a line and the button sends, as in Telegram. */
const HAS_KEYBOARD = matchMedia('(pointer: fine)').matches;

/**
 * The field at the bottom: Enter sends, Shift+Enter makes a line, "/" and "@" offer what fits, ↑ in an empty field edits
 * the last own message, Escape cancels a reply or an edit.
 */
export function Composer(): VNode {
  const [page, place] = [usePage(), usePlace()];
  const { writing, commands, store } = page;
  const { text, context, files, isSending } = writing;
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [selected, setSelected] = useState(0);
  /** The text at which somebody closed the suggestions. */
  const [closedAt, setClosedAt] = useState<string | null>(null);
  const names = place.chat.type === 'group' ? [{ name: store.bot?.username ?? '', title: store.botName() }] : [];
  const caret = field.current?.selectionStart ?? text.length;
  const suggestions = text === closedAt ? [] : findSuggestions(text, caret, { commands, names });

  useLayoutEffect(() => {
    if (!field.current) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${Math.min(field.current.scrollHeight, MAX_HEIGHT_PX)}px`;
  }, [text]);
  useEffect(() => {
    // The keyboard of a phone would cover half of its screen.
    if (HAS_KEYBOARD && !place.isList) field.current?.focus();
  }, [keyOf(place)]);
  useEffect(() => {
    if (!context) return;
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, [context]);

  const focus = (): void => field.current?.focus();
  const type = (value: string): void => {
    setSelected(0);
    setClosedAt(null);
    writing.type(value);
  };
  const complete = ({ label, start, end }: Suggestion): void => {
    field.current?.setRangeText(`${label} `, start, end, 'end');
    type(field.current?.value ?? '');
    focus();
  };
  const choose = (item: Suggestion): void => (item.isCommand ? void writing.submit(item.label) : complete(item));

  /** The keys of the suggestions; answers whether it was one of them. */
  const handleSuggestionKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const item = suggestions[selected] ?? suggestions[0];
    if (!item || shiftKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) setSelected((selected + step + suggestions.length) % suggestions.length);
    else if (key === 'Enter') choose(item);
    else if (key === 'Tab') complete(item);
    else if (key === 'Escape') setClosedAt(text);
    else return false;
    return true;
  };
  const handleKey = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    const { key, shiftKey, isComposing } = event;
    if (isComposing) return;
    if (handleSuggestionKey(event)) event.preventDefault();
    else if (key === 'Escape') writing.cancel();
    else if (key === 'Enter' && !shiftKey && HAS_KEYBOARD) {
      event.preventDefault();
      void writing.submit(text);
    } else if (key === 'ArrowUp' && text === '' && !context) {
      event.preventDefault();
      editLast(page, place);
    }
  };
  return (
    <footer class="composer">
      {suggestions.length > 0 && <SuggestionList items={suggestions} selected={selected} onChoose={choose} />}
      {context && (
        <div class="panel context">
          <Icon name={context.mode} />
          <div class="stack">
            <strong>{context.mode === 'edit' ? 'Edit message' : `Reply to ${context.message.from.name}`}</strong>
            <span class="clip" dir="auto">
              {summaryOf(context.message)}
            </span>
          </div>
          <button type="button" class="icon-button" aria-label="Cancel" onClick={() => writing.cancel()}>
            <Icon name="close" />
          </button>
        </div>
      )}
      <Tray onRemove={focus} />
      <form
        class="panel entry"
        onSubmit={(event) => {
          event.preventDefault();
          void writing.submit(text);
        }}
      >
        {commands.length > 0 && text === '' && files.length === 0 && (
          <button
            type="button"
            class="icon-button slash"
            aria-label="Commands of the bot"
            onClick={() => {
              type('/');
              focus();
            }}
          >
            /
          </button>
        )}
        {context?.mode !== 'edit' && (
          <button type="button" class="icon-button" aria-label="Attach files" onClick={() => picker.current?.click()}>
            <Icon name="attach" />
          </button>
        )}
        <input
          type="file"
          id="file-input"
          multiple
          hidden
          ref={picker}
          onChange={({ currentTarget }) => {
            writing.addFiles([...(currentTarget.files ?? [])]);
            currentTarget.value = '';
            focus();
          }}
        />
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          aria-label="Message"
          autocomplete="off"
          enterkeyhint={HAS_KEYBOARD ? 'send' : 'enter'}
          placeholder={`Message as ${place.person.name}`}
          aria-controls="suggestions"
          aria-expanded={suggestions.length > 0}
          aria-activedescendant={suggestions.length > 0 ? `suggestion-${selected}` : undefined}
          value={text}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onKeyDown={handleKey}
          onPaste={(event) => {
            const pasted = [...(event.clipboardData?.files ?? [])];
            if (pasted.length === 0) return;
            event.preventDefault();
            writing.addFiles(pasted);
          }}
        />
        <button class="send" aria-label="Send" disabled={isSending || (text.trim() === '' && files.length === 0)}>
          <Icon name="send" />
        </button>
      </form>
    </footer>
  );
}
