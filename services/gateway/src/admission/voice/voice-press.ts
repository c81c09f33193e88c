import { say } from '@signalbox/messages/say';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import type { Queryable } from '@signalbox/store/pool';
import { controlLine } from '../control-line.ts';
import type { AdmissionResult } from '../inbox.ts';
import type { Plan } from '../plan.ts';
import { toBody } from '../../commands/answer.ts';
import { YES } from './voice-answers.ts';
import { confirmNote, declineNote, findAsked, isSuperseded } from './voice-notes.ts';

/**
 * Before a press is admitted: one on a question about a voice note that was superseded is refused with a sentence. Whether it may be
 * pressed by this person, here and now, is for the admission to say.
 */
export async function checkVoicePress(db: Queryable, plan: Plan): Promise<Plan> {
  const { press } = plan.admission;
  if (press === null) return plan;
  const note = await findAsked(db, press.outboxId);
  if (!note || note.userKey !== plan.envelope.userKey) return plan;
  if (note.status === 'confirmed' || note.status === 'declined') return plan; // pressed before: its buttons have expired
  if (note.status === 'asked' && !(await isSuperseded(db, note.inboxId))) return { ...plan, voiceNote: note.inboxId };
  const { envelope } = plan;
  const body = toBody({ text: say('voice.void'), personal: true }, envelope);
  const reply = controlLine(envelope, `voice:${note.inboxId}:late`, body);
  return { ...plan, admission: { ...plan.admission, verdict: 'refuse', reason: 'voice superseded', reply } };
}

/**
 * After it was admitted, in the same transaction: “yes” makes what was heard a message that waits for a turn, “no” settles it. Returns
 * whether the chat has something to say.
 */
export async function settleVoicePress(db: Queryable, plan: Plan, { verdict, id }: AdmissionResult): Promise<boolean> {
  const { voiceNote } = plan;
  const { press } = plan.admission;
  if (voiceNote === null || press === null || verdict !== 'accepted' || id === null) return false;
  if (press.index === YES) {
    await confirmNote(db, voiceNote, id);
    return false;
  }
  await declineNote(db, voiceNote, id);
  const body = toBody({ text: say('voice.declined'), personal: true }, plan.envelope);
  await putOutbox(db, [controlLine(plan.envelope, `voice:${voiceNote}:declined`, body)]);
  return true;
}
