/** Reasons to refuse a request, with their HTTP status. */
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

/** What became of a request. A refused one is not parsed. */
export type WebhookResult = Refusal | 'admitted' | 'unreadable' | 'not-stored';
