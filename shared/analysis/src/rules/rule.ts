import { say, type MessageKey, type MessageValues } from '@signalbox/messages/say';

/** The sentences of one rule, in the current language. */
export interface Rule {
  /** The finding in one sentence with its values: `lodash 4.17.15 has a known vulnerability.` */
  readonly say: (values: MessageValues) => string;
  /** Why it matters and what to do about it, in one to three sentences. */
  readonly why: () => string;
}

/** Rules by their name, such as `private-key`, of one analyzer. */
export type Rules = Readonly<Record<string, Rule>>;

/** A rule by the keys of its two sentences. */
export function rule(found: MessageKey, why: MessageKey): Rule {
  return { say: (values) => say(found, values), why: () => say(why) };
}
