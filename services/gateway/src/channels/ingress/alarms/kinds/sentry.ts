import { isRecord, readSeverity, readText, readTexts, readTime, type DecodeAlarms, type Decoded } from '../alarm.ts';

type Json = Readonly<Record<string, unknown>>;

const ENDS: ReadonlySet<unknown> = new Set(['resolved', 'archived', 'ignored']);
const BEGINS: ReadonlySet<unknown> = new Set(['created', 'unresolved', 'triggered', 'critical', 'warning']);

/**
 * Decodes webhooks of Sentry: https://docs.sentry.io/organization/integrations/integration-platform/webhooks/. An alarm is an issue, an alert
 * about an issue, or a metric alert; the webhook of the older plug-in has the issue at its top.
 */
export const decodeSentry: DecodeAlarms = (body, { headers }) => {
  if (!isRecord(body)) return null;
  const data = isRecord(body['data']) ? body['data'] : null;
  const resource = readText(headers['sentry-hook-resource']);
  if (data === null) return isRecord(body['event']) ? decodePlugin(body, body['event']) : toIgnored(resource);
  const action = body['action'];
  if (!ENDS.has(action) && !BEGINS.has(action)) return { ignored: readText(action) ?? 'event' };
  if (isRecord(data['metric_alert'])) return decodeMetric(data, data['metric_alert'], action);
  if (isRecord(data['issue'])) return decodeIssue(data['issue'], !ENDS.has(action));
  if (isRecord(data['event'])) return decodeEvent(data['event'], readText(data['triggered_rule']));
  return toIgnored(resource);
};

function toIgnored(resource: string | null): Decoded | null {
  return resource === null ? null : { ignored: resource };
}

function decodeIssue(issue: Json, isFiring: boolean): Decoded {
  const project = isRecord(issue['project']) ? readText(issue['project']['slug']) : null;
  const at = readTime(issue['lastSeen']) ?? readTime(issue['firstSeen']);
  return toDecoded({
    id: toId(issue['id']),
    isFiring,
    title: readText(issue['title']) ?? '',
    text: readText(issue['culprit']),
    link: readText(issue['web_url']) ?? readText(issue['permalink']),
    level: issue['level'],
    at: isFiring ? at : null,
    labels: project === null ? {} : { project },
  });
}

function decodeEvent(event: Json, rule: string | null): Decoded {
  const tags = Array.isArray(event['tags']) ? event['tags'].filter(isPair) : [];
  const labels = { ...Object.fromEntries(tags), ...readTexts({ environment: event['environment'] }) };
  return toDecoded({
    id: toId(event['issue_id'] ?? event['groupid'] ?? event['event_id']),
    isFiring: true,
    title: [rule, readText(event['title'])].filter((part) => part !== null).join(': '),
    text: readText(event['culprit']) ?? readText(event['message']),
    link: readText(event['web_url']) ?? readText(event['issue_url']),
    level: event['level'],
    at: readTime(event['datetime']) ?? readTime(event['timestamp']),
    labels,
  });
}

function decodeMetric(data: Json, alert: Json, action: unknown): Decoded {
  const isFiring = action !== 'resolved';
  const projects = Array.isArray(alert['projects']) ? alert['projects'] : [];
  const project = readText(projects[0]);
  const rule = isRecord(alert['alert_rule']) ? alert['alert_rule'] : {};
  const decoded = toDecoded({
    id: `metric ${toId(rule['id'] ?? alert['id'])}`,
    isFiring,
    title: readText(data['description_title']) ?? readText(alert['title']) ?? '',
    text: readText(data['description_text']),
    link: readText(data['web_url']),
    level: isFiring ? action : null,
    at: readTime(isFiring ? alert['date_started'] : alert['date_closed']),
    labels: { ...(project === null ? {} : { project }), ...readTexts({ environment: rule['environment'] }) },
  });
  return decoded;
}

function decodePlugin(body: Json, event: Json): Decoded {
  return toDecoded({
    id: toId(body['id']),
    isFiring: true,
    title: readText(event['title']) ?? readText(body['message']) ?? readText(body['culprit']) ?? '',
    text: readText(body['culprit']),
    link: readText(body['url']),
    level: body['level'],
    at: readTime(event['timestamp']),
    labels: readTexts({ project: body['project_slug'] ?? body['project'], environment: event['environment'] }),
  });
}

function toDecoded(found: {
  readonly id: string;
  readonly isFiring: boolean;
  readonly title: string;
  readonly text: string | null;
  readonly link: string | null;
  readonly level: unknown;
  readonly at: Date | null;
  readonly labels: Readonly<Record<string, string>>;
}): Decoded {
  const { id, isFiring, title, text, link, level, at, labels } = found;
  return {
    alarms: [
      {
        key: id,
        isFiring,
        title,
        text,
        link,
        severity: readSeverity(level),
        startedAt: isFiring ? at : null,
        endedAt: isFiring ? null : at,
        labels,
      },
    ],
  };
}

function toId(given: unknown): string {
  return typeof given === 'string' || typeof given === 'number' ? String(given) : '';
}

function isPair(given: unknown): given is readonly [string, string] {
  return Array.isArray(given) && given.length === 2 && given.every((one) => typeof one === 'string');
}
