/*
 * Each sentence names a change that nobody orders: a person forbids it, asks about it, quotes it or wants it later. Fifteen languages have
 * five changes and eight frames each. People mix languages, so the verbs of operations stay as they are said.
 */
interface Language {
  /** Deploys demo 1.1 to staging, stops demo in staging, rolls demo back in production, releases a port, archives a project. */
  readonly changes: readonly [string, string, string, string, string];
  /** Forbidden twice, asked twice, supposed, told, not yet, taken back. */
  readonly frames: readonly [string, string, string, string, string, string, string, string];
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  en: {
    changes: [
      'deploy demo 1.1 to staging',
      'stop demo in staging',
      'roll back demo in production',
      'release port 3001 on web-1',
      'archive shop',
    ],
    frames: [
      'do not %',
      '% — no, please don’t',
      'should I %?',
      'why would anybody %?',
      'what happens if we %',
      'Ben said: %',
      '% but not yet',
      '%? forget it',
    ],
  },
  de: {
    changes: [
      'deploy demo 1.1 auf staging',
      'Stoppe demo in staging',
      'rollback demo in production',
      'release port 3001 auf web-1',
      'archiviere shop',
    ],
    frames: [
      '% bitte nicht',
      'nicht %',
      'Soll ich %?',
      'Wer darf eigentlich %?',
      'Was passiert, wenn wir % machen',
      'Ben meinte: %',
      '% aber erst morgen',
      '% nein, lass es',
    ],
  },
  fr: {
    changes: [
      'déploie demo 1.1 sur staging',
      'arrête demo dans staging',
      'rollback demo en production',
      'libère le port 3001 sur web-1',
      'archive shop',
    ],
    frames: [
      'ne % pas',
      '% surtout pas',
      'faut-il % ?',
      'qui peut % ?',
      'que se passe-t-il si on %',
      'Ben a dit : %',
      '% mais pas encore',
      '% non, laisse tomber',
    ],
  },
  es: {
    changes: [
      'despliega demo 1.1 en staging',
      'para demo en staging',
      'rollback demo en production',
      'libera el port 3001 en web-1',
      'archiva shop',
    ],
    frames: [
      'no %',
      '% no, por favor',
      '¿debo %?',
      '¿quién puede %?',
      'qué pasa si %',
      'Ben dijo: %',
      '% pero todavía no',
      '% mejor no',
    ],
  },
  pt: {
    changes: [
      'deploy demo 1.1 em staging',
      'pare demo em staging',
      'rollback demo em production',
      'libere a port 3001 em web-1',
      'arquive shop',
    ],
    frames: [
      'não %',
      '% não, por favor',
      'devo %?',
      'quem pode %?',
      'o que acontece se %',
      'Ben disse: %',
      '% mas ainda não',
      '% deixa para lá',
    ],
  },
  it: {
    changes: [
      'deploy demo 1.1 su staging',
      'ferma demo in staging',
      'rollback demo in production',
      'rilascia la port 3001 su web-1',
      'archivia shop',
    ],
    frames: [
      'non %',
      '% anzi no',
      'devo %?',
      'chi può %?',
      'cosa succede se %',
      'Ben ha detto: %',
      '% ma non ancora',
      '% lascia stare',
    ],
  },
  nl: {
    changes: [
      'deploy demo 1.1 naar staging',
      'stop demo in staging',
      'rollback demo in production',
      'release port 3001 op web-1',
      'archiveer shop',
    ],
    frames: [
      '% niet',
      'niet % alsjeblieft',
      'moet ik %?',
      'wie mag %?',
      'wat gebeurt er als we %',
      'Ben zei: %',
      '% maar nog niet',
      '% laat maar',
    ],
  },
  sv: {
    changes: [
      'deploy demo 1.1 till staging',
      'stop demo i staging',
      'rollback demo i production',
      'release port 3001 på web-1',
      'arkivera shop',
    ],
    frames: [
      '% inte',
      'inte % tack',
      'ska jag %?',
      'vem får %?',
      'vad händer om vi %',
      'Ben sa: %',
      '% men inte än',
      '% glöm det',
    ],
  },
  pl: {
    changes: [
      'deploy demo 1.1 na staging',
      'stop demo na staging',
      'rollback demo na production',
      'release port 3001 na web-1',
      'archiwizuj shop',
    ],
    frames: [
      'nie %',
      '% proszę nie',
      'czy mam %?',
      'kto może %?',
      'co będzie jeśli %',
      'Ben powiedział: %',
      '% ale jeszcze nie',
      '% zapomnij',
    ],
  },
  ru: {
    changes: [
      'deploy demo 1.1 на staging',
      'stop demo на staging',
      'rollback demo в production',
      'release port 3001 на web-1',
      'archive shop',
    ],
    frames: [
      'не %',
      '% не надо',
      'мне % ?',
      'кто может %?',
      'что будет если %',
      'Бен сказал: %',
      '% но пока нет',
      '% забудь',
    ],
  },
  uk: {
    changes: [
      'deploy demo 1.1 на staging',
      'stop demo на staging',
      'rollback demo у production',
      'release port 3001 на web-1',
      'archive shop',
    ],
    frames: [
      'не %',
      '% не треба',
      'чи мені %?',
      'хто може %?',
      'що буде якщо %',
      'Бен сказав: %',
      '% але ще ні',
      '% забудь',
    ],
  },
  tr: {
    changes: [
      'deploy demo 1.1 staging',
      'stop demo staging',
      'rollback demo production',
      'release port 3001 web-1',
      'archive shop',
    ],
    frames: [
      '% yapma',
      '% sakın',
      '% mı?',
      'kim % yapabilir?',
      '% olursa ne olur',
      'Ben dedi: %',
      '% ama henüz değil',
      '% boşver',
    ],
  },
  zh: {
    changes: [
      'deploy demo 1.1 到 staging',
      'stop demo staging',
      'rollback demo production',
      'release port 3001 web-1',
      'archive shop',
    ],
    frames: ['不要 %', '% 别', '要不要 %?', '谁可以 %?', '如果 % 会怎样', 'Ben 说: %', '% 但还不要', '% 算了'],
  },
  ja: {
    changes: [
      'deploy demo 1.1 を staging に',
      'stop demo staging',
      'rollback demo production',
      'release port 3001 web-1',
      'archive shop',
    ],
    frames: [
      '% しないで',
      '% やめて',
      '% すべき?',
      '誰が % できる?',
      'もし % したら',
      'Ben が言った: %',
      '% まだしないで',
      '% やっぱりいい',
    ],
  },
  ko: {
    changes: [
      'deploy demo 1.1 staging 에',
      'stop demo staging',
      'rollback demo production',
      'release port 3001 web-1',
      'archive shop',
    ],
    frames: [
      '% 하지 마',
      '% 말고',
      '% 할까?',
      '누가 % 할 수 있어?',
      '만약 % 하면',
      'Ben 이 말했다: %',
      '% 아직 아니야',
      '% 됐어',
    ],
  },
};

/** Six hundred of them. */
export const UNSAID_ORDERS: readonly string[] = Object.values(LANGUAGES).flatMap(({ changes, frames }) =>
  changes.flatMap((change) => frames.map((frame) => frame.replace('%', change))),
);
