import type { MessageView } from '../store/event.ts';
import type { Person } from '../store/store.ts';

/** The `value` of a webhook change, without its common fields. */
export type Notice = Readonly<Record<string, unknown>>;

/** Builds the notice of a person's message; `content` has the fields of its type. */
export function toMessageNotice(message: {
  readonly person: Person;
  readonly id: string;
  readonly type: string;
  readonly content: object;
  readonly at: number;
  readonly context: object | null;
}): Notice {
  const { person, id, type, content, at, context } = message;
  return {
    contacts: [{ profile: { name: person.name }, wa_id: person.id }],
    messages: [{ ...(context ? { context } : {}), from: person.id, id, timestamp: toSeconds(at), type, ...content }],
  };
}

/** Builds the notice of a message status. */
export function toStatusNotice(given: {
  readonly message: MessageView;
  readonly status: string;
  readonly error?: object | undefined;
  readonly at: number;
}): Notice {
  const { message, status, error, at } = given;
  const known = { id: message.id, status, timestamp: toSeconds(at), recipient_id: message.person };
  const pricing = { billable: true, pricing_model: 'PMP', category: 'service', type: 'regular' };
  return { statuses: [error ? { ...known, errors: [error] } : { ...known, pricing }] };
}

/** Builds a webhook body with one entry per notice. */
export function toPayload(
  notices: readonly Notice[],
  phone: { readonly id: string; readonly display: string },
): object {
  const metadata = { display_phone_number: phone.display, phone_number_id: phone.id };
  return {
    object: 'whatsapp_business_account',
    entry: notices.map((notice) => ({
      id: '102290129340398',
      changes: [{ value: { messaging_product: 'whatsapp', metadata, ...notice }, field: 'messages' }],
    })),
  };
}

function toSeconds(ms: number): string {
  return String(Math.floor(ms / 1_000));
}
