import { createSimulator } from '@signalbox/whatsapp-simulator/server';
import { createSimulatorClient } from '@signalbox/whatsapp-simulator/simulator-client';
import { expect, onTestFinished, test } from 'vitest';
import { SECRET } from '../ingress/program.ts';
import { writeSources } from '../ingress/sources-file.ts';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { freePort } from '../support/free-port.ts';
import { speakAsProgram, speakInTelegram, speakInWhatsApp, speakOnThePage, type Speaker } from '../support/speakers.ts';
import { eventually } from '../support/until.ts';
import { whatsAppVariables } from '../whatsapp/variables.ts';

/** A conversation in one channel, and those who decide about what is asked there. */
interface Scene {
  readonly demo: DemoStack;
  readonly asker: Speaker;
  /** Cleo, in Telegram. */
  readonly cleo: Speaker;
  /** Dara, in the channel that the asker uses, where decisions can be taken there. */
  readonly dara: Speaker;
  /** Whether an operator has to look at each change, because a program's words are nobody's own. */
  readonly isProgram: boolean;
}

const LATE_MS = 60_000;

async function untilHeard(who: Speaker, pattern: RegExp): Promise<string> {
  let heard: readonly string[] = [];
  const isHeard = async (): Promise<boolean> => {
    heard = await who.heard();
    return heard.some((text) => pattern.test(text));
  };
  await eventually(isHeard, Boolean, LATE_MS).catch((cause: unknown) => {
    throw new Error(`${who.userKey} never heard ${pattern}, but:\n${heard.join('\n---\n')}`, { cause });
  });
  return heard.findLast((text) => pattern.test(text)) ?? '';
}

/** Cleo sees the card of what was asked for, and presses a button of it. */
async function cleoPresses({ cleo }: Scene, label: string, card: RegExp): Promise<void> {
  await untilHeard(cleo, card);
  await cleo.press(label);
}

/** Question back, change, progress, approval, refusal, stop: the same words in every channel. */
async function converse(scene: Scene): Promise<void> {
  const { asker, dara, isProgram } = scene;
  await asker.say('create a project called teapot');
  await untilHeard(asker, /What is the project for/);
  await asker.say('a shop for tea');
  if (isProgram) await cleoPresses(scene, 'Approve', /teapot[\s\S]*apv_/);
  await untilHeard(asker, /created the project \W*teapot/);

  await asker.say('register the demo project');
  if (isProgram) await cleoPresses(scene, 'Approve', /demo[\s\S]*apv_/);
  await untilHeard(asker, /registered the project \W*demo/);

  await asker.say('deploy demo 1.0 to staging');
  if (isProgram) await cleoPresses(scene, 'Approve', /demo 1\.0 to staging[\s\S]*apv_/);
  await untilHeard(asker, /Deployed \W*demo\W* in staging: 1\.0/);

  await asker.say('deploy demo 1.0 to production');
  await cleoPresses(scene, 'Approve', /demo 1\.0 to production[\s\S]*apv_/);
  await untilHeard(dara, /Deploy \W*demo 1\.0 to production/);
  await untilHeard(dara, /apv_/);
  await dara.press('Approve');
  await untilHeard(asker, /Deployed \W*demo\W* in production: 1\.0/);

  await asker.say('deploy demo 1.1 to production');
  await untilHeard(scene.cleo, /demo 1\.1 to production[\s\S]*apv_/);
  await scene.cleo.press('Reject');
  await untilHeard(scene.cleo, /why do you reject/);
  await scene.cleo.press('Too risky');
  await untilHeard(asker, /rejected[\s\S]*Too risky[\s\S]*Nothing was changed/);

  await asker.say('/stop');
  await untilHeard(asker, /Nothing is running/);
}

/** What the tables hold of the conversation, without what differs from run to run. */
async function outcomes({ demo, asker }: Scene) {
  const list = async (text: string): Promise<readonly unknown[]> =>
    (await demo.stack.pool.query(text, [asker.userKey])).rows;
  return {
    projects: await list('select name, description from projects where owner = $1 order by name'),
    deployments: await list(
      'select project, environment, ref, state from deployments where user_key = $1 order by requested_at',
    ),
    rejected: await list(
      `select card ->> 'what' as what, status from approvals where user_key = $1 and status = 'rejected'`,
    ),
    open: await list(`select 1 from inbox where user_key = $1 and outcome is null`),
    unsent: await list(`select 1 from outbox where user_key = $1 and status in ('pending', 'sending', 'failed')`),
  };
}

const WHATSAPP = { ben: '12025550101', dara: '12025550102' };

async function openScene(channel: string): Promise<Scene> {
  const simulator = await createSimulator();
  onTestFinished(() => simulator.close());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const account = { name: 'CI', role: 'developer' };
  const demo = await openDemoStack({
    GATEWAY_CHANNELS: 'telegram,web,ingress,whatsapp',
    GATEWAY_HTTP_PORT: String(port),
    WEB_DEMO_PEOPLE: 'on',
    INGRESS_SOURCES_FILE: writeSources([{ name: 'ci', secret: SECRET, serviceAccount: account }]),
    ...whatsAppVariables(simulator),
  });
  onTestFinished(() => demo.close());
  const people = createSimulatorClient(simulator.url);
  await people.subscribe(`${url}/webhook/whatsapp`);
  const { ben, cleo, dara } = demo.people;
  const { pool } = demo.stack;
  const page = async (person: string): Promise<Speaker> => {
    const speaker = await speakOnThePage(url, person);
    onTestFinished(() => speaker.close());
    return speaker;
  };
  const speakers: Readonly<Record<string, () => Promise<Pick<Scene, 'asker' | 'dara'>>>> = {
    telegram: async () => ({ asker: speakInTelegram(ben), dara: speakInTelegram(dara) }),
    web: async () => ({ asker: await page('1002'), dara: await page('1004') }),
    ingress: async () => ({
      asker: speakAsProgram({ url, source: 'ci', secret: SECRET }),
      dara: speakInTelegram(dara),
    }),
    whatsapp: async () => ({
      asker: await speakInWhatsApp(people, pool, { number: WHATSAPP.ben, person: '1002' }),
      dara: await speakInWhatsApp(people, pool, { number: WHATSAPP.dara, person: '1004' }),
    }),
  };
  const speak = speakers[channel];
  if (!speak) throw new Error(`nobody speaks through ${channel}`);
  const scene = { demo, cleo: speakInTelegram(cleo), ...(await speak()), isProgram: channel === 'ingress' };
  // Whoever decides has to have written in private once.
  for (const one of [scene.cleo, scene.dara]) {
    await one.say('/whoami');
    await untilHeard(one, /operator/);
  }
  return scene;
}

test.each(['telegram', 'web', 'ingress', 'whatsapp'])(
  'a conversation through %s has the same results as in the other channels',
  async (channel) => {
    const scene = await openScene(channel);
    await converse(scene);
    const found = await eventually(
      () => outcomes(scene),
      ({ open, unsent }) => open.length + unsent.length === 0,
    );
    expect(found).toEqual({
      projects: [
        { name: 'demo', description: expect.any(String) },
        { name: 'teapot', description: 'a shop for tea' },
      ],
      deployments: [
        { project: 'demo', environment: 'staging', ref: '1.0', state: 'succeeded' },
        { project: 'demo', environment: 'production', ref: '1.0', state: 'succeeded' },
      ],
      rejected: [{ what: expect.stringContaining('demo 1.1'), status: 'rejected' }],
      open: [],
      unsent: [],
    });
  },
  240_000,
);
