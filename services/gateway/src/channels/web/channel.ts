import type { AddressInfo } from 'node:net';
import { openSpeaker } from '@signalbox/models/speech/settings';
import type { PageAgent } from '@signalbox/contracts/conversation/frames';
import { AppError } from '@signalbox/contracts/errors';
import { newId } from '@signalbox/contracts/ids';
import { describeAgent } from '@signalbox/messages/agents';
import { runInLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { runInBackground } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { chooseAgent, findChosenAgent, listAgents, type OfferedAgent } from '@signalbox/store/conversation/agents';
import { isTransient } from '@signalbox/store/pool';
import type { Channel, ChannelDeps, SendResult, ThrottleOptions } from '../channel.ts';
import { LOCAL_PAGE_HOST, type WebConfig } from './config.ts';
import { registerWebRoutes, type PluginDeps } from './plugin.ts';
import { encodeMessage, addLineAbove, type WebPart } from './shown/part.ts';
import {
  changePart,
  redactExpiredSecrets,
  readMissingPatches,
  readSeqs,
  removePart,
  showPart,
  disableButtons,
} from './shown/patches.ts';
import { createLoginCookie } from './sign-in/cookie.ts';
import { listEndedLogins } from './sign-in/logins.ts';
import { createHostCheck, createOriginCheck, isLoopback } from './sign-in/origin.ts';
import { openPageEventBus, type PageEvent } from './sockets/bus.ts';
import { getChatOfPress } from './sockets/client-frames.ts';
import { createConcurrencyLimit } from '../http/concurrency-limit.ts';
import { PageHub } from './sockets/hub.ts';
import { UpdateIntake } from './sockets/intake.ts';

/** High limits, since sends only write to Postgres. */
const WEB_LIMITS: ThrottleOptions = {
  sendsPerSecond: 1_000,
  chatSendsPerSecond: 50,
  chatBurst: 100,
  groupSendsPerMinute: 1_000,
};
const DRAFT_INTERVAL_MS = 250;
/** The most pages updated at once, to leave database connections for other work. */
const MAX_READS = 4;
const ACCOUNT = 'page';
/** The outbox id of a message that has no outbox row. */
const NO_ROW = 0;

export interface WebOptions {
  /** Time limit to send a frame to a page, in milliseconds. */
  readonly slowMs?: number;
  /** Interval of the hub's checks, in milliseconds. */
  readonly tickMs?: number;
  readonly patienceMs?: number;
}

/** Opens the web channel; sends write to Postgres, where pages read. Throws STARTUP_REFUSED when strangers could pick a demo person. */
export async function createWeb(parts: ChannelDeps<WebConfig>, options: WebOptions = {}): Promise<Channel<WebPart>> {
  const { pool, httpHost, log, config } = parts;
  if (config.WEB_DEMO_PEOPLE === 'on' && !isLoopback(httpHost))
    throw new AppError('STARTUP_REFUSED', { reason: say('gateway.web-demo-not-local') });
  const app = parts.http();
  const createPublicUrl = (): string | null => config.WEB_PUBLIC_URL ?? getUrl(httpHost, app.server.address());
  const { hub, publish, intake } = await openPages(parts, options);
  await registerWebRoutes(app, createPluginDeps({ ...parts, hub, publish, intake, createPublicUrl }, options));
  const write = createWriter({ log, written: (chatKey) => publish({ kind: 'patched', chatKey }) });
  return {
    name: 'web',
    bot: ACCOUNT,
    way: 'webhook',
    takesDecisions: true,
    fileLimitBytes: 0,
    throttle: WEB_LIMITS,
    throttleOf: () => 'private',
    encode: encodeMessage,
    send: async (chatKey, part, firstLine) => {
      const shown = firstLine === null ? part : addLineAbove(firstLine, part);
      if (part.outboxId !== NO_ROW) return write(chatKey, part.id, () => showPart(pool, chatKey, shown));
      hub.notice(chatKey, shown.shown.props.text);
      return { kind: 'sent', messageId: part.id };
    },
    edit: (chatKey, messageId, part) => write(chatKey, messageId, () => changePart(pool, chatKey, messageId, part)),
    remove: async (chatKey, messageId) => {
      // A person's own message is stored without its secrets already.
      if (!messageId.startsWith('in.')) await write(chatKey, messageId, () => removePart(pool, chatKey, messageId));
    },
    removeButtons: async (chatKey, messageId) => {
      await write(chatKey, messageId, () => disableButtons(pool, chatKey, messageId));
    },
    answerPress: async (pressId, toast) => {
      if (toast !== null) hub.notice(getChatOfPress(pressId), toast);
    },
    typing: (chatKey) => publish({ kind: 'thinking', chatKey }),
    drafts: {
      intervalMs: DRAFT_INTERVAL_MS,
      show: async (chatKey, { text }) => {
        await publish({ kind: 'draft', chatKey, text });
        return { kind: 'shown' };
      },
    },
    link: (code) => {
      const url = createPublicUrl();
      // Browsers send nothing after the #, so that no log or preview gets the code.
      return url === null ? null : `${url}/${code === null ? '' : `#code=${code}`}`;
    },
    listen: (admit) => intake.listen(admit),
  };
}

/** Opens the hub for this gateway's pages and the bus to other gateways. */
async function openPages({ pool, redis, redisUrl, prefix, log, own }: ChannelDeps<WebConfig>, options: WebOptions) {
  const hub = own(
    new PageHub({
      seqs: (chatKeys) => readSeqs(pool, chatKeys),
      ended: (logins) => listEndedLogins(pool, logins),
      forget: () => redactExpiredSecrets(pool),
      log,
      tickMs: options.tickMs,
    }),
  );
  const receive = (event: PageEvent): void => hub.receive(event);
  const bus = own(await openPageEventBus({ redis, redisUrl, prefix, gateway: newId('gw'), log, receive }));
  // The hub comes first, so that local pages see events in order.
  const publish = async (event: PageEvent): Promise<void> => {
    hub.receive(event);
    await bus.publish(event);
  };
  const onAdmitted = (chatKeys: readonly string[]): void => {
    for (const chatKey of chatKeys) runInBackground(log, 'pages', publish({ kind: 'patched', chatKey }));
  };
  return { hub, publish, intake: own(new UpdateIntake({ onAdmitted, log, ...options })) };
}

function createPluginDeps(
  given: Pick<ChannelDeps<WebConfig>, 'pool' | 'log' | 'config'> &
    Awaited<ReturnType<typeof openPages>> & { readonly createPublicUrl: () => string | null },
  { slowMs }: WebOptions,
): PluginDeps {
  const { pool, log, config, hub, publish, intake, createPublicUrl } = given;
  const isSecure = createPublicUrl()?.startsWith('https:') ?? false;
  const limitReads = createConcurrencyLimit(MAX_READS);
  return {
    pool,
    hub,
    intake,
    isSecure,
    demoKey: config.WEB_DEMO_PEOPLE === 'on' ? (config.WEB_START_KEY ?? null) : null,
    cookie: createLoginCookie({ isSecure, startKey: config.WEB_START_KEY ?? newId('start') }),
    isOwnOrigin: createOriginCheck(createPublicUrl),
    isOwnHost: createHostCheck(createPublicUrl),
    signedOut: (login) => publish({ kind: 'signed-out', login }),
    agents: async () => (await listAgents(pool)).map(({ id }) => id),
    chooseAgent: (chat, id) => chooseAgent(pool, chat, id),
    read: (page) => limitReads(() => readMissingPatches(pool, page)),
    findAgent: async (chat, language) => {
      const agent = await limitReads(() => findChosenAgent(pool, chat));
      return agent && runInLanguage(language, () => toPageAgent(agent));
    },
    speaker: openSpeaker(config),
    log,
    slowMs,
  };
}

function toPageAgent(agent: OfferedAgent): PageAgent {
  const { examples, ...words } = describeAgent(agent);
  return { id: agent.id, ...words, examples: [...examples] };
}

/** Writes into a chat and notifies its pages. Failures become results; false from `work` means that the message is gone. */
function createWriter({
  log,
  written,
}: {
  readonly log: Log;
  readonly written: (chatKey: string) => Promise<void>;
}): (chatKey: string, messageId: string, work: () => Promise<boolean>) => Promise<SendResult> {
  return async (chatKey, messageId, work) => {
    try {
      if (!(await work())) return { kind: 'gone' };
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      log.warn('not written into a chat', { chatKey, messageId, error });
      return isTransient(error) ? { kind: 'unreachable', detail } : { kind: 'rejected', detail };
    }
    await written(chatKey);
    return { kind: 'sent', messageId };
  };
}

/** The server's address for this machine or its network; null before the server listens. */
function getUrl(host: string, address: AddressInfo | string | null): string | null {
  if (address === null || typeof address === 'string') return null;
  // Deployed services use another host, so they share no cookies with the page.
  const name = ['0.0.0.0', '127.0.0.1', '::', '::1', ''].includes(host) ? LOCAL_PAGE_HOST : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`;
}
