import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { ERRORS, type ErrorCode, type ErrorData } from '@signalbox/contracts/errors';
import { formatSentence } from './format-sentence.ts';
import { CATALOG_URL, getCurrentLanguage, DEFAULT_LANGUAGE, LANGUAGES } from './language.ts';
import type admission from './languages/en/admission.json';
import type agent from './languages/en/agent.json';
import type agents from './languages/en/agents.json';
import type alarms from './languages/en/alarms.json';
import type card from './languages/en/card.json';
import type control from './languages/en/control.json';
import type deploy from './languages/en/deploy.json';
import type deployment from './languages/en/deployment.json';
import type diagnose from './languages/en/diagnose.json';
import type duration from './languages/en/duration.json';
import type engineering from './languages/en/engineering.json';
import type faults from './languages/en/faults.json';
import type findings from './languages/en/findings.json';
import type fixes from './languages/en/fixes.json';
import type forge from './languages/en/forge.json';
import type gate from './languages/en/gate.json';
import type gateway from './languages/en/gateway.json';
import type governance from './languages/en/governance.json';
import type guided from './languages/en/guided.json';
import type health from './languages/en/health.json';
import type help from './languages/en/help.json';
import type ingress from './languages/en/ingress.json';
import type jobs from './languages/en/jobs.json';
import type memory from './languages/en/memory.json';
import type menu from './languages/en/menu.json';
import type oncall from './languages/en/oncall.json';
import type people from './languages/en/people.json';
import type planner from './languages/en/planner.json';
import type projects from './languages/en/projects.json';
import type readiness from './languages/en/readiness.json';
import type repository from './languages/en/repository.json';
import type roundTrip from './languages/en/round-trip.json';
import type rulesDependencies from './languages/en/rules-dependencies.json';
import type rulesQuality from './languages/en/rules-quality.json';
import type rulesReports from './languages/en/rules-reports.json';
import type rulesSecrets from './languages/en/rules-secrets.json';
import type schedules from './languages/en/schedules.json';
import type servers from './languages/en/servers.json';
import type services from './languages/en/services.json';
import type turn from './languages/en/turn.json';
import type voice from './languages/en/voice.json';
import type workspace from './languages/en/workspace.json';

/**
 * The files of one language and their sentences: `menu.help` is the entry `help` of `menu.json`. A plug-in merges its own files into this
 * interface: see docs/extending/plugins.md.
 */
export interface Catalog {
  readonly admission: typeof admission;
  readonly agent: typeof agent;
  readonly agents: typeof agents;
  readonly alarms: typeof alarms;
  readonly card: typeof card;
  readonly control: typeof control;
  readonly deploy: typeof deploy;
  readonly deployment: typeof deployment;
  readonly diagnose: typeof diagnose;
  readonly duration: typeof duration;
  readonly engineering: typeof engineering;
  readonly faults: typeof faults;
  readonly findings: typeof findings;
  readonly fixes: typeof fixes;
  readonly forge: typeof forge;
  readonly gate: typeof gate;
  readonly gateway: typeof gateway;
  readonly governance: typeof governance;
  readonly guided: typeof guided;
  readonly health: typeof health;
  readonly help: typeof help;
  readonly ingress: typeof ingress;
  readonly jobs: typeof jobs;
  readonly memory: typeof memory;
  readonly menu: typeof menu;
  readonly oncall: typeof oncall;
  readonly people: typeof people;
  readonly planner: typeof planner;
  readonly projects: typeof projects;
  readonly readiness: typeof readiness;
  readonly repository: typeof repository;
  readonly 'round-trip': typeof roundTrip;
  readonly 'rules-dependencies': typeof rulesDependencies;
  readonly 'rules-quality': typeof rulesQuality;
  readonly 'rules-reports': typeof rulesReports;
  readonly 'rules-secrets': typeof rulesSecrets;
  readonly schedules: typeof schedules;
  readonly servers: typeof servers;
  readonly services: typeof services;
  readonly turn: typeof turn;
  readonly voice: typeof voice;
  readonly workspace: typeof workspace;
}

export type MessageKey = { [File in keyof Catalog]: `${File}.${keyof Catalog[File] & string}` }[keyof Catalog];

/** Values for the placeholders of a sentence. Texts are inserted as they are, never parsed as a format. */
export type MessageValues = Readonly<Record<string, string | number | boolean>>;

const sentences = new Map<string, ReadonlyMap<string, string>>();

/**
 * Fills in one sentence of the catalog (ICU MessageFormat) in the current language (see `runInLanguage`) or in `language`. A sentence that
 * the language lacks, or an unknown language, gives English. Throws when a value is missing; tests/messages.test.ts compares every call
 * with its sentence.
 */
export function say(key: MessageKey, values: MessageValues = {}, language: string = getCurrentLanguage()): string {
  return fill(key, values, language);
}

/** Formats the sentence of an error in the current language. The English sentences are in the error catalog. */
export function sayError<C extends ErrorCode>(code: C, data: ErrorData<C>): string {
  return explainError({ code, data });
}

/** The part of an error's sentence that is the reason of a policy rule or of the command classifier. */
const REASON_IN: Partial<Record<ErrorCode, string>> = { POLICY_DENIED: 'sentence', COMMAND_REFUSED: 'reason' };

/** Explains an error to a person. The error's `message` is the English sentence, for logs. */
export function explainError({ code, data }: { readonly code: ErrorCode; readonly data: MessageValues }): string {
  const name = REASON_IN[code] ?? '';
  const reason = data[name];
  const said = typeof reason === 'string' ? { ...data, [name]: sayReason(reason) } : data;
  return fill(`errors.${code}`, said, getCurrentLanguage());
}

/** Finds a sentence without values by a key that is made of a name. English when the language lacks it, null when English does too. */
export function findSentence(key: string, language: string = getCurrentLanguage()): string | null {
  const isThere = [language, DEFAULT_LANGUAGE].some((one) => LANGUAGES.includes(one) && readSentences(one).has(key));
  return isThere ? fill(key, {}, language) : null;
}

/** Translates the question about a tool's argument. Tools write it in English, which is the key of the translations. */
export function sayQuestion(english: string): string {
  return readSentences(getCurrentLanguage()).get(`questions.${english}`) ?? english;
}

/** Translates an example of a request, which is typed in English. Null in English, and for an example without a translation. */
export function findHintMeaning(english: string): string | null {
  return readSentences(getCurrentLanguage()).get(`hints.${english}`) ?? null;
}

/**
 * Translates a reason for a refusal or an approval. Policy rules and the command classifier write reasons in English, with which they are
 * recorded; the English text is the key of the translations, with names in braces for the variable parts. Reasons of an operator's own
 * rules stay as written.
 */
export function sayReason(english: string, language: string = getCurrentLanguage()): string {
  const isOpen = !english.endsWith('.');
  for (const { key, form } of readReasons(language)) {
    const match = form.exec(isOpen ? `${english}.` : english);
    if (!match) continue;
    const said = fill(key, { ...match.groups }, language);
    return isOpen ? said.replace(/[.。]$/, '') : said;
  }
  return english;
}

/**
 * Says a sentence of the catalog again in the current language, whatever language it was said in; a final period may be missing. Null for
 * any other text, also for a sentence with values. `among`: the beginning of the keys of the sentences that it may be.
 */
export function sayAgain(text: string, among = ''): string | null {
  const [bare, end] = [text.replace(END, ''), END.exec(text)?.[0] ?? ''];
  for (const language of [getCurrentLanguage(), ...LANGUAGES])
    for (const [key, sentence] of readSentences(language))
      if (key.startsWith(among) && sentence.replace(END, '') === bare && !sentence.includes('{')) {
        const said = key.startsWith('reasons.')
          ? sayReason(key.slice('reasons.'.length))
          : fill(key, {}, getCurrentLanguage());
        return end === '' ? said.replace(END, '') : said;
      }
  const said = among === '' ? sayReason(text) : text;
  return said === text ? null : said;
}

const END = /[.。]$/;

/** Lists all unfilled sentences of one file of the catalog, in the current language. */
export function listSentences(file: keyof Catalog): readonly string[] {
  return [...readSentences(getCurrentLanguage())].flatMap(([key, text]) => (key.startsWith(`${file}.`) ? [text] : []));
}

/** The folders of sentences: the product's first, then those of plug-ins. */
const folders: URL[] = [CATALOG_URL];

/** Adds the sentences of a plug-in: a folder with one folder per language. Idempotent. */
export function addSentences(folder: URL): void {
  if (folders.some(({ href }) => href === folder.href)) return;
  folders.push(folder);
  sentences.clear();
  reasons.clear();
}

/** Lists the names of the English files of all folders. */
export function listCatalogFiles(): readonly string[] {
  return folders.flatMap((folder) => readdirSync(new URL(`${DEFAULT_LANGUAGE}/`, folder)));
}

interface Reason {
  readonly key: string;
  readonly form: RegExp;
}

/** The reasons of each language as patterns, those without variable parts first. */
const reasons = new Map<string, readonly Reason[]>();

function readReasons(language: string): readonly Reason[] {
  const known = reasons.get(language);
  if (known || !LANGUAGES.includes(language)) return known ?? [];
  const keys = [...readSentences(language).keys()].filter((key) => key.startsWith('reasons.'));
  const namesIn = (key: string): number => key.match(NAME)?.length ?? 0;
  const read = keys
    .toSorted((one, other) => namesIn(one) - namesIn(other) || other.length - one.length)
    .map((key) => ({ key, form: formOf(key.slice('reasons.'.length)) }));
  reasons.set(language, read);
  return read;
}

const NAME = /\{\w+\}/g;

function formOf(english: string): RegExp {
  const text = english.replace(/[\\^$.*+?()[\]|]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>.+)');
  return new RegExp(`^${text}$`, 's');
}

function fill(key: string, values: MessageValues, language: string): string {
  const spoken = LANGUAGES.includes(language) && readSentences(language).has(key) ? language : DEFAULT_LANGUAGE;
  const sentence = readSentences(spoken).get(key);
  if (sentence === undefined) throw new Error(`The catalog has no sentence ${key}. Add it to languages/en.`);
  return formatSentence(sentence, values, spoken);
}

function readSentences(language: string): ReadonlyMap<string, string> {
  let known = sentences.get(language);
  if (!known) {
    known = new Map([
      ...(language === DEFAULT_LANGUAGE
        ? Object.entries(ERRORS).map(([code, spec]) => [`errors.${code}`, spec.say] as const)
        : []),
      ...folders.flatMap((folder) => readFolder(new URL(`${language}/`, folder))),
    ]);
    sentences.set(language, known);
  }
  return known;
}

function readFolder(folder: URL): readonly (readonly [key: string, text: string])[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((file) => {
    // tests/messages.test.ts checks that each file is an object of strings.
    const entries = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Record<string, string>;
    return Object.entries(entries).map(([entry, text]) => [`${file.replace('.json', '')}.${entry}`, text] as const);
  });
}
