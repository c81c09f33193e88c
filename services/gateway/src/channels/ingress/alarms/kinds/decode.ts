import type { DecodeAlarms } from '../alarm.ts';
import type { AlarmKind } from '../alarm-source.ts';
import { decodeAlertmanager } from './alertmanager.ts';
import { decodeGeneric } from './generic.ts';
import { decodeGithub } from './github.ts';
import { decodeGitlab } from './gitlab.ts';
import { decodeGrafana } from './grafana.ts';
import { decodeSentry } from './sentry.ts';
import { decodeUptime } from './uptime.ts';

/** How the requests of each kind of sender are read. */
export const DECODERS: Readonly<Record<AlarmKind, DecodeAlarms>> = {
  alertmanager: decodeAlertmanager,
  grafana: decodeGrafana,
  github: decodeGithub,
  gitlab: decodeGitlab,
  sentry: decodeSentry,
  uptime: decodeUptime,
  generic: decodeGeneric,
};
