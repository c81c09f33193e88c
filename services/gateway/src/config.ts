import { say } from '@signalbox/messages/say';
import { CommonConfig, readConfig, readConfigs } from '@signalbox/platform/config';
import { listVariables } from '@signalbox/platform/secret-files';
import { TracingConfig } from '@signalbox/platform/tracing/settings';
import { TranscriptionConfig } from '@signalbox/models/transcription/settings';
import { PolicyConfig } from '@signalbox/safety/policy/settings';
import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';
import type { ChannelDefinition } from './channels/channel.ts';
import { describeRefusal } from './channels/refused.ts';
import { CHANNELS } from './channels/registry.ts';

const ChannelNames = z
  .string()
  .transform((names) => [...new Set(names.split(',').map((name) => name.trim()))])
  .pipe(z.array(z.enum(CHANNELS.map(({ name }) => name))));

export const GatewayConfig = CommonConfig.extend({
  /** The channels to open, separated by commas. Another gateway may open others. */
  GATEWAY_CHANNELS: ChannelNames.default(['telegram']),
  /** The address of the public HTTP server. TLS is terminated by a proxy in front of it. */
  GATEWAY_HTTP_HOST: z.string().default('127.0.0.1'),
  /** The port of the public server, opened only when a channel needs it; 0 picks a free one. */
  GATEWAY_HTTP_PORT: z.coerce.number().int().min(0).max(65_535).default(8082),
  /** File descriptors of sockets already bound to that port, separated by commas. When not set, the gateway binds it. */
  GATEWAY_HTTP_SOCKETS: z
    .string()
    .regex(/^\d+(,\d+)?$/)
    .transform((sockets) => sockets.split(',').map(Number))
    .optional(),
  /** The public key that seals people's secrets, derived from the job service's key. Secret. */
  SECRETS_SEALING_KEY: z.string({ error: () => say('gateway.sealing-key-missing') }).meta({ secret: true }),
  ...PolicyConfig.shape,
  ...TranscriptionConfig.shape,
  ...TracingConfig.shape,
  /** Messages that one person may send within ten seconds. */
  INBOUND_BURST: z.coerce.number().int().min(1).max(10_000).default(20),
  /** Connections to Postgres. */
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(200).default(10),
  /** The name of this process; it must be stable and differ between running gateways. */
  GATEWAY_NAME: z.string().min(1).max(60).default('gateway-1'),
});

export interface ChosenChannel {
  readonly kind: ChannelDefinition;
  readonly config: Readonly<Record<string, unknown>>;
}

export interface MisconfiguredChannel {
  readonly name: string;
  readonly reason: string;
}

export interface GatewayConfig extends z.infer<typeof GatewayConfig> {
  readonly channels: readonly ChosenChannel[];
  readonly misconfigured: readonly MisconfiguredChannel[];
}

/** The names of all environment variables of the gateway and its channels. */
export const GATEWAY_VARIABLES: readonly string[] = [
  ...listVariables(GatewayConfig.shape),
  ...CHANNELS.flatMap(({ config }) => listVariables(config.shape)),
];

/** Reads the environment; misconfigured channels are reported. Throws CONFIG_INVALID when none is left or the gateway's part is wrong. */
export function loadConfig(environment: Readonly<Record<string, string | undefined>> = process.env): GatewayConfig {
  const { GATEWAY_CHANNELS: names } = readConfig(GatewayConfig.pick({ GATEWAY_CHANNELS: true }), environment);
  const kinds = CHANNELS.filter(({ name }) => names.includes(name));
  const read = kinds.map((kind) => readChannel(kind, environment));
  const channels = read.filter((one) => 'config' in one);
  // Without any channel, the error lists the problems of all channels too.
  const schemas = channels.length === 0 ? [GatewayConfig, ...kinds.map(({ config }) => config)] : [GatewayConfig];
  const [own] = readConfigs(schemas, environment);
  return {
    ...(own as z.infer<typeof GatewayConfig>), // the first result belongs to GatewayConfig, the first schema
    channels,
    misconfigured: read.filter((one) => 'reason' in one),
  };
}

function readChannel(
  kind: ChannelDefinition,
  environment: Readonly<Record<string, string | undefined>>,
): ChosenChannel | MisconfiguredChannel {
  try {
    return { kind, config: readConfig(kind.config, environment) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'CONFIG_INVALID')
      return { name: kind.name, reason: describeRefusal(error) };
    throw error;
  }
}
