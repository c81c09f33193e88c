import { Environment } from '@signalbox/contracts/conversation/fields';
import { roleCovers } from '@signalbox/contracts/governance/roles';
import { appendAudit } from '@signalbox/store/audit/audit';
import { listServicesBriefly, muteServiceWithin } from '@signalbox/store/deploy/service-looks';
import { sayError } from '@signalbox/contracts/errors';
import { HOUR_MS } from '@signalbox/contracts/time';
import * as words from './words/admin-words.ts';
import type { Answer, AnswerParts, Asked } from './question.ts';

const MOST_HOURS = 7 * 24;

/** `/mute shop staging 2`: messages about its health stay away for so long. Without anything: what is muted now. */
export async function answerMute({ db }: AnswerParts, rest: string, asked: Asked): Promise<Answer> {
  if (!roleCovers(asked.role, 'developer'))
    return { text: sayError('NOT_PERMITTED', { role: asked.role, needed: 'developer' }), personal: true };
  const now = Date.now();
  if (rest === '') return { text: words.muted(await listServicesBriefly(db), now), personal: true };
  const [project = '', named = '', hoursTyped = '1', ...more] = rest.toLowerCase().split(/\s+/);
  const environment = Environment.safeParse(named);
  const hours = Number(hoursTyped.replace(/h$/, ''));
  if (!environment.success || more.length > 0 || !Number.isInteger(hours) || hours < 0 || hours > MOST_HOURS)
    return { text: words.MUTE_USAGE, personal: true };
  const service = { project, environment: environment.data };
  const until = hours === 0 ? null : new Date(now + hours * HOUR_MS);
  const { userKey } = asked.envelope;
  if (!(await muteServiceWithin(db, service, until, userKey)))
    return { text: words.noService(service, await listServicesBriefly(db)), personal: true };
  const nothing = { threadId: null, turnId: null, actionId: null, approvalId: null, policyVersion: null };
  const data = { role: asked.role, ...service, until: until?.toISOString() ?? null };
  await appendAudit(db, [{ kind: 'service.muted', actor: userKey, ...nothing, data }]);
  return { text: words.mutedNow(service, hours) };
}
