import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { say } from '@signalbox/messages/say';
import type { Queryable } from '@signalbox/store/pool';
import { readLinks } from './links.ts';

/** Replaces approval buttons by links to channels where the person can decide. */
export async function removeDecisionButtons(db: Queryable, body: OutboundBody): Promise<OutboundBody> {
  const buttons = body.buttons.filter(({ act }) => act === undefined);
  if (buttons.length === body.buttons.length) return body;
  const links = (await readLinks(db)).filter(({ takesDecisions }) => takesDecisions);
  const linkList = links.map(({ channel, open }) => `[${channel}](${open})`).join(', ');
  const line = linkList === '' ? say('gateway.decide-nowhere') : say('gateway.decide-elsewhere', { where: linkList });
  return { ...body, text: `${body.text}\n\n${line}`, buttons };
}
