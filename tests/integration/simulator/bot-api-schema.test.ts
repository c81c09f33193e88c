import { fileURLToPath } from 'node:url';
import { BOT_METHODS } from '@signalbox/telegram-simulator/bot-api/bot-methods';
import { expect, test } from 'vitest';
import { generateSchema } from '../../support/bot-api-schema.ts';

const SCHEMA = fileURLToPath(new URL('../../../infra/telegram-simulator/src/bot-api-schema.json', import.meta.url));

// Rewritten by: npm test -- --project integration tests/integration/simulator -u
test("the simulator's schema of every method matches the Bot API types", async () => {
  await expect(generateSchema(Object.keys(BOT_METHODS))).toMatchFileSnapshot(SCHEMA);
}, 240_000); // five seconds of computing on a machine that has time
