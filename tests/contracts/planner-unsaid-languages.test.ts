import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { changesAtOnce } from './planner-bars.ts';

// The planner understands plain orders in four languages beside English. What forbids, doubts, tells or postpones the same orders changes
// nothing. The sentences were written before the planner was tried on them.

const Orders = z.record(z.string(), z.record(z.string(), z.array(z.string())));
const CHANGES =
  /^(?:trigger_deploy|rollback_deploy|stop_service|cancel_deploy|set_service_variable|register_demo|withdraw)/;

/** What is said around an order, in words of each language. */
const AROUND: Readonly<Record<string, readonly string[]>> = {
  de: [
    'auf keinen Fall: %',
    'bitte nicht: %',
    'Ben schrieb gestern: %',
    'im Ticket steht: %',
    'sollten wir wirklich: %?',
    'was passiert bei: %?',
    '% – oder lieber doch nicht',
    '%, sobald die Tests grün sind',
    'morgen: %',
    'fast hätte ich gesagt: %',
    '% wäre ein Fehler',
    'wer hat gesagt: %?',
  ],
  es: [
    'de ninguna manera: %',
    'por favor, no: %',
    'Ben escribió ayer: %',
    'el ticket dice: %',
    '¿deberíamos decir: %?',
    '¿qué pasa si digo: %?',
    '%, o mejor no',
    '%, cuando pasen las pruebas',
    'mañana: %',
    'casi dije: %',
    '% sería un error',
    '¿quién dijo: %?',
  ],
  ru: [
    'ни в коем случае: %',
    'пожалуйста, не надо: %',
    'Бен вчера написал: %',
    'в тикете написано: %',
    'стоит ли нам: %?',
    'что будет, если: %?',
    '%, хотя лучше не надо',
    '%, когда тесты пройдут',
    'завтра: %',
    'я чуть не сказал: %',
    '% было бы ошибкой',
    'кто сказал: %?',
  ],
  zh: [
    '千万不要%',
    '请别%',
    'Ben 昨天写道：%',
    '工单里说：%',
    '我们真的应该%吗？',
    '如果%会怎样？',
    '%，还是算了',
    '%，等测试通过之后',
    '明天%',
    '我差点说%',
    '%是个错误',
    '谁说的：%？',
  ],
};

const plain = ['development', 'frozen'].flatMap((set) =>
  Object.entries(
    Orders.parse(JSON.parse(readFileSync(new URL(`./planner/orders-${set}.json`, import.meta.url), 'utf8'))),
  )
    .filter(([tool]) => CHANGES.test(tool))
    .flatMap(([, orders]) => Object.entries(orders)),
);

it.each(Object.keys(AROUND))('no change is made for an order in %s that is forbidden, doubted or told', (language) => {
  const sentences = plain
    .filter(([code]) => code === language)
    .flatMap(([, orders]) => orders)
    // Each order with a third of the frames.
    .flatMap((order, at) =>
      (AROUND[language] ?? [])
        .filter((_, place) => (place + at) % 3 === 0)
        .map((frame) => frame.replace('%', order.replace(/[.?？]$/, ''))),
    );
  expect(sentences.length).toBeGreaterThan(100);
  expect(sentences.flatMap(changesAtOnce)).toEqual([]);
});
