import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { readLaneStatus, type LaneStatus } from '../../rows/inbox.ts';
import type { ChatCommand } from '../chat-command.ts';

export default {
  name: 'status',
  who: 'viewer',
  forPrograms: true,
  personal: true,
  menu: { place: 30, description: 'menu.status' },
  help: 'help.status',
  answer: async ({ db }, _, { envelope }) => {
    const status = await readLaneStatus(db, envelope.userKey, envelope.chatKey);
    return { text: describeStatus(status), personal: false };
  },
} satisfies ChatCommand;

export function describeStatus({ running, oldestMs, open, thread, jobs }: LaneStatus): string {
  const waiting = running ? open - 1 : open;
  return [
    describeActivity(running, oldestMs),
    ...(waiting > 0 ? [say('gateway.waiting', { count: waiting })] : []),
    ...(thread === null ? [] : [describeThread(thread)]),
    ...jobs.map(({ job, status, ageMs }) =>
      say('gateway.job', { job: toPlainName(job), status, time: sayDuration(ageMs) }),
    ),
  ].join('\n\n');
}

function describeActivity(running: boolean, oldestMs: number | null): string {
  if (!running) return say('gateway.nothing-runs');
  if (oldestMs === null) return say('gateway.working');
  return say('gateway.working-for', { time: sayDuration(oldestMs) });
}

function describeThread({ threadId, title, awaiting }: NonNullable<LaneStatus['thread']>): string {
  return say('gateway.thread', {
    threadId,
    titled: title === null ? 'no' : 'yes',
    title: toPlainName(title ?? ''),
    awaiting: awaiting ? 'yes' : 'no',
  });
}
