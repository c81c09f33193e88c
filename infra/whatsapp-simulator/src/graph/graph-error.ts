/** A refusal of Meta. `details` goes into `error_data`; `status` is the HTTP status. */
export interface GraphRefusal {
  readonly status: number;
  readonly type: 'OAuthException' | 'GraphMethodException';
  readonly message: string;
  readonly details: string;
}

/** Refusals that bots must handle, by Meta's error codes. */
export const REFUSALS = {
  2: refusal(503, 'API Service', 'Temporary due to downtime or due to being overloaded.'),
  100: refusal(400, 'Invalid parameter', 'The request included one or more unsupported or misspelled parameters.'),
  190: refusal(401, 'Invalid OAuth access token - Cannot parse access token', 'The access token is not valid.'),
  130429: refusal(
    429,
    'Rate limit hit',
    'Too many messages were sent from this phone number in a short period of time.',
  ),
  131000: refusal(500, 'Something went wrong', 'Message failed to send due to an unknown error.'),
  131016: refusal(500, 'Service unavailable', 'A service is temporarily unavailable.'),
  131026: refusal(400, 'Message undeliverable', 'Message Undeliverable.'),
  131030: refusal(400, 'Recipient phone number not in allowed list', 'Add the recipient to the list of test numbers.'),
  131047: refusal(
    400,
    'Re-engagement message',
    'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
  ),
  131052: refusal(400, 'Media download error', 'Unable to download the media sent by the user.'),
  131056: refusal(
    400,
    '(Business Account, Consumer Account) pair rate limit hit',
    'Too many messages sent from the sender phone number to the same recipient phone number in a short period of time.',
  ),
  132001: refusal(404, 'Template name does not exist in the translation', 'No such template in this language.'),
} as const;
export type RefusalCode = keyof typeof REFUSALS;

/** A refused call. `details` replaces the default text. */
export class GraphError extends Error {
  readonly status: number;
  readonly code: number;
  readonly body: object;

  constructor(code: number, details?: string, status?: number) {
    const known: GraphRefusal = isKnown(code) ? REFUSALS[code] : REFUSALS[131000];
    super(`(#${code}) ${known.message}`);
    this.name = 'GraphError';
    this.code = code;
    this.status = status ?? known.status;
    this.body = {
      error: {
        message: this.message,
        type: known.type,
        code,
        error_data: { messaging_product: 'whatsapp', details: details ?? known.details },
        fbtrace_id: 'Asimulator',
      },
    };
  }
}

/** Builds the webhook error of a message that failed after acceptance. */
export function toStatusError(code: RefusalCode): object {
  const { message, details } = REFUSALS[code];
  const href = 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/';
  return { code, title: message, message, error_data: { details }, href };
}

function isKnown(code: number): code is RefusalCode {
  return Object.hasOwn(REFUSALS, code);
}

function refusal(status: number, message: string, details: string): GraphRefusal {
  return { status, type: 'OAuthException', message, details };
}
