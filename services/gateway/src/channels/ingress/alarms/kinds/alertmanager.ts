import { isRecord, readSeverity, readText, readTexts, readTime, type DecodeAlarms, type SentAlarm } from '../alarm.ts';

/** Labels in an order that does not depend on the sender, as the identity of an alert. */
function joinLabels(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Decodes the webhook of Prometheus Alertmanager, version 4: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config.
 * Proxies and scripts leave fields out, so only `alerts` is needed: an alert without a status has that of its group.
 */
export const decodeAlertmanager: DecodeAlarms = (body) => {
  if (!isRecord(body) || !Array.isArray(body['alerts'])) return null;
  const common = readTexts(body['commonLabels']);
  const notes = readTexts(body['commonAnnotations']);
  const alerts = body['alerts'].filter(isRecord);
  if (alerts.length < body['alerts'].length) return null;
  return { alarms: alerts.map((alert) => toAlarm(alert, { body, common, notes })) };
};

function toAlarm(
  alert: Readonly<Record<string, unknown>>,
  group: {
    readonly body: Readonly<Record<string, unknown>>;
    readonly common: Readonly<Record<string, string>>;
    readonly notes: Readonly<Record<string, string>>;
  },
): SentAlarm {
  const labels = { ...group.common, ...readTexts(alert['labels']) };
  const notes = { ...group.notes, ...readTexts(alert['annotations']) };
  const isFiring = (readText(alert['status']) ?? readText(group.body['status']) ?? 'firing') !== 'resolved';
  const name = labels['alertname'] ?? 'alert';
  const summary = notes['summary'] ?? notes['title'] ?? null;
  return {
    key: readText(alert['fingerprint']) ?? joinLabels(labels),
    isFiring,
    title: summary === null ? name : `${name}: ${summary}`,
    text: notes['description'] ?? notes['message'] ?? null,
    link: readText(alert['generatorURL']) ?? readText(group.body['externalURL']),
    severity: readSeverity(labels['severity']),
    startedAt: readTime(alert['startsAt']),
    endedAt: isFiring ? null : readTime(alert['endsAt']),
    labels,
  };
}
