import { coversRole, type Role } from '@signalbox/contracts/governance/roles';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { findFirstDay } from '@signalbox/messages/schedule/turns';
import { sayRhythm, sayScope } from '@signalbox/messages/schedule/say-rota';
import { sayMoment } from '@signalbox/messages/schedule/say-when';
import { sayList } from '@signalbox/messages/list';
import { say } from '@signalbox/messages/say';
import { listHandOvers } from '@signalbox/store/oncall/duty';
import {
  addCover,
  findRota,
  listRotas,
  putRota,
  removeCovers,
  removeRota,
  type Rota,
} from '@signalbox/store/oncall/rotas';
import { nameOf, readRotaState, type RotaState } from '@signalbox/store/oncall/rota-states';
import { findPeople, type KnownPerson } from '@signalbox/store/people/find-people';
import type { Queryable } from '@signalbox/store/pool';
import { findValue, listValues } from '@signalbox/store/sql';
import { createPrivateNotice } from '../people-changes.ts';
import { refuseRole, type AnswerDeps, type GatewayAnswer, type Notice, type QuestionContext } from '../question.ts';
import { auditCommand } from '../record.ts';
import { readCoverWords, readMoment, readRotaWords } from './oncall-words.ts';

const MAX_PEOPLE = 20;
const DEFAULTS = { name: 'main', weekday: 1, clock: '09:00', minutes: 15 } as const;
/** Longest piece of what a person typed that an error repeats. */
const REPEATED_LENGTH = 80;
const HAND_OVERS = 3;

/** `set [night:] Ben, Cleo, every monday at 9 in Europe/Berlin, after 15 min, for shop`. What is left out stays as it is. */
export async function setRota(deps: AnswerDeps, typed: string, asked: QuestionContext): Promise<GatewayAnswer> {
  if (!coversRole(asked.role, 'admin')) return refuseRole(asked, 'admin');
  const words = readRotaWords(typed);
  if ('problem' in words) return refuse(words.problem, words.part);
  if (words.people.length === 0) return { text: say('oncall.noPeople') };
  if (words.people.length > MAX_PEOPLE) return { text: say('oncall.tooMany', { limit: MAX_PEOPLE }) };
  const { db } = deps;
  const people = await matchPeople(db, words.people, asked);
  if (!Array.isArray(people)) return people;
  const name = words.name ?? DEFAULTS.name;
  const before = await findRota(db, name);
  const projects = words.projects ?? before?.projects ?? [];
  const problem = await findProjectProblem(db, name, projects);
  if (problem) return problem;
  const zone = words.zone ?? before?.zone ?? (await findUsualZone(db, asked.envelope.userKey));
  const { weekday, clock } = words.rhythm ?? before ?? DEFAULTS;
  const state = before && (await readRotaState(db, before));
  const now = state?.now ?? (await findValue<Date>(db)`select clock_timestamp()`) ?? new Date();
  await putRota(db, {
    name,
    people: people.map(({ userKey }) => userKey),
    projects,
    weekday,
    clock,
    zone,
    firstDay: findFirstDay({ weekday, clock, zone }, now),
    escalateMinutes: words.minutes ?? before?.escalateMinutes ?? DEFAULTS.minutes,
  });
  return finishChange(deps, asked, { name, before: state, kind: 'rota.set' }, saySet);
}

/** `remove night`. */
export async function removeNamedRota(deps: AnswerDeps, typed: string, asked: QuestionContext): Promise<GatewayAnswer> {
  if (!coversRole(asked.role, 'admin')) return refuseRole(asked, 'admin');
  const found = await chooseByName(deps.db, typed.trim() === '' ? null : typed.trim());
  if ('text' in found) return found;
  const before = await readRotaState(deps.db, found);
  await removeRota(deps.db, found.name);
  await auditCommand(deps.db, asked, 'rota.removed', { rota: found.name });
  return { text: say('oncall.removed', { rota: found.name }), notices: await tellChanged(deps, asked, before, null) };
}

/** `cover Ben from tomorrow at 18:00 until monday at 9 in night`. */
export async function putNamedCover(deps: AnswerDeps, typed: string, asked: QuestionContext): Promise<GatewayAnswer> {
  if (!coversRole(asked.role, 'operator')) return refuseRole(asked, 'operator');
  const words = readCoverWords(typed.trim());
  if (words === null) return { text: say('oncall.usage') };
  const rota = await chooseByName(deps.db, words.rota);
  if ('text' in rota) return rota;
  const people = await matchPeople(deps.db, [words.person], asked);
  if (!Array.isArray(people)) return people;
  const before = await readRotaState(deps.db, rota);
  const from = words.from === null ? before.now : readMoment(words.from, rota.zone, before.now);
  if (from === null) return refuse('badTime', words.from ?? '');
  const until = readMoment(words.until, rota.zone, from);
  if (until === null) return refuse('badTime', words.until);
  if (until <= from || until <= before.now) return { text: say('oncall.badOrder') };
  const [person] = people;
  await addCover(deps.db, rota.name, { userKey: person?.userKey ?? '', from, until });
  const { zone } = rota;
  const times = { from: sayMoment(from, zone), until: sayMoment(until, zone), zone };
  return finishChange(deps, asked, { name: rota.name, before, kind: 'rota.covered' }, () =>
    say('oncall.covered', { name: toPlainName(person?.name ?? ''), rota: rota.name, ...times }),
  );
}

/** `uncover Ben in night`. */
export async function removeNamedCovers(
  deps: AnswerDeps,
  typed: string,
  asked: QuestionContext,
): Promise<GatewayAnswer> {
  if (!coversRole(asked.role, 'operator')) return refuseRole(asked, 'operator');
  const [, who = typed.trim(), named = null] = /^(.*\S)\s+in\s+([a-z0-9-]+)$/.exec(typed.trim()) ?? [];
  const rota = await chooseByName(deps.db, named);
  if ('text' in rota) return rota;
  const people = await matchPeople(deps.db, [who], asked);
  if (!Array.isArray(people)) return people;
  const [person] = people;
  const values = { name: toPlainName(person?.name ?? who), rota: rota.name };
  const before = await readRotaState(deps.db, rota);
  if (!(await removeCovers(deps.db, rota.name, person?.userKey ?? ''))) return { text: say('oncall.noCover', values) };
  return finishChange(deps, asked, { name: rota.name, before, kind: 'rota.uncovered' }, () =>
    say('oncall.uncovered', values),
  );
}

interface RotaChange {
  readonly name: string;
  readonly before: RotaState | null;
  readonly kind: 'rota.set' | 'rota.covered' | 'rota.uncovered';
}

/** Audits a change, and tells those whom it puts on call or off call. */
async function finishChange(
  deps: AnswerDeps,
  asked: QuestionContext,
  { name, before, kind }: RotaChange,
  describe: (after: RotaState) => string,
): Promise<GatewayAnswer> {
  const rota = await findRota(deps.db, name);
  if (!rota) throw new Error(`the rota ${name} was set and is not there`);
  const after = await readRotaState(deps.db, rota, before?.now ?? null);
  const { people, projects, weekday, clock, zone, escalateMinutes, covers } = rota;
  const said = covers.map(({ userKey, from, until }) => `${userKey} ${from.toISOString()} ${until.toISOString()}`);
  const data = {
    rota: name,
    people: [...people],
    projects: [...projects],
    weekday,
    clock,
    zone,
    escalateMinutes,
    covers: said,
  };
  await auditCommand(deps.db, asked, kind, data);
  return { text: describe(after), notices: await tellChanged(deps, asked, before, after), personal: false };
}

/** Builds a notice for each person who is on call, off call, in or out of the turns by a change. */
async function tellChanged(
  deps: AnswerDeps,
  asked: QuestionContext,
  before: RotaState | null,
  after: RotaState | null,
): Promise<readonly Notice[]> {
  const known = after ?? before;
  if (known === null) return [];
  const { rota } = known;
  const by = toPlainName(asked.envelope.name);
  const [was, is] = [before?.duty?.userKey, after?.duty?.userKey];
  const [wereIn, areIn] = [before?.rota.people ?? [], after?.rota.people ?? []];
  const notices: Notice[] = [];
  for (const userKey of new Set([...wereIn, ...areIn, ...(was ? [was] : []), ...(is ? [is] : [])])) {
    const news = chooseNews(userKey, { was, is, wasIn: wereIn.includes(userKey), isIn: areIn.includes(userKey) });
    if (news === null) continue;
    const first =
      after && listHandOvers(rota, after.now, after.able, rota.people.length).find((one) => one.userKey === userKey);
    const moment = (at: Date | null | undefined): string => (at ? sayMoment(at, rota.zone) : '');
    const text = (): string =>
      say(`oncall.news-${news}`, {
        rota: rota.name,
        scope: sayScope(rota),
        by,
        zone: rota.zone,
        hasUntil: after?.duty?.until != null,
        until: moment(after?.duty?.until),
        hasFrom: first != null,
        from: moment(first?.from),
      });
    notices.push(...(await createPrivateNotice(deps, userKey, asked, text)));
  }
  return notices;
}

function chooseNews(
  userKey: string,
  { was, is, wasIn, isIn }: Record<'was' | 'is', string | undefined> & Record<'wasIn' | 'isIn', boolean>,
): 'youAre' | 'youAreNot' | 'youWillBe' | 'youWillNotBe' | null {
  if (is === userKey) return was === userKey ? null : 'youAre';
  if (was === userKey) return 'youAreNot';
  if (wasIn === isIn) return null;
  return isIn ? 'youWillBe' : 'youWillNotBe';
}

function saySet(state: RotaState): string {
  const { rota, duty, now, able } = state;
  const handOvers = listHandOvers(rota, now, able, HAND_OVERS).map(({ userKey, from }) =>
    say('oncall.handOver', { at: sayMoment(from, rota.zone), name: nameOf(state, userKey) }),
  );
  return say('oncall.set', {
    rota: rota.name,
    scope: sayScope(rota),
    people: sayList(rota.people.map((one) => nameOf(state, one))),
    when: sayRhythm(rota),
    hasDuty: duty !== null,
    name: duty === null ? '' : nameOf(state, duty.userKey),
    count: handOvers.length,
    zone: rota.zone,
    handOvers: handOvers.join(' · '),
    minutes: rota.escalateMinutes,
  });
}

/** Finds each person whom the product knows by a name or an id; a refusal for one whom it does not know, or who cannot take turns. */
async function matchPeople(
  db: Queryable,
  typed: readonly string[],
  { envelope: { userKey } }: QuestionContext,
): Promise<KnownPerson[] | GatewayAnswer> {
  const people: KnownPerson[] = [];
  for (const who of typed) {
    const found = await findPeople(db, who.toLowerCase() === 'me' ? userKey : who);
    const name = toPlainName(who.slice(0, REPEATED_LENGTH));
    const [person] = found;
    if (!person) return { text: say('people.unknown', { name }) };
    if (found.length > 1)
      return { text: say('people.ambiguous', { name, ids: found.map((one) => one.userKey).join(', ') }) };
    if (!coversRole(person.role satisfies Role, 'developer'))
      return { text: say('oncall.viewer', { name: toPlainName(person.name) }) };
    if (people.some((one) => one.userKey === person.userKey)) return { text: say('oncall.twice', { name }) };
    people.push(person);
  }
  return people;
}

/** A project that there is not, or that another rota has; null when all are free. */
async function findProjectProblem(
  db: Queryable,
  name: string,
  projects: readonly string[],
): Promise<GatewayAnswer | null> {
  const known = new Set(await listValues<string>(db)`select name from projects where name = any (${[...projects]})`);
  const unknown = projects.find((project) => !known.has(project));
  if (unknown !== undefined)
    return { text: say('oncall.noProject', { project: toPlainName(unknown.slice(0, REPEATED_LENGTH)) }) };
  for (const other of (await listRotas(db)).filter((one) => one.name !== name)) {
    const taken = other.projects.find((project) => projects.includes(project));
    if (taken !== undefined || (projects.length === 0 && other.projects.length === 0)) {
      const scope = taken === undefined ? 'all' : 'one';
      return { text: say('oncall.takenProject', { rota: other.name, scope, project: toPlainName(taken ?? '') }) };
    }
  }
  return null;
}

/** The rota of a name, or the only one; a refusal when there is none, or more than one. */
async function chooseByName(db: Queryable, name: string | null): Promise<Rota | GatewayAnswer> {
  const rotas = await listRotas(db);
  const known = sayList(rotas.map((one) => one.name));
  const [only] = rotas;
  if (name === null && rotas.length > 1) return { text: say('oncall.whichRota', { known: only?.name ?? '' }) };
  const found = name === null ? only : rotas.find((one) => one.name === name.toLowerCase());
  const asked = toPlainName((name ?? DEFAULTS.name).slice(0, REPEATED_LENGTH));
  return found ?? { text: say('oncall.noRota', { rota: asked, count: rotas.length, known }) };
}

/** The zone that the person uses elsewhere; UTC when none is known. */
function findUsualZone(db: Queryable, userKey: string): Promise<string> {
  return findValue(db, 'UTC')`
    select coalesce((select r.zone from rotas r order by r.changed_at desc limit 1),
      (select s.zone from schedules s where s.user_key = any (identities_of(${userKey})) order by s.schedule_id desc limit 1))`;
}

function refuse(problem: 'badPart' | 'badName' | 'noZone' | 'badTime', part: string): GatewayAnswer {
  const said = toPlainName(part.slice(0, REPEATED_LENGTH));
  return { text: say(`oncall.refused-${problem}`, { part: said, name: said, zone: said }) };
}
