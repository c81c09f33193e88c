/* The words that tell when something ends, in five languages. Longer ones stand before those that they begin with. */

const anyOf = (...forms: readonly string[]): string => `(?:${forms.join('|')})`;
const asWords = (forms: string): string => String.raw`(?<!\p{L})${forms}(?!\p{L})`;

const CHINESE_END = anyOf('之前', '以前', '为止', '前');
/** Matches the word behind an end in Chinese, where the end stands right before or behind it. */
export const ENDING = {
  last: new RegExp(String.raw`${CHINESE_END}\s*$`, 'u'),
  first: new RegExp(String.raw`^\s*${CHINESE_END}`, 'u'),
};
const UNTIL = anyOf('up until', 'until', 'till', 'til', 'through', 'bis(?: zum| zur)?', 'hasta(?: el)?', 'до');
const UNTIL_IN_CHINESE = [
  '一直到',
  '直到',
  '截止到?',
  '到(?=.{1,14}(?:为止|之前|以前|前|[点时半号日天晚早一二三四五六]))',
];
/** Matches the word before an end: “until”. */
export const BEGIN = new RegExp([asWords(UNTIL), ...UNTIL_IN_CHINESE].join('|'), 'iu');

const FOR = anyOf('for(?: the next)?', 'für(?: die nächsten)?', 'durante', 'por', 'на', 'в течение');
const COUNTS = anyOf(
  String.raw`\d{1,3}`,
  'an?|one|two|three|four|five|six|eight|twelve',
  'eine?|zwei|drei|vier|fünf|sechs|acht|zwölf',
  'una|dos|tres|cuatro|cinco|seis|ocho',
  'один|два|три|четыре|пять|шесть|восемь',
);
const UNITS = anyOf(
  'minutes?|hours?|days?|weeks?',
  'minuten?|stunden?|tage?|wochen?',
  'minutos?|horas?|d[íi]as?|semanas?',
  String.raw`минут\p{L}?|час\p{L}{0,2}|дн[яей]{1,2}|день|недел[юиь]`,
);
/** Matches the word before a length: “for”. */
export const LASTS = new RegExp(String.raw`(?<!\p{L})${FOR}\s+(?=${COUNTS}\s+${UNITS}(?!\p{L}))`, 'iu');

const ORDERS = '(?:дальнейших|особых|новых) (?:указаний|распоряжений)';
const FURTHER_NOTICE = anyOf(
  '(?:until|till) (?:further notice|told otherwise|i say so)',
  '(?:bis )?auf weiteres|bis ich mich melde',
  'hasta (?:nuevo|pr[óo]ximo) aviso',
  `до ${anyOf('отбоя', 'отмены', ORDERS, 'особого распоряжения')}`,
);
/** Matches ends that nobody can name yet. */
export const OPEN = new RegExp(`${asWords(FURTHER_NOTICE)}|(?:在)?(?:另行|进一步)通知${CHINESE_END}?`, 'iu');

/** Matches the word behind an end in Chinese: 明早八点前. */
export const BEFORE = new RegExp(String.raw`${CHINESE_END}(?![\p{N}天个端面后台几])`, 'u');

/** Matches a length in Chinese, which stands without a preposition: 暂停两小时. */
export const CHINESE_SPAN =
  /(?<![\p{N}最近去前])(\d{1,3}|[一二两三四五六七八九十]{1,3})个?(小时|钟头|分钟|天)(?![后前内\p{N}来])/u;
