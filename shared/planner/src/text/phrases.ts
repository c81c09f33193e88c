/**
 * Groups of words that mean something else together than one by one, tried in this order on text in small letters in which
 * known names are placeholders. What replaces them stands for a word of the thesaurus. No pattern can run away: what lies
 * between two words of a group is at most 40 characters.
 */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  // Short forms without their apostrophe, and chat spelling.
  [/\b(do|does|did|is|are|was|were|has|have|had|should|would|could|must|need)nt\b/g, "$1n't"],
  [/\bdo not\b/g, "don't"],
  [/\b(does|did|is|are|was|were|has|have|had|should|would|could|must) not\b/g, "$1n't"],
  [/\b(what|who|how|where|that|it|there|when)s\b(?=\s)/g, "$1's"],
  [/\b(?:r u|are u)\b/g, 'are you'],

  // What somebody wants to have again, or cannot reach.
  [/\bthe (?:old|previous|last|former|earlier) (?:one|version|release)\b(.{0,12}?)\bback\b/g, '§undo version $1'],
  [
    /\b(?:can't|cannot|can not|couldn't) (?:be )?(?:reach(?:ed)?|open(?:ed)?|load(?:ed)?|access(?:ed)?|get (?:to|into|on)|connect to)\b/g,
    '§health',
  ],
  [/\b(?:out of date|not up to date|no longer up to date)\b/g, '§refresh'],
  [/\bwhere (?:to|can i|could i|should i|do i) (?:put|place|run|host|park|stick)\b/g, '§find'],
  [/(¤project)(?: service)? (?:still |really |back )?(?:up|down|offline|online)(?= *\?| *$)/g, '§health $1'],

  // Giving back.
  [/\b(?:give|hand|turn|have|take)\b(.{0,40}?)\bback\b(?! to\b)/g, '§giveback $1'],
  [/\b(?:throw|give|hand|take)\b(.{0,40}?)\b(?:away|up)\b(?! with\b)/g, '§remove $1'],
  [
    /\bup for grabs\b|\bavailable again\b|\bback (?:to|in|into) (?:the )?(?:pool|others|everyone)\b|\b(?:no|not) (?:use|using) for\b|\bwon't (?:need|use|be using|be needing)\b|\bkick(?:ed)? (?:it |¤\S+ )?off\b/g,
    '§remove',
  ],
  [/\btake (¤project) off\b/g, '§remove $1'],
  [/\b(?:take|bring|shut|turn) ((?:the )?(?:service )?¤project(?: service)?) (?:down|offline)\b/g, 'stop $1'],
  [/\bclean(?:ing)? up\b|\btidy up\b|\blet go of\b/g, '§remove'],
  [/\bfree (?=it\b|that\b|them\b|up\b|¤(?!environment))/g, '§remove '],
  [/\b(?:hook|set|fix|link|wire)\b(.{0,30}?)\bup with\b/g, '§want $1'],
  [
    /\bget(?:ting)? rid of\b|\bno longer (?:need|use|want)\w*\b|\blet (?:it|them|that|this|¤\S+) go\b|\bcan go\b(?= away|[ .!]*$)/g,
    '§remove',
  ],
  [
    /\b(?:do|does)n't need\b|\b(?:is|are)n't (?:needed|used|in use)\b|\bnot needed\b|\bno need for\b|\bdone with\b(?= port| ¤number| it| that)/g,
    '§remove',
  ],
  [/\b(?:nobody|no one|none) (?:needs?|wants?|uses?|is using)\b(?=.{0,40}\bany(?: ?more| longer)\b)/g, '§remove'],
  [
    /^(?:please |can you |could you |pls |just |also |and )*free(?= up\b| the port\b| ports? (?:¤number|\d)| ¤number| \d| it\b| that\b)(?: up)?/g,
    '§remove',
  ],
  [
    /\bfree(?:d|ing)? (?:it |that |them |this |¤\S+ )?up\b|\b(?:can|could|to|please) free\b(?= it| that| ¤number| port| the)/g,
    '§remove',
  ],

  // Whether something runs.
  [/\bcom(?:es?|ing) up\b/g, '§health'],
  [
    /\b(?:is|are|was|were|be|(?:it|that|everything|¤\S+)'s|still|came|come|coming|stay)\b(.{0,40}?)\b(?<!\b(?:set|free|freed|look|give|make|open|end|pick|sign) )(?:up and running|back up|up|down|offline|online|running(?! +(?:on|in|at)\b))\b(?! (?:to|with|for|for the)\b)/g,
    '§health $1',
  ],

  // Bringing a version somewhere, and back again.
  [/\b(?:roll|rolled|rolling|rolls)[ -]?(.{0,30}?)\bback\b/g, '§undo $1'],
  [/\b(?:go|going|went|switch|jump|fall|step|get|move) back\b|\bback ?out\b|\btake\b(.{0,20}?)\bback\b/g, '§undo $1'],
  [/\b(?:put|set|bring|bringing|putting|turn|flip)\b(.{0,40}?)\bback\b/g, '§back $1'],
  [/\bback (?=to |on |in )/g, '§back '],
  [
    /\bthe (?:version|one|release) before\b|\b(?:previous|earlier|old|prior|last good|last working) (?:version|release|one|state)\b/g,
    '§undo version',
  ],
  [/\b(?:roll|rolled|rolling|rolls)\b(.{0,40}?)\bout\b/g, '§deploy $1'],
  [/\b(?:go|goes|going|went|put|take|make|bring|get|set|push|be)\b(.{0,40}?)\blive\b/g, '§deploy $1'],
  [
    /\b(?:get|bring|put|push|send|take|move|bump)\b(?=.{0,40}(?:¤project|¤version|\bit\b|\bthat\b|\bthis\b|\bthem\b))(.{0,40}?)\b(?:out|up)? ?(?:to|onto|on|into|in) (?=the )?(?=¤environment)/g,
    '§bring $1 ',
  ],
  [/\b(?:out|up) (?:to|on|onto|in) (?=¤environment)/g, '§bring '],
  [/\b(?:go|goes|going|went|put|take|make|bring|get|set|push|be)\b(.{0,40}?)§live\b/g, '§deploy $1 '],
  [/\b(?:go|gone|went|going|goes) out\b/g, '§deploy'],
  [/\b(?:one|a|1) (?:version|release|step) back\b/g, '§undo version'],
  [/\b(?:make|made|makes) it (?:out )?(?:to|into|on|onto) /g, '§bring '],
  [/\bgo(?:es)? (?:out )?(?:to|into|on|onto) (?=¤environment)/g, '§bring '],
  [/\b(?:currently|now|still)? ?(?:runs|running|run|live) (?=in ¤environment|on ¤environment)/g, '§runs '],

  [/\bto (?:the )?(?:version )?(?=¤version)/g, '§bring version '],
  [/\b(?:is|are|was|were)\b(.{0,40}?)\bout(?: already| yet| now)?[ ?]*$/g, '§deploy $1'],

  // How something is.
  [/\b(?:is|are|everything|all|'s)\b(.{0,40}?)\b(?:ok|okay|alright|all right|fine|good|well)\b(?! to\b)/g, '§fine $1'],
  [
    /\bwent down\b|\bgone down\b|\bfell over\b|\bnot (?:working|responding|reachable|answering)\b|\b(?:doe|i)sn't (?:work|working|respond|responding|answer|answering|reachable|load|loading|come up)\b/g,
    '§health',
  ],
  [/\b(?:go(?:es|ne|ing)?|went|is|are|'s) wrong\b/g, '§error'],
  [
    /\b(?:good|clear|safe|set|free|okay|ok) to (?=go\b|ship|deploy|release|launch|roll|push|§deploy)|\bready (?:for|to)\b|\bin the way\b|\bin place\b|\ball set\b|\b(?:stop|stops|stopping|keep|keeps|hold|holds|holding|prevent|prevents) us(?: back| from)?\b/g,
    '§ready ',
  ],
  [
    /\bwhat(?:'s| is)? up with\b|\bhow(?:'s| is) it going(?: with)?\b|\bhow (?:far|are things|'s|is|are)\b|\bwhat(?:'s| is) (?:going on|happening|new|the story|the deal)(?: with| in| on)?\b/g,
    '§status',
  ],
  [
    /\b(?:know|tell me|hear|heard|learn|info|infos|information|read) (?:more )?(?:about|on|of)\b|\b(?:more|all|everythin'?g?) about\b|\bwhat(?:'s| is| does| was)\b(.{0,30}?)\b(?:about|for|do)\b[ ?]*$/g,
    '§status $1',
  ],
  [/\bhow (?:full|loaded|busy|big)\b/g, '§list full'],
  [/\bhow (?:did|does|is)\b(.{0,60}?)\b(?:go|going|went|end|run|running|doing)\b/g, '§status $1'],
  [/\bhow (?:many|much|often)\b/g, '§list'],
  [/\b(?:any|a) reasons? (?:not to|against)\b/g, '§ready '],

  [
    /\bwhat\b(.{0,30}?)\b(?:do |are |have )?(?:we|you)\b(?: got| have| own| use| run(?:ning)?(?: on)?| host)+/g,
    '§list $1',
  ],

  [/\b(?:everything|all|what) (?:that )?we (?:build|do|make|work on|develop|maintain|run)\b/g, '§list project'],
  [/\bdo we (?:already |even |still )?have (?:any|an?|some)?\b/g, '§list '],
  [/\bwhere\b.{0,20}\b(?:code|sources?)\b/g, '§list repository'],

  [
    /\bwhat(?:'s| is| are)? (?:running|listening|hosted|deployed) where\b|\bwho(?:'s| is| has| uses| sits)? (?:what|where)\b/g,
    '§list §taken',
  ],
  [/\b(?:big|large) enough\b|\benough (?:room|space|memory|ram|capacity)\b/g, '§find'],
  [/\b(?:what|how) (?:are|is)\b(.{0,40}?)\bcalled\b/g, '§list $1'],
  [/\bare we there(?: yet)?\b|\b(?:is|are) (?:it|they|we) through\b/g, '§status'],
  [/\bgo ahead\b|\bgo for it\b|\bproceed\b|\bdo it\b/g, '§proceed'],

  [
    /\b(?:now |has )?(?:lives?|moved|is|sits|found|at|to|under)\b(.{0,20}?)(?:\b(?:at|to|under|on) )?(?=¤url)/g,
    '§change repository ',
  ],

  [/\b(?:make|be) sure\b|\bsee (?:to it )?that\b|\bsee (?:if|whether)\b/g, '§check'],
  [/\bsigns? of life\b|\bstill (?:there|alive|breathing|with us)\b|\bin good (?:shape|health)\b/g, '§health'],
  [/\b(?:spit|spits|spitting|throw|throws|throwing|pump|pumps)(?:ing)? out\b/g, '§log'],
  [
    /\b(?:speaks?|talks?|anything|something|reasons?|objections?) against\b|\bgreen light\b|\bgo or no go\b|\bobjections?\b/g,
    '§ready ',
  ],
  [/\b(?:least|less) (?:crowded|busy|loaded|full|used)\b|\bmost (?:room|space|memory|free)\b/g, '§find'],
  [/\bsits? on\b|\bhand(?:s|ed)? out\b|\bbehind (?=¤number|port)/g, '§taken'],
  [/\bcould use (?=an?\b|one\b|another\b)|\bcould do with\b/g, '§want '],
  [/\banother (?:try|go|shot|attempt|chance)\b/g, '§retry'],
  [
    /\b(?:break|breaks|broke|call|calls|called) (?:it |this |that |¤\S+ )?off\b|\b(?:not|n't|dont) (?:go on|continue|proceed|keep going)(?: with)?\b|\bgive up on\b/g,
    '§cancel',
  ],

  // Who has what.
  [/\bin use\b|\bin usage\b|\bspoken for\b/g, '§taken'],
  [
    /\bn(?:obody|o one|o-one|othing) (?:uses?|has|took|is using|needs?|is on)\b|\bnot (?:taken|used|in use|reserved)\b|\b(?:is|are)n't (?:taken|used|reserved)\b/g,
    '§free',
  ],
  [
    /\b(?:what|which|who|anything|something|all|everything)\b(?!.{0,40}\bports?\b)(.{0,40}?)(?:\b(?:runs?|running|lives?|sits?|sitting|hosted|listens?|listening|is|are)|'s) on (?:the )?(?=¤server)/g,
    '§occupies $1 ',
  ],
  [/\bwho(?:'s| is| has| have|se)?\b(?=.{0,20}\bports?\b)/g, '§occupies '],
  [
    /\b(?:where|on (?:which|what) (?:server|machine|host|box))\b(.{0,20}?)(?=¤project)(.{0,30}?)\b(?:runs?|running|sits?|sitting|lives?|living|listens?|listening|hosted|located|placed|is)\b/g,
    '§occupies $1 ¤project',
  ],
  [/\bwhere(?:'s| is| are)\b/g, '§list'],
  [
    /\b(?:would|will) (?:i|we|it|they) (?:get|have|take|be given)\b|\b(?:can|could|may|should) (?:i|we) use\b/g,
    '§free',
  ],
  [/\bin charge(?: of)?\b|\bwho(?:'s| is| does)\b(?=.{0,40}\b(?:belong|responsible))/g, '§owner'],

  // Making and finding.
  [
    /\bset(?:ting)? up\b|\bkick(?:ing)? off\b|\bspin(?:ning)? up\b|\bfire up\b|\bstart(?:ing)? (?=something|a new|off)/g,
    '§create',
  ],
  [
    /\b(?:put|add|take)\b(.{0,40}?)\b(?:in|into|on|to) (?:the |our |your )?(?:list|inventory|fleet|pool|registry)\b/g,
    '§register $1',
  ],
  [/\b(?:set|put|keep) aside\b/g, '§take'],
  [/\bwork(?:ing)? on\b/g, '§project'],
  [/\bcall(?:ed|ing)? (?:it |that |this )?off\b|\bpull the plug\b|\bput an end\b|\bmake it stop\b/g, '§cancel'],
  [
    /\b(?:run|running|try|start|starting|execute|do|kick)\b(.{0,40}?)\b(?:again|once more|one more time|another time|a second time|anew)\b/g,
    '§retry $1',
  ],
  [/\b(?:read|index|scan|load|crawl)\b(.{0,40}?)\b(?:again|once more|anew)\b/g, '§refresh $1'],
  [
    /\b(?:doesn't|don't|can't|cannot|couldn't|not) (?:find|know|show)(?=.{0,40}\b(?:page|doc|wiki|article|guide|manual))/g,
    '§refresh ',
  ],
  [/\bpull requests?\b|\bmerge requests?\b/g, '§pullrequest'],
  [/\bknowledge base\b|\bsearch index\b/g, '§doc'],
  [
    /\b(?:i'd|i would|we'd|we would|i want|we want|i'm (?:here|trying)|i need) (?:like |love )?to (?:see|know|look|view|check)\b/g,
    '§list',
  ],
  [/\b(?:should|shall|must) be (?:at |on )?(?=¤version)/g, '§bring version '],
  [/\b(?:shall|should|will) be called\b/g, '§create'],
  [
    /\b(?:should|shall|must)(?: now)? (?:be|read|say)\b|\bgive ¤project\b(?=.{0,40}\b(?:description|repo|repository)\b)|\badd\b(?=.{0,40}\b(?:description|repo|repository) (?:to|for|of) ¤project)|\blet the (?=description|repo)/g,
    '§change ',
  ],
  [/\b(?:let|make) (¤project) (?:have|use|take|listen(?: on)?|get)\b/g, '§want $1'],
  [/(?<=¤project )(?:can|may|should|shall|could|will|would|to) (?:have|get|take|use)\b/g, '§want '],
  [
    /(?<=^|[,.;:!] ?|¤size |now )(?:we|i) (?:also |now |just |finally )*(?:have|got|bought|rented) (?:us )?(?:an?|another|a new|one more|a second) (?=server|machine|host|box|vm|vps|database)/g,
    '§register ',
  ],
  [/\bthere(?:'s| is) (?:an?|another) new\b/g, '§register new'],
  [/\bmake\b(.{0,30}?)\bknown\b|\bnote\b(.{0,20}?)\bdown\b/g, '§register $1'],
  [/\b(?:can|could|may) (¤project|we|i|it) (?:please |maybe )?(?:have|get)\b/g, '§want $1'],
  [/\bdescribed?\b(.{0,40}?)\bas\b/g, '§change description $1'],
  [
    /\b(?:tell|show|let) me(?: (?:see|know|have a look))?\b|\b(?:take|have) a (?:look|peek|glance)(?: at)?\b|\blook at\b/g,
    '§list',
  ],
  [
    /\b(?:want|need|like|have) (?:to have )?an? (?:new |another )?(?=project|app\b|application|product)/g,
    '§want §create ',
  ],
  [/\b(?:give|get|fetch|bring|hand) me\b|\b(?:i'd|i would|we'd|we would) (?:like|love|want)(?: to have)?\b/g, '§want'],

  // What only says when.
  [
    /\b(?:at the moment|right now|as of now|these days|for now|so far|by now|at this point|at present|in the (?:last|past)|over the (?:last|past)|for the (?:last|past))\b/g,
    ' ',
  ],
];

/** Text in small letters, with groups of words replaced by what they stand for (§list). Placeholders of names may be in it. */
export function withPhrases(text: string): string {
  let plain = text.toLowerCase().replace(/\s+/g, ' ').trim();
  for (const [phrase, concept] of PHRASES)
    plain = plain.replace(phrase, (_, between?: string) => place(concept, between)).replace(/ {2,}/g, ' ');
  return plain;
}

function place(concept: string, between: unknown): string {
  const text = concept.replace('$1', typeof between === 'string' ? between : '');
  return concept.startsWith('§') ? ` ${text} ` : text;
}
