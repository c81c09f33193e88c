import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Visitor, parseSync } from 'oxc-parser';
import { listFiles, readSources } from './sources.ts';
import { isProduct } from './weight.ts';

/** What a reader who is new to the code is shown: each line has its kind, its place and its text. */
const SIZES = { name: 60, comment: 60, message: 40, test: 30, paragraph: 10 } as const;

type Kind = keyof typeof SIZES;
type Drawn = readonly [place: string, text: string];

/** Draws from the whole product, the same for the same seed. */
export function drawSample(root: string, seed: string): readonly string[] {
  const random = createRandom(seed);
  const all: Record<Kind, readonly Drawn[]> = {
    ...readCode(root),
    message: readMessages(root),
    paragraph: readParagraphs(root),
  };
  return (Object.keys(SIZES) as Kind[]).flatMap((kind) =>
    take(all[kind], SIZES[kind], random).map(([place, text]) => `${kind}\t${place}\t${text}`),
  );
}

function readCode(root: string): Record<'name' | 'comment' | 'test', readonly Drawn[]> {
  const found = { name: [] as Drawn[], comment: [] as Drawn[], test: [] as Drawn[] };
  for (const { path, text } of readSources(root)) {
    const { program, comments } = parseSync(path, text);
    const placeOf = (offset: number): string => `${path}:${text.slice(0, offset).split('\n').length}`;
    if (!isProduct({ path })) {
      found.test.push(...listTestNames(program).map(([offset, name]): Drawn => [placeOf(offset), name]));
      continue;
    }
    for (const { value, start } of comments) {
      const words = value
        .replace(/^\s*\*? ?/gm, '')
        .trim()
        .replaceAll('\n', ' ');
      if (words.split(' ').length > 2 && !words.startsWith('@')) found.comment.push([placeOf(start), words]);
    }
    new Visitor({
      ExportNamedDeclaration({ declaration, start }) {
        for (const name of declaredNames(declaration)) found.name.push([placeOf(start), name]);
      },
    }).visit(program);
  }
  return found;
}

function declaredNames(declaration: unknown): readonly string[] {
  const node = declaration as { id?: { name?: string }; declarations?: { id: { name?: string } }[] } | null; // oxc's union
  const ids = node?.declarations?.map(({ id }) => id) ?? [node?.id];
  return ids.flatMap((id) => (id?.name === undefined ? [] : [id.name]));
}

/** The names of tests, each after those of the groups around it. */
function listTestNames(program: Parameters<Visitor['visit']>[0]): readonly (readonly [number, string])[] {
  const names: (readonly [number, string])[] = [];
  const groups: { readonly name: string; readonly end: number }[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [first], start, end }) {
      const called = rootOf(callee);
      const title = first as { type?: string; value?: unknown } | undefined;
      if (title?.type !== 'Literal' || typeof title.value !== 'string') return;
      while (groups.length > 0 && (groups.at(-1)?.end ?? 0) < start) groups.pop();
      if (called === 'describe') groups.push({ name: title.value, end });
      if (called === 'it' || called === 'test')
        names.push([start, [...groups.map(({ name }) => name), title.value].join(' › ')]);
    },
  }).visit(program);
  return names;
}

/** `it` of `it`, `it.each(…)` and `it.skipIf(…).each(…)`. */
function rootOf(callee: unknown): string {
  const node = callee as { name?: string; object?: unknown; callee?: unknown }; // oxc's union
  return node.name ?? (node.object || node.callee ? rootOf(node.object ?? node.callee) : '');
}

function readMessages(root: string): readonly Drawn[] {
  const folder = 'shared/messages/src/languages/en';
  return listFiles(root, folder).flatMap((path) => {
    const sentences = JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>;
    return Object.entries(sentences).map(([key, text]): Drawn => [`${path} ${key}`, String(text)]);
  });
}

function readParagraphs(root: string): readonly Drawn[] {
  const pages = [...listFiles(root, 'docs'), 'README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'];
  return pages
    .filter((path) => path.endsWith('.md') && existsSync(join(root, path)))
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8').replace(/```[\s\S]*?```/g, '');
      const paragraphs = text.split(/\n{2,}/).map((part) => part.replaceAll('\n', ' ').trim());
      return paragraphs
        .filter((part) => /^[A-Z`[*-]/.test(part) && part.length > 80)
        .map((part): Drawn => [path, part]);
    });
}

function take<T>(from: readonly T[], count: number, random: () => number): readonly T[] {
  const rest = [...from];
  return Array.from({ length: Math.min(count, rest.length) }, () =>
    rest.splice(Math.floor(random() * rest.length), 1),
  ).flat();
}

/** A number from 0 to 1 at each call: mulberry32 by Tommy Ettinger (public domain), begun from the seed's characters. */
function createRandom(seed: string): () => number {
  let state = [...seed].reduce(
    (sum, character) => Math.imul(sum ^ (character.codePointAt(0) ?? 0), 0x01000193),
    0x811c9dc5,
  );
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
