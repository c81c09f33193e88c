/**
 * English as people type it to an operations bot. Concepts stand for words that ask for the same thing;
 * they are written in capitals so that no word can be mistaken for one. Everything particular to a capability
 * comes from its hints instead.
 */
const CONCEPT_WORDS: Readonly<Record<string, string>> = {
  LIST: 'list show display view see print overview what which who tell enumerate all every everything any',
  CREATE: 'create make new add build start begin setup register introduce open',
  REMOVE: 'remove delete release drop destroy return discard unassign deallocate',
  TAKE: 'allocate reserve assign take grab claim book allot',
  WANT: 'give need want get require gimme fetch like',
  FIND: 'find suitable suit fit search look locate pick choose recommend suggest where room host place put',
  CHANGE: 'update change rename edit set modify mark alter adjust switch move rewrite correct',
  STATUS: 'status state detail details info information doing going progress describe summary know',
  NEXT: 'next lowest first following upcoming',
  FREE: 'free available unused open vacant spare',
  TAKEN:
    'taken allocated allocation allocations reserved reservation reservations used use using uses occupied assigned busy own owns',
  server: 'server servers machine machines host hosts box boxes vps vm vms',
  project: 'project projects app apps application applications product products',
  port: 'port ports',
  memory: 'memory ram mem',
  cpu: 'cpu cpus core cores vcpu vcpus',
  description: 'description desc',
  repository: 'repository repo repositories repos git',
  log: 'log logs',
  doc: 'docs documentation doc manual handbook guide',
  pullrequest: 'pr prs',
};

const asMap = (words: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(words).flatMap(([concept, list]) => list.split(' ').map((word) => [word, concept] as const)));

/** Word → concept. A word that stands in two lists counts for the later one; FREE's "open" is the wanted case. */
export const CONCEPTS: ReadonlyMap<string, string> = asMap(CONCEPT_WORDS);

/** Groups of words that mean something else together than one by one. Tried in this order, on lower-case text. */
export const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:give|hand|put|turn)\b(.{0,40}?)\bback\b/g, '§remove $1'],
  [/\bget rid of\b|\bno longer needs?\b|\bdo(?:es)?n't need\b/g, '§remove'],
  [
    /^(?:please |can you |could you |pls )*free(?= up\b| the port\b| ports? (?:¤number|\d)| ¤number| \d)(?: up)?/g,
    '§remove',
  ],
  [/\bset(?:ting)? up\b/g, '§create'],
  [/\bin use\b/g, '§taken'],
  [/\bpull requests?\b/g, '§pullrequest'],
  [/\b(?:tell|show) me\b/g, '§list'],
  [/\b(?:give|get|fetch) me\b/g, '§want'],
  [/\bwhat(?:'s| is)? up with\b|\bhow(?:'s| is) it going with\b/g, '§status'],
];

/** Concepts that lie close to each other, and how much of a full hit one is for the other. */
export const NEAR: readonly (readonly [string, string, number])[] = [
  ['WANT', 'TAKE', 0.6],
  ['WANT', 'CREATE', 0.4],
  ['WANT', 'FIND', 0.5],
  ['LIST', 'STATUS', 0.4],
  ['LIST', 'FIND', 0.3],
  ['LIST', 'WANT', 0.4],
  ['FREE', 'NEXT', 0.4],
  ['CREATE', 'TAKE', 0.5],
];

/** Concepts that name an action. */
export const VERBS: ReadonlySet<string> = new Set([
  'LIST',
  'CREATE',
  'REMOVE',
  'TAKE',
  'WANT',
  'FIND',
  'CHANGE',
  'STATUS',
]);

/** Words that only hold a sentence together. */
export const FILLERS: ReadonlySet<string> = new Set(
  (
    'a an the this that these those it its i me my mine we us our you your he she they them their one ones some ' +
    'is are was were be been am do does did done has have had having will would can could should shall may might must ' +
    'of for on in at to from by with about into onto as and or but so then than if there here now just only also too ' +
    "please pls plz hey hi hello ok okay well let let's lets i'd i'm i'll i've we'd we're we've it's that's there's don't " +
    "what's which's who's where's how's got up out very really still yet again anymore more today's not no yes sure maybe " +
    'thanks thank kindly currently right good team bot dear u ur'
  ).split(' '),
);

/** What people call the values that a schema names in full. */
export const VALUE_ALIASES: ReadonlyMap<string, string> = new Map([
  ['prod', 'production'],
  ['live', 'production'],
  ['stage', 'staging'],
  ['stg', 'staging'],
  ['dev', 'local'],
  ['development', 'local'],
  ['localhost', 'local'],
]);
