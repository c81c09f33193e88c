/** Orders that no operations bot understands by themselves: whatever they are about, it is something else. */
const OUTSIDE_ACTIONS: ReadonlySet<string> = new Set(
  (
    'increase decrease raise enlarge turn play sing draw paint print send mail email call phone buy sell pay transfer convert translate calculate ' +
    'compute wipe format upload download encrypt decrypt shutdown poweroff resize extend expand shrink scale invite ban mute text post tweet compose ' +
    'sort cook drive fly guess dance rename remind'
  ).split(' '),
);

/** What such an order may begin with when something else is ordered beside it. */
export const ERRANDS: ReadonlySet<string> = new Set([
  ...[...OUTSIDE_ACTIONS].filter((word) => word !== 'mute' && word !== 'scale'),
  ...'order write book bring cook tell explain teach google ask wake'.split(' '),
]);
