import { isRecord, readSeverity, readText, readTexts, readTime, type AlarmPaths, type DecodeAlarms } from '../alarm.ts';

export const DEFAULT_PATHS: AlarmPaths = {
  title: 'title',
  state: 'state',
  key: 'key',
  text: 'text',
  link: 'link',
};

const ENDED =
  /^(?:resolved|ok|okay|up|normal|recovered|recovery|closed|success|succeeded|passed|healthy|green|false|0)$/i;

/** Decodes any JSON by paths. Whatever state is no known end is a firing, so that an unknown word is told and not lost. */
export const decodeGeneric: DecodeAlarms = (body, { paths }) => {
  if (!isRecord(body)) return null;
  const title = toText(readPath(body, paths.title));
  const key = toText(readPath(body, paths.key)) ?? title;
  const state = toText(readPath(body, paths.state));
  if (key === null || state === null) return null;
  const isFiring = !ENDED.test(state.trim());
  const at = readTime(body['startedAt'] ?? body['timestamp'] ?? body['time']);
  return {
    alarms: [
      {
        key,
        isFiring,
        title: title ?? key,
        text: toText(readPath(body, paths.text)),
        link: readText(readPath(body, paths.link)),
        severity: readSeverity(body['severity']),
        startedAt: isFiring ? at : null,
        endedAt: isFiring ? null : at,
        labels: { ...readTexts(body), ...readTexts(body['labels']) },
      },
    ],
  };
};

function readPath(body: unknown, path: string): unknown {
  let value = body;
  for (const step of path.split(/[.[\]]+/).filter((one) => one !== '')) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

function toText(given: unknown): string | null {
  return typeof given === 'number' || typeof given === 'boolean' ? String(given) : readText(given);
}
