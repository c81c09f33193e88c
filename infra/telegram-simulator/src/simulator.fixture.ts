import { Api } from 'grammy';
import { afterEach, beforeEach } from 'vitest';
import { createSimulator, DEFAULT_TOKEN, type Simulator } from './server.ts';
import { createSimulatorClient, type SimulatorClient } from './simulator-client.ts';

/** The simulator of the current test, with clients for the bot and for people. */
export let simulator: Simulator;
export let api: Api;
export let client: SimulatorClient;

/** Creates a simulator for each test. `greeted`: Ada (1001) has written to the bot, which may then write to her. */
export function useSimulator({ greeted = false } = {}): void {
  beforeEach(async () => {
    simulator = await createSimulator();
    api = new Api(DEFAULT_TOKEN, { apiRoot: simulator.url });
    client = createSimulatorClient(simulator.url);
    if (greeted) await client.post('/api/messages', { from: 1001, text: '/start' });
  });
  afterEach(() => simulator.close());
}
