import { renderCard } from '@signalbox/safety/cards/approval-card';
import { asCodeBlock, renderExactAction } from '@signalbox/safety/cards/canonical-card';
import { listEssentialValues } from '@signalbox/safety/cards/essential';
import type { Approval } from '@signalbox/contracts/governance/approval';
import { encodeMessage } from '@signalbox/gateway/channels/telegram/send/encode';
import { encodeMessage as encodeForPage } from '@signalbox/gateway/channels/web/shown/part';
import { runInLanguage, LANGUAGES } from '@signalbox/messages/language';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openScene, PHONE, type Scene } from './scene.ts';
import { openPlayedGateway, type PlayedGateway } from './web-gateway.ts';
import { openWebScene, type WebScene } from './web-scene.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === null)('the exact action on a phone', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(executablePath);
    await scene.person('messages', { from: 1003, text: 'hello' });
  });
  afterAll(() => scene?.close());

  it.each([
    ['one long line', `${'echo harmless; '.repeat(264)}rm -rf data`],
    ['one long word', `${'a'.repeat(400)};rm`],
    ['wide letters', `${'删除'.repeat(200)}; rm`],
    ['codes', `wit\u001b[;sh notes.sh \u202etxt.exe ${'\u0430pple '.repeat(40)}`],
    ['deep tabs', `${'\t'.repeat(40)}rm`],
  ])('is not cut at the right edge: %s', async (_, command) => {
    const text = asCodeBlock(renderExactAction({ tool: 'run_command', arguments: { command, list: [command] } }));
    const act = { approvalId: 'apv_1', verb: 'approve' } as const;
    const body = {
      text: `This is exactly what runs:\n\n${text}`,
      buttons: [{ label: 'Approve', value: 'Approve', act }],
    };
    for (const part of encodeMessage(body, { chatKey: 'telegram:1003', outboxId: 1, simpleFrom: null }))
      await (part.form === 'text'
        ? scene.bot('sendMessage', { chat_id: 1003, text: part.text, entities: part.entities })
        : scene.bot('sendRichMessage', { chat_id: 1003, rich_message: { blocks: part.blocks } }));
    const page = await scene.look('as=1003', PHONE);
    const code = page.locator('pre').last();
    await code.waitFor();
    expect(await code.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    await page.context().close();
  });
});

describe.skipIf(executablePath === null)('an approval card on the page', () => {
  let scene: WebScene;
  let gateway: PlayedGateway;
  beforeAll(async () => {
    scene = await openWebScene(executablePath);
    gateway = await openPlayedGateway();
    gateway.person = { name: 'Cleo', role: 'operator' };
  });
  afterAll(async () => {
    await scene?.close();
    await gateway?.close();
  });

  const args = { command: `npm run build && ${'echo harmless; '.repeat(60)}git push --force origin main` };
  const card: Approval['card'] = {
    what: 'Run npm run build && echo harmless; echo harmless; … in the workspace',
    change: 'what was there → what is there then, whatever the build makes of all of it in the end',
    exact: renderExactAction({ tool: 'run_command', arguments: args }),
    essential: [...listEssentialValues({ arguments: args }, { told: [], derived: [] })],
    reach: 'the files of the workspace and everybody who uses it',
    risk: 'Git push is not on the list of what only reads.',
    undo: 'not known; what a command has changed is not put back',
    why: 'A command that may change something waits for an operator. (rule `commands-ask`)',
    words: 'please build it and push it, I have looked at all of it and it is fine as far as I can see',
    requester: 'Ben Bartholomew Longname (developer, id 1002)',
    changedFrom: null,
  };
  const approval = { approvalId: 'apv_01k7c0k2m4qabcdefghj', hash: '3f2a9c1d'.repeat(8), needed: 1, role: 'operator' };
  const times = { requestedAt: new Date(0), expiresAt: new Date(3_600_000) };

  it.each(LANGUAGES)(
    'fits into one view of a phone with its buttons, and opens completely in it: %s',
    async (language) => {
      // What a card is drawn from; the rest of a request says nothing on it.
      const request = {
        ...approval,
        ...times,
        card,
        status: 'pending',
        byRequester: false,
        solo: false,
        reason: null,
      } as Approval;
      const body = runInLanguage(language, () => renderCard(request, [], 'approver'));
      const [{ shown }] = encodeForPage(body, { chatKey: 'web:1', outboxId: 1, simpleFrom: null });
      const { hash } = approval;
      gateway.put({ id: '1.0', type: 'Approval', props: { ...shown.props, hash, at: '2026-03-02T10:31:00.000Z' } });
      for (const viewport of [
        { width: 360, height: 740 },
        { width: 768, height: 1_024 },
        { width: 1_280, height: 800 },
      ]) {
        const page = await scene.look(gateway.url, { viewport, locale: language });
        const section = page.locator('.approval');
        await section.waitFor();
        const [box, bar] = [await section.boundingBox(), await page.locator('header').first().boundingBox()];
        expect(box?.y).toBeGreaterThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0));
        const last = await section.getByRole('button').last().boundingBox();
        expect((last?.y ?? Infinity) + (last?.height ?? 0)).toBeLessThan(viewport.height);
        await section.locator('summary').click();
        expect((await section.locator('pre').last().innerText()).replaceAll('\n┊ ', '')).toContain(args.command);
        await page.context().close();
      }
    },
  );
});
