import { expect, test } from 'vitest';
import { findWrittenLanguage } from './written-language.ts';

const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  es: [
    'hola, que es esto?',
    'hola, ¿qué puedes hacer por mí?',
    'crea un proyecto que se llame tienda',
    'despliega shop 1.2 en producción por favor',
    'quiero ver los registros de shop-2',
    'cuánta memoria usa el servidor ahora mismo',
    'por qué falló el último despliegue?',
    'buenos días, ¿está todo bien en staging?',
    'necesito que borres `rm -rf /tmp/cache` del script',
  ],
  de: [
    'hallo, was ist das?',
    'was kannst du alles?',
    'bitte zeig mir die Server',
    'lege ein Projekt shop an',
    'warum ist das letzte Deployment fehlgeschlagen?',
    'wie viel Speicher hat der Server noch?',
    'mach das bitte rückgängig',
    'kannst du demo 1.2 auf staging ausrollen?',
    'ist die Produktion gesund?',
    'er schreibt “it does not work at all”, was meint er damit?',
  ],
  ru: [
    'привет, что это?',
    'мне нужны логи сервера',
    'что ты умеешь делать?',
    'создай проект магазин, пожалуйста',
    'разверни shop 1.2 на staging, пожалуйста',
    'почему упал последний деплой?',
    'сколько памяти осталось на сервере',
    'когда был последний запуск?',
  ],
  zh: [
    '你好，这是什么？',
    '请把 shop 部署到 staging 环境',
    '服务器还剩多少内存？',
    '为什么上次部署失败了',
    '創建一個新的項目',
    '显示 demo 的日志',
  ],
};

const UNCLEAR: readonly string[] = [
  '',
  'ok',
  'ja',
  'sí',
  'no',
  'hola',
  'hallo',
  'да',
  '好',
  '👍',
  'hello, what is this?',
  'deploy shop 1.2 to staging',
  'show the node logs',
  'list the servers',
  'is demo healthy in staging',
  'roll back demo in staging',
  'register server hal-9000',
  'ok thanks, that is all',
  'who can approve my request?',
  'restart the web container please',
  'show me the logs of kundenverwaltung',
  // Names of people and projects.
  'Maria Gonzalez',
  'Jürgen Müller',
  'Maria del Carmen de la Cruz',
  'add server berlin mitte',
  'stop container kleine welt',
  'deploy schneller versand to staging',
  'Анна',
  'remove Анна Рыбакова',
  '王小明',
  'create project tienda de ropa',
  'deploy la-tienda-de-mi-casa to staging',
  'create a project called 我的第一个项目',
  'give the operator role to Наталья Кузнецова',
  'deploy zentrale',
  // Code, logs and what others said.
  'SELECT * FROM kunden WHERE name = "Müller"',
  'docker run -d --name tienda -p 8080:80 nginx',
  '```\nhola, que es esto? no funciona nada\n```',
  '> hola, que es esto? no funciona nada',
  'what does “la conexión fue rechazada por el servidor” mean?',
  'translate "das ist mir alles zu teuer" for me',
  'was heißt',
  '2026-05-01 12:00:01 ERROR die Verbindung zum Server wurde abgelehnt',
  'ERROR: no se puede conectar con el servidor de la base de datos',
  '[2026-05-01T12:00] не удалось подключиться к серверу',
  'at Сервер.подключиться (server.js:10)',
  // Other languages than the five.
  'olá, o que é isso?',
  'quero ver os servidores por favor',
  'ciao, che cosa è questo?',
  'hallo, wat is dit?',
  'laat me de servers zien',
  'bonjour, c’est quoi ça',
  'näytä palvelimet kiitos',
  'vis mig serverne tak',
  'привіт, що це таке?',
  'покажи сервери',
  'перезапусти сервер, будь ласка',
  'здравей, какво е това?',
  'покажи ми сървърите, моля',
  'здраво, шта је ово',
  'これは何ですか',
  '本番環境確認',
  '이게 뭐예요',
  'ما هذا؟ من فضلك',
  // Pasted texts are long.
  'dies ist eine Zeile eines langen Textes\n'.repeat(12),
];

const table = Object.entries(WRITTEN).flatMap(([language, texts]) => texts.map((text) => [text, language] as const));

test.each(table)('“%s” is written in %s', async (text, language) => {
  expect(await findWrittenLanguage(text)).toBe(language);
});

test.each(UNCLEAR)('“%s” tells nothing about the language of its writer', async (text) => {
  expect(await findWrittenLanguage(text)).toBeNull();
});
