import type { DecodeAlarms } from '../alarm.ts';
import type { AlarmKind } from '../alarm-source.ts';
import { decodeAlertmanager } from './alertmanager.ts';

/** How the requests of each kind of sender are read. */
export const DECODERS: Readonly<Record<AlarmKind, DecodeAlarms>> = {
  alertmanager: decodeAlertmanager,
};
