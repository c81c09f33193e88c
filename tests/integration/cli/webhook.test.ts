import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSimulator, DEFAULT_TOKEN, type Simulator } from '@signalbox/telegram-simulator/server';
import { createSimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { eventually } from '../../support/until.ts';
import { openTerminal } from './terminal.ts';

interface Finding {
  readonly what: string;
  readonly state: string;
  readonly say: string;
  readonly remedy: string | null;
}

let simulator: Simulator;
beforeEach(async () => void (simulator = await createSimulator()));
afterEach(() => simulator.close());

const terminal = (wanted?: string, databaseUrl?: string) =>
  openTerminal({
    TELEGRAM_BOT_TOKEN: DEFAULT_TOKEN,
    TELEGRAM_API_ROOT: simulator.url,
    SIGNALBOX_RUN_FILE: '/nowhere/run.json',
    MODEL: 'offline',
    ...(wanted === undefined ? {} : { TELEGRAM_WEBHOOK_URL: wanted }),
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  });
const diagnose = async (wanted?: string): Promise<Finding> => {
  const { json } = await terminal(wanted)('doctor', '--json');
  const { findings } = json as { findings: readonly Finding[] }; // the shape that doctor prints
  const finding = findings.find(({ what }) => what === 'webhook');
  if (!finding) throw new Error('doctor says nothing about the webhook');
  return finding;
};
const register = async (url: string): Promise<void> => {
  await fetch(`${simulator.url}/bot${DEFAULT_TOKEN}/setWebhook?url=${encodeURIComponent(url)}`, { method: 'POST' });
};
const speak = (): Promise<unknown> =>
  createSimulatorClient(simulator.url).post('/api/messages', { from: 1001, text: 'hello' });

/** Something that answers every update with this status. */
async function answerWith(status: number): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret/path`; // it listens on TCP
}

describe('signalbox doctor', () => {
  it('accepts that no webhook is registered when gateways are set to poll', async () => {
    expect(await diagnose()).toMatchObject({ state: 'ok', say: 'none: a gateway polls' });
  });

  it('fails when no webhook is registered although the settings ask for one', async () => {
    expect(await diagnose('https://bot.example.org/x')).toMatchObject({
      state: 'fail',
      say: 'Telegram knows no webhook, so no updates come in',
    });
  });

  it('accepts a webhook that works at the configured address', async () => {
    const url = await answerWith(200);
    await register(url);
    expect(await diagnose(url)).toMatchObject({ state: 'ok', say: expect.stringContaining('0 updates wait') });
  });

  it('fails when the webhook has another address, and hides its path, which may be secret', async () => {
    await register(await answerWith(200));
    const finding = await diagnose('https://bot.example.org/x');
    expect(finding).toMatchObject({ state: 'fail', say: expect.stringContaining('sends updates to 127.0.0.1:') });
    expect(JSON.stringify(finding)).not.toContain('secret/path');
  });

  it('warns when a webhook is registered although the settings ask for none', async () => {
    await register(await answerWith(200));
    expect(await diagnose()).toMatchObject({ state: 'warn', remedy: expect.stringContaining('webhook remove') });
  });

  it.each([
    [401, 'the secret was refused', 'TELEGRAM_WEBHOOK_SECRET'],
    [404, 'something else than the gateway answered', 'exactly the path'],
    [503, 'the gateway could not store an update', '/readyz'],
    [502, 'the proxy did not reach a gateway', 'TELEGRAM_WEBHOOK_PORT'],
    [301, 'the address answered with a redirect', 'exactly the path'],
  ])('says what a webhook that answers %i means, and what to do', async (status, say, remedy) => {
    const url = await answerWith(status);
    await register(url);
    await speak();
    const finding = await eventually(
      () => diagnose(url),
      ({ state }) => state === 'fail',
    );
    expect(finding.say).toContain('1 update waits; ');
    expect(finding.say).toContain(say);
    expect(finding.say).toContain(String(status));
    expect(finding.remedy).toContain(remedy);
  });

  it('says that no server answers at the webhook address', async () => {
    const url = `http://127.0.0.1:${await freePort()}/x`;
    await register(url);
    await speak();
    const finding = await eventually(
      () => diagnose(url),
      ({ state }) => state === 'fail',
    );
    expect(finding.say).toContain('nobody answered (Connection refused)');
  });
});

describe('signalbox webhook', () => {
  it('shows the address of the webhook and its last error', async () => {
    const url = await answerWith(401);
    await register(url);
    await speak();
    const shown = await eventually(
      () => terminal()('webhook', 'show'),
      ({ out }) => out.includes('refused'),
    );
    expect(shown.code).toBe(0);
    expect(shown.out).toContain(url);
    expect(shown.out).toMatch(/waiting +1\n/);
    expect(shown.out).toContain('→ Give all gateways the same TELEGRAM_WEBHOOK_SECRET');
    expect(shown.out).not.toContain(DEFAULT_TOKEN);
  });

  it('removes the webhook and keeps waiting updates, and changes nothing the second time', async () => {
    const url = `http://127.0.0.1:${await freePort()}/x`;
    await register(url);
    await speak();
    const database = await createDatabase(); // where it is recorded who did it
    onTestFinished(() => database.drop());
    const removed = await terminal(undefined, database.url)('webhook', 'remove');
    expect(removed.out).toContain(`The webhook at ${url} is removed.`);
    const shown = await terminal()('webhook', 'show', '--json');
    expect(shown.json).toMatchObject({ url: '', pending_update_count: 1 });
    expect((await terminal()('webhook', 'remove')).out).toContain('nothing was changed');
  });

  it('names a missing or wrong setting without showing the token', async () => {
    const without = await openTerminal({})('webhook', 'show');
    expect([without.code, without.error]).toEqual([1, expect.stringContaining('TELEGRAM_BOT_TOKEN: is not set')]);
    const environment = { TELEGRAM_BOT_TOKEN: '1:wrong-token', TELEGRAM_API_ROOT: simulator.url };
    const wrong = await openTerminal(environment)('webhook', 'show');
    expect([wrong.code, wrong.error]).toEqual([1, expect.stringContaining('Unauthorized')]);
    expect(wrong.error).not.toContain('wrong-token');
    const nobody = { ...environment, TELEGRAM_API_ROOT: `http://127.0.0.1:${await freePort()}` };
    expect((await openTerminal(nobody)('webhook', 'remove')).error).toContain('Telegram is not answering');
    expect((await terminal()('webhook', 'destroy')).error).toContain('Write: webhook show | webhook remove');
  });
});
