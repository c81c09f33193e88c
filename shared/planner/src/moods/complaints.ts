/** A request about a service that somebody complains about, in words that are nearly always these. */
export interface Complaint {
  /** What the name of its tool begins with. */
  readonly verb: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const POLITE = String.raw`(?:please |can you |could you |would you |ok |okay |so |but |and )*`;
const THING = String.raw`(?:the )?(?:project |service )?(?<project>[a-z][a-z0-9-]{1,39})(?: (?:service|project))?`;
const PLACE = String.raw`(?: (?:in|on|at) (?:the )?(?<environment>staging|production|local))?`;
const END = String.raw`(?: (?:now|again|today|please|right now))*[?!. ]*$`;
const TROUBLE = String.raw`(?:slow|slower|sluggish|down|broken|failing|dead|unreachable|unhealthy|offline|not (?:working|answering|responding|reachable))`;

const DIAGNOSES = [
  new RegExp(`^${POLITE}(?:diagnose|investigate|troubleshoot) ${THING}${PLACE}${END}`, 'i'),
  new RegExp(
    `^${POLITE}what(?:'s| is| went) (?:wrong|the (?:matter|problem|trouble)) with ${THING}${PLACE}${END}`,
    'i',
  ),
  new RegExp(
    `^${POLITE}why (?:is|was) ${THING}${PLACE} (?:so |that |very )?${TROUBLE}${PLACE.replace('environment', 'there')}${END}`,
    'i',
  ),
  new RegExp(`^${POLITE}why (?:does|did) ${THING}${PLACE} (?:not work|fail|crash|hang|not answer|break)${END}`, 'i'),
];
const MUTE = new RegExp(
  `^${POLITE}(?:mute|silence|snooze)(?: (?:the )?(?:alerts?|messages?) (?:of|about|for))? ${THING}${PLACE}(?: for (?:the next )?(?:(?<hours>\\d{1,3})|an?|one|the next) ?(?:h|hours?))?${END}`,
  'i',
);
const UNMUTE = new RegExp(`^${POLITE}unmute ${THING}${PLACE}${END}`, 'i');
/** "Why?" about what was just told. */
const BARE =
  /^(?:(?:ok|okay|and|but|so),? )?(?:why|how come)(?: (?:is|was) (?:it|that|this)(?: (?:so|that|slow|down|broken|failing))*)?[?!. ]*$/i;
/** Words that stand where a name would. */
const NO_NAME =
  /^(?:it|its|that|this|them|there|everything|something|anything|you|me|us|my|our|your|all|an?|one|deploy|deployment|rollback|release|build)$/i;

/** Null for everything else. `current`: the project that the conversation is about. Pure. */
export function readComplaint(text: string, current: string | null): Complaint | null {
  if (current !== null && BARE.test(text)) return { verb: 'diagnose_', args: { project: current } };
  for (const form of DIAGNOSES) {
    const args = argsOf(form.exec(text)?.groups);
    if (args) return { verb: 'diagnose_', args };
  }
  const unmuted = argsOf(UNMUTE.exec(text)?.groups);
  if (unmuted) return { verb: 'mute_', args: { ...unmuted, hours: 0 } };
  const muted = MUTE.exec(text)?.groups;
  const args = argsOf(muted);
  return args && { verb: 'mute_', args: { ...args, hours: Number(muted?.['hours'] ?? 1) } };
}

function argsOf(groups: Readonly<Record<string, string | undefined>> | undefined): Record<string, unknown> | null {
  const project = groups?.['project']?.toLowerCase();
  if (project === undefined || NO_NAME.test(project)) return null;
  const environment = (groups?.['environment'] ?? groups?.['there'])?.toLowerCase();
  return environment === undefined ? { project } : { project, environment };
}
