import { listMentions, type RequestContext } from './understanding.ts';
import { readLiteralRequest } from './literals.ts';
import { readSmallTalk, type SmallTalk } from './small-talk.ts';

/**
 * Recognizes small talk where names are known: a text with the name of a project is about the project, whatever its name means otherwise,
 * and an order in fixed words, such as “remember that …”, is an order.
 */
export function readTalk(text: string, around: Pick<RequestContext, 'facts' | 'index'>): SmallTalk | null {
  const talk = readSmallTalk(text);
  if (talk !== 'chat') return talk;
  return listMentions(text, around).length > 0 || readLiteralRequest(text, around.index, null) !== null ? null : talk;
}
