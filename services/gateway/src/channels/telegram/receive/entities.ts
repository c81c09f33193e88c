import { z } from 'zod';

/** What of a text stands for more than it shows. Loose: of most kinds only the name counts. */
export const Entities = z
  .array(
    z.looseObject({
      type: z.string(),
      offset: z.int().nonnegative().catch(0),
      length: z.int().nonnegative().catch(0),
      /** The address behind the words of a `text_link`. */
      url: z.string().optional().catch(undefined),
      /** The person behind the words of a `text_mention`: one without a user name. */
      user: z.looseObject({ id: z.int() }).optional().catch(undefined),
    }),
  )
  .catch([]);
export type Entities = z.infer<typeof Entities>;

/** A text with everything that it stands for. */
export interface Written {
  readonly text: string;
  /** Words of it look like one address and lead to another. */
  readonly isDisguised: boolean;
}

/** A scheme, a login before a host, or a folder from the root on: whoever looks for an address in words looks for these. */
const BEGINNINGS = /\b[a-z][a-z0-9+.-]{0,30}:\/\/|[^\s@]{1,64}@(?=\S)|(?<!\S)\/(?=\S)/gi;
/** A host with a dot, and what may stand behind it. */
const HOST = /^(?:[\p{L}\p{N}-]{1,63}\.){1,10}\p{L}{2,63}(?::\d{1,5})?(?:[/?#]\S*)?$/iu;

/**
 * Writes out what the entities of a text hold and the text does not show: the address behind words, the id of a person who is named
 * without a user name, and our own name where we are named that way. In a command an id takes the place of the name. Words that look
 * like another address than they lead to lose their scheme, so that only the true address can be taken for one.
 */
export function writeOut(
  text: string,
  entities: Entities,
  bot: { readonly id: number; readonly username: string },
): Written {
  const isCommand = text.startsWith('/');
  let written = text;
  let isDisguised = false;
  // From the end on, so that the places before it stay where they are.
  for (const { type, offset, length, url, user } of entities.toSorted((a, b) => b.offset - a.offset)) {
    const [start, end] = [Math.min(offset, text.length), Math.min(offset + length, text.length)];
    const shown = text.slice(start, end);
    const put = (value: string): void => void (written = written.slice(0, start) + value + written.slice(end));
    if (type === 'text_mention' && user) {
      if (user.id === bot.id) put(`@${bot.username}`);
      else put(isCommand ? String(user.id) : `${shown} (${user.id})`);
    }
    const target = type === 'text_link' ? (url ?? '').replace(/[\s\p{Cc}\p{Cf}<>"]/gu, encodeURIComponent) : '';
    if (target === '' || isSame(shown, target)) continue;
    const bare = shown.replaceAll(BEGINNINGS, '');
    const isAddress = bare !== shown || HOST.test(shown.trim());
    isDisguised ||= isAddress;
    put(`${bare} ${isAddress ? '→ ' : ''}<${target}>`);
  }
  return { text: written, isDisguised };
}

/** Whether words are the address itself. People leave out the scheme and a slash at the end. */
function isSame(shown: string, target: string): boolean {
  const [words, address] = [shown, target].map((one) => one.trim().replace(/\/$/, ''));
  return ['', 'https://', 'http://', 'mailto:', 'tel:'].some((scheme) => `${scheme}${words}` === address);
}
