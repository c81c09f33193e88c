/*
 * The words with which people say when something has to happen, by language. Each entry is a pattern of one thing that a text may say.
 * `%N` stands for a number in figures or words, `%H` for the figures of a time of day, `%D` for the name of a weekday, `%U` for a unit.
 * `%A` stands behind an adverb that is an adjective before a noun: “a weekly report” is no repetition.
 */

/** What the patterns of a language are about. */
export interface WhenWords {
  /** Names of the weekdays, Sunday first, each with its forms. */
  readonly days: readonly string[];
  /** Words for numbers from one on, each with its forms. */
  readonly numbers: readonly string[];
  /** Units of `every N …` and `in N …`. */
  readonly units: Readonly<Record<'minute' | 'hour' | 'day' | 'week', string>>;
  /** Repetitions, as patterns; the value is their cron pattern, without the time of day where it may be said. */
  readonly every: Readonly<Partial<Record<EveryWord, string>>>;
  /** `every N minutes`, with one group for the number and one for the unit. */
  readonly everyCount: string;
  /** Days of the week that repeat; the group holds them all. */
  readonly everyDay: string;
  /** A day of the month; a group holds its figures. */
  readonly everyMonthDay: string;
  /** `in N minutes`, with one group for the number and one for the unit. */
  readonly after: string;
  /** Times of day with groups `hour`, and possibly `minute`, `half` and `part`. */
  readonly time: readonly string[];
  /** Words beside a time that say which half of the day it is in: those of the morning, and those of the afternoon. */
  readonly morning: string;
  readonly evening: string;
  /** Single days: a pattern with the number of days from today, and the hour when none is said. */
  readonly single: readonly (readonly [pattern: string, days: number, hour: number | null])[];
  /** The next such weekday; a group holds it. */
  readonly nextDay: string;
  /** Noon and midnight, with their hours. */
  readonly hours: readonly (readonly [pattern: string, hour: number])[];
  /** An order to be reminded, and the questions that begin like one. */
  readonly remind: string;
  readonly recall: string;
  /** How an order to remember a fact begins, whose words about time belong to the fact. */
  readonly keep: string;
  /** A repetition of any kind, understood or not. */
  readonly anyRepeat: string;
  /** Words beside a task that make it speak each time. */
  readonly always: string;
  /** Words of trouble: a task with one of them is quiet while nothing is wrong. */
  readonly wrong: string;
  /** The end of an order to be reminded whose verb comes last. */
  readonly remindEnd?: string;
  /** Words at the beginning of what is left, which belong to none of the parts. */
  readonly joints: string;
}

export type EveryWord =
  'day' | 'weekday' | 'weekend' | 'night' | 'morning' | 'noon' | 'evening' | 'hour' | 'week' | 'month';

/** Joins alternatives of one pattern. */
const eitherOf = (...patterns: readonly string[]): string => patterns.join('|');

export const WHEN_WORDS: Readonly<Record<string, WhenWords>> = {
  en: {
    days: ['sundays?', 'mondays?', 'tuesdays?', 'wednesdays?', 'thursdays?', 'fridays?', 'saturdays?'],
    numbers: ['one|an|a', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'],
    units: { minute: 'minutes?|mins?', hour: 'hours?|hrs?', day: 'days?', week: 'weeks?' },
    every: {
      weekday:
        '(?:every|each|on) (?:weekdays?|workdays?|working days?|business days?)|(?:from )?monday (?:to|through|till) friday',
      weekend: '(?:every|each|on|at) (?:the )?weekends?',
      night: '(?:every|each) night|nightly%A',
      morning: '(?:every|each) morning',
      noon: '(?:every|each) noon',
      evening: '(?:every|each) evening',
      day: '(?:every|each) (?:single )?day|daily%A',
      hour: '(?:every|each) hour|hourly%A',
      week: '(?:every|each|once a) week|weekly%A',
      month: '(?:every|each|once a) month|monthly%A',
    },
    everyCount: '(?:every|each) (%N) (%U)',
    everyDay:
      '(?:every|each) (%D(?:(?:, and| and|,) %D)*)|(?:on )?((?:(?:sun|mon|tues|wednes|thurs|fri|satur)days(?:, and |, | and )?)+)',
    everyMonthDay: 'on the (\\d{1,2})(?:st|nd|rd|th)?(?: day)? of (?:every|each|the) month',
    after: 'in (%N) (%U)',
    time: [
      'at (?<hour>\\d{1,2})(?:[:.](?<minute>\\d\\d))?(?: o.?clock)?(?: ?(?<part>[ap]\\.?m\\.?))?(?: in the (?<part2>morning|afternoon|evening))?',
      '(?<hour>\\d{1,2})(?:[:.](?<minute>\\d\\d))? ?(?<part>[ap]\\.?m\\.?)',
      '(?<hour>\\d{1,2}):(?<minute>\\d\\d)',
    ],
    morning: 'a\\.?m\\.?|morning',
    evening: 'p\\.?m\\.?|afternoon|evening',
    single: [
      ['(?:on )?the day after tomorrow', 2, null],
      ['tomorrow morning', 1, 9],
      ['tomorrow evening', 1, 19],
      ['tomorrow afternoon', 1, 15],
      ['tomorrow', 1, null],
      ['tonight|this evening', 0, 20],
      ['today', 0, null],
    ],
    nextDay: '(?:on |next )(%D)',
    hours: [
      ['at noon', 12],
      ['at midnight', 0],
    ],
    remind: '(?:(?:please|can you|could you|will you) )*remind (?:me|us)(?: please)?',
    recall: 'remind (?:me|us) (?:what|who|where|why|how|which|when|whether|if)',
    keep: 'remember|keep in mind|memori[sz]e|note that',
    anyRepeat: eitherOf(
      '(?:every|each)(?: [\\p{L}\\p{N}]+){0,2} (?:minute|hour|day|night|morning|evening|week|weekend|weekday|month|quarter|year|%D)s?',
      '(?:hourly|daily|nightly|weekly|monthly|yearly|quarterly|fortnightly)%A',
    ),
    always: '(?:each|every) time|always|either way|in any case|even (?:if|when) (?:all|everything|nothing)[^,.;]{0,30}',
    wrong: 'unhealthy|wrong|down|broken|failing|failed|problems?|incidents?|slow',
    joints: '(?:to|that|about|of|and|then|please)',
  },
  de: {
    days: ['sonntags?', 'montags?', 'dienstags?', 'mittwochs?', 'donnerstags?', 'freitags?', 'samstags?|sonnabends?'],
    numbers: ['eins?|eine[rmn]?', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun', 'zehn'],
    units: { minute: 'minuten?|min', hour: 'stunden?', day: 'tage?n?', week: 'wochen?' },
    every: {
      weekday:
        '(?:jeden|an jedem) (?:werktag|arbeitstag|wochentag)|an (?:werk|arbeits|wochen)tagen|werktags|wochentags|(?:von )?montags? bis freitags?',
      weekend: 'jedes wochenende|am wochenende|an wochenenden',
      night: 'jede nacht|nachts|nächtlich',
      morning: 'jeden morgen|morgens',
      noon: 'jeden mittag|mittags',
      evening: 'jeden abend|abends',
      day: 'jeden tag|täglich',
      hour: 'jede stunde|stündlich',
      week: 'jede woche|wöchentlich',
      month: 'jeden monat|monatlich',
    },
    everyCount: 'alle (%N) (%U)',
    everyDay: '(?:jeden|an jedem) (%D(?:(?: und|,) %D)*)|((?:sonn|mon|diens|donners|frei|sams)tags|mittwochs)',
    everyMonthDay: '(?:am|an jedem|jeden) (\\d{1,2})\\.? (?:jeden|jedes|eines jeden|des|im) monats?',
    after: 'in (%N) (%U)',
    time: [
      'um (?<hour>\\d{1,2})(?:[:.](?<minute>\\d\\d))?(?: uhr(?: (?<minute2>\\d\\d))?)?(?: (?<part>morgens|früh|nachmittags|abends))?',
      '(?<hour>\\d{1,2})(?:[:.](?<minute>\\d\\d))? uhr',
      '(?<hour>\\d{1,2}):(?<minute>\\d\\d)',
    ],
    morning: 'morgens|früh',
    evening: 'nachmittags|abends',
    single: [
      ['übermorgen', 2, null],
      ['morgen früh', 1, 9],
      ['morgen abend', 1, 19],
      ['morgen nachmittag', 1, 15],
      ['morgen', 1, null],
      ['heute abend', 0, 20],
      ['heute', 0, null],
    ],
    nextDay: '(?:am |nächsten |kommenden )(%D)',
    hours: [
      ['um mitternacht', 0],
      ['mittag', 12],
    ],
    remind:
      '(?:(?:bitte|kannst du|könntest du) )*erinnere? (?:mich|uns)(?: bitte)?|(?:bitte )?(?:kannst|könntest) du mich',
    remindEnd: 'zu erinnern|erinnern',
    recall: 'erinnere? (?:mich|uns)(?: daran)?,? (?:was|wer|wo|warum|wie|welche[rsmn]?|wann|ob)',
    keep: 'merke? dir|denk daran|notiere?|behalte',
    anyRepeat: eitherOf(
      '(?:jede[nrsm]?|alle)(?: [\\p{L}\\p{N}.]+){0,2} (?:minuten?|stunden?|tage?|nacht|nächte|morgen|abend|wochen?|wochenenden?|werktage?|monate?|quartal|jahre?|%D)',
      '(?:täglich|stündlich|nächtlich|wöchentlich|monatlich|jährlich)',
      '(?:montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|werktags|nachts)',
    ),
    always: 'jedes ?mal|immer|in jedem fall|auch wenn (?:alles|nichts)[^,.;]{0,30}',
    wrong: 'ungesund\\p{L}*|kaputt\\p{L}*|down|krank\\p{L}*|falsch|gestört\\p{L}*|probleme?|störung(?:en)?|langsam',
    joints: '(?:daran|an|dass|und|dann|bitte)',
  },
  es: {
    days: ['domingos?', 'lunes', 'martes', 'mi[ée]rcoles', 'jueves', 'viernes', 's[áa]bados?'],
    numbers: ['un[oa]?', 'dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho', 'nueve', 'diez'],
    units: { minute: 'minutos?', hour: 'horas?', day: 'd[íi]as?', week: 'semanas?' },
    every: {
      weekday:
        '(?:cada|todos los) d[íi]as? (?:laborables?|h[áa]bil(?:es)?)|los d[íi]as (?:laborables|h[áa]biles)|de lunes a viernes|entre semana',
      weekend: '(?:cada|todos los|los) fin(?:es)? de semana',
      night: 'cada noche|todas las noches|por las noches',
      morning: 'cada mañana|todas las mañanas|por las mañanas',
      noon: 'cada mediod[íi]a',
      evening: 'cada tarde|todas las tardes|por las tardes',
      day: 'cada d[íi]a|todos los d[íi]as|diariamente|a diario',
      hour: 'cada hora|todas las horas',
      week: 'cada semana|todas las semanas|semanalmente',
      month: 'cada mes|todos los meses|mensualmente',
    },
    everyCount: 'cada (%N) (%U)',
    everyDay: '(?:cada|todos los|los) (%D(?:(?: y|,) %D)*)',
    everyMonthDay: 'el (?:d[íi]a )?(\\d{1,2}) de cada mes',
    after: '(?:en|dentro de) (%N) (%U)',
    time: [
      'a las? (?<hour>\\d{1,2})(?:[:.](?<minute>\\d\\d))?(?: (?:h|horas))?(?: (?<part>[ap]\\.?m\\.?))?(?: de la (?<part2>mañana|tarde|noche))?',
      '(?<hour>\\d{1,2}):(?<minute>\\d\\d)',
    ],
    morning: 'a\\.?m\\.?|mañana',
    evening: 'p\\.?m\\.?|tarde|noche',
    single: [
      ['pasado mañana', 2, null],
      ['mañana por la mañana', 1, 9],
      ['mañana por la tarde', 1, 17],
      ['mañana por la noche', 1, 20],
      ['mañana', 1, null],
      ['esta noche', 0, 20],
      ['hoy', 0, null],
    ],
    nextDay: 'el (?:próximo )?(%D)(?: que viene)?',
    hours: [
      ['a medianoche', 0],
      ['a(?:l)? mediod[íi]a', 12],
    ],
    remind: '(?:(?:por favor|puedes|podrías) )*(?:recu[ée]rda(?:me|nos)|recordarme|recordarnos)',
    recall: '(?:recu[ée]rda(?:me|nos)|recordarme) (?:qué|quién|dónde|cómo|cuál|cuándo|si)',
    keep: 'recuerda(?! ?me)|ten en cuenta|memoriza|anota',
    anyRepeat: eitherOf(
      '(?:cada|todos los|todas las)(?: [\\p{L}\\p{N}]+){0,2} (?:minutos?|horas?|d[íi]as?|noches?|mañanas?|tardes?|semanas?|mes(?:es)?|trimestres?|años?|%D)',
      '(?:diariamente|semanalmente|mensualmente|anualmente)',
    ),
    always: 'cada vez|siempre|en todo caso|aunque (?:todo|no)[^,.;]{0,30}',
    wrong: 'mal|ca[íi]d[oa]s?|rot[oa]s?|fallan(?:do)?|problemas?|incidentes?|lent[oa]s?|enferm[oa]s?',
    joints: '(?:que|de|y|luego|a)',
  },
  ru: {
    days: [
      'воскресень[еяю]м?',
      'понедельник(?:ам)?',
      'вторник(?:ам)?',
      'сред[ау]м?',
      'четверг(?:ам)?',
      'пятниц[ау]м?',
      'суббот[ау]м?',
    ],
    numbers: ['один|одну', 'два|две', 'три', 'четыре', 'пять', 'шесть', 'семь', 'восемь', 'девять', 'десять'],
    units: { minute: 'минут[уы]?', hour: 'час(?:а|ов)?', day: 'д(?:ень|ня|ней)', week: 'недел[юиь]' },
    every: {
      weekday:
        '(?:каждый|по) (?:будний|рабочий) день|по (?:будням|рабочим дням|будним дням)|в (?:будни|рабочие дни|будние дни)|с понедельника по пятницу',
      weekend: 'каждые выходные|по выходным',
      night: 'каждую ночь|по ночам|еженощно',
      morning: 'каждое утро|по утрам',
      noon: 'каждый полдень',
      evening: 'каждый вечер|по вечерам',
      day: 'каждый день|ежедневно',
      hour: 'каждый час|ежечасно',
      week: 'каждую неделю|еженедельно',
      month: 'каждый месяц|ежемесячно',
    },
    everyCount: 'кажды[ей] (%N) (%U)',
    everyDay: '(?:кажд(?:ый|ую|ое)|по) (%D(?:(?: и|,)(?: по)? %D)*)',
    everyMonthDay: '(\\d{1,2})(?:-?го)? числа каждого месяца|каждого (\\d{1,2})(?:-?го)? числа',
    after: 'через (?:(%N) )?(%U)',
    time: [
      'в (?<hour>\\d{1,2})(?:[:.](?<minute>\\d\\d))?(?: час(?:а|ов)?)?(?: (?<part>утра|дня|вечера|ночи))?',
      '(?<hour>\\d{1,2}):(?<minute>\\d\\d)',
    ],
    morning: 'утра|ночи',
    evening: 'дня|вечера',
    single: [
      ['послезавтра', 2, null],
      ['завтра утром', 1, 9],
      ['завтра днём|завтра днем', 1, 15],
      ['завтра вечером', 1, 19],
      ['завтра', 1, null],
      ['сегодня вечером', 0, 20],
      ['сегодня', 0, null],
    ],
    nextDay: 'во? (?:следующ(?:ий|ую|ее) )?(%D)',
    hours: [
      ['в полночь', 0],
      ['в полдень', 12],
    ],
    remind: '(?:(?:пожалуйста|можешь) )*(?:напомни(?:те|ть)?|напоминай(?:те)?)(?: (?:мне|нам))?(?: пожалуйста)?',
    recall: 'напомни(?:те)?(?: (?:мне|нам))?,? (?:что|кто|где|почему|как|какой|какие|когда)(?! бы)',
    keep: 'запомни(?:те)?|учти(?:те)?|имей(?:те)? в виду',
    anyRepeat: eitherOf(
      '(?:кажд(?:ый|ую|ое|ые)|раз в)(?: [\\p{L}\\p{N}]+){0,2} (?:минут[уы]?|час(?:а|ов)?|д(?:ень|ня|ней)|ночь|утро|вечер|недел[юи]|выходные|месяц(?:а|ев)?|квартал|год|%D)',
      '(?:ежедневно|ежечасно|еженедельно|ежемесячно|ежегодно|еженощно)',
      'по (?:будням|выходным|ночам|утрам|вечерам|%D)',
    ),
    always: 'каждый раз|всегда|в любом случае|даже если (?:всё|все|ничего)[^,.;]{0,30}',
    wrong:
      'нездоров\\p{L}*|не в порядке|не так|сломан\\p{L}*|упал\\p{L}*|лежит|лежат|проблем\\p{L}*|инцидент\\p{L}*|тормоз\\p{L}*|больн\\p{L}*',
    joints: '(?:о том|чтобы|что|про|и|затем|о|об)',
  },
  zh: {
    days: [
      '(?:周|星期|礼拜)[日天]',
      '(?:周|星期|礼拜)一',
      '(?:周|星期|礼拜)二',
      '(?:周|星期|礼拜)三',
      '(?:周|星期|礼拜)四',
      '(?:周|星期|礼拜)五',
      '(?:周|星期|礼拜)六',
    ],
    numbers: ['一', '二|两', '三', '四', '五', '六', '七', '八', '九', '十', '十一', '十二'],
    units: { minute: '分钟', hour: '个?(?:小时|钟头)', day: '天', week: '个?(?:周|星期|礼拜)' },
    every: {
      weekday: '每个?工作日|工作日每天|(?:周|星期)一(?:到|至)(?:周|星期)?五(?:每天)?',
      weekend: '每个?周末',
      night: '每天(?:夜里|半夜)|每[晚夜]|每天晚上',
      morning: '每天(?:早上|早晨|上午)|每早',
      noon: '每天中午',
      evening: '每天(?:傍晚|下午)',
      day: '每天|每日|天天',
      hour: '每个?小时',
      week: '每周(?![一二三四五六日天末])|每个?星期(?![一二三四五六日天])',
      month: '每个?月(?!\\d)',
    },
    everyCount: '每隔?(%N)(%U)',
    everyDay: '每个?(%D(?:[和、,，]%D)*)',
    everyMonthDay: '每个?月(\\d{1,2})[号日]',
    after: '(%N)(%U)(?:之后|以后|后)',
    time: [
      '(?<part>凌晨|早上|早晨|上午|中午|下午|傍晚|晚上)?(?<hour>%H)[点时](?:(?<half>半)|(?<minute>\\d{1,2})分?)?钟?',
      '(?<part>凌晨|早上|早晨|上午|中午|下午|傍晚|晚上)?(?<hour>\\d{1,2})[:：](?<minute>\\d\\d)',
    ],
    morning: '凌晨|早上|早晨|上午',
    evening: '中午|下午|傍晚|晚上',
    single: [
      ['后天', 2, null],
      ['明早|明天早上(?!\\d)', 1, 9],
      ['明晚', 1, 20],
      ['明天', 1, null],
      ['今晚', 0, 20],
      ['今天', 0, null],
    ],
    nextDay: '下个?(%D)',
    hours: [
      ['午夜', 0],
      ['正午', 12],
    ],
    remind: '(?:请|麻烦你?)?提醒(?:我们|我)(?:一下)?',
    recall: '提醒(?:我们|我)(?:一下)?(?:什么|谁|哪)',
    keep: '记住|请记住|记一下',
    anyRepeat:
      '每隔?(?:[\\d一二两三四五六七八九十几]{0,3})个?(?:分钟|小时|天|日|周|星期|礼拜|月|季度?|年|晚|夜|早|工作日|周末)|天天',
    always: '每次都?|总是|无论如何|即使(?:一切)?[^，。；]{0,20}',
    wrong: '不健康|异常|故障|有问题|出问题|宕机|挂了|不正常',
    joints: '(?:要|去|然后|并)',
  },
};
