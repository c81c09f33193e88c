/** Makes a text of about so many characters. */
export type Make = (length: number) => string;

const LENGTH = 8_000;
/** Whatever takes less time for that length is quick, whatever the clock says. */
const QUICK_MS = 5;
/** Of the processor, for each million characters: a scan has minutes for all files. */
const MILLION_MS = 6_000;
/** Four times the text: 4 when linear, 16 when quadratic. */
const MOST = 8;

/**
 * What is wrong with the time that reading takes: that it grows faster than the text, or that there is too much of it; null for nothing.
 * The processor's time counts, as the machine may be busy with something else.
 */
export async function findSlowness(make: Make, read: (text: string) => unknown): Promise<string | null> {
  if ((await cpuMs(make(LENGTH), read)) < QUICK_MS) return null;
  const short = await growth(make, read, LENGTH);
  if (short.longMs < QUICK_MS) return null;
  // What is bounded by a count looks quadratic up to there.
  const grown = short.longMs < 50 ? await growth(make, read, 4 * LENGTH) : short;
  if (grown.by >= MOST) return `four times the text take ${Math.round(grown.by)} times as long`;
  const ms = (grown.longMs * 1_000_000) / grown.length;
  return ms < MILLION_MS ? null : `a million characters take ${Math.round(ms / 1_000)} s`;
}

/** How much longer a text takes than one of a quarter of its length. What was interrupted is measured again: the least counts. */
async function growth(make: Make, read: (text: string) => unknown, length: number) {
  const [short, long] = [make(length / 4), make(length)];
  let [shortMs, longMs] = [Infinity, Infinity];
  for (let round = 0; round < 3 && !(longMs / Math.max(shortMs, 0.5) < MOST); round++) {
    for (let one = 0; one < 3; one++) shortMs = Math.min(shortMs, await cpuMs(short, read));
    longMs = Math.min(longMs, await cpuMs(long, read));
  }
  return { longMs, length, by: longMs / Math.max(shortMs, 0.5) };
}

async function cpuMs(text: string, read: (text: string) => unknown): Promise<number> {
  const before = process.cpuUsage();
  await read(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
