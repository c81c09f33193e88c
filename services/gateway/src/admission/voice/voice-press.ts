import { say } from '@signalbox/messages/say';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import type { Queryable } from '@signalbox/store/pool';
import { createControlMessage } from '../control-line.ts';
import type { AdmissionResult } from '../../rows/inbox.ts';
import type { AdmissionPlan } from '../plan.ts';
import { toAnswerBody } from '../../commands/answer.ts';
import { YES_BUTTON_INDEX } from './voice-answers.ts';
import { confirmNote, declineNote, findAnsweredNote, isSuperseded } from '../../rows/voice-notes.ts';

/** Run before admission: refuses a press on a superseded voice question. Admission checks whether this person may press. */
export async function checkVoicePress(db: Queryable, plan: AdmissionPlan): Promise<AdmissionPlan> {
  const { press } = plan.admission;
  if (press === null) return plan;
  const note = await findAnsweredNote(db, press.outboxId);
  if (!note || note.userKey !== plan.envelope.userKey) return plan;
  if (note.status === 'confirmed' || note.status === 'declined') return plan; // the buttons of a settled question have expired
  if (note.status === 'asked' && !(await isSuperseded(db, note.inboxId))) return { ...plan, voiceNote: note.inboxId };
  const { envelope } = plan;
  const body = toAnswerBody({ text: say('voice.void'), personal: true }, envelope);
  const reply = createControlMessage(envelope, `voice:${note.inboxId}:late`, body);
  return { ...plan, admission: { ...plan.admission, verdict: 'refuse', reason: 'voice superseded', reply } };
}

/** Run after admission: “yes” turns the transcript into a waiting message, “no” settles the note. True when a reply was queued. */
export async function settleVoicePress(
  db: Queryable,
  plan: AdmissionPlan,
  { verdict, id }: AdmissionResult,
): Promise<boolean> {
  const { voiceNote } = plan;
  const { press } = plan.admission;
  if (voiceNote === null || press === null || verdict !== 'accepted' || id === null) return false;
  if (press.index === YES_BUTTON_INDEX) {
    await confirmNote(db, voiceNote, id);
    return false;
  }
  await declineNote(db, voiceNote, id);
  const body = toAnswerBody({ text: say('voice.declined'), personal: true }, plan.envelope);
  await putOutbox(db, [createControlMessage(plan.envelope, `voice:${voiceNote}:declined`, body)]);
  return true;
}
