import { z } from 'zod';

const milliseconds = z.number().nonnegative().max(86_400_000);

/** Times that tests may change while the simulator runs. They are forgotten when it stops. */
export const SettingsChange = z.strictObject({
  /** Wait before a webhook that failed twice is called again; it doubles with every failure. Telegram: two seconds. */
  webhookRetryMs: milliseconds.optional(),
  /** The longest such wait. Telegram: one to two minutes. */
  webhookMaxRetryMs: milliseconds.optional(),
  /** How long a webhook may take to answer. Telegram: about a minute. */
  webhookTimeoutMs: milliseconds.optional(),
  /** How long a draft is shown. Telegram: 30 seconds. */
  draftLifeMs: milliseconds.optional(),
  /** How long after a click or an ephemeral message a bot may answer with one. Telegram: 15 seconds. */
  ephemeralWindowMs: milliseconds.optional(),
});
export type SettingsChange = z.output<typeof SettingsChange>;

export type Settings = { -readonly [Name in keyof SettingsChange]-?: NonNullable<SettingsChange[Name]> };

/** What applies until somebody changes it. Retries are quick, since nobody wants to wait for a test. */
export function createSettings(): Settings {
  return {
    webhookRetryMs: 20,
    webhookMaxRetryMs: 1_000,
    webhookTimeoutMs: 60_000,
    draftLifeMs: 30_000,
    ephemeralWindowMs: 15_000,
  };
}
