import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { ComponentProps, ComponentType } from '@signalbox/contracts/conversation/components';
import type { EncodedRow } from '../../channel.ts';
import { cleanText } from '../../text/clean-text.ts';
import { withoutMark } from '../../text/receipt.ts';

/** What the props of a type are before the time is known at which it is shown. */
type Undated<T extends ComponentType> = Omit<ComponentProps<T>, 'at'>;

/** A message as a component. The same row gives the same one, so that it is shown once however often it is sent. */
export interface WebPart {
  /** `<outbox id>.<place>`: the id of the component, and of the message. */
  readonly id: string;
  readonly outboxId: number;
  readonly shown:
    | { readonly type: 'Message'; readonly props: Undated<'Message'> }
    | { readonly type: 'Approval'; readonly props: Undated<'Approval'> }
    | { readonly type: 'Progress'; readonly props: Undated<'Progress'> };
  /** The request that a card is about. */
  readonly approvalId: string | null;
  /** What is kept instead of its text, once it has been seen. */
  readonly afterwards: string | null;
}

/** A message is one component, however long it is. */
export function encode(body: OutboundBody, { outboxId }: EncodedRow): readonly [WebPart] {
  const approvalId = body.buttons.find(({ act }) => act !== undefined)?.act?.approvalId ?? null;
  const part = { id: `${outboxId}.0`, outboxId, approvalId, afterwards: body.afterwards ?? null };
  return [{ ...part, shown: toComponent(body, approvalId !== null) }];
}

/** The part with a line above it. */
export function putAbove(line: string, part: WebPart): WebPart {
  const { shown } = part;
  const text = `${line}\n\n${shown.props.text}`;
  // Of the same type: only its text differs.
  return { ...part, shown: { ...shown, props: { ...shown.props, text } } as WebPart['shown'] };
}

function toComponent(body: OutboundBody, isCard: boolean): WebPart['shown'] {
  const { language = null, receipts = [], files = [] } = body;
  // The page opens it in place. It is the last one, so the places of the others stay.
  const pressed = body.buttons.filter(({ act }) => body.bound === undefined || act?.verb !== 'show');
  const buttons = pressed.map(({ label }) => ({ label }));
  // A card shows each value as it is; elsewhere nothing may look like a receipt of the runtime.
  const text = isCard || body.isExact ? cleanText(body.text) : withoutMark(cleanText(body.text));
  const bound = body.bound === undefined ? null : cleanText(body.bound);
  if (isCard)
    return {
      type: 'Approval',
      props: { text, language, bound, buttons, pressed: null, hash: null, askedBy: null, expiresAt: null },
    };
  // What comes with receipts or files says more than how far something is.
  if (body.progress !== undefined && receipts.length + files.length === 0)
    return { type: 'Progress', props: { text, isDone: body.progress === 'over', buttons, pressed: null } };
  return {
    type: 'Message',
    props: {
      from: 'agent',
      text,
      language,
      buttons,
      pressed: null,
      messageId: null,
      author: null,
      receipts,
      files: files.map((file) => ({ ...file, sizeBytes: null })),
    },
  };
}
