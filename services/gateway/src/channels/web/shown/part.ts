import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { ComponentProps, ComponentType } from '@signalbox/contracts/conversation/components';
import type { EncodedRow } from '../../channel.ts';
import { cleanText } from '../../text/clean-text.ts';
import { removeReceiptMarks } from '../../text/receipt.ts';

/** Component props before the time of display is known. */
type UndatedProps<T extends ComponentType> = Omit<ComponentProps<T>, 'at'>;

/** A message as a component. The same outbox row gives the same id, so it is shown once. */
export interface WebPart {
  /** `<outbox id>.<place>`, the id of the component and of the message. */
  readonly id: string;
  readonly outboxId: number;
  readonly shown:
    | { readonly type: 'Message'; readonly props: UndatedProps<'Message'> }
    | { readonly type: 'Approval'; readonly props: UndatedProps<'Approval'> }
    | { readonly type: 'Progress'; readonly props: UndatedProps<'Progress'> };
  /** The approval request of an approval card; null for other messages. */
  readonly approvalId: string | null;
  /** The text that replaces one with a secret after the person has seen it. */
  readonly afterwards: string | null;
}

export function encodeMessage(body: OutboundBody, { outboxId }: EncodedRow): readonly [WebPart] {
  const approvalId = body.buttons.find(({ act }) => act !== undefined)?.act?.approvalId ?? null;
  const part = { id: `${outboxId}.0`, outboxId, approvalId, afterwards: body.afterwards ?? null };
  return [{ ...part, shown: toComponent(body, approvalId !== null) }];
}

export function addLineAbove(line: string, part: WebPart): WebPart {
  const { shown } = part;
  const text = `${line}\n\n${shown.props.text}`;
  // only the text changed, so the type is the same
  return { ...part, shown: { ...shown, props: { ...shown.props, text } } as WebPart['shown'] };
}

function toComponent(body: OutboundBody, isCard: boolean): WebPart['shown'] {
  const { language = null, receipts = [], files = [] } = body;
  // The page itself opens what the "show" button shows. It is the last button, so other indexes stay valid.
  const pressed = body.buttons.filter(({ act }) => body.bound === undefined || act?.verb !== 'show');
  const buttons = pressed.map(({ label }) => ({ label }));
  // An approval card shows each value unchanged; other texts must not imitate a receipt.
  const text = isCard || body.isExact ? cleanText(body.text) : removeReceiptMarks(cleanText(body.text));
  const bound = body.bound === undefined ? null : cleanText(body.bound);
  if (isCard)
    return {
      type: 'Approval',
      props: { text, language, bound, buttons, pressed: null, hash: null, askedBy: null, expiresAt: null },
    };
  // A message with receipts or files is more than progress.
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
