import type { PageComponent } from '@signalbox/contracts/conversation/frames';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { bench, CHAT, useBench } from './bench.ts';
import type { TestPage } from './page.ts';

useBench();

/** Numbers that look like chance, and are the same in each run. */
function createChance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const isPatch = (frame: TestPage['frames'][number]) => frame.type === 'server.a2ui.patch';
/** The numbers of the patches that a page was sent and that are kept. */
const seqsOf = ({ frames }: TestPage): readonly number[] =>
  frames
    .filter(isPatch)
    .flatMap(({ payload: { seq, steps } }) =>
      steps.some((step) => step.op === 'put' && ['draft', 'notice'].includes(step.component.id)) ? [] : [seq],
    );
const newest = async (): Promise<number> =>
  (
    await bench.harness.rows<{ seq: number }>(
      `select coalesce(max(seq), 0)::int as seq from web_patches where chat_key = $1`,
      [CHAT],
    )
  )[0]?.seq ?? 0;
/** All that a page shows, in its order. */
const viewOf = (page: TestPage): readonly PageComponent[] => page.shown;

test.each([1, 2, 3])(
  'a page that loses its socket repeatedly misses no change and gets none twice: seed %i',
  async (seed) => {
    const chance = createChance(seed);
    const { url } = await bench.start();
    const cookie = await bench.signIn(url);
    let isWriting = true;

    const write = async (): Promise<void> => {
      for (let n = 0; n < 120; n += 1) {
        // New messages, and changes of older ones in their slots.
        const slot = chance(3) === 0 ? null : `slot ${chance(6)}`;
        await bench.harness.say(CHAT, [{ text: `message ${n}`, slot }]);
        if (chance(4) === 0) await new Promise((resolve) => setTimeout(resolve, chance(30)));
      }
      await until(
        async () =>
          (await bench.harness.rows(`select 1 from outbox where status in ('pending', 'sending')`)).length === 0,
        60_000,
      );
      isWriting = false;
    };

    const read = async (): Promise<TestPage> => {
      let page = await bench.open({ url, cookie });
      for (;;) {
        const goal = chance(4);
        const before = page.frames.length;
        const isLast = !isWriting;
        if (isLast) await until(async () => page.seq >= (await newest()));
        else await until(() => page.frames.length >= before + goal || !isWriting);
        const seqs = seqsOf(page);
        expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
        if (isLast) return page;
        page.socket.terminate();
        const after = page.seq;
        page = await bench.open({ url, cookie, after }, page);
        // What it has been sent before is not sent again.
        await until(() => page.frames.length > 0 || !isWriting || page.seq >= after);
        for (const seq of seqsOf(page)) expect(seq).toBeGreaterThan(after);
      }
    };

    const [page] = await Promise.all([read(), write()]);
    const fresh = await bench.open({ url, cookie });
    await until(async () => fresh.seq >= (await newest()) && fresh.frames.length > 0);
    expect(viewOf(page)).toEqual(viewOf(fresh));
    const kept = await bench.harness.rows<{ text: string }>(`
      select distinct on (coalesce(o.slot, o.id::text)) o.body ->> 'text' as text
        from outbox o where o.status = 'sent' order by coalesce(o.slot, o.id::text), o.id desc`);
    expect(page.texts().toSorted()).toEqual(kept.map(({ text }) => text).toSorted());
  },
);

test('a page that reconnects after any patch gets all later patches once and in order', async () => {
  const { url } = await bench.start();
  const cookie = await bench.signIn(url);
  for (let n = 0; n < 150; n += 1)
    await bench.harness.say(
      CHAT,
      [{ text: `message ${n}`, slot: n % 4 === 0 ? `slot ${n % 20}` : null }],
      n % 10 === 9,
    );
  await until(
    async () => (await bench.harness.rows(`select 1 from outbox where status in ('pending', 'sending')`)).length === 0,
    60_000,
  );
  const rows = await bench.harness.rows<{ seq: number; component_id: string }>(
    `select seq::int, component_id from web_patches where chat_key = $1 order by seq`,
    [CHAT],
  );
  const chance = createChance(7);
  for (let n = 0; n < 25; n += 1) {
    const after = chance(rows.at(-1)?.seq ?? 0);
    const expected = rows.filter(({ seq }) => seq > after);
    const page = await bench.open({ url, cookie, after });
    await until(() => page.seq >= (rows.at(-1)?.seq ?? 0));
    const steps = page.of('server.a2ui.patch').flatMap(({ payload }) => payload.steps);
    expect(steps.map((step) => (step.op === 'put' ? step.component.id : step.op))).toEqual(
      expected.map((row) => row.component_id),
    );
    page.socket.terminate();
  }
});

test('a page that reconnects with an expired or unknown patch id gets the full state', async () => {
  const { url } = await bench.start();
  const cookie = await bench.signIn(url);
  const rows = Array.from({ length: 600 }, (_, n) => ({ text: `message ${n}` }));
  await bench.harness.say(CHAT, rows);
  await until(
    async () => (await bench.harness.rows(`select 1 from outbox where status in ('pending', 'sending')`)).length === 0,
    60_000,
  );
  const [row] = await bench.harness.rows<{ count: number }>('select count(*)::int from web_patches');
  const count = row?.count ?? 0;
  expect(count).toBeGreaterThanOrEqual(400);
  expect(count).toBeLessThanOrEqual(464);
  for (const after of [0, 5, 100, 999_999]) {
    const page = await bench.open({ url, cookie, after });
    await until(() => page.components.size > 0);
    const [first] = page.of('server.a2ui.patch');
    expect(first?.payload.steps[0]).toEqual({ op: 'clear' });
    expect(page.texts()).toEqual(rows.slice(-200).map(({ text }) => text));
    page.socket.terminate();
  }
  const kept = await bench.open({ url, cookie, after: 400 });
  await until(() => kept.components.size > 0);
  expect(kept.of('server.a2ui.patch')[0]?.payload.steps[0]?.op).toBe('put');
});

test('a removed message disappears from every tab, including a tab that reconnects', async () => {
  const { url } = await bench.start();
  const cookie = await bench.signIn(url);
  const page = await bench.open({ url, cookie });
  await bench.harness.say(CHAT, [{ text: 'stays' }, { text: 'goes' }]);
  const { id } = await until(() => page.find('goes'));
  const away = await bench.open({ url, cookie });
  await until(() => away.find('goes'));
  away.socket.terminate();
  await bench.harness.rows('select web_change($1, $2, null, null, null)', [CHAT, id]);
  await until(() => !page.components.has(id));
  const back = await bench.open({ url, cookie, after: away.seq }, away);
  await until(() => !back.components.has(id));
  expect([page.texts(), back.texts()]).toEqual([['stays'], ['stays']]);
});
