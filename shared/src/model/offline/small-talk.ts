import { tokenize } from './tokens.ts';

/** Talk that asks for no tool. `null` from `readSmallTalk` means: this may be a request. */
export type SmallTalk = 'thanks' | 'agreed' | 'greeting' | 'help' | 'cancel' | 'hands-off';

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const THANKS = set(
  'thanks thank thx thanx ty cheers great perfect awesome cool nice done excellent wonderful super brilliant lovely bye goodbye fine',
);
const AROUND_THANKS = set(
  "you u very much a lot so many that's that is all it ok okay got good job work works well for the help your now yes yeah no more nothing else i'm we're we i am are have this was great just what needed bot man everything today again and me understood",
);
const GREETINGS = set(
  'hi hello hey hiya howdy greetings moin yo good morning afternoon evening day there all everyone team bot again dear sir folks',
);
const AGREED = set('ok okay yes yeah yep sure alright k no nope');
/** Longer messages say more than thanks. */
const SHORT = 8;

const HELP =
  /^(?:\/(?:help|start|commands?)\b|(?:help|commands?)$|(?:please |pls )?help(?: me)?(?: please)?$|what (?:can|do|are|could) (?:you|u|i)\b(?!.*\b(?:list|show)\b).*(?:do|able|understand|offer|ask|say)\b|who are you|how (?:do|can|does) (?:you|this|i use you|it|this bot) (?:work|help)|what (?:else )?(?:is possible|are my options))/;
const CANCEL =
  /^(?:please |ok |no,? )*(?:cancel|never ?mind|forget (?:it|that|about it)|leave it|drop it|abort|skip it|let it be|not now|stop it|don'?t bother)(?: (?:that|it|this|please|then|now))*$/;
const HANDS_OFF = /^(?:please |pls |no,? )*(?:do not|don'?t|never|dont)\s+\p{L}+/u;

/** Recognizes talk by its words alone; the text is clean. */
export function readSmallTalk(text: string): SmallTalk | null {
  const words = tokenize(text).map((token) => token.lower);
  const plain = text
    .toLowerCase()
    .replace(/[.!?,;:)( ]+$/u, '')
    .trim();
  if (CANCEL.test(plain)) return 'cancel';
  if (HANDS_OFF.test(plain)) return 'hands-off';
  if (HELP.test(plain)) return 'help';
  if (words.length === 0) return /[👍🙏❤🎉👌😊🙂]/u.test(text) ? 'thanks' : null;
  if (words.length > SHORT) return null;
  if (words.every((word) => AGREED.has(word))) return 'agreed';
  if (words.every((word) => GREETINGS.has(word))) return 'greeting';
  const kind =
    words.some((word) => THANKS.has(word)) ||
    /\bgot it\b|\bthat'?s (?:it|all)\b|\bthat is all\b|\ball good\b/.test(plain);
  return kind && words.every((word) => THANKS.has(word) || AROUND_THANKS.has(word)) ? 'thanks' : null;
}

/** Whether an answer to a question gives the question up: also a bare "no" or "stop". */
export function isRefusal(text: string): boolean {
  return readSmallTalk(text) === 'cancel' || /^(?:no|nope|stop|none|nothing|no thanks?|no thank you)[.!]*$/i.test(text);
}

const ABOUT =
  /^(?:so |and |but |hey |hi,? |please |can you tell me |could you tell me |tell me |explain(?: to me)? |i (?:want|would like) to know )*(?:how (?:do|does|can|could|to|should|would|did|is .* (?:done|made|decided)|are)\b|what (?:happens|if|does|do|did)\b|what(?:'s| is| are) (?:an? |meant|the (?:meaning|difference|point|idea|reason|policy|rule))|why\b|when (?:do|does|can|should|will|is)\b|who (?:can|may|is allowed|decides|approves)\b|where (?:is|are|can i (?:find|read)|do i (?:find|read))\b|is it (?:possible|allowed|safe)\b|(?:may|am) i\b|explain\b|meaning of\b)/i;

/** Whether the text asks about something (how, why, what happens if …) rather than for something. */
export function asksAbout(text: string): boolean {
  return ABOUT.test(text);
}

const SEARCH =
  /^(?:please |can you |could you )*(?:search|look(?: it)? up|look in|find in|check)(?: in)?(?: the| our| my)? (docs?|documentation|manual|handbook|code|source(?: code)?|history|conversations?|chats?|logs?|knowledge(?: base)?)\b[:,]?(?: for| about| on|:)?\s*(.*)$/i;
const SEARCH_PLAIN =
  /^(?:please |can you |could you )*(?:search|look up|google)(?: for| about)?\s+(?!.*\b(?:server|machine|port)\b)(.+?)(?: in (?:the |our )?(docs?|documentation|code|history|logs?))?$/i;
const WHERE_DOCS =
  /^where (?:is|are|can i find|do i find)(?: the)? (?:docs?|documentation|manual|handbook) (?:about|for|of|on)\s+(.+)$/i;

export interface KnowledgeQuery {
  readonly query: string;
  readonly scope: 'docs' | 'code' | 'history' | 'logs' | 'all';
}

/** A plain order to search; null when the text is none. */
export function readSearch(text: string): KnowledgeQuery | null {
  const plain = text.replace(/[.!?]+$/, '');
  const docs = WHERE_DOCS.exec(plain);
  if (docs?.[1]) return { query: docs[1], scope: 'docs' };
  const scoped = SEARCH.exec(plain);
  if (scoped?.[1]) return { query: scoped[2] || plain, scope: scopeOf(scoped[1]) };
  const open = SEARCH_PLAIN.exec(plain);
  return open?.[1] ? { query: open[1], scope: scopeOf(open[2] ?? '') } : null;
}

function scopeOf(word: string): KnowledgeQuery['scope'] {
  if (/^(?:doc|manual|handbook)/i.test(word)) return 'docs';
  if (/^(?:code|source)/i.test(word)) return 'code';
  if (/^(?:history|conv|chat)/i.test(word)) return 'history';
  return /^log/i.test(word) ? 'logs' : 'all';
}
