import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { say } from '@signalbox/messages/say';
import type { Queryable } from '@signalbox/store/pool';
import { readLinks } from './links.ts';

/** A message for a channel that takes no decisions: the buttons that would decide give way to where the person can. */
export async function withoutDecisions(db: Queryable, body: OutboundBody): Promise<OutboundBody> {
  const buttons = body.buttons.filter(({ act }) => act === undefined);
  if (buttons.length === body.buttons.length) return body;
  const links = (await readLinks(db)).filter(({ takesDecisions }) => takesDecisions);
  const where = links.map(({ channel, open }) => `[${channel}](${open})`).join(', ');
  const line = where === '' ? say('gateway.decide-nowhere') : say('gateway.decide-elsewhere', { where });
  return { ...body, text: `${body.text}\n\n${line}`, buttons };
}
