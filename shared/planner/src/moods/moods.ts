import { EFFECTS, VERBS } from '../text/concepts.ts';
import { isOthersAct } from './doers.ts';
import { beginsOrder } from './order-words.ts';
import { sensesOf, tokenize } from '../text/tokens.ts';

/**
 * In which way somebody speaks of something. Only a request may change anything.
 *   request      do it, show it, I need it
 *   question     how things are · past: what happened · ability: whether something could be done
 *   advice       whether one should · knowledge: how, why, what it means, who may
 *   forbidden    do not · conditional: if … then · later: at another time
 *   told         what has been done, what might be done · quoted: what others said
 */
export type Mood =
  | 'request'
  | 'question'
  | 'past'
  | 'ability'
  | 'advice'
  | 'knowledge'
  | 'forbidden'
  | 'conditional'
  | 'later'
  | 'told'
  | 'quoted';

/** The mood of a text, and the parts of it that matter. */
export interface Sentence {
  readonly mood: Mood;
  /** What the arguments are taken from: all but what is forbidden beside a request. */
  readonly text: string;
  /** What is compared with the tools: without courtesy. */
  readonly compared: string;
  /** The clauses that say what to do, when there are others beside them. */
  readonly wanted: string | null;
}

/** Reads the mood of a clean text; `names` are those of known things, in small letters. Pure; each pattern is linear in the text. */
export function readMood(text: string, names: ReadonlySet<string> = new Set()): Sentence {
  const moodOf = (clause: string): Mood => moodOfClause(clause, names);
  const asked = withoutCourtesy(text);
  // "And blog 2.0?" goes on from an order.
  const goesOn = /^(?:and|also|then|now|or)\b/i.test(text);
  const clauses = splitClauses(asked).map((clause) => {
    const plain = plainOf(clause);
    const read = moodOf(plain);
    const mood = goesOn && read === 'question' && isBareQuestion(plain) ? 'request' : read;
    const alone = splitClauses(asked).length === 1;
    return { clause, mood, directs: mood === 'request' && (alone || plain.includes(' ')) && isDirective(plain) };
  });
  const whole = plainOf(asked);
  const sentence = (mood: Mood, over: Partial<Sentence> = {}): Sentence => ({
    mood,
    text: asked,
    compared: asked,
    wanted: null,
    ...over,
  });
  if (isConditional(whole, names)) return sentence('conditional');
  const wanted = clauses.filter(({ directs }) => directs).map(({ clause }) => clause);
  const forbidden = clauses.some(({ mood }) => mood === 'forbidden');
  // "Tell me which one is free, don't take it" asks all the same.
  const looks = clauses.find(({ mood }) => ['question', 'past'].includes(mood))?.mood;
  if (forbidden && wanted.length === 0 && looks === undefined) return sentence('forbidden');
  if (forbidden) {
    const left = clauses.filter(({ mood }) => mood !== 'forbidden').map(({ clause }) => clause);
    return sentence(wanted.length === 0 && looks !== undefined ? looks : 'request', {
      text: left.join(', '),
      compared: left.join(', '),
    });
  }
  const asks = clauses.find(({ mood }) => isAsking(mood))?.mood;
  const other =
    asks ?? clauses.find(({ mood }) => mood !== 'request')?.mood ?? (clauses.length > 1 ? moodOf(whole) : 'request');
  // "It goes public next week and needs a port": the need is now.
  const needs = clauses.filter(({ clause }) => /\b(?:needs?|wants?)\b/i.test(clause)).map(({ clause }) => clause);
  if (wanted.length === 0) return sentence(inTime(other, needs.length > 0 ? needs.join(', ') : whole), { text });
  // Who asks why something failed and wants to see its log wants to see the log.
  return sentence(inTime('request', whole), {
    text,
    wanted: wanted.length < clauses.length ? wanted.join(', ') : null,
  });
}

function inTime(mood: Mood, plain: string): Mood {
  return mood === 'request' && LATER.test(plain) ? 'later' : mood;
}

/** Whether a mood only asks how things are. */
export function isAsking(mood: Mood): boolean {
  return ['question', 'past', 'ability', 'advice', 'knowledge'].includes(mood);
}

const COURTESY =
  /\b(?:if (?:you (?:can|could|would|may|don'?t mind|have (?:a |the )?(?:time|moment|minute|sec|second)|get a chance|want|like|please)|(?:it'?s |that'?s |at all )?(?:possible|ok|okay|convenient|not too much(?: trouble)?)|i may(?: ask)?|there (?:is|are) any|any|needed|necessary)|when(?:ever)? you (?:can|have (?:a |the )?(?:time|moment|minute|sec|second)|get a chance|are ready|like)|as soon as (?:possible|you can)|sorry (?:to bother(?: you)?|for (?:bothering|disturbing)(?: you)?|to disturb(?: you)?)|(?:hope|hoping) you(?:'re| are)? [a-z ]{0,20}(?:well|good|fine|ok|day)|thanks (?:in advance|a lot|so much)|thank you(?: in advance| so much| very much)?|quick question|one (?:more )?question|for me)\b[,:;]?/gi;
const GREETING =
  /^(?:(?:hi|hey|hello|yo|hiya|good (?:morning|afternoon|evening|day)|morning|dear|ok|okay|well|so|right|alright|fine(?=,)|great(?=[,!.])|cool(?=[,!.])|perfect(?=[,!.])|nice(?=[,!.])|good(?=[,!.])|hm+|um+|uh|oh|ah|eh|and|but|also|then|now|btw|thanks|thank you|sorry|please|pls)(?: (?:there|all|everyone|team|bot|guys|signalbox))?[ ,.!:;-]+)+/i;

function withoutCourtesy(text: string): string {
  const plain = text
    .replace(/^before (?:i|we) [^,:]{1,40}[,:]\s*/i, '')
    .replace(COURTESY, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[,.;:!\s]+(?:but |and )?/, '');
  const asked = plain.replace(GREETING, (match) => (match.length < plain.length ? '' : match));
  return asked.trim() === '' ? text : asked;
}

function plainOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/\b(do|does|did|is|are|was|were|has|have|had|should|would|could|must|need)nt\b/g, "$1n't")
    .replace(/\b(do|does|did|is|are|was|were|has|have|had|should|would|could|must|need) not\b/g, "$1n't")
    .replace(/\bcannot\b|\bcant\b|\bcan not\b/g, "can't")
    .replace(/\bwont\b|\bwill not\b/g, "won't")
    .replace(/\b(what|who|how|where|that|it|there|when)s\b/g, "$1's")
    .replace(/\bu\b/g, 'you')
    .trim();
}

const CLAUSE =
  /(?:[.;!?]+\s+|,\s+|\s+(?:but|so|and then|then|and|therefore|because|since|hence|instead)\s+|\s+[-–—]+\s+)/i;

function splitClauses(text: string): readonly string[] {
  return text.split(CLAUSE).filter((clause) => clause.trim() !== '');
}

const LEAD =
  /^(?:(?:just asking|only asking|asking for a friend|so|and|but|well|ok|okay|hey|hi|please|pls|just|only|simply|rather|also|then|now|oh|hm+|um|no(?=,)|yes|yeah|sorry|actually|instead|therefore|maybe|again|quick question|honestly|yesterday|earlier|recently|today|(?:last|this|the other) (?:week|month|night|time|year|day|monday|tuesday|wednesday|thursday|friday)|(?:a )?(?:few |couple of |\d+ )?(?:days|weeks|hours|minutes) ago)[,: ]+)+/;
/** What asks somebody to find something out: what is found out decides. */
const ASK_FOR =
  /^(?:(?:do|can|could|would) you (?:please |maybe |also )?(?:know|tell me|say|tell us|explain|check|find out|see|look up|remember|show me)|tell me|let me know|i wonder|we wonder|i(?:'d| would) (?:like|love) to know|i (?:just |only )?(?:want|need) to know|any idea|any clue|show me|just tell me|check|find out|please check|remind me|wondering)(?=,? (?:who|what|which|when|where|why|how|if|whether)\b),? (?:if |whether )?/;
/** Somebody has heard of something and wants to know whether it is so. */
const PRESUMES =
  /^(?:i (?:heard|think|believe|assume|saw|read|noticed|was told)|it (?:seems|looks like)|apparently|is it true|true that|they say|someone told me|somebody told me)(?: that)?,? (?=\p{L}+ .{0,60}(?:ed|back|put|taken|given)\b)/u;
const FORBID =
  /^(?:(?:don't|never)(?! (?:you|we|they|i|it) )(?! (?:worry|know|understand|care|mind|see|hesitate|forget to|have|need|like|continue|go on|proceed|keep going)\b)|don't you dare\b|(?:let's|rather|better|please|surely|definitely|certainly|and|but|or) not\b|no (?:deploy|deploys|deployment|deployments|release|releases|changes?|need to|more|new|further|additional|rollback|action)\b|hands off\b|hold off\b|(?:wait|hold on) (?:with|on|before)\b|under no circumstances\b|(?:nobody|no one) (?:should|may|must|can|shall|is allowed)\b|nothing (?:should|must)\b|stay away\b|refrain\b|avoid\b|leave\b.{1,40}\b(?:alone|be|untouched|as (?:it|they) (?:is|are)|in peace|running)\b|keep\b(?! (?:me|us|going)\b)(?! (?:it|that|this) (?:in (?:the |our )?(?:list|record|records|mind)|noted|on record)\b)|do nothing\b|not yet\b)|\bstays? (?:as (?:it|they) (?:is|are)|untouched|unchanged|put|online|up)\b/;
const SUBJECT_FORBIDS =
  /\b(?:i|we|you|they|nobody|no one|one)\s+(?:really |definitely |certainly |also |still )?(?:shouldn't|mustn't|won't(?! (?:need|use|be using|be needing|require|continue|go on|proceed|keep)\b)|wouldn't|don't want(?: you| to| us| them| anyone| me)?(?= | to)|didn't (?:ask|say|mean|tell|want)|never (?:asked|said|wanted|told)|am not going to|'re not going to|aren't going to|aren't supposed to|would rather not|'d rather not|had better not|'d better not|can't let)\b|\b(?:shouldn't|mustn't) be\b|\b(?:agreed|decided|prefer|prefers|asked|told|supposed|like|try|better|want|wants|wanted)(?: \w+)? not to\b|\bnot supposed to\b|\bmust never\b|\bno reason to\b/;
const CONDITION =
  /\bif (?:so|yes|ok|okay|ready|green|not|it is|it does|it works|that works|possible then)\b,? (?=\p{L})|(?:^|[,;.]\s*|\s)(?:unless|provided(?: that)?|assuming|as soon as|in case|on condition that|only if|only when)\s+(?!(?:so|possible|you can|needed|necessary)\b)[\p{L}\p{N}'._¤-]+\s+[\p{L}']|(?:^|[,;.]\s*|\s)(?:if|unless|provided(?: that)?|assuming|as soon as|in case|on condition that|only if|only when|once|when|whenever|until|till|after)\s+(?!(?:so|not|any|done|finished|ready|that|this|more|again|possible|was|were|is|are|did|does|do|will|has|have|can|could|should|you (?:are )?(?:done|finished)|it(?:'s| is) (?:done|finished|through|over)|(?:that|this)(?:'s| is| has)? (?:done|finished))\b)(?:[\p{L}\p{N}'._¤-]+\s+){0,4}?(?:is|are|was|were|has|have|had|gets?|goes|comes?|pass(?:es|ed)?|fails?|failed|succeeds?|succeeded|works?|worked|looks?|finish(?:es|ed)?|ends?|agrees?|agreed|approves?|approved|says?|said|confirms?|confirmed|responds?|crash(?:es|ed)?|breaks?|needs?|want|wants|does|doesn't|isn't|aren't|won't|can|can't|turns?|becomes?|runs?|stays?|drops?|exceeds?|reviewed|merged|signed)\b/u;
const ASKED_CONDITION =
  /\b(?:happens?|happen|happened|check|checks|tell me|see|know|ask|wonder|show me|test|verify|look|sure|matter|what|would|will it|care)\b.{0,40}?\b(?:if|when|once|after|before)\b/;
const LATER =
  /\b(?:tomorrow|tonight|next (?:week|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|later|this (?:evening|weekend|afternoon)|at (?:\d{1,2}:\d\d|\d{1,2} ?(?:am|pm|o'?clock)|noon|midnight|night)|in (?:\d+|an?|one|two|three|five|ten|half an) (?:minutes?|hours?|days?|weeks?)|every (?:day|night|hour|week|monday|morning))\b/;
const KNOWLEDGE =
  /^(?:how (?!(?:did|does|do|often did|long did|often has|long has|often does)\b.{1,60}\b(?:go|run|end|fail|crash|take|work out|last|break)\b)(?:do|does|can|could|to|should|would|did|long|often|come|exactly)\b(?! (?:i|we) (?:get|have) (?:ports?|servers?)\b)|how (?:is|are|was) .{1,40}\b(?:done|made|decided|calculated|chosen|computed|determined|defined|meant|handled|stored|secured|protected)\b|what (?:happens|if|does|do)\b(?! (?:we|you|i) (?:have|own|run|use|got|host)\b)(?!.{0,60}\b(?:use|have|run|host|hold|own|need|occupy|listen|look|say|print|log|know|got|write|output|cost)\b)|what would\b|(?:does|will|would) (?!\w*thing\b)\w+ing\b|what (?:is|are|'s) (?:an? |meant|the (?:meaning|difference|point|idea|reason|policy|rules?|purpose|process|procedure|limit|maximum|minimum)\b)|what's (?:an? |meant|the (?:meaning|difference|point|idea|reason|policy|rules?|purpose|process|procedure|limit|maximum|minimum)\b)|why\b|do (?:you|we) (?!(?:have|know|see|mean|think|remember|still|already|really|got|need|own|run|use|currently)\b)|will you (?:ever|always|automatically)|when (?:do|does|can|should|will|must|may)\b|who(?: (?:can|may|is allowed|are allowed|'s allowed)|'s allowed|decides|approves|gets to|must|should|has (?:the )?(?:right|permission)s?)\b|which (?:roles?|rights?|permissions?|rules?)\b|where (?:can|do|could|should) (?:i|we|one) (?:find|read|look up|learn)\b|where (?:is|are) .{1,40}\b(?:documented|described|explained|written|docs?|documentation|manual|handbook|guide)\b|where (?:is|are) (?:the )?(?:docs?|documentation|manual|handbook|guide)\b|(?:is|are) there (?:any |some |a )?(?:docs?|documentation|manual|guide|page|article|policy|policies|rules?|limits?)\b|explain\b|meaning of\b|difference between\b|(?:can|may|could|should|must) (?:an? |the |any |every |all |only |also )*(?:viewers?|developers?|operators?|admins?|administrators?|anyone|anybody|everyone|everybody|people|someone|somebody|users?|members?|guests?|strangers?)\b|(?:is|are|do|does) (?:an? |the |any |every |all |only |also )*(?:viewers?|developers?|operators?|admins?|administrators?|guests?|strangers?)\b|what do (?:i|we|you) (?:need|have) to\b|how (?:the |an? |our |your )?[\p{L}-]+(?: [\p{L}-]+){0,2} (?:works?|gets? \w+ed|are \w+ed|is \w+ed|functions?)\b|how (?:risky|dangerous|safe|hard|difficult|easy|expensive|reliable|secure)\b|(?:how|what|which|is)\b.{0,60}\b(?:by default|at most|at least|maximum|maximal|limit)\b|(?:am|are) (?:i|we) allowed\b|what (?:rights|permissions|roles?)\b|which (?:command|word|sentence)s?\b)/u;
const ADVICE =
  /^(?:(?:do|does|is|are|will|would)\b.{3,60}\b(?:when|if|once|while|after)\b.{2,}|suppose|imagine|assume|let's (?:say|assume)|say (?:i|we)\b|should|shall (?:i|we)|ought|must (?:i|we)|do (?:i|we) (?:really )?(?:need|have) to|(?:is|would) it (?:be )?(?:ok|okay|safe|wise|a (?:good|bad) idea|fine|allowed|possible|dangerous|risky|smart|time|better|best|worth|necessary|bad|harmful|alright|sensible|too (?:early|late|risky))\b|is it (?:already )?(?:ok|safe) |would you (?:recommend|advise|suggest)|do you (?:think|recommend|advise|suggest)|what do you (?:think|recommend|suggest)|am i (?:safe|right|supposed)|can it hurt|does it (?:hurt|make sense)|would it (?:hurt|matter|help|make sense|break))/;
/** "Is deploying blog dangerous", "what about releasing it". */
const GERUND = /^(?:is|was|would|what about|how about) (\w+ing)\b/;
/** What somebody does not know any more is asked for. */
const FORGOT =
  /^(?:i|we) (?:forgot|forget|don't (?:know|remember|recall)|can't (?:remember|recall|find)|lost|no longer know|have no idea|wonder|am (?:not sure|wondering|curious))\b|^(?:no idea|dunno|no clue|not sure|just wondering|just curious|curious)\b/;
const ABILITY =
  /^(?:(?:can|could|may|might)\b(?! (?:you|i (?:get|have|see|please|take|ask)|we (?:get|have|see|please|take|ask))\b)(?!.{1,30}\b(?:have|get|see)\b)|would\b (?!you\b)|will\b (?!you\b)|are you able|is it possible|are (?:we|you) (?:able|good|ready|clear|set|free)|is there a way|do you (?:support|offer|understand))/;
const PAST =
  /^(?:(?:did|was|were|had)\b|how (?:did|often did|long did|often has|long has|often does)\b|(?:has|have (?:you|we|they|i|the|there|any|all|some|anybody|anyone|somebody|someone|our|my))\b(?!.{0,30}\b(?:room|space|capacity)\b)|who (?:has |have |had |'s )?(?:just |last |already )?(?:\p{L}+ed|took|gave|made|built|put|sent|set|began|rolled|shut|took)\b|when (?:was|were|did|has|have|is)\b|what (?:did|was|were|has|have|had|happened|changed|broke|went)\b|(?:which|what) \p{L}+ (?:did|was|were|has|have|had)\b|(?:by )?whom?\b.{1,30}\bed\b|how did\b|since when\b)/u;
const QUESTION =
  /^(?:(?:on|in|at|for|to|from|of|with|by|under) (?=which|what|whose|whom))?(?:is|are|am|do(?! (?:the|it|this|that|so|likewise|same|not)\b)|does|what|what's|which|who|who's|whose|where|where's|how|how's|any|anything|anyone|anybody|when (?=is|are|was|will|do|does|did|can|should|has)|isn't|aren't|doesn't|don't (?:we|you|they)|got (?:any|a))\b(?! about\b)/;
const GERUND_ADVICE =
  /^\w+ing\b.{0,60}\b(?:would be|is|seems|sounds|feels)\b.{0,20}\b(?:idea|risky|dangerous|bad|good|wise|fine|ok|okay|stupid|smart|safe|unsafe)\b/;
const UNCERTAIN =
  /\b(?:(?:have|has|is|there's) nothing to|might|perhaps|thinking (?:of|about)|think about|considering|consider|planning (?:to|on)|plan to|plans to|intend to|someday|some day|eventually|one day|would be nice|was going to|were going to|was about to|are going to|is going to|am going to|not sure (?:if|whether)|wondering if we|in theory|hypothetically|sooner or later|at some point|may have to|could have|i thought|we thought|assumed|i guess|i suppose|i figured)\b/;
/** "Maybe we should …" weighs it; "maybe you can …" asks for it. */
const MAYBE =
  /^(?:(?:so|and|hm+|well|or)[, ]+)*(?:maybe|perhaps|possibly)\b.{0,20}?\b(?:i|we|one|somebody|someone|they|he|she)\b/;
/** "If I stop it, will …" wants to know, and does nothing. */
const HYPOTHETICAL =
  /^if (?:i|we|you|one|somebody|someone) (?:\w+ly |now |also |just )?(\p{L}+)\b.{0,100}\b(?:will|would|does|is|are|can|could|what|how)\b(?! you\b)/u;
const SPEECH =
  /\b(?:said|says|wrote|writes|told|tells|asked|asks|typed|posted|suggested|suggests|proposed|proposes|mentioned|claims|claimed|requested|demands|demanded|screamed|yelled|ticket|mail|email)\b[^"]{0,60}["']/;
const AFTER_QUOTE = /^["'][^"']{3,200}["'],? (?:is|was|that'?s|said|says|wrote|asked|typed|they)\b/;
const AGENT_PAST =
  /^(?:i|we|they|he|she|you|someone|somebody|everyone|\p{L}+)\s+(?:(?:have|has|had|'ve|'d|just|already|only|also|then|recently|finally|accidentally|almost|nearly|once|yesterday|earlier)\s+)*(\p{L}+)\b/u;
/** "The deploy was cancelled": something has been done, whoever did it. */
const PASSIVE_PAST =
  /\b(?:was|were|got|has been|have been|had been|is being)\s+(?:\w+ly |just |already |now )?(\w+ed|taken|given|rolled|put|made|built|sent)\b/;
const IRREGULAR_PAST: ReadonlySet<string> = new Set('took gave made built began rolled taken given'.split(' '));

function moodOfClause(clause: string, names: ReadonlySet<string>): Mood {
  const mood = readClause(clause, names);
  // "Docs changed pls reindex": news, and an order behind it.
  const ordered = mood === 'told' ? /\b(?:please|pls) (\p{L}+)/u.exec(clause)?.[1] : undefined;
  return ordered !== undefined && beginsOrder(ordered) ? 'request' : mood;
}

function readClause(clause: string, names: ReadonlySet<string>): Mood {
  const lead = clause.replace(LEAD, '');
  if (PRESUMES.test(lead)) return isReport(lead.replace(PRESUMES, ''), names) ? 'past' : 'told';
  const plain = lead.replace(ASK_FOR, '');
  if (FORBID.test(plain) || FORBID.test(clause) || (SUBJECT_FORBIDS.test(plain) && !/\?\s*$/.test(plain)))
    return 'forbidden';
  if (AFTER_QUOTE.test(plain)) return 'quoted';
  if (SPEECH.test(plain) && quotesOrder(plain)) return 'quoted';
  if (/^(?:what|how) about\b/.test(plain) && !isEffect(GERUND.exec(plain)?.[1] ?? '')) return 'request';
  if (KNOWLEDGE.test(plain) || isEffect(HYPOTHETICAL.exec(plain)?.[1] ?? '')) return 'knowledge';
  if (GERUND_ADVICE.test(plain)) return /\?\s*$/.test(plain) ? 'advice' : 'told';
  if (FORGOT.test(plain)) return 'question';
  if (ADVICE.test(plain) || isEffect(GERUND.exec(plain)?.[1] ?? '')) return 'advice';
  if (ABILITY.test(plain)) return 'ability';
  if (PAST.test(plain)) return 'past';
  if (QUESTION.test(plain)) return 'question';
  if (isBareQuestion(plain)) return 'question';
  if (/\?\s*$/.test(plain) && /^(?:still|already|any|ready|done|finished|up|alive|running|really|\w+ing)\b/.test(plain))
    return 'question';
  if (/\b(?:if|whether) $/.test(ASK_FOR.exec(lead)?.[0] ?? '')) return 'question';
  if (UNCERTAIN.test(plain) || MAYBE.test(clause) || isReport(plain, names) || isOthersAct(plain, names)) return 'told';
  return 'request';
}

/** "orders deploy - stuck?": a few words with a question mark that order nothing. */
function isBareQuestion(plain: string): boolean {
  if (!/\?\s*$/.test(plain) || /^(?:what about|how about)\b/.test(plain)) return false;
  const words = tokenize(plain);
  return (
    words.length <= MOST_BARE &&
    !isDirective(plain) &&
    !/\b(?:can|could|would|will) (?:you|i|we)\b|\bplease\b/.test(plain)
  );
}

const MOST_BARE = 8;

/** Whether what is quoted tells to do something; other quotes are values. */
function quotesOrder(plain: string): boolean {
  const quoted = plain.slice(plain.search(/["']/));
  return tokenize(quoted).some(
    ({ lower }) =>
      /^archive$/.test(lower) || sensesOf(lower).some(({ meaning, share }) => share >= 0.7 && EFFECTS.has(meaning)),
  );
}

/** Whether a statement tells what somebody has done: "i already released port 20003". */
function isReport(plain: string, names: ReadonlySet<string>): boolean {
  const passive = PASSIVE_PAST.exec(plain)?.[1] ?? '';
  if (passive !== '' && isEffect(passive)) return true;
  const [, verb = ''] = AGENT_PAST.exec(plain) ?? [];
  if (!verb.endsWith('ed') && !IRREGULAR_PAST.has(verb)) return false;
  const [subject = ''] = /^[\p{L}']+/u.exec(plain) ?? [];
  // "need shop archived" asks for it, "is archived" says how it is; a thing that moved has done nothing.
  if (isVerb(subject) || names.has(subject) || /^(?:is|are|was|were|be|get|gets|the|a|an)$/.test(subject)) return false;
  return isEffect(verb);
}

const DIRECTIVE =
  /^(?:let's|lets|let us|(?:can|could|would|will) you\b|you (?:can|may|should|could)\b|feel free|go ahead|time to|i(?:'d| would) like|we(?:'d| would) like|i (?:want|need)|we (?:want|need|have to|must)|i(?:'m| am) looking for|give|get|gimme|have|do it|make it)/;

/** Whether a clause tells somebody what to do. */
function isDirective(clause: string): boolean {
  const plain = clause.replace(LEAD, '');
  if (
    /^(?:(?:can|could|would) you )?(?:please )?(?:remind|tell|help|enlighten|explain to|show) (?:me|us)(?: again| please)?[?!. ]*$/.test(
      plain,
    )
  )
    return false;
  if (/\b(?:please|pls)\b/.test(clause) || DIRECTIVE.test(plain)) return true;
  const [first] = tokenize(plain);
  return first !== undefined && beginsOrder(first.lower);
}

function isConditional(plain: string, names: ReadonlySet<string>): boolean {
  if (!CONDITION.test(plain) || ASKED_CONDITION.test(plain)) return false;
  return !isAsking(moodOfClause(plain, names));
}

function isVerb(word: string): boolean {
  return sensesOf(word).some(({ meaning, share }) => share >= 0.7 && VERBS.has(meaning));
}

function isEffect(word: string): boolean {
  return word !== '' && (/^(?:un)?archiv/.test(word) || sensesOf(word).some(({ meaning }) => EFFECTS.has(meaning)));
}
