/** Words that only hold a sentence together. */
export const FILLERS: ReadonlySet<string> = new Set(
  (
    'a an the this that these those it its i me my mine we us our you your he him his she her they their them one ones some ' +
    'is are was were be been am do does did has had having will would can could should shall may might must ' +
    'of for on in at to from by with into onto as and or but so then than if there here now just only also too via per ' +
    "please pls plz plox hey hi hello ok okay well let let's lets i'd i'm i'll i've we'd we're we've we'll it's that's there's don't " +
    "what's which's who's where's when's how's how got up out very really still yet anymore more today's not no yes sure maybe " +
    "thanks thank kindly currently right good team bot dear u ur he's she's they're you're it'll isn't aren't doesn't didn't can't won't " +
    "wasn't weren't hasn't haven't hadn't wouldn't couldn't shouldn't needn't mustn't both either neither none any about over off down " +
    'thats whats hows whos wheres theres dont doesnt didnt isnt arent cant wont im ive id ill youre theyre itll shouldnt couldnt wouldnt wasnt werent hasnt havent ' +
    'alright yep nope yeah yup sorry new old last latest first later soon again back ever never always quite rather same other another every new'
  ).split(' '),
);

/** Fillers that say something after all where a tool speaks of it: "read it again", "is it up". */
export const SOFT_WORDS: ReadonlySet<string> = new Set(
  'last latest first again back new old any every about how when another good'.split(' '),
);

/** What people call the values that a schema names in full. A value is only meant where an argument takes it. */
const VALUE_WORDS: Readonly<Record<string, string>> = {
  production: 'prod prd live productive productively',
  staging: 'stage stg stag stagin preprod pre-prod pre-production preproduction uat',
  local: 'localhost dev development locally devel',
  archived:
    'shelve shelved retire retired sunset sunsetted mothball mothballed archival archives dead closed discontinue discontinued obsolete',
  active: 'reactivate reactivated activate activated revive revived unarchive unarchived resume',
  intended: 'planned planning draft',
};

/** Word → the values that it may stand for. */
export const VALUE_ALIASES: ReadonlyMap<string, readonly string[]> = readAliases();

function readAliases(): ReadonlyMap<string, readonly string[]> {
  const aliases = new Map<string, readonly string[]>();
  for (const [value, words] of Object.entries(VALUE_WORDS))
    for (const word of words.split(' ')) aliases.set(word, [...(aliases.get(word) ?? []), value]);
  return aliases;
}
