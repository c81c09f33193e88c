import { writeSources } from '../sources-file.ts';
import { freePort } from '../../support/free-port.ts';
import { openStack, type Stack, type StackOptions } from '../../support/stack.ts';

export const TOKEN = 'a-token-of-alertmanager-0123456789abcdef';
const ALERTMANAGER = { name: 'alertmanager', kind: 'alertmanager', secret: TOKEN };

export interface AlarmStack {
  readonly stack: Stack;
  readonly url: string;
  /** Posts a body to a source, with the bearer token of the first source unless told otherwise. */
  post(
    body: unknown,
    options?: { readonly source?: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>;
}

/** The whole product with sources of alarms, each service under its own login. */
export async function openAlarmStack(
  sources: readonly object[] = [ALERTMANAGER],
  options: StackOptions = {},
): Promise<AlarmStack> {
  const port = await freePort();
  const env = {
    GATEWAY_CHANNELS: 'telegram,ingress',
    GATEWAY_HTTP_PORT: String(port),
    INGRESS_SOURCES_FILE: writeSources(sources),
    ...options.env,
  };
  const stack = await openStack({ jobs: true, ...options, env });
  const url = `http://127.0.0.1:${port}`;
  return {
    stack,
    url,
    post: (body, { source = 'alertmanager', headers = { authorization: `Bearer ${TOKEN}` } } = {}) =>
      fetch(`${url}/hooks/${source}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

/** A body as Alertmanager sends one. */
export function alertmanagerBody(
  alert: {
    readonly name?: string;
    readonly status?: 'firing' | 'resolved';
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly startsAt?: string;
    readonly endsAt?: string;
  } = {},
): object {
  const { name = 'HighErrorRate', status = 'firing' } = alert;
  const labels = { alertname: name, severity: 'critical', ...alert.labels };
  return {
    version: '4',
    groupKey: `{}:{alertname="${name}"}`,
    truncatedAlerts: 0,
    status,
    receiver: 'signalbox',
    groupLabels: { alertname: name },
    commonLabels: labels,
    commonAnnotations: {},
    externalURL: 'http://alertmanager.example.org:9093',
    alerts: [
      {
        status,
        labels,
        annotations: { summary: 'A tenth of the requests fail', ...alert.annotations },
        startsAt: alert.startsAt ?? '2026-11-28T10:00:00.000Z',
        endsAt: alert.endsAt ?? (status === 'firing' ? '0001-01-01T00:00:00Z' : '2026-11-28T10:30:00.000Z'),
        generatorURL: 'http://prometheus.example.org:9090/graph?g0.expr=up',
        fingerprint: Buffer.from(name).toString('hex').padEnd(16, '0').slice(0, 16),
      },
    ],
  };
}
