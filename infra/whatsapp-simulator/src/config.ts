import { z } from 'zod';
import { BOT_DEFAULTS, type SimulatorOptions } from './server.ts';

const Config = z.object({
  /** TCP port on 127.0.0.1; 0 selects a free one. */
  WHATSAPP_SIMULATOR_PORT: z.coerce.number().int().min(0).max(65_535).default(8083),
  /** Access token of bots. Not a secret, because it is valid only on this machine. */
  WHATSAPP_SIMULATOR_TOKEN: z.string().min(1).default(BOT_DEFAULTS.token),
  /** Key that signs webhook requests. */
  WHATSAPP_SIMULATOR_APP_SECRET: z.string().min(1).default(BOT_DEFAULTS.appSecret),
  WHATSAPP_SIMULATOR_VERIFY_TOKEN: z.string().min(1).default(BOT_DEFAULTS.verifyToken),
  WHATSAPP_SIMULATOR_PHONE_NUMBER_ID: z.string().regex(/^\d+$/, 'is a number').default(BOT_DEFAULTS.phoneNumberId),
  /** Graph API version in the path. */
  WHATSAPP_SIMULATOR_GRAPH_VERSION: z
    .string()
    .regex(/^\d+\.\d$/, 'looks like 26.0')
    .default(BOT_DEFAULTS.version),
});

/** Reads the environment. Throws one error that names every invalid variable. */
export function loadConfig(): SimulatorOptions {
  const parsed = Config.safeParse(process.env);
  if (!parsed.success) throw new Error(`The simulator's environment is wrong:\n${z.prettifyError(parsed.error)}`);
  const { data } = parsed;
  return {
    port: data.WHATSAPP_SIMULATOR_PORT,
    token: data.WHATSAPP_SIMULATOR_TOKEN,
    appSecret: data.WHATSAPP_SIMULATOR_APP_SECRET,
    verifyToken: data.WHATSAPP_SIMULATOR_VERIFY_TOKEN,
    phoneNumberId: data.WHATSAPP_SIMULATOR_PHONE_NUMBER_ID,
    version: data.WHATSAPP_SIMULATOR_GRAPH_VERSION,
  };
}
