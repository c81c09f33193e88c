import type { Filling, SlotRequest } from './slot-request.ts';
import type { Found } from './slot-values.ts';
import { findDescription } from './descriptions.ts';
import { takesIdentifier, takesOneWord, takesSearchText, takesText, takesVersion } from './field-kinds.ts';
import { isLabelOf, isSameChoice } from './labels.ts';
import { type Mention, standsAsValue } from '../text/mentions.ts';
import { findAddresses, findQuoted } from '../text/quantities.ts';
import { type Field, problemOf } from './schema.ts';
import { findLabelled, findProgramName, findSearchText } from './slot-values.ts';
import { nearest } from '../text/spelling.ts';
import { isStrange } from '../text/strange-names.ts';
import { isFiller, tokenize } from '../text/tokens.ts';
import { findVersionsFor, MAIN_BRANCHES } from '../text/versions.ts';

export function fillVersions({ request, mentions, spans, open, put }: Filling): void {
  const { text, fields } = request;
  for (const field of open().filter(takesVersion)) {
    const bare = !fields.some(({ type }) => type === 'integer' || type === 'number');
    // A version that is known is meant by its bare name, whatever it looks like.
    const known = mentions
      .filter(({ kind }) => kind === 'version')
      .map(({ name, start, end }) => ({ value: name, start, end }));
    const named = findVersionsFor(text, { bare, target: true });
    const found = [...known, ...named, ...findBareRefs(request, mentions)].find(({ start, end }) =>
      spans.isFree(start, end),
    );
    if (!found) continue;
    spans.take(found.start, found.end);
    put(field, found.value, found.value);
  }
}

/** Branches, tags and commits by their bare name, beside a project: "ship main of todo", "deploy lab buildfail to staging". */
function findBareRefs({ text, words }: SlotRequest, mentions: readonly Mention[]): readonly Found[] {
  const tokens = tokenize(text);
  const beside = mentions
    .filter(({ kind }) => kind === 'project')
    .flatMap((project) => {
      const first = tokens.findIndex(({ start }) => start >= project.start);
      const before = tokens[first - 1]?.lower === 'of' ? tokens[first - 2] : undefined;
      return [before, tokens.find(({ start }) => start >= project.end)];
    });
  return beside.flatMap((token) => {
    if (!token || !(MAIN_BRANCHES.has(token.lower) || isStrange(token.lower, words))) return [];
    const { start, end } = token;
    return [{ value: text.slice(start, end), start, end }];
  });
}

export function fillChoices({ request, spans, open, put }: Filling): void {
  for (const field of open().filter((candidate) => candidate.choices.length > 0)) {
    const all = tokenize(request.text);
    // "Back from the archive" and "not a plan any more" name what it is no longer.
    const tokens = all.filter(
      ({ start, end }, at) =>
        spans.isFree(start, end) && standsAsValue(all, at) && !LEFT_BEHIND.test(request.text.slice(0, start)),
    );
    const token =
      tokens.find(({ lower }) => field.choices.some((value) => isSameChoice(lower, value))) ??
      tokens.find(({ lower }) => isStrange(lower, request.words) && nearest(lower, field.choices).length === 1);
    if (!token) continue;
    const choice =
      field.choices.find((value) => isSameChoice(token.lower, value)) ?? nearest(token.lower, field.choices)[0];
    if (choice === undefined) continue;
    spans.take(token.start, token.end);
    put(field, choice, choice);
  }
}

const LEFT_BEHIND = /\b(?:not|no longer|from|out of|instead of|never|isn't) (?:an? |the |just |only |longer )*$/i;

/** Fields of one word: a host, a service, a node, a text to look for. */
export function fillWords({ request, spans, open, put }: Filling): void {
  const { text, words } = request;
  const isFree = (start: number, end: number): boolean => spans.isFree(start, end);
  for (const field of open()) {
    let found = null;
    if (takesOneWord(field)) found = findOneWord(text, field, isFree);
    else if (takesSearchText(field)) found = findSearchText(text, isFree);
    else if (takesIdentifier(field))
      found = findLabelled(text, field, isFree, words) ?? (field.required ? findProgramName(text, isFree) : null);
    if (!found || problemOf(field, found.value) !== null) continue;
    spans.take(found.start, found.end);
    put(field, found.value, found.value);
  }
}

/** The word behind the field's name, else one that is built like an address. */
function findOneWord(text: string, field: Field, isFree: (start: number, end: number) => boolean) {
  const free = tokenize(text).filter(({ start, end }) => isFree(start, end));
  const labelled = free.filter(
    ({ lower }, at) => !isFiller(lower) && !isLabelOf(lower, field) && isLabelOf(free[at - 1]?.lower ?? '', field),
  );
  // Ids that we gave out, such as user_1001_3, are recognized wherever they stand.
  const given = free.find(({ start, end }) => /^[a-z]+_[\w:.-]*\d$/.test(text.slice(start, end)));
  const dotted = field.required ? free.find(({ lower }) => /[\p{L}\p{N}]\.[\p{L}\p{N}]/u.test(lower)) : undefined;
  const token = labelled.find(({ lower }) => /[.\d]/.test(lower)) ?? given ?? dotted ?? labelled[0];
  return token ? { value: text.slice(token.start, token.end), start: token.start, end: token.end } : null;
}

export function fillDescriptions(
  { request, spans, open, put }: Filling,
  name: { readonly start: number; readonly end: number } | null,
): void {
  const { text } = request;
  const quoted = findQuoted(text).filter(({ start, end }) => spans.isFree(start, end));
  const isLabelled = (field: Field): boolean => tokenize(text).some(({ lower }) => isLabelOf(lower, field));
  for (const field of open().filter(takesText)) {
    const quote = field.entity === 'text' || isLabelled(field) ? quoted.shift() : undefined;
    if (quote) {
      spans.take(quote.start, quote.end);
      put(field, quote.value, `“${quote.value}”`);
      continue;
    }
    const found = findDescription(withoutAddresses(text), field, spans.lastEnd(), name);
    if (found !== null) put(field, found, `“${found}”`);
  }
}

/** An address at the end belongs to another field; blanks keep the places of all else. */
function withoutAddresses(text: string): string {
  return findAddresses(text).reduce((left, { start, end }) => {
    const label =
      /[\s,;]*\b(?:and )?(?:the |its |with )?(?:repo(?:sitory)?|git|code|url|link|address)?\s*(?:is|at|in|lives at|:|=)?\s*$/iu.exec(
        left.slice(0, start),
      );
    const from = label ? label.index : start;
    return left.slice(0, from) + ' '.repeat(end - from) + left.slice(end);
  }, text);
}
