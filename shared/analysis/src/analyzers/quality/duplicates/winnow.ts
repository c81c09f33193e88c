/** Number of lines per window; each window has one hash. */
export const WINDOW_LINES = 10;
/** Number of consecutive windows of which only one is kept. */
const WINNOWED = 16;

export interface Fingerprint {
  readonly hash: number;
  /** Index of the first line of the window among the compared lines. */
  readonly index: number;
}

/** Selects fingerprints by winnowing (Schleimer et al., 2003): documents with `WINDOW_LINES + WINNOWED - 1` common lines share one. */
export function selectFingerprints(hashes: Int32Array): readonly Fingerprint[] {
  const windows = hashWindows(hashes);
  const kept: Fingerprint[] = [];
  let least = -1;
  for (let end = 0; end < windows.length; end += 1) {
    const from = Math.max(0, end - WINNOWED + 1);
    if (least < from) least = findLeast(windows, from, end);
    // Takes the rightmost minimum, so that a run of equal lines keeps few windows.
    else if ((windows[end] ?? 0) <= (windows[least] ?? 0)) least = end;
    const isWhole = end >= Math.min(WINNOWED, windows.length) - 1;
    if (isWhole && kept.at(-1)?.index !== least) kept.push({ hash: windows[least] ?? 0, index: least });
  }
  return kept;
}

function findLeast(windows: Float64Array, from: number, end: number): number {
  let least = from;
  for (let at = from + 1; at <= end; at += 1) if ((windows[at] ?? 0) <= (windows[least] ?? 0)) least = at;
  return least;
}

function hashWindows(hashes: Int32Array): Float64Array {
  const count = Math.max(0, hashes.length - WINDOW_LINES + 1);
  const windows = new Float64Array(count);
  for (let index = 0; index < count; index += 1) {
    let [one, other] = [17, 31];
    for (let at = index; at < index + WINDOW_LINES; at += 1) {
      one = Math.imul(one ^ (hashes[at] ?? 0), 0x85ebca6b);
      other = Math.imul(other + (hashes[at] ?? 0), 0xc2b2ae35) ^ (other >>> 15);
    }
    windows[index] = ((one >>> 8) & 0xffffff) * 0x1000000 + ((other >>> 4) & 0xffffff);
  }
  return windows;
}
