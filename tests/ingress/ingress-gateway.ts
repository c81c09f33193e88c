import { openHarness, PEOPLE, type Harness, type StartedGateway } from '../integration/gateway/harness.ts';
import { OTHER_SECRET, SECRET, type Program } from './program.ts';
import { writeSources } from './sources-file.ts';

/** A gateway with the ingress, and two programs that may write to it. */
export interface IngressGateway {
  readonly harness: Harness;
  readonly gateway: StartedGateway;
  /** A service account with the role developer. */
  readonly ci: Program;
  /** Acts for the admin. */
  readonly alerts: Program;
  /** Another gateway on the same database and Redis; the programs as they reach that one. */
  startAnother(
    settings?: Readonly<Record<string, string>>,
  ): Promise<{ readonly gateway: StartedGateway; readonly ci: Program; readonly alerts: Program }>;
  close(): Promise<void>;
}

const CI = { name: 'ci', secret: SECRET, serviceAccount: { name: 'CI', role: 'developer' } };
const ALERTS = { name: 'alerts', secret: OTHER_SECRET, actsFor: PEOPLE.admin };

/** Opens one; `ci` and `alerts` add to what the file says of a source. */
export async function openIngress(
  more: { readonly ci?: object; readonly alerts?: object; readonly settings?: Readonly<Record<string, string>> } = {},
  redisUrl?: string,
): Promise<IngressGateway> {
  const harness = await openHarness(redisUrl);
  const file = writeSources([
    { ...CI, ...more.ci },
    { ...ALERTS, ...more.alerts },
  ]);
  const start = async (settings: Readonly<Record<string, string>> = {}) => {
    const gateway = await harness.startGateway({
      GATEWAY_CHANNELS: 'ingress',
      GATEWAY_HTTP_PORT: '0',
      INGRESS_SOURCES_FILE: file,
      ...more.settings,
      ...settings,
    });
    const url = `http://127.0.0.1:${gateway.gateway.httpPort}`;
    return {
      gateway,
      ci: { url, source: 'ci', secret: SECRET },
      alerts: { url, source: 'alerts', secret: OTHER_SECRET },
    };
  };
  return { harness, ...(await start()), startAnother: start, close: () => harness.close() };
}
