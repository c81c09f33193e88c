import { IconButton } from '@signalbox/page-kit/icon-button';
import { Icon } from '@signalbox/page-kit/icons';
import { HAS_KEYBOARD, MessageField } from '@signalbox/page-kit/message-field';
import { SuggestionList, useSuggestionState, type SuggestionState } from '@signalbox/page-kit/suggestions';
import type { RefObject, TargetedEvent, TargetedKeyboardEvent, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { summarizeMessage } from '../messages/summary.ts';
import { editLastMessage } from '../state/actions.ts';
import { usePage, useShownChat } from '../state/context.ts';
import { buildChatKey } from '../state/shown-chat.ts';
import type { ComposerContext } from './writing.ts';
import type { StoredCommand } from '../../store/event.ts';
import { formatSize } from '../messages/amounts.ts';
import { detectFileKind } from './file-kind.ts';

/** A completion of the typed text. */
interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** True for an ephemeral command, which only the person and the bot see. */
  readonly isWhispered: boolean;
  /** True when choosing it sends a whole message. */
  readonly isCommand: boolean;
  /** Start of the replaced text. */
  readonly start: number;
  readonly end: number;
}
interface Offered {
  readonly commands: readonly StoredCommand[];
  /** People who can be mentioned. */
  readonly names: readonly { readonly name: string; readonly title: string }[];
}

/** The message field. Enter sends, "/" and "@" open suggestions, ↑ edits the last own message, Escape cancels. */
export function Composer(): VNode {
  const [page, shown] = [usePage(), useShownChat()];
  const { writing, commands } = page;
  const { text, context, files, isSending } = writing;
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const suggestions = useSuggestions(field);
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
      editLastMessage(page, shown);
    }
  };
  return (
    <footer class="composer">
      {suggestions.items.length > 0 && (
        <SuggestionList class="panel" suggestions={suggestions} label="Suggestions">
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
          {...{ field, text, suggestions }}
          label="Message"
          placeholder={`Message as ${shown.person.name}`}
          aria-expanded={suggestions.items.length > 0}
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
function useSuggestions(field: RefObject<HTMLTextAreaElement | null>): SuggestionState<Suggestion> {
  const { writing, commands, store } = usePage();
  const { chat } = useShownChat();
  const { text } = writing;
  const names = chat.type === 'group' ? [{ name: store.bot?.username ?? '', title: store.botName() }] : [];
  const caret = field.current?.selectionStart ?? text.length;
  const complete = ({ label, start, end }: Suggestion): true => {
    field.current?.setRangeText(`${label} `, start, end, 'end');
    writing.type(field.current?.value ?? '');
    field.current?.focus();
    return true;
  };
  return useSuggestionState({
    text,
    items: findSuggestions(text, caret, { commands, names }),
    choose: (item) => void (item.isCommand ? writing.submit(item.label) : complete(item)),
    complete,
  });
}

/** Focuses the field when the chat or the quoted message changes, before the next key press. */
function useFocus(field: RefObject<HTMLTextAreaElement | null>): void {
  const { text, context } = usePage().writing;
  const shown = useShownChat();
  useLayoutEffect(() => {
    // A phone's on-screen keyboard would cover half of the screen.
    if (HAS_KEYBOARD && !shown.isList) field.current?.focus();
  }, [buildChatKey(shown)]);
  useLayoutEffect(() => {
    if (!context) return;
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, [context]);
}

/** Shows the message that is answered or edited. */
function ContextBar({ context, onCancel }: { context: ComposerContext; onCancel: () => void }): VNode {
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

/** Finds suggestions for the text before the caret: commands at the start, names after @. */
function findSuggestions(text: string, caret: number, { commands, names }: Offered): readonly Suggestion[] {
  const command = /^\/(\w*)$/.exec(text)?.[1]?.toLowerCase();
  if (command !== undefined) {
    const fitting = commands.filter((one) => one.command.startsWith(command));
    return fitting.map(({ command: name, description: detail, is_ephemeral: isWhispered = false }) => {
      return { label: `/${name}`, detail, isWhispered, isCommand: true, start: 0, end: text.length };
    });
  }
  const name = /(?:^|\s)@(\w*)$/.exec(text.slice(0, caret))?.[1]?.toLowerCase();
  if (name === undefined) return [];
  const fitting = names.filter((one) => [one.name, one.title].some((word) => word.toLowerCase().startsWith(name)));
  const common = { isWhispered: false, isCommand: false, start: caret - name.length - 1, end: caret };
  return fitting.map((one) => ({ label: `@${one.name}`, detail: one.title, ...common }));
}

/** Files attached to the message being written. */
function Tray({ onRemove }: { readonly onRemove: () => void }): VNode | null {
  const { writing } = usePage();
  const { files, problem, isSending } = writing;
  if (files.length === 0 && problem === '') return null;
  const remove = (file: File): void => {
    writing.removeFiles([file]);
    onRemove();
  };
  return (
    <section class="panel tray" aria-label="Files to send" aria-busy={isSending}>
      <ul>
        {files.map((file) => (
          <li>
            <Icon name={detectFileKind(file)} />
            <span class="clip">{file.name}</span>
            <span class="dim">{formatSize(file.size)}</span>
            <IconButton icon="close" label={`Remove ${file.name}`} onClick={() => remove(file)} />
          </li>
        ))}
      </ul>
      {problem !== '' && (
        <p class="tray-problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
