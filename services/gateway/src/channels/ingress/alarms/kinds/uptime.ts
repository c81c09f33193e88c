import { isRecord, readText, readTexts, readTime, type DecodeAlarms, type Decoded } from '../alarm.ts';

type Json = Readonly<Record<string, unknown>>;

const DOWN = 0;
const UP = 1;
/** Uptime Kuma's own placeholder for a monitor without an address. */
const NO_LINK = 'https://';

/**
 * Decodes the webhook of Uptime Kuma (`heartbeat`, `monitor`, `msg`), and of Healthchecks with the body `$JSON`, alone or in a field `check`:
 * https://healthchecks.io/docs/configuring_webhooks/.
 */
export const decodeUptime: DecodeAlarms = (body) => {
  if (!isRecord(body)) return null;
  if ('heartbeat' in body || 'monitor' in body) return decodeKuma(body);
  const check = isRecord(body['check']) ? body['check'] : body;
  return readText(check['name']) !== null && readText(check['status']) !== null ? decodeCheck(check) : null;
};

function decodeKuma({ heartbeat, monitor, msg }: Json): Decoded {
  if (!isRecord(heartbeat)) return decodeNotice(readText(msg));
  const { status, time, monitorID } = heartbeat;
  if (status !== DOWN && status !== UP) return { ignored: 'pending or maintenance' };
  const about = isRecord(monitor) ? monitor : {};
  const name = readText(about['name']) ?? 'monitor';
  const link = readText(about['url']);
  const tags = Array.isArray(about['tags']) ? about['tags'].filter(isRecord) : [];
  const isFiring = status === DOWN;
  // The time is UTC and does not say so.
  const at = readTime(typeof time === 'string' ? `${time.replace(' ', 'T')}Z` : time) ?? readTime(time);
  return {
    alarms: [
      {
        key: JSON.stringify(['kuma', about['id'] ?? monitorID ?? name]),
        isFiring,
        title: name,
        text: readText(heartbeat['msg']) ?? readText(msg),
        link: link === NO_LINK ? null : link,
        severity: null,
        startedAt: isFiring ? at : null,
        endedAt: isFiring ? null : at,
        labels: {
          service: name,
          ...Object.fromEntries(tags.map((tag) => [readText(tag['name']) ?? '', readText(tag['value']) ?? ''])),
        },
      },
    ],
  };
}

/** A message without a heartbeat: a test, or a certificate that is about to expire. */
function decodeNotice(msg: string | null): Decoded {
  if (msg === null || /testing$/i.test(msg.trim())) return { ignored: 'test' };
  return {
    alarms: [
      {
        // The days that are left change from message to message.
        key: JSON.stringify(['kuma notice', msg.replace(/\d+/g, '#')]),
        isFiring: true,
        title: msg,
        text: null,
        link: null,
        severity: 'warning',
        startedAt: null,
        endedAt: null,
        labels: {},
      },
    ],
  };
}

function decodeCheck(check: Json): Decoded {
  const name = readText(check['name']) ?? 'check';
  const status = check['status'];
  if (status !== 'down' && status !== 'up') return { ignored: 'neither down nor up' };
  const isFiring = status === 'down';
  return {
    alarms: [
      {
        key: JSON.stringify([
          'check',
          check['uuid'] ?? check['unique_key'] ?? check['ping_url'] ?? check['slug'] ?? name,
        ]),
        isFiring,
        title: name,
        text: readText(check['desc']),
        link: null,
        severity: null,
        // A check is late by its schedule, so its last ping is not when it went down.
        startedAt: null,
        endedAt: null,
        labels: { service: readText(check['slug']) ?? name, ...readTags(check['tags']) },
      },
    ],
  };
}

/** Reads tags such as `prod project=shop`, separated by spaces. */
function readTags(tags: unknown): Readonly<Record<string, string>> {
  const pairs = (readText(tags) ?? '').split(/\s+/).map((tag) => tag.split('='));
  return readTexts(Object.fromEntries(pairs.map(([name = '', value]) => [name, value ?? name])));
}
