import { z } from 'zod';

/** Entities that may hide content. The schema is loose, since of most types only the name is used. */
export const MessageEntities = z
  .array(
    z.looseObject({
      type: z.string(),
      offset: z.int().nonnegative().catch(0),
      length: z.int().nonnegative().catch(0),
      /** The address of a `text_link`. */
      url: z.string().optional().catch(undefined),
      /** The person of a `text_mention`, who has no user name. */
      user: z.looseObject({ id: z.int() }).optional().catch(undefined),
    }),
  )
  .catch([]);
export type MessageEntities = z.infer<typeof MessageEntities>;

/** A text after the hidden content of its entities was written into it. */
export interface WrittenText {
  readonly text: string;
  /** True when words of the text look like another address than they link to. */
  readonly isDisguised: boolean;
}

/** Matches starts of addresses: a scheme, a login before a host, or an absolute path. */
const BEGINNINGS = /\b[a-z][a-z0-9+.-]{0,30}:\/\/|[^\s@]{1,64}@(?=\S)|(?<!\S)\/(?=\S)/gi;
/** Matches a host name with a dot, and an optional port and path. */
const HOST = /^(?:[\p{L}\p{N}-]{1,63}\.){1,10}\p{L}{2,63}(?::\d{1,5})?(?:[/?#]\S*)?$/iu;

/**
 * Writes hidden content out: link targets, and ids of people without a user name (in a command, instead of the name). Words that look
 * like another address than they link to lose their scheme.
 */
export function writeOutEntities(
  text: string,
  entities: MessageEntities,
  bot: { readonly id: number; readonly username: string },
): WrittenText {
  const isCommand = text.startsWith('/');
  let written = text;
  let isDisguised = false;
  // Backwards, so that earlier offsets stay valid.
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

/** True when the words are the target itself, except for its scheme and a final slash. */
function isSame(shown: string, target: string): boolean {
  const [words, address] = [shown, target].map((one) => one.trim().replace(/\/$/, ''));
  return ['', 'https://', 'http://', 'mailto:', 'tel:'].some((scheme) => `${scheme}${words}` === address);
}
