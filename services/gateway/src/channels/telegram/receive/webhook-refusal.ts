/** Why a request is not let in, and what it is answered. */
export const REFUSALS = {
  'bad-secret': 401,
  'bad-path': 404,
  'bad-method': 405,
  'bad-type': 415,
  'too-large': 413,
  'too-slow': 408,
  malformed: 400,
} as const;
export type Refusal = keyof typeof REFUSALS;

/** What became of a request. Refused ones were not parsed. */
export type WebhookResult = Refusal | 'admitted' | 'unreadable' | 'not-stored';
