import { hostileTexts } from './pattern-texts.ts';

/** Small steps first: of the worst patterns, no text of the next length would ever be read. */
const LENGTHS = [16, 20, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1_024];
const LENGTH = 12_000;
/** With the square of its length, a megabyte would take fourteen seconds. */
const QUICK_MS = 2;
/** A text of so many characters that takes long grows with a power, or worse. */
const SHORT_LENGTH = 1_024;
/** Four times the text: 4 when linear, 16 when quadratic. */
const MOST = 8;

/**
 * Which of the texts that are made from a pattern it needs more than linear time for; null for none. `most`: as many characters as it is
 * ever given; there the whole time counts. The processor's time is measured, and what was interrupted is measured again.
 */
export function findSlowPattern(pattern: RegExp, most = LENGTH): string | null {
  const cpuMs = (text: string): number => {
    const before = process.cpuUsage();
    if (pattern.global) text.replace(pattern, '');
    else pattern.test(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const leastMs = (text: string): number => Math.min(cpuMs(text), cpuMs(text), cpuMs(text));
  for (const make of hostileTexts(pattern))
    for (const length of [...LENGTHS.filter((one) => one < most), most]) {
      const text = make(length);
      const ms = cpuMs(text);
      if (ms < QUICK_MS) continue;
      const quarter = make(length / 4);
      const isSuspect = length <= SHORT_LENGTH || ms >= MOST * Math.max(cpuMs(quarter), 0.1);
      if (!isSuspect || leastMs(text) < QUICK_MS) continue;
      const by = Math.round(leastMs(text) / Math.max(leastMs(quarter), 0.1));
      if (length <= SHORT_LENGTH || by >= MOST)
        return `${JSON.stringify(make(40))}: ${length} characters take ${Math.round(ms)} ms, ${by} times as long as a quarter of them`;
    }
  return null;
}
