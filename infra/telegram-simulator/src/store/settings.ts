import { z } from 'zod';

const milliseconds = z.number().nonnegative().max(86_400_000);

/** Times that tests may change while the simulator runs. They are forgotten when it stops. */
export const SettingsChange = z.strictObject({
  /** How long a webhook may take to answer. Telegram: about a minute. */
  webhookTimeoutMs: milliseconds.optional(),
  /** How long a draft is shown. Telegram: 30 seconds. */
  draftLifeMs: milliseconds.optional(),
  /** How long after a click or an ephemeral message a bot may answer with one. Telegram: 15 seconds. */
  ephemeralWindowMs: milliseconds.optional(),
});
export type SettingsChange = z.output<typeof SettingsChange>;

export type Settings = { -readonly [Name in keyof SettingsChange]-?: NonNullable<SettingsChange[Name]> };

/** What applies until somebody changes it. */
export function createSettings(): Settings {
  return {
    webhookTimeoutMs: 60_000,
    draftLifeMs: 30_000,
    ephemeralWindowMs: 15_000,
  };
}
