import { asCodeBlock, renderExact } from '@signalbox/safety/cards/canonical-card';
import { encode } from '@signalbox/gateway/channels/telegram/send/encode';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openScene, PHONE, type Scene } from './scene.ts';

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
  ])('has nothing right of the edge: %s', async (_, command) => {
    const text = asCodeBlock(renderExact({ tool: 'run_command', arguments: { command, list: [command] } }));
    const act = { approvalId: 'apv_1', verb: 'approve' } as const;
    const body = { text: `Exactly this runs:\n\n${text}`, buttons: [{ label: 'Approve', value: 'Approve', act }] };
    for (const part of encode(body, { chatKey: 'telegram:1003', outboxId: 1, simpleFrom: null }))
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
