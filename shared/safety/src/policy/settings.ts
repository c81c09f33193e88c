import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { tryOr } from '@signalbox/contracts/system-error';

/** Folder of the shipped policies. */
export const POLICY_FOLDER = fileURLToPath(new URL('../../../../infra/policy/', import.meta.url));

/** Environment variables for policies. Services that decide spread `PolicyConfig.shape` into their config, so that all decide alike. */
export const PolicyConfig = z.object({
  /** Folder of the policies. Default: infra/policy of the checkout. */
  POLICY_DIR: z.string().default(POLICY_FOLDER),
  /** IANA time zone of hours and weekdays in policies, such as Europe/Berlin. */
  POLICY_TIME_ZONE: z.string().default('UTC').refine(isTimeZone, 'is no IANA time zone such as Europe/Berlin'),
});
export type PolicyConfig = z.infer<typeof PolicyConfig>;

/** Lists the folders of the policies in force. A configured folder replaces the shipped policies and those of plug-ins. */
export function listPolicyFolders(folder: string, ofPlugins: readonly string[]): readonly string[] {
  return resolve(folder) === resolve(POLICY_FOLDER) ? [folder, ...ofPlugins] : [folder];
}

function isTimeZone(name: string): boolean {
  return tryOr(() => new Intl.DateTimeFormat('en-US', { timeZone: name }), null) !== null;
}
