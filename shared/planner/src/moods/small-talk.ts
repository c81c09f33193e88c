import { tokenize } from '../text/tokens.ts';

/** Talk that asks for no tool. `null` from `readSmallTalk` means: this may be a request. */
export type SmallTalk = 'thanks' | 'agreed' | 'greeting' | 'help' | 'cancel' | 'hands-off' | 'chat' | 'complaint';

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const THANKS = set(
  'thanks thank thx thanx tx tnx ty tysm cheers great perfect awesome cool nice done excellent wonderful super brilliant lovely bye goodbye fine ' +
    'danke merci gracias grazie sweet neat amazing fantastic terrific splendid superb finished complete completed solved sorted ciao ' +
    'top stuff happy fab gr8 thankyou thank-you ta finito fini tschüss appreciated appreciate',
);
const AROUND_THANKS = set(
  "you u ya very much a lot so many that's thats that is all it ok okay kk got good job work works worked well for the help your now yes yeah yep yup no nope " +
    "more nothing else i'm im we're were we i am are have has this was great just what needed wanted bot man mate everything today again and me us " +
    'understood here with then for one thing do be will set ready looks look really quick fast guys buddy dear to go really see later helped help helping indeed answers answered question questions my tons welcome know dir ihnen vielen dank man with',
);
const GREETINGS = set(
  'hi hello hey hiya howdy greetings moin yo morning mornin afternoon evening hallo hola bonjour servus sup gm ahoy welcome guten morgen abend buenos salut ola namaste gday',
);
const AROUND_GREETINGS = set(
  'tag dias good day there all everyone everybody team bot again dear sir folks guys friends signalbox to you a very',
);
const AGREED = set('ok okay yes yeah yep yup sure alright k kk no nope right fine aha hm hmm mhm ah oh');
/** Longer messages say more than thanks. */
const SHORT = 10;

const HELP = new RegExp(
  [
    String.raw`^\/(?:help|start|commands?|menu)\b`,
    String.raw`^(?:(?:please |pls |i |i'd |we |can you |could you |would you |some |a bit of |more )*(?:need |want |like |get )*(?:some |a bit of |your )?)?help(?: me| us| out| text| page| menu)*(?: please| pls)?$`,
    String.raw`^(?:the |your |all |list |show |show me |list me )*(?:commands?|menu|options|examples?|features?|capabilities|instructions|tutorial|skills|functions)$`,
    String.raw`^(?:show|give|tell|list)(?: me| us)? (?:some |a few |an |the |all |your |of )*(?:examples?|commands?|options|features?|capabilities|possibilities|menu|help|ideas|tips|instructions)\b`,
    String.raw`^(?:so |and |ok |hi |hey |hello |well )*what (?:all |else |exactly |sort of things |kind of things |kinds of things |things |stuff |do )*(?:can|could|do|are|would|should|must|may) (?:all )?(?:you|u|i|we|one|this bot|this thing|signalbox)\b(?!.*\b(?:list|show|have|run|own|deploy(?:ed)?|working on|about)\b).*(?:do|able|understand|offer|ask|say|type|write|tell|good (?:at|for)|capable|support|here)\b`,
    String.raw`^(?:what|which)(?:'s| is| are| things| else| kind of things| kinds of things| sort of things)*(?: your| the| my| our)? (?:commands?|options|features?|capabilities|skills|functions|possibilities|possible)\b`,
    String.raw`^(?:is there|do you have|where is|where are|where can i see)(?: a| an| any| the| some| your)* (?:list of |overview of |set of )?(?:commands|features|functions|menu|instructions)\b|^(?:a |the )?(?:list|overview|summary) of (?:what|all|the|things|everything|your).*\b(?:you|u|i|we) (?:can|could|are able)\b`,
    String.raw`^what(?: kinds?| sorts?)? of (?:things|stuff|requests?|questions?|tasks?|commands?)\b.*\b(?:you|i|we)\b`,
    String.raw`^(?:huh |what\?+ )?what(?:'s| is) (?:this|it|that)(?: thing| bot| chat)? (?:for|about|good for|supposed to do)$`,
    String.raw`^what (?:all )?do (?:you|u) know$`,
    String.raw`^who (?:are|r) (?:you|u)\b|^what (?:are|r) (?:you|u)(?: for| exactly| even)?$|^what(?:'s| is) (?:this|signalbox|this bot|your (?:job|purpose))(?: for| about)?$|^introduce yourself$`,
    String.raw`^how (?:do|can|does|should|would|to) (?:i |we |you |this |it |one |the )*(?:use|work|talk|start|begin|operate|help|interact|proceed)\b(?: with| to)?(?: this| you| it| here| me| signalbox)*(?: bot| thing| tool| system)?(?: work)?$`,
    String.raw`^how (?:do|can|does) (?:you|u|this|it|this bot|this thing|the bot|signalbox) (?:work|help)\b`,
    String.raw`^(?:please |can you |could you )*(?:teach|show|tell|explain)(?: to)?(?: me| us) how (?:to |i can |i could |this |you |it )*(?:talk|use|work|works|start|speak|write|ask)\b`,
    String.raw`^(?:which|what) (?:tasks?|jobs?|things?|work|requests?|kind of \w+)\b.*\b(?:can|could|do) (?:you|i|we)\b`,
    String.raw`\bwhat(?:'s| is) possible(?: here| with you)?$|^what else(?: is there| can you do| do you do)?$|^(?:are|is) there (?:any |a |some )?(?:commands?|examples?|instructions|tutorial|help)\b`,
    String.raw`^(?:i'm|im|i am|we're|we are) (?:new|lost|confused|stuck)(?: here| to this| at this)?\b(?!.*\b(?:port|server|project|deploy)s?\b)`,
    String.raw`^(?:i )?(?:don'?t|do not|dunno|no idea|no clue)(?: really| even)?(?: know)? (?:what|how|where)(?: i| to| can| should| do)* (?:say|do|type|write|ask|start|begin|use)\b`,
    String.raw`^(?:are|r) (?:you|u) able to (?:help|do)\b(?! .*\d)|^can (?:you|u) help(?: me| us)?(?: out)?(?: with (?:something|anything|this|a thing))?$|^are you able to\b`,
    String.raw`^(?:where|how) (?:do|should|can) (?:i|we) (?:start|begin)$|^get(?:ting)? started$|^what now$|^what next$|^and now$|^now what$`,
  ].join('|'),
  'u',
);
const CANCEL = new RegExp(
  "^(?:(?:please|pls|ok|okay|oh|eh|uh|um|hm+|hmm|ah|no|nah|nope|sorry|well|wait|actually|just|then|hey|and|but|let'?s|on second thought|on second thoughts|you know what|i think|we can|you can|i guess)[, .!-]*)*" +
    '(?:cancel(?:l?ed)?|never ?mind|nvm|nm|forget (?:it|that|this|about (?:it|that|this))|leave (?:it|that)(?: be| alone)?|drop (?:it|that)|abort|skip (?:it|that|this)|let it (?:be|go)|not now|not today|stop(?: it| that| this)?|' +
    "don'?t(?: do (?:it|that|anything))?|do not|don'?t bother|no need(?: any ?more| anymore| now)?|not needed(?: any ?more)?|(?:it )?(?:doesn'?t|does not) matter(?: any ?more| anymore| now)?|changed? (?:my|our) mind|i(?:'ve| have)? changed my mind|" +
    "scratch (?:that|it)|no thanks?|no thank you|nah|rather not|better not|let'?s not|we'?ll not|false alarm|ignore (?:that|it|me|this)|nothing|none|undo that request|i (?:don'?t|do not) (?:want|need) (?:it|that|this|one|to)?(?: any ?more| anymore)?|" +
    'hold on|call it off|forget i (?:asked|said (?:anything|that))|withdraw(?:n)?|my mistake|wrong (?:chat|window|channel|button)|oops|keep it|not (?:any ?more|interested))' +
    "(?:[, .!-]+(?:that|it|this|please|pls|then|now|all|thanks|thank you|sorry|for now|for today|again|instead|after all|about it|any ?more|anymore|i'?ll do it (?:myself|later)|later|keep it|let me think|ok|okay|never ?mind|forget (?:it|that)|leave it|i don'?t need (?:it|that|one)|it'?s (?:fine|ok|okay|not needed)|changed my mind|the (?:question|request|whole thing)|thing|request))*$",
  'u',
);
const HANDS_OFF =
  /^(?:please |pls |no,? )*(?:do not|don'?t|never|dont)\s+(?!(?:continue|go on|proceed|keep going)\b)\p{L}+/u;
const CLOSING =
  /\bgot it\b|\bthat(?:'?s| is| was|'?ll be| will be| would be) (?:it|all|everything|enough|what i (?:needed|wanted|was looking for)|exactly what .{0,20}|perfect|great|helpful|do)\b|\ball (?:good|set|done|clear|sorted|fine)\b|\b(?:we|i)(?:'?re|'?m| are| am)? (?:all )?(?:done|good|finished|set|through)\b(?! to)|\bnothing (?:else|more|further)\b|\bno(?:thing)? (?:more|other|further) (?:questions?|requests?|wishes)\b|\bno(?:thing)? else\b|\blooks? (?:good|great|fine|perfect)\b|\bgood (?:job|work|bot|night)\b|\bwell done\b|\bnice (?:one|work|job)\b|\bmuch appreciated\b|\b(?:see|talk to|speak to) (?:you|ya|u)\b|\bcase closed\b|\bcall it a day\b|\bthat'?ll do\b|\bthat does it\b|\bwe can (?:stop|close|end|finish)(?: here| this| it)?\b|\byou can close\b|\bclose (?:this|it|the (?:task|ticket|conversation|chat))\b|\bjob done\b|\bmission accomplished\b|\bgood to know\b|\bhappy with\b|\bclose (?:the|this|my) (?:ticket|task|case|issue|conversation|chat|request)\b|\bit works\b|\bthat(?:'s| has)? (?:answers?|answered|solves|solved|settles|does|did|helps|helped)(?: it| that| my question| the question)?\b|\byou (?:helped|saved)\b|\bworks (?:now|again|fine|great|for me|perfectly|like a charm)\b/;
const CHAT = new RegExp(
  [
    String.raw`^(?:ha(?:ha)+h?|hehe(?:he)*|lol|lmao|rofl|xd|wow|oh+|ah+|ugh+|hm+|meh|yay|woo+(?:t|hoo)?|oops|whoops|ouch|argh+|yikes|omg|gosh|huh|hmm+|eh|test|testing|ping|foo|sorry|my bad|apologies|indeed|interesting|funny|true|exactly|really|seriously|same|nice try|brb|afk|yolo|cya|later|no worries|no problem|np|fingers crossed|good luck|whatever|never|why not|of course|obviously|makes sense|fair enough|got you|cool cool|anyway|well well|long day(?: today)?)(?: (?:ok|okay|that|it|was|is|a|so|very|really|funny|true|nice|joke|one|good|you|again|too|me|about|1|2|3))*$`,
    String.raw`\bhow(?:'s| is| are|'re| r| was) (?:you|u|ya|it going|life|things|everything(?: going)?|your (?:day|week|weekend|morning|evening|night|mood)|the (?:weather|mood|day))\b`,
    String.raw`\b(?:happy|merry|blessed|nice|great|good|lovely|relaxing|sunny|wonderful|pleasant) (?:friday|monday|tuesday|wednesday|thursday|saturday|sunday|weekend|evening|holidays?|vacation|day|week|new year|birthday|christmas|xmas|easter|trip|lunch|rest of)\b`,
    String.raw`\b(?:you(?:'re| are|r)|u r|ur|this bot is|signalbox is|bot is) (?:so |really |very |the |a |an |just |pretty |such a |quite )*(?:great|best|awesome|cool|funny|smart|clever|cute|sweet|amazing|helpful|useful|useless|stupid|dumb|slow|fast|nice|good|star|hero|genius|legend|lifesaver|robot|human|machine|welcome|right|wrong|weird|brilliant|kind|rock)\b`,
    String.raw`^(?:you|u) (?:guys |really |all )*(?:rock|rule|suck|stink)\b`,
    String.raw`\b(?:are|r) (?:you|u) (?:a |an |really |actually |still |even |there|ok|okay|real|alive|human|awake|busy|tired|happy|sad|bored|sleeping|sure|serious|kidding|joking|listening|some |kind of )+(?:robot|bot|human|person|machine|ai|llm|chatgpt|man|woman|there|real|alive|here)?\b`,
    String.raw`^(?:are )?(?:you|u|anyone|anybody|somebody|someone) (?:still )?(?:there|here|awake|listening|home|around)$|^is (?:anyone|anybody|someone|somebody) (?:there|here|home|awake)$`,
    String.raw`\b(?:i|we)(?:'m| am|'re| are) (?:so |really |very |a bit |too |just |kind of |pretty |not )*(?:tired|hungry|bored|happy|sad|sleepy|excited|stressed|sick|late|busy|cold|hot|thirsty|exhausted|in love|on holiday|on vacation|back|fine|ok|okay|good|well|great)\b(?! (?:to|for|with))`,
    String.raw`\b(?:i|we) (?:love|like|hate|miss|adore) (?:you|u|this bot|mondays?|fridays?|this|it|coffee|pizza|my job)\b`,
    String.raw`\b(?:nice|pleased|good|great) to (?:meet|see|hear from|have) (?:you|u|ya)\b|\blong time no see\b|\bwhat'?s your (?:name|favou?rite|age)\b|\bwho (?:made|built|created|wrote) you\b|\bhow old are you\b|\bwhere are you from\b|\bdo you (?:like|love|sleep|dream|eat|drink|have feelings|feel)\b`,
    String.raw`^(?:what'?s up|wassup|sup|what'?s new|how goes it|how do you do|howdy)(?: with you| bot| man| mate| dude| bro| everyone| all| team)*$`,
    String.raw`\b(?:it'?s|it is|its) (?:raining|snowing|sunny|cold|hot|friday|monday|late|early|lunch ?time|coffee time|weekend|windy|foggy)\b|\b(?:coffee|lunch|break) (?:time|break)?[?!. ]*$|^(?:time for )?(?:a )?(?:coffee|lunch|beer)\b`,
    String.raw`^(?:congrats|congratulations|good luck|welcome(?: back| aboard)?|have fun|enjoy|take care|get well|sleep well|cheer up|bless you|gesundheit|tgif|finally (?:friday|weekend))\b`,
    String.raw`^(?:have|enjoy|wish(?:ing)?) (?:a|an|you|your|the|us|all|everyone|everybody)\b.*\b(?:day|evening|weekend|night|week|holiday|holidays|vacation|trip|one|time|lunch|rest|break)\b`,
  ].join('|'),
  'u',
);

/** Somebody is unhappy with us, and says no more than that. */
const COMPLAINT =
  /^(?:(?:ugh+|argh+|grr+|no|hey|well|sorry|but|man|oh)[,.! ]+)*(?:(?:this|that|it)(?:'s| is| was) (?:so |really |just |very |too |all )*(?:annoying|frustrating|useless|stupid|terrible|ridiculous|nonsense|rubbish|not (?:what i (?:wanted|meant|asked(?: for)?|said)|right|helpful|it))|not what i (?:wanted|meant|asked(?: for)?|said)|(?:you|u|it|this)(?: bot| thing)? (?:never|don't|dont|didn't|didnt|still don't|doesn't|doesnt|just don't) (?:really )?(?:understand|get|listen|help|hear)(?:s)?(?: me| it| anything| this| that| to me)?|that (?:didn't|did not|doesn't|does not) help|what a (?:mess|waste(?: of time)?)|wtf|ffs|omfg|damn(?: it)?|bloody hell|are you kidding(?: me)?|come on)(?: (?:at all|again|today|now|anyway|really|ever))*$/u;
/** Sayings that speak of legs, cakes and fingers, and mean none of them. */
const IDIOM =
  /^(?:(?:well|so|ah|oh|haha|lol|ok|hey|man|yeah|and|then)[,.! ]+)*(?:break a leg|piece of cake|easy peasy|fingers crossed|knock on wood|touch wood|no pain,? no gain|so far,? so good|time flies|better late than never|speak of the devil|out of the blue|once in a blue moon|hang in there|keep (?:it up|up the good work|going|calm)|(?:i|we) owe (?:you|u)(?: one| a beer| a coffee)?|(?:that|this|it)(?:'s| was| is) (?:so |really |too |very )*(?:quick|fast|easy|fun|close|a close call|weird|odd|strange)|long (?:story|day|week)\b|what a (?:day|week|night|morning|ride|relief)|back to (?:work|square one)|let's get (?:going|this party started)|i(?:'m| am) (?:drowning|swamped|buried)\b|we(?:'re| are) (?:drowning|swamped|buried)\b|my (?:phone|battery|laptop|head|brain)\b|on (?:it|my way)$|all (?:hands|eyes)\b|the early bird|practice makes perfect|it is what it is|(?:that's|such is) life|cross(?:ing)? (?:my )?fingers|not my (?:day|cup of tea)|no comment|bear with me)/u;

/** Recognizes talk by its words alone; the text is clean. */
export function readSmallTalk(text: string): SmallTalk | null {
  const words = tokenize(text).map((token) => token.lower);
  const plain = text
    .toLowerCase()
    .replace(/\b(what|how|that|it|who)s\b/g, "$1's")
    .replace(/[.!?,;:)(~ ]+$/u, '')
    .replace(/^[.!?,;:)(~ ]+/u, '')
    .trim();
  // What follows no longer fits talk when it is long; the patterns need not look at all of it.
  if (plain.length > 160) return HANDS_OFF.test(plain) ? 'hands-off' : null;
  if (CANCEL.test(plain)) return 'cancel';
  // Votes and no numbers: nobody means version 1 with "+1", also behind a name.
  const vote = /^(?:\w+[:,] *)?([+-])1$/.exec(plain)?.[1];
  if (vote !== undefined) return vote === '+' ? 'agreed' : 'chat';
  if (HANDS_OFF.test(plain) && !/[,;.] *(?:just|only|but|instead|rather|please|and)\b/.test(plain))
    return handsOff(plain);
  const bare = plain
    .replace(GREETED, '')
    .replace(/ (?:please|pls)$/, '')
    .trim();
  if (HELP.test(plain) || (bare !== '' && HELP.test(bare))) return 'help';
  if (words.length === 0 && /^[?!¿ ]*\?[?!¿ ]*$/u.test(text)) return 'help';
  if (words.length === 0) return /[👍🙏❤🎉👌😊🙂✅💯🚀]/u.test(text) ? 'thanks' : null;
  const asks =
    /\?\s*$/.test(text) ||
    /^(?:is|are|was|were|did|does|do|has|have|can|could|will|would|should|what|when|how|who|why|where|which)\b/.test(
      plain,
    );
  if (words.length <= SHORT && !asks) {
    if (words.every((word) => AGREED.has(word))) return 'agreed';
    if (
      words.every((word) => GREETINGS.has(word) || AROUND_GREETINGS.has(word)) &&
      words.some((word) => GREETINGS.has(word))
    )
      return 'greeting';
    const closing = words.some((word) => THANKS.has(word)) || CLOSING.test(plain);
    if (closing && words.every((word) => THANKS.has(word) || AROUND_THANKS.has(word))) return 'thanks';
    if (CLOSING.test(plain) && words.filter((word) => !THANKS.has(word) && !AROUND_THANKS.has(word)).length <= 3)
      return 'thanks';
  }
  if (words.length > SHORT + 4) return null;
  if (COMPLAINT.test(plain)) return 'complaint';
  return CHAT.test(plain) || IDIOM.test(plain) ? 'chat' : null;
}

const GREETED =
  /^(?:(?:hi|hello|hey|hiya|yo|good (?:morning|afternoon|evening|day)|moin|so|ok|okay|well|sorry|um+|hm+|huh|eh|please|and)(?: (?:there|all|everyone|team|bot|guys|signalbox))?[ ,.!:;-]+)+/u;

/** "don't worry" forbids nothing, "don't forget to …" even asks for it. */
function handsOff(plain: string): SmallTalk | null {
  if (/^(?:please |pls |no,? )*(?:do not|don'?t|never|dont) (?:forget to|hesitate)\b/u.test(plain)) return null;
  if (/^(?:do not|don'?t|dont) (?:worry|panic|mind)\b/u.test(plain)) return 'chat';
  return /^(?:do not|don'?t|dont) (?:you(?! dare\b)|we|they|i)\b/u.test(plain) ? null : 'hands-off';
}

/** Whether an answer to a question gives the question up: also a bare "no" or "stop". */
export function isRefusal(text: string): boolean {
  return (
    readSmallTalk(text) === 'cancel' || /^(?:no|nope|nah|stop|none|nothing|no thanks?|no thank you)[.!]*$/i.test(text)
  );
}
