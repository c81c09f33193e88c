import { z } from 'zod';

const milliseconds = z.number().nonnegative().max(86_400_000);

/** Times that tests can change until the simulator stops. */
export const SettingsChange = z.strictObject({
  /** Timeout of a webhook request; about a minute at Telegram. */
  webhookTimeoutMs: milliseconds.optional(),
  /** Display time of a draft; 30 seconds at Telegram. */
  draftLifeMs: milliseconds.optional(),
  /** Time after a click or ephemeral message in which the bot may send one; 15 seconds at Telegram. */
  ephemeralWindowMs: milliseconds.optional(),
});
export type SettingsChange = z.output<typeof SettingsChange>;

export type Settings = { -readonly [Name in keyof SettingsChange]-?: NonNullable<SettingsChange[Name]> };

export function createSettings(): Settings {
  return {
    webhookTimeoutMs: 60_000,
    draftLifeMs: 30_000,
    ephemeralWindowMs: 15_000,
  };
}
