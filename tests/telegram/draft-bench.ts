import { createTelegram } from '@signalbox/gateway/channels/telegram/channel';
import { createDraftClaims } from '@signalbox/gateway/delivery/draft-claim';
import { Drafts } from '@signalbox/gateway/delivery/drafts';
import { createThrottle, type Throttle } from '@signalbox/gateway/delivery/throttle';
import { createGatewayMetrics } from '@signalbox/gateway/metrics';
import { createMetrics } from '@signalbox/platform/probe';
import { DEFAULT_TOKEN } from '@signalbox/telegram-simulator/server';
import { createLog } from '@signalbox/platform/log';
import { createDraftPublisher, toDraftId, type Draft } from '@signalbox/platform/streams/drafts';
import { afterEach, beforeEach, onTestFinished } from 'vitest';
import { openHarness, until, type Call, type Harness, type StartedGateway } from '../integration/gateway/harness.ts';

export const QUICK = { TELEGRAM_DRAFT_INTERVAL_MS: '40' };
export const log = createLog('test', 'silent');

/** Of the test that runs now. */
export let harness: Harness;
let seq = 0;

/** Opens a harness for each test of the file that calls it. */
export function useHarness(): void {
  beforeEach(async () => {
    harness = await openHarness();
  });
  afterEach(() => harness.close());
}

export const draftOf = (chat: number, turnId: string, text: string | null): Draft => ({
  chatKey: `telegram:${chat}`,
  userKey: String(chat),
  turnId,
  draftId: toDraftId(turnId),
  seq: (seq += 1),
  text: text ?? '',
  final: text === null,
});
/** Publishes what a worker would; null says that the text is whole. */
export const write = (chat: number, turnId: string, text: string | null): Promise<void> =>
  createDraftPublisher({ redis: harness.redis, prefix: harness.prefix, log })(draftOf(chat, turnId, text));
export const drafts = async (chat = 1001): Promise<readonly Call[]> =>
  (await harness.calls('sendMessageDraft')).filter((call) => call.chatId === chat);
export const texts = (calls: readonly Call[]): readonly unknown[] => calls.map((call) => call.params['text']);
export const untilDrafted = (text: string, chat = 1001): Promise<Call> =>
  until(`"${text}" is shown`, async () => (await drafts(chat)).find((call) => call.params['text'] === text));
/** What the person sees below the messages now. */
export const seen = async (person: number): Promise<string | null> => {
  const { draft } = await harness.people.get<{ draft: { text: string } | null }>(
    `/api/chats/${person}/messages?as=${person}`,
  );
  return draft?.text ?? null;
};
/** Another chat has made two steps: a draft of this one that was heard before would have been shown by now. */
export const letIntervalPass = async (): Promise<void> => {
  for (const text of [`step ${seq}`, `step ${seq + 1}`]) {
    await write(1002, 'turn_other', text);
    await untilDrafted(text, 1002);
  }
};
export const shownBy = async ({ gateway }: StartedGateway): Promise<number> => {
  const metrics = await (await fetch(`http://127.0.0.1:${gateway.probe.port}/metrics`)).text();
  return Number(/^signalbox_drafts_total\{.*result="shown".*\} (\d+)/m.exec(metrics)?.[1] ?? 0);
};

const AMPLE = { sendsPerSecond: 100, chatSendsPerSecond: 100, chatBurst: 100, groupSendsPerMinute: 100 };

/** Drafts of a gateway that does nothing else. */
export function openDrafts(gateway: string, throttle: Throttle = createThrottle(AMPLE)): Drafts {
  const channel = createTelegram({
    token: DEFAULT_TOKEN,
    apiRoot: harness.simulatorUrl,
    log,
    webhook: null,
    loadFile: async () => null,
    draftIntervalMs: 40,
  });
  if (!channel.drafts) throw new Error('Telegram shows drafts');
  const opened = new Drafts({
    channel,
    drafts: channel.drafts,
    throttle,
    claims: createDraftClaims({ redis: harness.redis, prefix: harness.prefix, gateway, log }),
    isSending: () => false,
    log,
    metrics: createGatewayMetrics(createMetrics('test')),
  });
  onTestFinished(() => opened.close());
  return opened;
}
