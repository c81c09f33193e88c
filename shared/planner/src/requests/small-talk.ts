import { isQuestionText } from '../text/holds.ts';
import { tokenize, wordSet } from '../text/tokens.ts';

/** Kinds of talk that need no tool. */
export type SmallTalk = 'thanks' | 'agreed' | 'greeting' | 'help' | 'cancel' | 'chat';

/** Words that may accompany every kind of small talk. */
const AROUND = wordSet(
  "you u ya very much a lot so many that that's thats is it all ok okay got good job work for the your now yes yeah yep no nope im i'm we're were we i am are have was " +
    'great just what needed wanted bot man mate everything today again and me us with then one thing will set looks really to day there everyone everybody team dear sir folks guys ' +
    'friends signalbox this please pls did trick mit dir dank vielen call oh ah well hm',
);
const THANKS = wordSet(
  'thanks thank thx thanx ty tysm cheers perfect awesome cool done excellent wonderful super brilliant bye goodbye danke merci gracias спасибо 谢谢 amazing fantastic ' +
    'finished complete completed solved sorted enough nothing else appreciated helped help nice great',
);
const GREETINGS = wordSet(
  'hi hello hey hiya howdy greetings moin yo morning afternoon evening hallo hola bonjour servus привет 你好 ciao',
);
const AGREED = wordSet('ok okay yes yeah yep yup sure alright k kk right fine aha hm hmm mhm ah oh');
const CHAT = wordSet(
  'haha hehe lol wow wtf huh eh brb friday monday tuesday wednesday thursday saturday sunday weekend happy merry christmas birthday weather coffee ' +
    'lunch tired hungry bored annoying useless stupid funny joke love hate luck congratulations robot human quick leg cake saved owe drowning phone understand smart clever best',
);
const CANCEL = wordSet(
  "cancel nevermind nvm forget abort skip stop ignore drop leave nothing none no nope nah don't dont not nee nein",
);
const AROUND_CANCEL = wordSet(
  "never mind it that this about be alone please pls ok okay all then now thanks eh oh ah uh hm wait actually scratch sorry better rather do need to off i want changed my let's for today",
);
const CANCELS =
  /\b(?:never ?mind|nvm|forget (?:it|that|about it)|cancel(?: it| that| this)?|leave it|drop (?:it|that)|call it off|scratch that|abort(?: it| that)?|stop(?: it| that| this)?)\b/;
const HELP = wordSet(
  'help commands command menu options option features examples example capabilities instructions tutorial functions functionality abilities skills introduction guide questions tasks able possible use usage manual start started capable type say ask work works /help',
);
const AROUND_HELP = wordSet(
  "what what's which how can could do does i you we u me us the your a an is are to with this that it here bot thing show give list tell please pls need some all there any know about for get " +
    "should would may teach support describe using available answer over take good explain short brief yourself full have understand overview of and kind kinds things stuff sort hey hi hello ok so else exactly don't dont not no idea am i'm im new lost want like see good everything signalbox now first huh write in out",
);
const WHAT = wordSet('you i we u bot signalbox');
const PURPOSE = /\bwhat(?:'s| is) this(?: for)?$|\bwho are you$|\bwhat are you\b/;
/** The same in the other languages of the product, of which the built-in planner understands no more. */
const FOREIGN_PURPOSES = (
  'que es esto,quien eres,que puedes hacer,que sabes hacer,was ist das,was ist das hier,wer bist du,was kannst du,was kannst du alles,' +
  'что это,что это такое,кто ты,ты кто,что ты умеешь,что ты умеешь делать,что ты можешь,这是什么,你是谁,你能做什么,你会做什么'
).split(',');
const CLOSING =
  /\b(?:that'?s (?:it|all)|we'?re (?:done|finished)|all (?:good|done|set)|nothing else|call it a day|did the trick|got it)\b/;
/** Maximum number of words in a text that can be small talk. */
const SHORT = 9;
/** Maximum number of words in a question what this is. */
const MAX_WORDS = 14;

/** Recognizes small talk in a cleaned text by its words; null when it may be a request. */
export function readSmallTalk(text: string): SmallTalk | null {
  const words = tokenize(text).map(({ lower }) => lower);
  const plain = text
    .toLowerCase()
    .replace(/\b(what|that)s\b/g, "$1's")
    .replace(/^[.!?,;:)(~ ]+|[.!?,;:)(~ ]+$/gu, '');
  if (words.length === 0 && text.includes('?')) return 'help';
  if (words.length === 0) return /[👍🙏❤🎉👌😊🙂✅💯🚀]/u.test(text) ? 'thanks' : null;
  const only = (...kinds: readonly ReadonlySet<string>[]) =>
    words.every((word) => kinds.some((kind) => kind.has(word)));
  const some = (kind: ReadonlySet<string>) => words.some((word) => kind.has(word));
  if (words.length > MAX_WORDS) return null;
  if (asksForeignPurpose(words)) return some(GREETINGS) ? 'greeting' : 'help';
  const asksWhat = only(AROUND_HELP) && some(WHAT) && words.includes('do');
  if (asksWhat || (only(HELP, AROUND_HELP) && some(HELP)) || PURPOSE.test(plain)) return 'help';
  if (words.length > SHORT) return null;
  const rest = tokenize(plain.replace(CANCELS, ' ')).map(({ lower }) => lower);
  const cancels =
    CANCELS.test(plain) && rest.every((word) => CANCEL.has(word) || AROUND_CANCEL.has(word) || AGREED.has(word));
  if (cancels || (some(CANCEL) && only(CANCEL, AROUND_CANCEL)))
    return /^(?:no|nope|nah)$/.test(plain) ? 'agreed' : 'cancel';
  if (only(AGREED)) return 'agreed';
  if (only(GREETINGS, AROUND) && some(GREETINGS)) return 'greeting';
  if (isQuestionText(text) && !some(CHAT)) return null;
  if ((some(THANKS) || CLOSING.test(plain)) && (only(THANKS, AROUND) || (CLOSING.test(plain) && words.length <= 6)))
    return 'thanks';
  const chat = words.filter((word) => CHAT.has(word) || AROUND.has(word) || GREETINGS.has(word) || THANKS.has(word));
  return some(CHAT) && chat.length * 2 >= words.length ? 'chat' : null;
}

/** True when a text asks in another language what this is; a greeting may precede the question. */
function asksForeignPurpose(words: readonly string[]): boolean {
  const asked = words.filter((word) => !GREETINGS.has(word)).join(' ');
  return FOREIGN_PURPOSES.includes(asked.replaceAll('é', 'e'));
}

/** True when a reply cancels the question, for example by a bare "no" or "stop". */
export function isRefusal(text: string): boolean {
  return readSmallTalk(text) === 'cancel' || /^(?:no|nope|nah|none|nothing|no thanks?|no thank you)[.!]*$/i.test(text);
}

/** True when a short reply only agrees to an offer. */
export function isAgreement(text: string): boolean {
  const words = tokenize(text).map(({ lower }) => lower);
  return words.length > 0 && words.length <= 4 && words.every((word) => AGREEING.has(word)) && !/\?/.test(text);
}

const AGREEING = wordSet(
  'yes yep yeah yup sure ok okay alright fine please good great y ja do it that go ahead proceed now 是 да sí si',
);
