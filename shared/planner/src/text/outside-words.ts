/** Words of errands that people ask any bot for and that have nothing to do with operations. */
export const OUTSIDE_WORDS: ReadonlySet<string> = new Set(
  (
    'buy order purchase shopping send mail email mails emails sms remind reminder reminders translate translation play sing joke jokes poem ' +
    'weather forecast temperature flight flights hotel train ticket tickets taxi uber pizza burger sushi coffee tea beer lunch dinner breakfast ' +
    'calendar meeting meetings appointment alarm timer music song songs playlist movie movies film news stock stocks shares bitcoin recipe ' +
    'horoscope lottery football soccer match game birthday gift homework essay invoice salary vacation holiday holidays haircut doctor ' +
    'summarize calculate compute multiply divide times capital president country'
  ).split(' '),
);

/** Orders that no operations bot understands by themselves: whatever they are about, it is something else. */
export const OUTSIDE_ACTIONS: ReadonlySet<string> = new Set(
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
