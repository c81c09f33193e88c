import { stem } from './stems.ts';

/**
 * A small thesaurus of what people ask an operations bot for. Words of one line ask for the same thing; a word in several
 * lines may mean either, and a `~` says that it only sometimes means that. Concepts of actions and qualities are written in
 * capitals, so that no word can be mistaken for one; things keep their own name. Nothing here belongs to one tool: what is
 * particular to a capability comes from its hints, its names and its schema.
 */
const CONCEPT_WORDS: Readonly<Record<string, string>> = {
  // What to do
  LIST:
    'list lists listing show shows display view see overview what which who whose whos tell enumerate all every everything ' +
    'any anything each read~ look~ inventory summary~ report~ count many names~ inspect~ whats listed listings outline ' +
    'catalog catalogue register~ statistics~ stats~ table~ roster directory~',
  CREATE:
    'create creates creating make making new~ add adding build building start~ begin setup introduce open~ establish found ' +
    'initiate kickoff launch~ init bootstrap scaffold spin another~ brand registering~ idea~ neu neues created makes starts ' +
    'begins founding founded originate bootstrapping put~ draft~ kick~ started~ initialize initialise compose~ fresh~',
  REGISTER:
    'register registering registered onboard enroll enrol connect attach join include hook bought purchased got~ enlist ' +
    'adopt introduce note~ record~ catalogue~ plug arrived~ rented~ hooking connects announced',
  REMOVE:
    'remove removes removing removed delete deleting drop dropping release~ releasing~ released~ destroy return returning ' +
    'discard unassign deallocate deallocated unallocate relinquish vacate erase clear~ unreserve unbind dispose gone~ ' +
    'surrender dealloc freed freeing~ clearing~ hand~ drops trash scrap wipe~ waive yield unused~ obsolete~ surplus unblock ' +
    'unlock~ revoke withdraw relinquished',
  TAKE:
    'allocate allocates allocating reserve reserves assign assigning take takes taking grab claim claiming book booking ' +
    'allot secure~ hold~ occupy~ listen listens bind expose pin~ alloc dibs open~ earmark earmarked block~ lease dedicate ' +
    'allotted pick~ claims claimed~ listening~ binding exposes reserving assigned~ pre-book prebook',
  WANT:
    'give gives giving need needs needed want wants get gets require requires gimme fetch like wanna gonna~ hand obtain ' +
    'lend needing wanted wanting wishes request requests requested demand demands deserve deserves lacks~ lacking~ supply ' +
    'provide grant lease~ should~',
  FIND:
    'find finding suitable suit suits fit fits search look~ locate pick choose recommend recommendation suggest suggestion ' +
    'where room host~ hosting place placing put~ space capacity spot home house best somewhere anywhere accommodate squeeze ' +
    'handle~ roomy eats~ take~ run~ live~ sit~ belong~ biggest emptiest headroom spare~ could~ suited finds found~ hosts~ ' +
    'houses~ housing accommodates accommodating cope copes fitting shelter spots roomier capable candidate candidates ' +
    'squeezing stash~ park~ runs~ go~ nearest~ cheapest~ roomiest emptier',
  CHANGE:
    'update updates updating change changes changing rename edit editing set sets modify mark marking alter adjust switch ' +
    'move moves moved rewrite correct amend put~ replace turn~ make~ describe~ fix~ bring~ flip tweak reword redefine ' +
    'promote~ become becomes new~ changed~ edits edited modified modifying amended revise revised rephrase reworded ' +
    'overwrite relabel retitle flag flags tweaked adapt adapts adapted point~ points~ pointing~ substitute ' +
    'convert~ declare reclassify',
  DEPLOY:
    'deploy deploys deployed deploying deployment deployments redeploy ship ships shipped shipping rollout release~ ' +
    'released~ releases~ releasing~ push~ pushed~ pushing~ publish published install installed installing launch~ launched~ ' +
    'promote promoted upgrade upgraded upgrading deliver delivered delivery golive roll~ rolled~ rolling~ live~ bump ' +
    'delivering installs reinstall reinstalled pushes rolls~ upgrades promoting publishes publishing launching~ launches~ ' +
    'bumps bumped serve~ hotfix~ rollouts redeployed out~ deployable~',
  UNDO:
    'undo undone reinstate revert reverts reverted reverting rollback rollbacks restore restored restoring downgrade ' +
    'downgraded previous~ earlier~ before~ backout back~ unship rolled~ reverse reversed reversing unroll reinstated ' +
    'reinstating backtrack backpedal fallback restores downgrading reset~ resetting~ prior~ ',
  CANCEL:
    'cancel cancels cancelled canceled cancelling canceling abort aborted aborting stop stops stopped stopping halt halted ' +
    'kill killed interrupt terminate abandon abandons abandoned abandoning aborts halts quit~ cease break~ pause~ paused~ suspend~ discontinue~ stopp',
  RETRY:
    'retry retries retrying retried again rerun reruns rerunning redo repeat anew restart~ resume~ retrigger re-run re-try ' +
    'reexecute re-execute repeated repeating reattempt relaunch~ kick~',
  CHECK:
    'check checks checking checked verify verifying test~ ping probe whether ensure confirm validate examine~ see~ diagnose ' +
    'investigate~ inspect~ assess evaluate probes verifies verification validating validates tests~ testing~ look~ confirms ' +
    'ensures determine~ preflight~ sanity',
  REFRESH:
    'index indexes indexing reindex refresh refreshing rebuild reread outdated stale sync synchronize crawl reload rescan ' +
    'changed~ update~ read~ recent~ picked~ refreshed reindexed reindexing re-index recrawl relearn learn~ re-read ' +
    'rereading rebuilt regenerate renew~ resync re-sync absorb ingest digest~ up-to-date~ searchable ' +
    'findable',
  RESTART:
    'restart restarts restarting reboot rebooting bounce reboots rebooted restarted bouncing kickstart power-cycle',
  WATCH: 'follow follows following stream streams streaming watch watching',
  CODE:
    'implement implementing code coding develop developing program refactor merge commit branch~ bug bugs feature features ' +
    'write~ fix~ fixing~ bugfix patch~ unittest tests~ frontend backend programming programmer developer~ branches~ commits ' +
    'codebase repo~ test-suite testsuite lint refactoring rewrite~ implementation mock~ prototype~ ui~ css~ html~ ' +
    'javascript typescript typo~ button~ form~ page~',
  // How something is
  STATUS:
    'status state states stand stands detail details info information infos doing going~ progress describe~ condition ' +
    'situation news know~ about~ facts summary~ happening~ happened~ far~ done~ finished~ success~ succeed~ succeeded~ ' +
    'through~ ongoing ready~ background look~ lookup running~ more~ full~ fullness loaded~ latest~ last~ current~ ' +
    'currently~ when~ standing situated statuses progressing particulars overview~ insight insights characteristics profile ' +
    'card~ report~ stage~ complete~ completed~ successful~ outcome result~ results~ ',
  NEXT: 'next lowest first~ following upcoming smallest nearest subsequent successive minimal minimum~ coming~',
  FREE:
    'free available unused open~ vacant spare left~ unoccupied remaining unallocated nobody~ availability unclaimed untaken ' +
    'unbooked unassigned obtainable vacancies leftover possible~',
  TAKEN:
    'taken somebody someone allocated~ allocation allocations reserved~ reservation reservations used use uses using ' +
    'occupied occupies assigned~ assignment assignments busy own~ owns~ has~ have~ holds belong~ belongs~ running~ runs~ ' +
    'run~ listening listens~ sits~ sit~ usage~ lives~ live~ whose~ claimed held~ holding~ booked occupying consuming ' +
    'consumes tenants tenant residents inhabitants distributed distribution mapping mappings users~ consumer consumers ' +
    'owner~ owners~ bound~ hosting~ hosts~ hosted~ hands~',
  READY:
    'ready readiness prepared missing blocks blocking blocked blocker blockers prevents preventing prevent stopping~ stop~ ' +
    'possible able prerequisites preconditions green~ requirements lacking lacks eligible preflight pre-flight hinder ' +
    'hinders hindering readied clearance cleared~ prevented obstacles obstacle hurdles hurdle showstopper showstoppers ' +
    'impediment impediments prerequisite condition~ conditions~ fulfills fulfilled satisfied met~ checklist lack ' +
    'stops~ objections~',
  HEALTH:
    'health healthy unhealthy alive up~ down~ work~ works~ working~ respond responds responding response answer~ answers~ ' +
    'answering~ reachable unreachable online offline dead~ ok~ okay~ running~ run~ runs~ crashed~ broken~ responsive ' +
    'unresponsive heartbeat ping~ pings~ available~ sick fine~ outage load~ loads~ accessible breathing ' +
    'breathes functional functioning functions~ operational operating~ operate~ hanging~ frozen responded reachability ' +
    'availability uptime downtime serves~ serving~ pulse opens~ open~ sane stable~ unstable~ outages',
  ERROR:
    'error errors exception exceptions failure failures fail~ fails~ failed~ crash crashes crashed~ crashing wrong~ broke ' +
    'break~ breaks~ broken~ issue issues problem~ problems~ trouble troubles stacktrace stacktraces incident incidents ' +
    'faults fault bugs~ 500s hiccups erroneous errored bug~ traces trace~ tracebacks traceback panics panic 500~ 4xx 5xx ' +
    'glitch glitches hiccup malfunctions malfunction complaint~ complaints~ mishap mishaps breakdown breakdowns',
  FAILED: 'failed failing broken~ stuck unsuccessful aborted~ hung crashed~ dead~ interrupted~',
  SLOW:
    'slow sluggish slower lag lags lagging hangs hanging laggy latency sluggishly slowness slowly delays delayed ' +
    'unresponsive~',
  owner:
    'owner owners own owns owned responsible charge lead leads~ maintainer behind~ whose~ contact~ person~ in-charge boss~ ' +
    'looks-after accountable runs~ manages~ manager~',
  // Things
  server:
    'server servers machine machines host~ hosts~ box boxes vps vm vms srv srvs node~ hardware fleet infra infrastructure ' +
    'metal instance~ instances~ droplet computers~ computer~ iron~ datacenter~ cluster~ estate~ park~ environments~',
  project:
    'project projects app apps application applications product products prj prjs proj projs initiative workspace portfolio ' +
    'projct projcts projet projekt projekte programme initiatives undertakings ventures endeavours endeavors',
  port: 'port ports portnumber socket prts portnummer sockets~ endpoint~ endpoints~ address~',
  memory: 'memory ram mem gig~ gigs~ gb~ mb~ size~ big~ large~ gib mib gigabytes megabytes storage~',
  cpu: 'cpu cpus core cores vcpu vcpus processor processors',
  description: 'description desc descriptions describe~ purpose tagline about~ text~ blurb says~',
  repository: 'repository repo repositories repos git~ code~ source~ url~ remote~',
  log:
    'log logs logged~ logging tail tailing grep logfile logfiles lines~ line~ writing~ writes~ written~ wrote~ logline ' +
    'loglines logbook stdout~ trail~ traces~ journal~ syslog protocol~ output~',
  OUTPUT:
    'output outputs print~ prints~ printed~ said~ say~ says~ saying~ stdout stderr console wrote~ written~ write~ ' +
    'transcript protocol~ printing printouts printout echo echoed reported~ telling~ told~ tells~ transcripts',
  version: 'version versions tag release~ ver build~ revision releases~ builds~ tags revisions number~ v',
  doc:
    'docs documentation doc manual handbook guide guides wiki page~ pages~ knowledge search~ faq readme kb article~ ' +
    'articles~ readmes content~ texts~ documents document~ knowledge-base helpcenter instructions~ chapter chapters',
  pullrequest: 'pr prs',
  service: 'service services svc',
  history: 'history past~ recently~ recent~ lately timeline chronicle yesterday~ previously~ ago~ so-far',
  environment: 'environment environments env stage~',
  node: 'node nodes step~ steps~',
  thread: 'thread threads conversation~',
  graph: 'graph graphs',
};

/** One thing that a word may mean, and how surely: 1, or less for a word that only sometimes means it. */
export interface Sense {
  readonly meaning: string;
  readonly share: number;
}

/** A word that only sometimes means something counts this much. */
const SOMETIMES = 0.7;

/** Word → what it may mean, the surest first. */
export const CONCEPTS: ReadonlyMap<string, readonly Sense[]> = readConcepts();

/** Stem of a word → what it may mean, for forms that the table does not list. */
export const CONCEPT_STEMS: ReadonlyMap<string, readonly Sense[]> = new Map(
  [...CONCEPTS].filter(([, [first]]) => first?.share === 1).map(([word, senses]) => [stem(word), senses]),
);

/** Concepts that lie close to each other, and how much of a full hit one is for the other. */
export const NEAR: readonly (readonly [string, string, number])[] = [
  ['WANT', 'TAKE', 0.6],
  ['WANT', 'CREATE', 0.4],
  ['WANT', 'FIND', 0.5],
  ['WANT', 'LIST', 0.4],
  ['LIST', 'STATUS', 0.4],
  ['LIST', 'FIND', 0.3],
  ['LIST', 'CHECK', 0.4],
  ['CHECK', 'STATUS', 0.6],
  ['CHECK', 'READY', 0.5],
  ['CHECK', 'HEALTH', 0.5],
  ['CREATE', 'REGISTER', 0.8],
  ['CREATE', 'TAKE', 0.5],
  ['CREATE', 'CHANGE', 0.4],
  ['WANT', 'CHANGE', 0.3],
  ['CHANGE', 'DEPLOY', 0.4],
  ['FREE', 'NEXT', 0.4],
  ['FREE', 'FIND', 0.4],
  ['HEALTH', 'STATUS', 0.4],
  ['ERROR', 'FAILED', 0.6],
  ['ERROR', 'HEALTH', 0.3],
  ['SLOW', 'HEALTH', 0.6],
  ['OUTPUT', 'log', 0.7],
  ['REMOVE', 'CANCEL', 0.45],
  ['RESTART', 'RETRY', 0.4],
  ['owner', 'STATUS', 0.6],
  ['owner', 'TAKEN', 0.4],
  ['version', 'STATUS', 0.3],
  ['environment', 'server', 0.2],
];

/** Concepts that name an action or ask for something to be shown. */
export const VERBS: ReadonlySet<string> = new Set(
  'LIST CREATE REGISTER REMOVE TAKE WANT FIND CHANGE STATUS DEPLOY UNDO CANCEL RETRY CHECK REFRESH RESTART WATCH CODE'.split(
    ' ',
  ),
);

/** Concepts of actions that change something, or set something going. */
export const EFFECTS: ReadonlySet<string> = new Set(
  'CREATE REGISTER REMOVE TAKE CHANGE DEPLOY UNDO CANCEL RETRY REFRESH RESTART WATCH CODE'.split(' '),
);

function readConcepts(): ReadonlyMap<string, readonly Sense[]> {
  const senses = new Map<string, Sense[]>();
  for (const [meaning, words] of Object.entries(CONCEPT_WORDS)) {
    for (const written of words.split(' ').filter((word) => word !== '')) {
      const sometimes = written.endsWith('~');
      const word = sometimes ? written.slice(0, -1) : written;
      senses.set(word, [...(senses.get(word) ?? []), { meaning, share: sometimes ? SOMETIMES : 1 }]);
    }
  }
  for (const list of senses.values()) list.sort((left, right) => right.share - left.share);
  return senses;
}
