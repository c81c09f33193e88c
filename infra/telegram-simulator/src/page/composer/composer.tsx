import type { RefObject, TargetedEvent, TargetedKeyboardEvent, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { summaryOf } from '../messages/summary.ts';
import { editLast } from '../state/actions.ts';
import { usePage, usePlace } from '../state/context.ts';
import { keyOf } from '../state/place.ts';
import { Icon } from '../theme/icons.tsx';
import { IconButton } from '../theme/row.tsx';
import { SuggestionList, useSuggestions } from './suggestion-list.tsx';
import { Tray } from './tray.tsx';
import type { Context } from './writing.ts';

const MAX_HEIGHT_PX = 180;
/** Phones have no Shift+Enter: there the Enter key makes a line and the button sends, as in Telegram. */
const HAS_KEYBOARD = matchMedia('(pointer: fine)').matches;

/**
 * The field at the bottom: Enter sends, Shift+Enter makes a line, "/" and "@" offer what fits, ↑ in an empty field edits
 * the last own message, Escape cancels a reply or an edit.
 */
export function Composer(): VNode {
  const [page, place] = [usePage(), usePlace()];
  const { writing, commands } = page;
  const { text, context, files, isSending } = writing;
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const suggestions = useSuggestions(field);
  const isOffering = suggestions.items.length > 0;

  useField(field);
  const focus = (): void => field.current?.focus();
  const attach = ({ currentTarget }: TargetedEvent<HTMLInputElement>): void => {
    writing.addFiles([...(currentTarget.files ?? [])]);
    currentTarget.value = '';
    focus();
  };
  const paste = (event: ClipboardEvent): void => {
    const pasted = [...(event.clipboardData?.files ?? [])];
    if (pasted.length > 0) event.preventDefault();
    writing.addFiles(pasted);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void writing.submit(text);
  };
  const offerCommands = (): void => {
    writing.type('/');
    focus();
  };
  const handleKey = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    const { key, shiftKey, isComposing } = event;
    if (isComposing) return;
    if (suggestions.handleKey(event)) event.preventDefault();
    else if (key === 'Escape') writing.cancel();
    else if (key === 'Enter' && !shiftKey && HAS_KEYBOARD) submit(event);
    else if (key === 'ArrowUp' && text === '' && !context) {
      event.preventDefault();
      editLast(page, place);
    }
  };
  return (
    <footer class="composer">
      {isOffering && <SuggestionList {...suggestions} />}
      {context && <ContextBar context={context} onCancel={() => writing.cancel()} />}
      <Tray onRemove={focus} />
      <form class="panel entry" onSubmit={submit}>
        {commands.length > 0 && text === '' && files.length === 0 && (
          <IconButton icon="slash" label="Commands of the bot" onPress={offerCommands} />
        )}
        {context?.mode !== 'edit' && (
          <IconButton icon="attach" label="Attach files" onPress={() => picker.current?.click()} />
        )}
        <input type="file" id="file-input" multiple hidden ref={picker} onChange={attach} />
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          aria-label="Message"
          autocomplete="off"
          enterkeyhint={HAS_KEYBOARD ? 'send' : 'enter'}
          placeholder={`Message as ${place.person.name}`}
          aria-controls="suggestions"
          aria-expanded={isOffering}
          aria-activedescendant={isOffering ? `suggestion-${suggestions.selected}` : undefined}
          value={text}
          onInput={({ currentTarget }) => writing.type(currentTarget.value)}
          onKeyDown={handleKey}
          onPaste={paste}
        />
        <button class="send" aria-label="Send" disabled={isSending || (text.trim() === '' && files.length === 0)}>
          <Icon name="send" />
        </button>
      </form>
    </footer>
  );
}

/** Keeps a field as high as its text, and puts the focus where somebody goes on to write. */
function useField(field: RefObject<HTMLTextAreaElement | null>): void {
  const { text, context } = usePage().writing;
  const place = usePlace();
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
}

/** Which message is answered or changed. */
function ContextBar({ context, onCancel }: { context: Context; onCancel: () => void }): VNode {
  return (
    <div class="panel context">
      <Icon name={context.mode} />
      <div class="stack">
        <strong>{context.mode === 'edit' ? 'Edit message' : `Reply to ${context.message.from.name}`}</strong>
        <span class="clip">{summaryOf(context.message)}</span>
      </div>
      <IconButton icon="close" label="Cancel" onPress={onCancel} />
    </div>
  );
}
