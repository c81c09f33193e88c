import type { InboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import { DEFAULT_LANGUAGE, getCurrentLanguage, LANGUAGES, runInLanguage } from '@signalbox/messages/language';
import type { Queryable } from '../pool.ts';
import { hasRow, sql, type Sql } from '../sql.ts';

/** One sentence by language; in one language at least. */
export type Words = Readonly<Record<string, string>>;

/** A sentence, or one that is said in the language of each reader. */
export type Sentence = string | (() => string);

/** Says a sentence in the current language. */
export function toText(sentence: Sentence): string {
  return typeof sentence === 'string' ? sentence : sentence();
}

/** Says a sentence in every language of the product. */
export function toWords(sentence: Sentence): Words {
  if (typeof sentence === 'string') return { [getCurrentLanguage()]: sentence };
  return Object.fromEntries(LANGUAGES.map((language) => [language, runInLanguage(language, sentence)]));
}

/** Chooses the sentence for a reader. Pure. */
export function chooseWords(words: Words, language: string | null): string {
  return words[language ?? DEFAULT_LANGUAGE] ?? words[DEFAULT_LANGUAGE] ?? Object.values(words)[0] ?? '';
}

/** What the message of an incident says, kept for those who are told of it later. */
export interface IncidentWords extends Pick<
  Extract<InboundEnvelope, { kind: 'incident' }>,
  'project' | 'quote' | 'card'
> {
  readonly says: Words;
  /** The sentence for lists; without it, the incident's own. */
  readonly details?: Words;
  /** People or chats that its source names. */
  readonly tells: readonly string[];
}

/** Selects the sentence of an incident for lists in the current language. `incidents`: the alias of its row. */
export function selectDetail(incidents: Sql): Sql {
  return sql`coalesce(${incidents}.words -> 'details' ->> ${getCurrentLanguage()}, ${incidents}.detail)`;
}

/** Selects where an incident is, when its sentence does not say it: the service of one of ours, the repository of a gate. */
export function selectPlace(incidents: Sql): Sql {
  return sql`case split_part(${incidents}.subject, ':', 1) when 'service' then substr(${incidents}.subject, 9)
      when 'gate' then ${incidents}.evidence ->> 'repository' when 'server' then substr(${incidents}.subject, 8) end`;
}

/** Records that a person is told of an incident, which waits for somebody to take it. False when that person was told before. */
export async function noteTelling(db: Queryable, incidentId: string, userKey: string): Promise<boolean> {
  const isNew = await hasRow(db)`
    insert into incident_tellings (incident_id, person, user_key) values (${incidentId}::bigint, person_of(${userKey}), ${userKey})
    on conflict do nothing returning true`;
  await db.query(sql`update incidents set escalates = true where incident_id = ${incidentId}::bigint`);
  return isNew;
}
