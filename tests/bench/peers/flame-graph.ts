import { z } from 'zod';

const Profile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string() }),
      children: z.array(z.number()).optional(),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

interface Frame {
  readonly name: string;
  readonly home: string;
  ms: number;
  readonly children: Map<string, Frame>;
}

const WIDTH = 1_200;
const ROW = 16;
/** Narrower ones cannot be read. */
const LEAST_PIXELS = 2;
/** Pixels of a letter. */
const LETTER = 6.2;
/** What Node does for nobody in particular. */
const BY_ITSELF = new Map([['(garbage collector)', 'garbage collection']]);
const COLOURS = { product: '#f2a65a', LangChain: '#8ab6d6', database: '#9fcf9a', node: '#d5d5d5', library: '#d9c4e3' };

/** A picture of a CPU profile's last `ms` milliseconds: a row per call, as wide as its share of the time. Source of the idea: Gregg 2011. */
export function drawFlameGraph(profile: unknown, ms: number, title: string): string {
  const root = merge(Profile.parse(profile), ms);
  const boxes: string[] = [];
  let depth = 0;
  draw(root, 0, 0);
  const height = (depth + 2) * ROW + 24;
  const legend = Object.entries(COLOURS).map(
    ([home, colour], place) =>
      `<rect x="${480 + place * 130}" y="6" width="12" height="12" fill="${colour}"/><text x="${496 + place * 130}" y="16">${home}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10">`,
    `<rect width="${WIDTH}" height="${height}" fill="white"/><text x="4" y="16" font-size="13">${escape(title)}</text>`,
    ...legend,
    ...boxes,
    '</svg>\n',
  ].join('\n');

  function draw(frame: Frame, x: number, row: number): void {
    depth = Math.max(depth, row);
    let left = x;
    for (const child of [...frame.children.values()].toSorted((a, b) => b.ms - a.ms)) {
      const width = (child.ms / root.ms) * WIDTH;
      if (width < LEAST_PIXELS) continue;
      const [y, letters] = [24 + row * ROW, Math.floor((width - 4) / LETTER)];
      const share = `${child.name} (${child.home}) ${((child.ms / root.ms) * 100).toFixed(1)} %`;
      boxes.push(
        `<g><title>${escape(share)}</title><rect x="${left.toFixed(1)}" y="${y}" width="${(width - 0.5).toFixed(1)}" height="${ROW - 1}" fill="${COLOURS[kindOf(child.home)]}"/>` +
          (letters > 2
            ? `<text x="${(left + 2).toFixed(1)}" y="${y + 11}">${escape(child.name.slice(0, letters))}</text>`
            : '') +
          '</g>',
      );
      draw(child, left, row + 1);
      left += width;
    }
  }
}

/** The shares of the time by whose code it is, or who called what Node does, largest first. */
export function sharesOf(profile: unknown, ms: number): readonly (readonly [string, number])[] {
  const shares = new Map<string, number>();
  const root = merge(Profile.parse(profile), ms);
  const add = (frame: Frame, caller: string): void => {
    const below = [...frame.children.values()].reduce((sum, child) => sum + child.ms, 0);
    const home = frame.home === 'node' ? (BY_ITSELF.get(frame.name) ?? caller) : frame.home;
    const own = frame.ms - below;
    if (own > 0) shares.set(home, (shares.get(home) ?? 0) + own / root.ms);
    for (const child of frame.children.values()) add(child, home);
  };
  add(root, 'node');
  return [...shares].toSorted(([, a], [, b]) => b - a);
}

function merge({ nodes, samples, timeDeltas }: z.output<typeof Profile>, lastMs: number): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const total = timeDeltas.reduce((sum, delta) => sum + delta, 0) / 1_000;
  const root: Frame = { name: 'all', home: 'node', ms: 0, children: new Map() };
  let at = 0;
  for (const [place, id] of samples.entries()) {
    const ms = (timeDeltas[place] ?? 0) / 1_000;
    at += ms;
    if (at < total - lastMs || byId.get(id)?.callFrame.functionName === '(idle)') continue;
    const path: number[] = [];
    for (let node: number | undefined = id; node !== undefined; node = parents.get(node)) path.unshift(node);
    root.ms += ms;
    let frame = root;
    for (const node of path.slice(1)) {
      const { functionName, url } = byId.get(node)?.callFrame ?? { functionName: '', url: '' };
      const home = homeOf(url);
      const name = functionName || '(anonymous)';
      const key = `${name} ${home}`;
      const child = frame.children.get(key) ?? { name, home, ms: 0, children: new Map<string, Frame>() };
      frame.children.set(key, child);
      child.ms += ms;
      frame = child;
    }
  }
  return root;
}

/** The package that a file is of, or the folder of ours. */
function homeOf(url: string): string {
  const library = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (library && !library.startsWith('@signalbox/')) return library;
  return /\/((?:services|shared)\/[^/]+)\//.exec(url)?.[1] ?? (library || 'node');
}

function kindOf(home: string): keyof typeof COLOURS {
  if (/^(services|shared)\/|^@signalbox/.test(home)) return 'product';
  if (/langchain|langsmith/.test(home)) return 'LangChain';
  if (/^(pg|pg-|ioredis|bullmq)/.test(home)) return 'database';
  return home === 'node' ? 'node' : 'library';
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
