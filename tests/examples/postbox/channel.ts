import type { Channel, ThrottleOptions } from '@signalbox/gateway/channels/channel';
import type { Log } from '@signalbox/platform/log';
import { createClient, type PostboxMessage } from './client.ts';
import { encode, putAbove } from './encode.ts';
import { listenToUpdates } from './receive.ts';

/** What Postbox bears from one account: put its own figures here. */
const ALLOWED: ThrottleOptions = { sendsPerSecond: 20, chatSendsPerSecond: 1, chatBurst: 5, groupSendsPerMinute: 20 };

/** Opens Postbox. Nothing is called before `listen` or the first send. */
export function createPostbox(options: {
  readonly url: string;
  readonly token: string;
  readonly account: string;
  readonly log: Log;
}): Channel<PostboxMessage> {
  const client = createClient(options);
  const { log } = options;

  /** For calls whose failure does no harm: the message itself matters, not its decoration. */
  const ignoreFailure = async (what: string, call: Promise<{ readonly kind: string }>): Promise<void> => {
    const { kind } = await call;
    if (kind !== 'sent') log.debug('postbox call failed', { what, kind });
  };

  return {
    name: 'postbox',
    bot: options.account,
    way: 'polling',
    // True only where a person sees a card whole and Postbox has made sure who presses: then approvals are given there.
    takesDecisions: false,
    fileLimitBytes: 0,
    throttle: ALLOWED,
    throttleOf: () => 'private',
    encode,
    send: (chatKey, part, firstLine) =>
      client.send(toChat(chatKey), firstLine === null ? part : putAbove(firstLine, part)),
    edit: (chatKey, messageId, part) => client.edit(toChat(chatKey), messageId, part),
    remove: (chatKey, messageId) => ignoreFailure('remove', client.remove(toChat(chatKey), messageId)),
    answerPress: (pressId, toast) => ignoreFailure('answer', client.answerPress(pressId, toast)),
    listen: (admit) => listenToUpdates({ client, admit, log }),
  };
}

/** The chat's name at Postbox. */
function toChat(chatKey: string): string {
  return chatKey.slice('postbox:'.length);
}
