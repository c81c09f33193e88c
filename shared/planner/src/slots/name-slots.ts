import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import { takesKnownName } from './field-kinds.ts';
import type { Mention } from '../text/mentions.ts';
import type { Field } from './schema.ts';
import type { SlotProblem, SlotRequest, Filling } from './slot-request.ts';
import type { Spans } from '../text/spans.ts';
import { findStrangeNames } from '../text/strange-names.ts';

export function fillMentions({ request, mentions, spans, open, put }: Filling, problems: SlotProblem[]): void {
  for (const field of open().filter((candidate) => candidate.entity !== null)) {
    const fitting = mentions.filter(
      ({ kind, name, start, end }) =>
        kind === field.entity &&
        spans.isFree(start, end) &&
        (field.choices.length === 0 || field.choices.includes(name)),
    );
    const mention = preferred(fitting, request.text);
    if (!mention) continue;
    spans.take(mention.start, mention.end);
    const written = request.text.slice(mention.start, mention.end);
    if (mention.candidates.length === 1) put(field, mention.name, mention.name);
    else problems.push({ kind: 'which-name', field, written, candidates: mention.candidates });
  }
}

/** What is not meant is named too: "not shop but blog", "moved away from local". */
function preferred(mentions: readonly Mention[], text: string): Mention | undefined {
  const meant = mentions.filter(
    ({ start }) =>
      !/\b(?:not|except|instead of|rather than|without|besides|other than|apart from)\s+(?:the |for |on |in |to )*$/i.test(
        text.slice(0, start),
      ),
  );
  return meant[0];
}

/** A name that nobody knows is a problem; what only one thing can mean is taken. */
export function fillKnownNames({ request, mentions, spans, open, put }: Filling, problems: SlotProblem[]): void {
  const { facts } = request;
  for (const field of open().filter((candidate) => takesKnownName(candidate, facts))) {
    if (problems.some((problem) => problem.field === field)) continue;
    const known = knownNames(facts, field.entity);
    const written = findUnknownName(request, field, mentions, spans);
    if (written !== null && known.length > 0) problems.push({ kind: 'unknown-name', field, written });
    else if (written !== null && !Object.hasOwn(facts.known, field.entity ?? '')) put(field, written, written);
    else if (
      field.entity === 'project' &&
      facts.currentProject &&
      REFERS.test(request.text) &&
      (field.required || !OTHER_KIND.test(request.text))
    )
      put(field, facts.currentProject, facts.currentProject);
    else if (field.required && known.length === 1) put(field, known[0], known[0] ?? '');
  }
}

/** "That server", "there" and "this port" are no project. */
const OTHER_KIND = /\b(?:that|this|the same) (?:server|machine|host|box|port|environment)\b|\bthere\b/i;

const REFERS = /\b(?:it|its|it's|that|this|the project|the app|there|them|they|same|again)\b/i;

/** A name that nobody knows, where a name of that kind stands. */
function findUnknownName(
  { text, words }: SlotRequest,
  field: Field,
  mentions: readonly Mention[],
  spans: Spans,
): string | null {
  const names = findStrangeNames(text, field.entity, mentions, words);
  return names.find(({ start, end }) => spans.isFree(start, end))?.written ?? null;
}

/** Known names of a kind; none for a kind that nobody listed. */
export function knownNames(facts: Pick<RequestFacts, 'known'>, kind: string | null): readonly string[] {
  return kind !== null && Object.hasOwn(facts.known, kind) ? (facts.known[kind] ?? []) : [];
}
