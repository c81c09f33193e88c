import { z } from 'zod';
import type { SimulatorOptions } from './server.ts';

const Config = z.object({
  /** TCP port on 127.0.0.1; 0 lets the system choose. */
  SIMULATOR_PORT: z.coerce.number().int().min(0).max(65_535).default(8081),
  /** Descriptors of sockets of that port, which whoever started the simulator has bound; without them the simulator binds it. */
  SIMULATOR_SOCKETS: z
    .string()
    .regex(/^\d+(,\d+)?$/, 'is no list of one or two descriptors')
    .transform((sockets) => sockets.split(',').map(Number))
    .optional(),
  /** Folder of the append-only log; without it everything is in memory. */
  SIMULATOR_DATA_DIR: z.string().min(1).optional(),
  /** What every address begins with, after the host; without it whoever reaches the port can speak as anyone. */
  SIMULATOR_KEY: z
    .string()
    .regex(/^[\w-]{32,80}$/, 'is no word of 32 to 80 letters and digits')
    .optional(),
  /** Token that bots present. Not a secret: it opens nothing outside this machine. */
  SIMULATOR_TOKEN: z
    .string()
    .regex(/^\d+:[\w-]+$/, 'looks like 100:simulator')
    .default('100:simulator'),
});

/** Reads the environment. Throws one error which names every variable that is wrong. */
export function loadConfig(): SimulatorOptions {
  const parsed = Config.safeParse(process.env);
  if (!parsed.success) throw new Error(`The simulator's environment is wrong:\n${z.prettifyError(parsed.error)}`);
  const { SIMULATOR_PORT: port, SIMULATOR_SOCKETS: sockets, SIMULATOR_TOKEN: token } = parsed.data;
  return { port, sockets, token, key: parsed.data.SIMULATOR_KEY, dataDir: parsed.data.SIMULATOR_DATA_DIR };
}
