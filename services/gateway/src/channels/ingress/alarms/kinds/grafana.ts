import { isRecord, readText, type DecodeAlarms } from '../alarm.ts';
import { decodeAlertmanager } from './alertmanager.ts';

/**
 * Decodes the webhook of Grafana Alerting, which has Alertmanager's form and links of its own, and of Grafana before version 9
 * (`ruleId`, `state`): https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/.
 */
export const decodeGrafana: DecodeAlarms = (body, request) => {
  if (isRecord(body) && !Array.isArray(body['alerts']) && 'ruleId' in body) return decodeOld(body);
  const decoded = decodeAlertmanager(body, request);
  if (decoded === null || !('alarms' in decoded) || !isRecord(body) || !Array.isArray(body['alerts'])) return decoded;
  const alerts = body['alerts'].map((alert) => (isRecord(alert) ? alert : {}));
  const linkOf = (place: number): string | null =>
    readText(alerts[place]?.['panelURL']) ?? readText(alerts[place]?.['dashboardURL']);
  return { alarms: decoded.alarms.map((alarm, place) => ({ ...alarm, link: linkOf(place) ?? alarm.link })) };
};

const OLD_STATES: Readonly<Record<string, boolean>> = { alerting: true, no_data: true, ok: false };

function decodeOld(body: Readonly<Record<string, unknown>>): ReturnType<DecodeAlarms> {
  const state = readText(body['state']) ?? '';
  if (!Object.hasOwn(OLD_STATES, state)) return { ignored: 'neither alerting nor ok' };
  const isFiring = OLD_STATES[state] === true;
  return {
    alarms: [
      {
        key: JSON.stringify(['rule', body['ruleId']]),
        isFiring,
        title: readText(body['ruleName']) ?? readText(body['title']) ?? 'rule',
        text: readText(body['message']),
        link: readText(body['ruleUrl']),
        severity: null,
        startedAt: null,
        endedAt: null,
        labels: {},
      },
    ],
  };
}
