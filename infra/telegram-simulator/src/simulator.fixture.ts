import { Api } from 'grammy';
import { afterEach, beforeEach } from 'vitest';
import { createSimulator, DEFAULT_TOKEN, type Simulator } from './server.ts';
import { createSimulatorClient, type SimulatorClient } from './simulator-client.ts';

/** What a test of the simulator talks to, anew for each test: the simulator, the bot's side of it and the people's. */
export let simulator: Simulator;
export let api: Api;
export let client: SimulatorClient;

/** Gives each test of a file a simulator of its own. `greeted`: Ada (1001) has written to the bot, which may write to her then. */
export function useSimulator({ greeted = false } = {}): void {
  beforeEach(async () => {
    simulator = await createSimulator();
    api = new Api(DEFAULT_TOKEN, { apiRoot: simulator.url });
    client = createSimulatorClient(simulator.url);
    if (greeted) await client.post('/api/messages', { from: 1001, text: '/start' });
  });
  afterEach(() => simulator.close());
}
