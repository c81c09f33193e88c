import { AppError } from '@signalbox/shared/errors';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { z } from 'zod';

const TimeZone = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .describe('IANA time zone, such as Asia/Tokyo')
  .meta({ ask: 'For which time zone, such as Europe/Berlin?' });

export default toolGroup({
  name: 'world_clock',
  summary: 'Tell what time it is around the world.',
  uses: [],
  tools: {
    tell_time: tool({
      describe: 'Tell the current date and time in one time zone.',
      hints: [
        'what time is it in Asia/Tokyo',
        'tell me the time in Europe/Berlin',
        'current time in America/Lima',
        'time in Asia/Kolkata please',
        'how late is it in Africa/Cairo',
        'which date is it in Pacific/Auckland',
      ],
      input: z.object({ timeZone: TimeZone }),
      risk: 'safe',
      role: 'viewer',
      deadlineMs: 1_000,
      replay: 'harmless',
      run: async ({ timeZone }, { now }) => ({ time: formatIn(timeZone, now()) }),
      phrases: { done: ({ time }, { timeZone }) => `It is **${time}** in ${timeZone}.` },
    }),
  },
});

function formatIn(timeZone: string, at: Date): string {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: 'medium', timeStyle: 'short' }).format(at);
  } catch (cause) {
    const known = 'names such as Asia/Tokyo';
    throw new AppError('NOT_FOUND', { kind: 'time zone', name: timeZone, known }, cause);
  }
}
