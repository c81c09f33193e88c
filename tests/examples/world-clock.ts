import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { z } from 'zod';

const ZONES = {
  Berlin: 'Europe/Berlin',
  Cairo: 'Africa/Cairo',
  Lima: 'America/Lima',
  Tokyo: 'Asia/Tokyo',
} as const;

const City = z
  .enum(['Berlin', 'Cairo', 'Lima', 'Tokyo'])
  .describe('City whose time is wanted')
  .meta({ ask: 'For which city: Berlin, Cairo, Lima or Tokyo?' });

export default toolGroup({
  name: 'world_clock',
  summary: 'Tell what time it is around the world.',
  uses: [],
  tools: {
    tell_time: tool({
      describe: 'Tell the current date and time in one city.',
      hints: [
        'what time is it in Tokyo',
        'tell me the time in Berlin',
        'current time in Lima',
        'which date is it in Cairo',
        'how late is it in Tokyo now',
        'what is the time',
      ],
      input: z.object({ city: City }),
      risk: 'safe',
      role: 'viewer',
      egress: false,
      deadlineMs: 1_000,
      replay: 'harmless',
      run: async ({ city }, { now }) => ({ time: formatIn(ZONES[city], now()) }),
      phrases: { done: ({ time }, { city }) => `It is **${time}** in ${city}.` },
    }).from({ time: 'runtime' }),
  },
});

function formatIn(timeZone: string, at: Date): string {
  return new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: 'medium', timeStyle: 'short' }).format(at);
}
