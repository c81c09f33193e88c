import type { Log } from '@signalbox/platform/log';
import type { Channel, SendResult, ThrottleOptions } from '../channel.ts';
import { toPhoneNumber } from './chat-key.ts';
import type { GraphApiClient } from './client.ts';
import { listenToWebhook } from './receive/listener.ts';
import type { WebhookRoutes } from './receive/webhook.ts';
import { encodeMessage, type MessagePart } from './send/encode.ts';
import { type LoadFile, sendPart, sendTemplate } from './send/send-part.ts';
import type { MessageWindows } from './window.ts';

/** Meta allows 80 messages per second and number, other gateways included; per person one in 6 s after the first 45. */
const ALLOWED: ThrottleOptions = {
  sendsPerSecond: 40,
  chatSendsPerSecond: 1 / 6,
  chatBurst: 40,
  groupSendsPerMinute: 1,
};
/** WhatsApp's largest file. */
const FILE_LIMIT_BYTES = 100 * 1024 * 1024;
/** How often sending is retried while the 24-hour window of a person is closed. */
const WINDOW_WAIT_MS = 10_000;
/** How often sending is retried while Meta refuses the token or account. */
const ACCOUNT_WAIT_MS = 30_000;

/** Creates the WhatsApp channel. Calls nothing before `listen` or the first send. */
export function createWhatsApp(options: {
  readonly phoneNumberId: string;
  readonly template: string | null;
  readonly client: GraphApiClient;
  readonly windows: MessageWindows;
  readonly routes: WebhookRoutes;
  readonly loadFile: LoadFile;
  readonly log: Log;
  readonly onUndelivered: () => void;
  readonly throttle?: ThrottleOptions;
}): Channel<MessagePart> {
  const { phoneNumberId, template, client, windows, log, throttle = ALLOWED } = options;
  let ownNumber: string | null = null;
  /** Why Meta refuses all sends; null while Meta accepts them. */
  let trouble: string | null = null;

  const noteTrouble = (detail: string | null): void => void (trouble = detail);

  /** Lets the message wait; a template tells the person that something waits. */
  const waitForWindow = async (number: string): Promise<SendResult> => {
    if (template === null) log.warn('a person has not written for 24 hours, and there is no template', { number });
    else
      await windows.notifyOnce(number, async () => {
        const notified = await sendTemplate({ client }, number, template);
        if (notified.kind !== 'sent') log.error('the template was not sent', { template, number, notified });
        return notified.kind === 'sent' || notified.kind === 'ambiguous';
      });
    return { kind: 'wait', retryAfterMs: WINDOW_WAIT_MS };
  };

  return {
    name: 'whatsapp',
    bot: phoneNumberId,
    way: 'webhook',
    takesDecisions: true,
    fileLimitBytes: FILE_LIMIT_BYTES,
    throttle,
    throttleOf: () => 'private',
    encode: encodeMessage,
    send: async (chatKey, part, firstLine) => {
      const number = toPhoneNumber(chatKey);
      const isOpen = await windows.isOpen(number).catch(() => null);
      if (isOpen === null) return { kind: 'busy', detail: 'it is not known whether the person may be written to' };
      if (!isOpen) return waitForWindow(number);
      const sent = await sendPart(options, number, part, firstLine);
      if (sent.kind === 'account-refused') {
        noteTrouble(sent.detail);
        return { kind: 'wait', retryAfterMs: ACCOUNT_WAIT_MS };
      }
      if (sent.kind === 'sent') noteTrouble(null);
      if (sent.kind !== 'window-closed') return sent;
      windows.close(number);
      return waitForWindow(number);
    },
    fetchFile: client.fetchFile,
    typing: async (chatKey) => {
      try {
        const last = await windows.findLastMessage(toPhoneNumber(chatKey));
        if (last?.messageId == null) return;
        await client.post({ status: 'read', message_id: last.messageId, typing_indicator: { type: 'text' } });
      } catch (error) {
        // Typing is only decoration.
        log.debug('typing not shown', { error });
      }
    },
    link: (code) => {
      if (ownNumber === null) return null;
      return `https://wa.me/${ownNumber}${code === null ? '' : `?text=${encodeURIComponent(`/start ${code}`)}`}`;
    },
    listen: (admit) =>
      listenToWebhook({
        ...options,
        admit,
        trouble: () => trouble,
        noteTrouble,
        onNumber: (number) => (ownNumber = number),
      }),
  };
}
