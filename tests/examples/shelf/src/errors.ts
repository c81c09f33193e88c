import type shelf from './languages/en/shelf.json';

/** What can go wrong, in English. The agent reads the sentence; `errors.json` of each other language translates it. */
export const ERRORS = {
  SHELF_FULL: 'You have {limit} notes, and no more are kept.',
} as const;

type Codes = typeof ERRORS;

declare module '@signalbox/contracts/errors' {
  interface PluginErrors extends Codes {}
}

declare module '@signalbox/messages/say' {
  interface Catalog {
    readonly shelf: typeof shelf;
  }
}
