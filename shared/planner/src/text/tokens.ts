/** A word of a text with its offsets. `lower` is used for comparisons. */
export interface Token {
  readonly lower: string;
  readonly start: number;
  readonly end: number;
}

/** Maximum length of a text that is read. Requests are short, unlike pasted logs. */
export const MAX_READ_LENGTH = 2_000;
/** Matches a line break after a word that must be followed by another. */
const UNFINISHED_LINE = /\b(the|an?|of|for|on|to|in|and|or|with|my|our|this|that|at|from|by|is|are) *\n\s*(?=\S)/gi;
/** Words may contain dashes, because phones replace a hyphen by a dash. */
const WORD = /[\p{L}\p{N}]+(?:[-_.'/‐-–−][\p{L}\p{N}]+)*/gu;

/** Splits a list into a set of words. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Function words, which are never names and do not distinguish tools. */
const FILLERS = wordSet(
  'a an the this that these those it its i me my mine we us our you your he him his she her they their them one ones some ' +
    'is are was were be been am do does did has had having have will would can could should shall may might must no not yes ' +
    'of for on in at to from by with into onto as and or but so then than if there here now just only also too via per some ' +
    "please pls plz hey hi hello well let let's lets i'd i'm i'll i've we'd we're we've we'll it's that's there's don't " +
    "got out very really still yet anymore more today's sure maybe thanks thank kindly currently right team bot dear u ur r " +
    "isn't aren't doesn't didn't can't won't wasn't haven't hasn't wouldn't couldn't shouldn't dont doesnt didnt isnt cant wont " +
    'im ive id any about over either neither thx hm hmm um uh oh ah ever always quite rather same other another every',
);

/** Normalizes quotes and spaces, removes invisible characters, and cuts the text at MAX_READ_LENGTH. */
export function cleanText(text: string): string {
  return text
    .slice(0, MAX_READ_LENGTH)
    .normalize('NFKC')
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’`´]/g, "'")
    .replace(/[\p{Cf}¤]/gu, '')
    .replace(/\bw[ao]t(?=(?:'?s)?\b)/gi, 'what')
    .replace(/\b(what|who|how|where)s (?=\p{L})/giu, "$1's ")
    .replace(UNFINISHED_LINE, '$1 ')
    .replace(/([^\s.,;:!?])\s*\n\s*(?=\S)/g, '$1. ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Splits a text into words. A word may contain hyphens, dots and slashes, as in web-1 and 1.4.2. */
export function tokenize(text: string): readonly Token[] {
  return [...text.matchAll(WORD)].map((match) => ({
    lower: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Lists the words of a text in lower case. */
export function wordsOf(text: string): readonly string[] {
  return tokenize(text).map(({ lower }) => lower);
}

/** Returns the meanings of a word, most certain first: concepts such as LIST, or else its stem. */
export function sensesOf(word: string): readonly Sense[] {
  const bare = word.replace(/'s$/, '');
  return THESAURUS.get(bare) ?? STEMMED_THESAURUS.get(stem(bare)) ?? [{ meaning: stem(bare), share: 1 }];
}

/** True when the thesaurus contains a form of the word. */
export function hasSense(word: string): boolean {
  return THESAURUS.has(word) || STEMMED_THESAURUS.has(stem(word));
}

/** True for a function word. */
export function isFiller(word: string): boolean {
  return FILLERS.has(word) || FILLERS.has(word.replace(/'s$/, ''));
}

/** True when a word may mean one of the concepts. */
export function hasMeaning(word: string, concepts: ReadonlySet<string>): boolean {
  return sensesOf(word).some(({ meaning }) => concepts.has(meaning));
}

/**
 * A small thesaurus of what people ask an operations bot for. All words of a line have its concept; a word in several lines
 * has several, and `~` marks a word that only sometimes has the concept. Concepts of actions and qualities are written in
 * capitals, so that no word can be mistaken for a concept; concepts of things keep their name. No line is specific to one
 * tool: the specific words of a tool come from its hints, names and schema.
 */
const TABLE = `
LIST: list show display view see overview what which who whose tell enumerate all every everything any anything each read~ look~ inventory summary~ report~ count many names~ inspect~ outline catalog catalogue register~ statistics~ stats~ table~ roster directory~
CREATE: create make new~ add build building start~ begin setup introduce open~ establish found initiate kickoff launch~ init bootstrap scaffold spin another~ brand registering~ idea~ neu makes starts founded originate put~ draft~ kick~ started~ initialize initialise compose~ fresh~
REGISTER: register registering registered onboard enroll enrol connect attach join include hook bought purchased got~ enlist adopt introduce note~ record~ catalogue~ plug arrived~ rented~ announced
REMOVE: unneeded remove delete drop release~ releasing~ released~ destroy return discard unassign deallocate unallocate relinquish vacate erase clear~ unreserve unbind dispose gone~ surrender dealloc freed freeing~ clearing~ hand~ trash scrap wipe~ waive yield unused~ obsolete~ surplus unblock unlock~ revoke withdraw
TAKE: allocate reserve assign take takes grab claim book allot secure~ hold~ occupy~ listen listens bind expose pin~ alloc dibs open~ earmark block~ lease dedicate pick~ claimed~ listening~ assigned~ pre-book prebook
WANT: give need want get require gimme fetch like wanna gonna~ hand obtain lend wishes request demand deserve lacks~ lacking~ supply provide grant lease~ should~
FIND: find suitable suit fit search look~ locate pick choose recommend recommendation suggest suggestion where room host~ hosting place put~ space capacity spot home house best somewhere anywhere accommodate squeeze handle~ roomy eats~ take~ run~ live~ sit~ belong~ biggest emptiest headroom spare~ could~ found~ hosts~ houses~ cope shelter roomier capable candidate stash~ park~ runs~ go~ nearest~ cheapest~ roomiest emptier
CHANGE: update updates change rename edit set modify mark alter adjust switch move rewrite correct amend put~ replace turn~ make~ describe~ fix~ bring~ flip tweak reword redefine promote~ become new~ changed~ modified revise rephrase overwrite relabel retitle flag adapt point~ points~ pointing~ substitute convert~ declare reclassify
DEPLOY: deploy deployment redeploy ship rollout release~ released~ releases~ releasing~ push~ pushed~ pushing~ publish install launch~ launched~ promote promoted upgrade deliver delivery golive roll~ rolled~ rolling~ live~ bump reinstall pushes rolls~ launching~ launches~ serve~ hotfix~ out~ deployable~
UNDO: undo undone reinstate revert rollback restore downgrade previous~ earlier~ before~ backout back~ unship rolled~ reverse unroll backtrack backpedal fallback reset~ resetting~ prior~
CANCEL: cancel cancelled abort aborted stop stops stopping halt kill interrupt terminate abandon quit~ cease break~ pause~ paused~ suspend~ discontinue~ stopp
RETRY: retry retried again rerun redo repeat anew restart~ resume~ retrigger re-run re-try reexecute re-execute reattempt relaunch~ kick~
CHECK: check verify test~ ping probe whether ensure confirm validate examine~ see~ diagnose investigate~ inspect~ assess evaluate verification tests~ testing~ look~ determine~ preflight~ sanity
REFRESH: index reindex refresh rebuild reread outdated stale sync synchronize crawl reload rescan changed~ update~ read~ recent~ picked~ re-index recrawl relearn learn~ re-read rebuilt regenerate renew~ resync re-sync absorb ingest digest~ up-to-date~ searchable findable
RESTART: restart restarts reboot bounce kickstart power-cycle
WATCH: follow following stream watch
CODE: implement code coding develop program refactor merge commit branch~ bug bugs feature write~ fix~ fixing~ bugfix patch~ unittest tests~ frontend backend programmer developer~ branches~ codebase repo~ test-suite testsuite lint rewrite~ implementation mock~ prototype~ ui~ css~ html~ javascript typescript typo~ button~ form~ page~
STATUS: status state stand detail info information doing going~ progress describe~ condition situation news know~ about~ facts summary~ happening~ happened~ far~ done~ finished~ success~ succeed~ succeeded~ through~ ongoing ready~ background look~ lookup running~ more~ full~ fullness loaded~ latest~ last~ current~ currently~ when~ situated particulars overview~ insight characteristics profile card~ report~ stage~ complete~ completed~ successful~ outcome result~ results~
NEXT: next lowest first~ following upcoming smallest nearest subsequent successive minimal minimum~ coming~
FREE: free available unused open~ vacant spare left~ unoccupied remaining unallocated nobody~ availability unclaimed untaken unbooked unassigned obtainable vacancies leftover possible~
TAKEN: taken somebody someone allocated~ allocation reserved~ reservation used use using occupied occupies assigned~ assignment busy own~ owns~ has~ have~ holds belong~ belongs~ running~ runs~ run~ listening listens~ sits~ sit~ usage~ lives~ live~ whose~ claimed held~ holding~ booked consumes tenant residents inhabitants distributed distribution mapping users~ consumer owner~ owners~ bound~ hosting~ hosts~ hosted~ hands~
READY: ready readiness prepared missing blocks blocker prevent stopping~ stop~ possible able preconditions green~ requirements lacking lacks eligible preflight pre-flight hinder readied clearance cleared~ obstacle hurdle showstopper impediment prerequisite condition~ conditions~ fulfills satisfied met~ checklist lack stops~ objections~
HEALTH: health healthy unhealthy alive up~ down~ work~ works~ working~ respond response answer~ answers~ answering~ reachable unreachable online offline dead~ ok~ okay~ running~ run~ runs~ crashed~ broken~ responsive unresponsive heartbeat ping~ pings~ available~ sick fine~ outage load~ loads~ accessible breathes functional functioning functions~ operational operating~ operate~ hanging~ frozen reachability availability uptime downtime serves~ serving~ pulse opens~ open~ sane stable~ unstable~
ERROR: error exception failure fail~ fails~ failed~ crash crashed~ wrong~ broke break~ breaks~ broken~ issue problem~ problems~ trouble stacktrace incident fault bugs~ 500s erroneous bug~ traces trace~ traceback panic 500~ 4xx 5xx glitch hiccup malfunction complaint~ complaints~ mishap breakdown
FAILED: failed failing broken~ stuck unsuccessful aborted~ hung crashed~ dead~ interrupted~
SLOW: slow sluggish slower lag hangs hanging laggy latency sluggishly slowness slowly delays unresponsive~
owner: owner owners own owns owned responsible charge lead leads~ maintainer behind~ whose~ contact~ person~ in-charge boss~ looks-after accountable runs~ manages~ manager~
server: server machine host~ hosts~ box vps vm vms srv node~ hardware fleet infra infrastructure metal instance~ instances~ droplet computers~ computer~ iron~ datacenter~ cluster~ estate~ park~ environments~
project: project app application product prj proj initiative workspace portfolio projct projet projekt programme undertakings ventures endeavours endeavors
port: port portnumber socket prts portnummer sockets~ endpoint~ endpoints~ address~
memory: memory ram mem gig~ gigs~ gb~ mb~ size~ big~ large~ gib mib gigabytes megabytes storage~
cpu: cpu cpus core vcpu vcpus processor
description: description desc describe~ purpose tagline about~ text~ blurb says~
repository: repository repo repos git~ code~ source~ url~ remote~
log: log logged~ tail grep logfile lines~ line~ writing~ writes~ written~ wrote~ logline logbook stdout~ trail~ traces~ journal~ syslog protocol~ output~
OUTPUT: output outputs print~ prints~ printed~ said~ say~ says~ saying~ stdout stderr console wrote~ written~ write~ transcript protocol~ printing printout echo reported~ telling~ told~ tells~
version: version tag release~ ver build~ revision releases~ builds~ number~ v
doc: documentation doc manual handbook guide wiki page~ pages~ knowledge search~ faq readme kb article~ articles~ content~ texts~ documents document~ knowledge-base helpcenter instructions~ chapter
pullrequest: pr prs
service: service svc
history: history past~ recently~ recent~ lately timeline chronicle yesterday~ previously~ ago~ so-far
environment: environment environments env stage~
node: node nodes step~ steps~
thread: thread conversation~
graph: graph
`;

/** One meaning of a word, with its certainty: 1, or less for an occasional meaning. */
export interface Sense {
  readonly meaning: string;
  readonly share: number;
}

/** Certainty of an occasional meaning. */
const SOMETIMES = 0.6;

/** Meanings by word, most certain first. */
export const THESAURUS: ReadonlyMap<string, readonly Sense[]> = readThesaurus();

/** Meanings by word stem, for word forms that the table does not list. */
const STEMMED_THESAURUS: ReadonlyMap<string, readonly Sense[]> = new Map(
  [...THESAURUS].filter(([, [first]]) => first?.share === 1).map(([word, senses]) => [stem(word), senses]),
);

/** Concepts of actions that change something. */
export const EFFECTS = wordSet(
  'CREATE REGISTER REMOVE TAKE CHANGE DEPLOY UNDO CANCEL RETRY REFRESH RESTART WATCH CODE',
);

function readThesaurus(): ReadonlyMap<string, readonly Sense[]> {
  const senses = new Map<string, Sense[]>();
  for (const row of TABLE.trim().split('\n')) {
    const [meaning = '', words = ''] = row.split(': ');
    for (const written of words.split(' ')) {
      const word = written.replace('~', '');
      senses.set(word, [...(senses.get(word) ?? []), { meaning, share: written === word ? 1 : SOMETIMES }]);
    }
  }
  for (const list of senses.values()) list.sort((left, right) => right.share - left.share);
  return senses;
}

/** Removes common English endings, so that archive, archives and archived are equal. */
export function stem(word: string): string {
  if (/[¤\d]/.test(word)) return word;
  let base = word;
  if (base.length > 4 && base.endsWith('ies')) base = `${base.slice(0, -3)}y`;
  else if (base.length > 3 && /[^sui]s$/.test(base)) base = base.slice(0, -1);
  if (base.length > 5 && base.endsWith('ing')) base = base.slice(0, -3);
  else if (base.length > 4 && base.endsWith('ed')) base = base.slice(0, -2);
  if (/([^aeiouls])\1$/.test(base)) base = base.slice(0, -1);
  return base.length > 3 && base.endsWith('e') ? base.slice(0, -1) : base;
}
