import { z } from 'zod';
import type { SimulatorOptions } from './server.ts';

const Config = z.object({
  /** TCP port on 127.0.0.1; 0 selects a free one. */
  SIMULATOR_PORT: z.coerce.number().int().min(0).max(65_535).default(8081),
  /** File descriptors of sockets that the parent process has bound to the port; by default the simulator binds it. */
  SIMULATOR_SOCKETS: z
    .string()
    .regex(/^\d+(,\d+)?$/, 'is no list of one or two descriptors')
    .transform((sockets) => sockets.split(',').map(Number))
    .optional(),
  /** Folder of the append-only log; by default all data stays in memory. */
  SIMULATOR_DATA_DIR: z.string().min(1).optional(),
  /** Secret first segment of every path; without it, anyone who reaches the port can act as any person. */
  SIMULATOR_KEY: z
    .string()
    .regex(/^[\w-]{32,80}$/, 'is no word of 32 to 80 letters and digits')
    .optional(),
  /** Bot token. Not a secret, because it is valid only on this machine. */
  SIMULATOR_TOKEN: z
    .string()
    .regex(/^\d+:[\w-]+$/, 'looks like 100:simulator')
    .default('100:simulator'),
});

/** Reads the environment. Throws one error that names every invalid variable. */
export function loadConfig(): SimulatorOptions {
  const parsed = Config.safeParse(process.env);
  if (!parsed.success) throw new Error(`The simulator's environment is wrong:\n${z.prettifyError(parsed.error)}`);
  const { SIMULATOR_PORT: port, SIMULATOR_SOCKETS: sockets, SIMULATOR_TOKEN: token } = parsed.data;
  return { port, sockets, token, key: parsed.data.SIMULATOR_KEY, dataDir: parsed.data.SIMULATOR_DATA_DIR };
}
