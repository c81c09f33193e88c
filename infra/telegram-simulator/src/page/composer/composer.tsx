import { IconButton } from '@signalbox/page-kit/icon-button';
import { Icon } from '@signalbox/page-kit/icons';
import { HAS_KEYBOARD, MessageField } from '@signalbox/page-kit/message-field';
import { SuggestionList, useOffer, type Offer } from '@signalbox/page-kit/suggestions';
import type { RefObject, TargetedEvent, TargetedKeyboardEvent, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { summarizeMessage } from '../messages/summary.ts';
import { editLast } from '../state/actions.ts';
import { usePage, usePlace } from '../state/context.ts';
import { buildPlaceKey } from '../state/place.ts';
import { findSuggestions, type Suggestion } from './suggestions.ts';
import { Tray } from './tray.tsx';
import type { Context } from './writing.ts';

/** The message field. Enter sends, "/" and "@" open suggestions, ↑ edits the last own message, Escape cancels. */
export function Composer(): VNode {
  const [page, place] = [usePage(), usePlace()];
  const { writing, commands } = page;
  const { text, context, files, isSending } = writing;
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const offer = useSuggestions(field);
  useFocus(field);
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
    if (event.key === 'Escape') writing.cancel();
    else if (event.key === 'ArrowUp' && text === '' && !context) {
      event.preventDefault();
      editLast(page, place);
    }
  };
  return (
    <footer class="composer">
      {offer.items.length > 0 && (
        <SuggestionList class="panel" offer={offer} label="Suggestions">
          {({ label, detail, isWhispered }) => (
            <>
              <strong>{label}</strong>
              <span class="clip">{detail}</span>
              {isWhispered && (
                <span class="whispered">
                  <Icon name="eye" />
                  only you
                </span>
              )}
            </>
          )}
        </SuggestionList>
      )}
      {context && <ContextBar context={context} onCancel={() => writing.cancel()} />}
      <Tray onRemove={focus} />
      <form class="panel entry" onSubmit={submit}>
        {commands.length > 0 && text === '' && files.length === 0 && (
          <IconButton icon="slash" label="Commands of the bot" onClick={offerCommands} />
        )}
        {context?.mode !== 'edit' && (
          <IconButton icon="attach" label="Attach files" onClick={() => picker.current?.click()} />
        )}
        <input type="file" id="file-input" multiple hidden ref={picker} onChange={attach} />
        <MessageField
          {...{ field, text, offer }}
          label="Message"
          placeholder={`Message as ${place.person.name}`}
          aria-expanded={offer.items.length > 0}
          onText={(value) => writing.type(value)}
          onSubmit={submit}
          onKey={handleKey}
          onPaste={paste}
        />
        <button class="send" aria-label="Send" disabled={isSending || (text.trim() === '' && files.length === 0)}>
          <Icon name="send" />
        </button>
      </form>
    </footer>
  );
}

/** Offers suggestions for the typed text: a command is sent, a name is inserted. */
function useSuggestions(field: RefObject<HTMLTextAreaElement | null>): Offer<Suggestion> {
  const { writing, commands, store } = usePage();
  const { chat } = usePlace();
  const { text } = writing;
  const names = chat.type === 'group' ? [{ name: store.bot?.username ?? '', title: store.botName() }] : [];
  const caret = field.current?.selectionStart ?? text.length;
  const complete = ({ label, start, end }: Suggestion): true => {
    field.current?.setRangeText(`${label} `, start, end, 'end');
    writing.type(field.current?.value ?? '');
    field.current?.focus();
    return true;
  };
  return useOffer({
    text,
    items: findSuggestions(text, caret, { commands, names }),
    choose: (item) => void (item.isCommand ? writing.submit(item.label) : complete(item)),
    complete,
  });
}

/** Focuses the field when the chat changes. */
function useFocus(field: RefObject<HTMLTextAreaElement | null>): void {
  const { text, context } = usePage().writing;
  const place = usePlace();
  useEffect(() => {
    // A phone's on-screen keyboard would cover half of the screen.
    if (HAS_KEYBOARD && !place.isList) field.current?.focus();
  }, [buildPlaceKey(place)]);
  useEffect(() => {
    if (!context) return;
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, [context]);
}

/** Shows the message that is answered or edited. */
function ContextBar({ context, onCancel }: { context: Context; onCancel: () => void }): VNode {
  return (
    <div class="panel context">
      <Icon name={context.mode} />
      <div class="stack">
        <strong>{context.mode === 'edit' ? 'Edit message' : `Reply to ${context.message.from.name}`}</strong>
        <span class="clip">{summarizeMessage(context.message)}</span>
      </div>
      <IconButton icon="close" label="Cancel" onClick={onCancel} />
    </div>
  );
}
